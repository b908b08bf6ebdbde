// SPDX-License-Identifier: Apache-2.0
// PtxFlow: the blocks of a kernel, which of them control may enter next, and which must be passed.
//
//   0  mov …                block 0: instructions 0 to 2, then 1 or 2
//   1  setp …
//   2  @%p bra L
//   3  add …                block 1: then 2
//   L: st …                 block 2 is behind block 0 on every way: dominator[2] == 0, and whoever passes 0 passes 2:
//                           post_dominator[0] == 2
//
// An indexed branch may go to every label of its .branchtargets. A block that no way enters is not in `order`. Behind a guarded
// exit, ret or trap only those lanes come that its guard leaves, so that nothing behind it is passed by all; so it is behind the call of
// a function that executes exit.
//
// Invariants (tested): blocks cover the instructions without a gap; `order` is a reverse postorder; dominators and
// post-dominators are those that removing a block shows; the loop of a block is the smallest set with its entry from which control
// comes back to it.
// Source: Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.hpp"

namespace swz {

inline constexpr std::uint32_t no_block = 0xffffffff;

struct PtxBlock {
  std::uint32_t first = 0, end = 0;  // instructions
  std::vector<std::uint32_t> next, previous;
};

struct PtxFlow {
  std::vector<PtxBlock> blocks;
  std::vector<std::uint32_t> block_of;        // of each instruction
  std::vector<std::uint32_t> order;           // reverse postorder from block 0
  std::vector<std::uint32_t> position;        // of each block in `order`; no_block: no way enters it
  std::vector<std::uint32_t> dominator;       // the nearest; of block 0: itself; no_block: no way enters it
  std::vector<std::uint32_t> post_dominator;  // the nearest; no_block: the end of the kernel

  // The block that begins the innermost loop around each block; no_block: it is in none. For a block that begins a loop also that
  // of the next loop around that. Of loops with one entry.
  std::vector<std::uint32_t> loop, around;

  // Of two blocks that are entered; a block dominates itself.
  bool dominates(std::uint32_t a, std::uint32_t b) const { return enter[a] <= enter[b] && leave[b] <= leave[a]; }

  std::vector<std::uint32_t>
      ending_calls;  // calls of functions that may end the lanes: each stands at the end of its block
  // Lanes may end at the last instruction of the block, and the others go on.
  bool may_lose(const PtxKernel& kernel, std::uint32_t block) const;

  std::vector<std::uint32_t> enter, leave;  // of each block on a walk around the tree of dominators
};

// exit, ret, trap: a lane that executes it comes to nothing behind it.
bool ends_lanes(const PtxInstruction& one);

PtxFlow ptx_flow(const PtxModule& module, const PtxKernel& kernel);

}  // namespace swz

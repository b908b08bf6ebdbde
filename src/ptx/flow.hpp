// SPDX-License-Identifier: Apache-2.0
// PtxFlow: the blocks of a kernel, which of them control may enter next, and which it must pass.
//
// A block is a run of instructions that control enters only at the first and leaves only at the last. One block
// dominates another if every way to the other passes it, and post-dominates it if every way onwards from the other
// passes it.
//
//   0  mov …                block 0: instructions 0 and 1; next is block 1 or 2
//   1  @%p1 bra L
//   2  add …                block 1; next is block 2
//   L: st …                 block 2: every way to it passes block 0, so dominator[2] == 0;
//                           every way from block 0 passes it, so post_dominator[0] == 2
//
// An indexed branch may go to every label of its .branchtargets. A block that control cannot enter is not in `order`.
// After a guarded exit, ret or trap only those lanes go on that its guard leaves, so no block after it is passed by all
// lanes. The same holds after the call of a function that executes exit.
//
// Invariants (tested): blocks cover the instructions without a gap; `order` is a reverse postorder; dominators and
// post-dominators are those that removing a block shows; the loop of a block is the smallest set with its entry from
// which control comes back to it.
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
  std::vector<std::uint32_t> position;        // of each block in `order`; no_block: control cannot enter it
  std::vector<std::uint32_t> dominator;       // the nearest; of block 0: itself; no_block: control cannot enter it
  std::vector<std::uint32_t> post_dominator;  // the nearest; no_block: the end of the kernel

  // The block that begins the innermost loop around each block; no_block: the block is in no loop. `around` is, for a
  // block that begins a loop, the block that begins the next loop around it. Only loops with one entry count.
  std::vector<std::uint32_t> loop, around;

  // Both blocks can be entered; a block dominates itself.
  bool dominates(std::uint32_t a, std::uint32_t b) const { return enter[a] <= enter[b] && leave[b] <= leave[a]; }

  std::vector<std::uint32_t> ending_calls;  // calls of functions that may end lanes: each ends its block
  // Lanes may end at the last instruction of the block while others go on.
  bool may_lose(const PtxKernel& kernel, std::uint32_t block) const;

  std::vector<std::uint32_t> enter, leave;  // of each block on a walk around the tree of dominators
};

// exit, ret, trap: a lane that executes it executes nothing after it.
bool ends_lanes(const PtxInstruction& instruction);

PtxFlow ptx_flow(const PtxModule& module, const PtxKernel& kernel);

// The dominance frontier of each block: the blocks to which one way passes it and another does not.
std::vector<std::vector<std::uint32_t>> dominance_frontiers(const PtxFlow& flow);

}  // namespace swz

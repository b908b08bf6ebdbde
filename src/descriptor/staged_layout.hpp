// SPDX-License-Identifier: Apache-2.0
// Staged layouts: a layout of shared memory as a kernel has it, with its pipeline stages and cut into MMAs, as the tile
// (MN,K) of an operand.
//
//   (128,64,3):(64,1,8192)                               (MN,K,STAGE): (128,64):(64,1), stages at 0, 8192, 16384
//   ((128,16),1,4,3):((64,1),0,16,8192)                  ((MMA),MN,K,STAGE): (128,(16,4)):(64,(1,16)), the same tile
//   (3,128,64):(8192,64,1)                               (STAGE,MN,K), the order of Triton and torch arrays
//   (128,64,(1,3)):(64,1,(0,0))                          three stages of stride 0: one buffer
//
// A mode is one of stages if each of its steps goes beyond the whole tile. If several cuts are possible, the one that
// MMAs read is used; two that MMAs read differently are an Error, and so are stages that overlap.
//
// Invariant (tested): layout_of_stage(i) is the layout at the i-th coordinate of its stage modes.
// Source: CUTLASS 4.2, cute/algorithm/tensor_algorithms.hpp and partition_A of cute/atom/mma_atom.hpp; triton 3.9.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/swizzle_mode.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

// More are not stages: a kernel has a few.
inline constexpr std::int64_t most_stages = 256;

struct StagedLayout {
  std::string_view form = "(MN,K)";
  ComposedLayout tile{Layout()};        // of one stage, rank 2 if the layout has two modes or more
  ComposedLayout whole{Layout()};       // (MN,K,STAGE…): all stages
  std::vector<std::int64_t> starts{0};  // offset of each stage, in elements
  bool is_cut = false;                  // whether the tile differs from the layout
  bool is_partitioned = false;          // by MMAs: the tile has its modes in another nesting
  std::string other = {};               // another possible cut that no MMA reads either; empty if there is none

  std::int64_t stage_count() const { return static_cast<std::int64_t>(starts.size()); }
  bool is_one_buffer() const;  // whether all stages begin at the same place
};

// The layout with its stages. `dtype` decides between several cuts; if it is null their order does, the cut into MMAs
// first. Throws Error for stages that overlap, and if MMAs read two cuts.
StagedLayout staged_layout(const ComposedLayout& layout, const DType* dtype);

// `count` arrays of this layout, one after another without a gap.
StagedLayout repeated_layout(const ComposedLayout& layout, std::int64_t count);

// The layout of stage `i`; if the swizzle does not repeat at its start, the start is its offset.
ComposedLayout layout_of_stage(const StagedLayout& layout, std::size_t i);

// "3 stages of 16384 B", "3 stages of 16384 B, 17408 B apart", "3 stages in one buffer: stride 0".
std::string stages_text(const StagedLayout& layout, int element_bits);
// Bytes of one stage, rounded up.
std::int64_t stage_bytes(const StagedLayout& layout, int element_bits);

// Why the words of the first stage, moved by the start of another, do not read that one. Empty if they read all.
std::string stage_reason(const StagedLayout& layout, const SwizzleMode& mode, int element_bits);

}  // namespace swz

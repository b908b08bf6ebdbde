// SPDX-License-Identifier: Apache-2.0
// The operands of a block-scaled mma.sync. A, B, C and D are those of the dense or sparse mma of the same shape; sfa and
// sfb are the scale factors.
//
//   SFA of row m, block kb      lane 4 (m % 8) + 2 thread-id + m / 8     byte byte-id + kb of its register
//   SFB of column n, block kb   lane 4 n + thread-id                     byte byte-id + kb
//
//   scale_vec::2X, ids {2, 1} of A: row 12, block 0 is byte 2 of lane 4*4 + 2*1 + 1 = 19
//
// So one register of all lanes holds SFA of two m16 tiles (thread-id 0, 1), or SFB of four n8 tiles, for up to 4 blocks.
// Registers of other lanes are not read.
//
// Invariants (tested): SFA and SFB are one to one onto row and block, from the lanes that are read; both equal CuTe's
// SFALayout and SFBLayout of every atom of sm_120, coordinate by coordinate.
// Source: PTX ISA 9.3, 9.7.15.3 and table 40 (which lanes and bytes); CUTLASS 4.2 mma_traits_sm120.hpp (that the even
// lane of a pair has the row g and the odd lane g + 8); sm120_gemm's probes found the same on a chip. Not measured here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/block_scaled_mma.hpp"
#include "fragment/fragment.hpp"
#include "fragment/instruction_text.hpp"

namespace swz {

// "mma.m16n8k64.kind::mxf4nvf4.block_scale.scale_vec::4X"
std::string block_scaled_name(const BlockScaledMma& form);

// The types of A and B that a kind takes.
std::vector<std::string_view> input_types(MmaKind kind);

// One of them that exists.
struct NamedBlockScaled {
  const BlockScaledMma* form = nullptr;
  std::string_view a, b;

  // "mma.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0"
  std::string ptx() const;
};
std::vector<NamedBlockScaled> named_block_scaled();
InstructionText text_of(const NamedBlockScaled& choice, std::string_view written, std::string_view dialect);

// Of sfa or sfb. The ids must be legal.
Fragment scale_fragment(const BlockScaledMma& form, Operand operand, ScaleIds ids);

// Whether the name or the request means a block-scaled MMA.
bool is_block_scaled(const NameParts& said, const FragmentRequest& request);
// Throws Error with the rule that the request breaks and the nearest legal form.
Fragment find_block_scaled(const NameParts& said, const FragmentRequest& request);

}  // namespace swz

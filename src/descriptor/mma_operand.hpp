// MMA operands: what a whole instruction reads of A or B from the shared memory of one CTA.
//
//   mma_operand({64, 256, 16}, OperandRole::b, bf16 on sm_90a)      256x16
//   mma_operand({256, 128, 16}, OperandRole::a, bf16 on sm_100a)    128x16, half of A: M 256 needs two CTAs
//   mma_operand({64, 260, 16}, …)                                   Error: no such shape; nearest: m64n256k16
//   mma_rows(OperandRole::a, bf16 on sm_90a)                        64
//   mma_rows(OperandRole::b, bf16 on sm_90a)                        256, 248, ..., 8
//
// Dense shapes only. Source: the tables arch/instruction.hpp (wgmma) and arch/mma_kind.hpp (tcgen05).
#pragma once

#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "smem/legality.hpp"

namespace swz {

// Which operand of the MMA: A of M x K, or B of N x K.
enum class OperandRole { a, b };

constexpr std::string_view to_string(OperandRole role) { return role == OperandRole::a ? "a" : "b"; }

struct MmaOperand {
  TileExtents extents;
  bool is_half = false;  // the other half lies in the other CTA of the pair
};

// Of A or B, not of either. Throws Error when the target does not read such operands, or has no instruction of this
// shape; with the nearest one.
MmaOperand mma_operand(const MmaExtents& extents, OperandRole role, const OperandChoice& choice);

// The M (of A) or the N (of B) of the instructions that one CTA runs alone, those of .ws left out, the largest
// first. The choice is legal.
std::vector<std::int64_t> mma_rows(OperandRole role, const OperandChoice& choice);

}  // namespace swz

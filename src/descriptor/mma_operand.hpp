// MMA operands: what a whole instruction reads of A or B from the shared memory of one CTA.
//
//   mma_operand({64, 256, 16}, OperandRole::b, bf16 on sm_90a)      256x16
//   mma_operand({256, 128, 16}, OperandRole::a, bf16 on sm_100a)    128x16: M 256 exists with cta_group::2 only, and
//                                                                   each of its two CTAs holds half of A and of B
//   mma_operand({64, 260, 16}, …)     Error: no such shape; nearest: m64n256k16
//
// Dense shapes only. Source: the tables arch/instruction.hpp (wgmma) and arch/mma_shape.hpp (tcgen05).
#pragma once

#include "arch/mma_form.hpp"
#include "smem/legality.hpp"

namespace swz {

// Which operand of the MMA: A of M x K, or B of N x K.
enum class OperandRole { a, b };

struct MmaOperand {
  TileExtents extents;
  bool is_half = false;  // the other half lies in the other CTA of the pair
};

// Of A or B, not of either. Throws Error when the target does not read such operands, or has no instruction of this
// shape; with the nearest one.
MmaOperand mma_operand(const MmaExtents& extents, OperandRole role, const OperandChoice& choice);

}  // namespace swz

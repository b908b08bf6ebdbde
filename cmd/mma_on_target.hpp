// SPDX-License-Identifier: Apache-2.0
// The MMAs of a shape that a target has, or the reason why it has none.
//
//   mma_forms_on(sm_90a, {128, 128, 16}, f16)
//     error: sm_90a has no MMA of the shape m128n128k16 for f16
//     hint: tcgen05.mma kind::f16 has it on sm_100a, …: --arch sm_100a; the nearest on sm_90a is m64n128k16 (wgmma)
#pragma once

#include <vector>

#include "arch/instruction.hpp"

namespace swz {

// Throws Error with the targets that have the shape and the nearest one of this target.
std::vector<MmaForm> mma_forms_on(const Target& target, const MmaExtents& mma, const DType& dtype);

}  // namespace swz

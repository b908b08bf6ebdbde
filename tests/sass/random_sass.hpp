// SPDX-License-Identifier: Apache-2.0
// random_sass: a kernel made at random, as nvdisasm prints one, of every opcode that swz follows.
//
//   random_sass(7)      .section .text.k,"ax",@progbits … /*0000*/ S2R R0, SR_TID.X ; … EXIT ;
//
// Registers R0 to R15, UR4 to UR11, P0 to P5 and UP0 to UP3 are written before anything reads them. Instructions are under
// predicates or none; branches go forwards over some instructions, and backwards as loops of a few passes. Values come from
// the thread, parameters, constants at edges and what shared memory holds. Of one seed every compiler makes the same text.
#pragma once

#include <cstdint>
#include <string>

namespace swz {

std::string random_sass(std::uint64_t seed);

}  // namespace swz

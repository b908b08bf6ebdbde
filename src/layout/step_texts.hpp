// SPDX-License-Identifier: Apache-2.0
// Texts that the steps of several operations share.
//
//   mode_text({8, 64})       "8:64"
//   bit_range(0x380)         "bits 7-9"
//   moved_bits(Sw<3,4,3>)    "Sw<3,4,3> XORs bits 7-9 into bits 4-6"
//   xor_text(Sw<1,0,1>, 2)   "bit 1 of 2 = 0b10 is 0b10, 1 to the right 0b01; 0b10 ^ 0b01 = 0b11 = 3"
#pragma once

#include <cstdint>
#include <string>

#include "layout/layout.hpp"
#include "layout/swizzle.hpp"

namespace swz {

std::string mode_text(FlatMode m);
// "bits 7-9" or "bit 3". The mask must not be 0.
std::string bit_range(std::int64_t mask);
std::string moved_bits(const Swizzle& s);
// The XOR that a swizzle does at one offset. s is not the identity.
std::string xor_text(const Swizzle& s, std::int64_t offset);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Units: a number with a unit has a type, so that bytes, bits and elements cannot be added by mistake.
//
//   Bytes{1024}.in_chunks() == 64       the descriptor's unit, 16 bytes
//   Bits{16}.in_bytes()     == Bytes{2}
//
// Only exact conversions exist. A caller whose number may leave a remainder asks is_multiple_of first.
#pragma once

#include <compare>
#include <cstdint>

namespace swz {

struct Bytes {
  std::int64_t count = 0;
  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr bool is_multiple_of(Bytes unit) const { return count % unit.count == 0; }
  constexpr std::int64_t in_chunks() const { return count / 16; }
};

struct Bits {
  std::int64_t count = 0;
  constexpr auto operator<=>(const Bits&) const = default;
  constexpr Bytes in_bytes() const { return Bytes{count / 8}; }
};

// The 16-byte chunk: the unit of LBO, SBO and the start address, and what every 16-byte-atomic swizzle moves as a
// whole.
constexpr Bytes chunk{16};
// One row of the 32 banks, 4 bytes each.
constexpr Bytes bank_row{128};

}  // namespace swz

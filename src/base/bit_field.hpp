// SPDX-License-Identifier: Apache-2.0
// A bit field as data: its position is written once, in a table that every reader and writer uses.
//
//   constexpr BitField sbo{32, 14};
//   sbo.read(0x4000004000010040)   == 64
//   sbo.write(0, 64)               == 0x0000004000000000
#pragma once

#include <cstdint>

namespace swz {

struct BitField {
  int low = 0;    // lowest bit
  int width = 0;  // number of bits, 1 to 64

  constexpr int high() const { return low + width - 1; }
  constexpr std::uint64_t max() const { return width >= 64 ? ~0ULL : (1ULL << width) - 1; }
  constexpr std::uint64_t mask() const { return max() << low; }
  constexpr std::uint64_t read(std::uint64_t word) const { return (word >> low) & max(); }
  // Returns `word` with the field set to `value`, which must be <= max().
  constexpr std::uint64_t write(std::uint64_t word, std::uint64_t value) const {
    return (word & ~mask()) | ((value & max()) << low);
  }
};

}  // namespace swz

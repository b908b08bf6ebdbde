// SPDX-License-Identifier: Apache-2.0
// Addresses of tensor memory: lane and column of every cell, there and back.
#include <doctest/doctest.h>

#include "tmem/address.hpp"

namespace swz {
namespace {

TEST_CASE("every lane and column: the address is read back, and no other bit matters") {
  int faults = 0;
  for (int lane = 0; lane < 128; ++lane)
    for (int column = 0; column < 512; ++column) {
      const auto word = static_cast<std::uint32_t>(lane << 16 | column);
      const TmemAddress a{word};
      faults += static_cast<std::uint32_t>(tmem_address(lane, column)) != word;
      faults +=
          a.lane() != lane || a.column() != column || a.warp() != lane / 32 || a.element_bits() != 0 || !a.has_cell();
      const TmemAddress of_cute{word | 0x80000000U};
      faults += of_cute.lane() != lane || of_cute.column() != column || of_cute.element_bits() != 0x80;
    }
  CHECK(faults == 0);
  CHECK_FALSE(TmemAddress{0x00000200}.has_cell());
  CHECK_FALSE(TmemAddress{0x00800000}.has_cell());
  CHECK(TmemAddress{0x007f01ff}.has_cell());
}

}  // namespace
}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "arch/swizzle_mode.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

TEST_CASE("laws of the table") {
  for (const SwizzleMode& mode : swizzle_modes()) {
    CAPTURE(mode.name);
    CHECK(mode.base + mode.shift == 7);
    CHECK(mode.atomicity == Bytes{std::int64_t{1} << mode.base});
    CHECK(mode.span == Bytes{mode.atomicity.count << mode.bits});
    CHECK(mode.atom().is_multiple_of(mode.pattern()));
    if (mode.bits > 0) CHECK(mode.byte_swizzle().period() == mode.pattern().count);
    if (mode.wgmma_code) CHECK(*mode.tcgen05_code == 2 * *mode.wgmma_code);
    CHECK(swizzle_mode_of_code(SmemDescriptorKind::tcgen05, static_cast<std::uint64_t>(*mode.tcgen05_code)) == &mode);
  }
  for (const std::uint64_t code : {3U, 5U, 7U})
    CHECK(swizzle_mode_of_code(SmemDescriptorKind::tcgen05, code) == nullptr);
  CHECK(swizzle_mode_of_code(SmemDescriptorKind::none, 0) == nullptr);
}

// Three numberings of the same modes.
TEST_CASE("codes of the modes") {
  struct Expected {
    const char* name;
    int wgmma, tcgen05, tma;  // -1: absent
    std::int64_t atom, pattern;
  };
  const Expected expected[] = {{"none", 0, 0, 0, 128, 16},
                               {"32B", 3, 6, 1, 256, 256},
                               {"64B", 2, 4, 2, 512, 512},
                               {"128B", 1, 2, 3, 1024, 1024},
                               {"128B_32B", -1, 1, 4, 512, 512}};
  CHECK(std::size(expected) == swizzle_modes().size());
  for (const Expected& e : expected) {
    CAPTURE(e.name);
    const SwizzleMode& mode = require_swizzle_mode(e.name);
    CHECK(mode.wgmma_code.value_or(-1) == e.wgmma);
    CHECK(mode.tcgen05_code.value_or(-1) == e.tcgen05);
    CHECK(mode.tma_code.value_or(-1) == e.tma);
    CHECK(mode.atom() == Bytes{e.atom});
    CHECK(mode.pattern() == Bytes{e.pattern});
  }
}

// PTX ISA 5.5.7: chunk at each place of a 128-byte line, line by line.
TEST_CASE("chunk tables of the modes") {
  struct Expected {
    const char* name;
    std::array<const char*, 8> lines;
  };
  const Expected expected[] = {
      {"none", {"01234567", "01234567", "01234567", "01234567", "01234567", "01234567", "01234567", "01234567"}},
      {"32B", {"01234567", "10325476", "01234567", "10325476", "01234567", "10325476", "01234567", "10325476"}},
      {"64B", {"01234567", "10325476", "23016745", "32107654", "01234567", "10325476", "23016745", "32107654"}},
      {"128B", {"01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"}},
      {"128B_32B", {"01234567", "23016745", "45670123", "67452301", "01234567", "23016745", "45670123", "67452301"}},
  };
  for (const Expected& e : expected) {
    const Swizzle swizzle = require_swizzle_mode(e.name).byte_swizzle();
    for (int line = 0; line < 8; ++line) {
      CAPTURE(e.name);
      CAPTURE(line);
      std::string chunks;
      for (int c = 0; c < 8; ++c) chunks += std::to_string((swizzle(128 * line + 16 * c) % 128) / 16);
      CHECK(chunks == e.lines[static_cast<std::size_t>(line)]);
    }
  }
}

TEST_CASE("every name finds its mode") {
  for (const char* name : {"128B", "128b", "SW128", "B128", "SWIZZLE_128B", "CU_TENSOR_MAP_SWIZZLE_128B"}) {
    CAPTURE(name);
    REQUIRE(find_swizzle_mode(name) != nullptr);
    CHECK(find_swizzle_mode(name)->name == "128B");
  }
  CHECK(find_swizzle_mode("INTERLEAVE")->name == "none");
  CHECK(find_swizzle_mode("sw128_32b")->name == "128B_32B");
  CHECK(find_swizzle_mode("CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B")->name == "128B_32B");
  for (const char* name : {"", "1", "12", "CU_TENSOR_MAP_SWIZZLE_", "Sw<3,3,3>", "Sw<3,4>", "<,,>", "sw", "k_"})
    CHECK(find_swizzle_mode(name) == nullptr);
  try {
    require_swizzle_mode("SW129");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "'SW129' is not a swizzle mode");
    CHECK(e.hint == "swizzle modes: none, 32B, 64B, 128B and 128B_32B");
  }
}

TEST_CASE("stride roles: one row for each major and family, and the swapped roles of mode none") {
  std::set<std::pair<Major, SwizzleFamily>> seen;
  for (const StrideRoles& row : stride_roles()) {
    CHECK(seen.insert({row.major, row.family}).second);
    CHECK(&stride_roles(row.major, row.family) == &row);
  }
  CHECK(seen.size() == 6);
  CHECK(stride_roles(Major::K, SwizzleFamily::chunk_16).leading.empty());
  CHECK(stride_roles(Major::MN, SwizzleFamily::none).leading ==
        stride_roles(Major::MN, SwizzleFamily::chunk_16).stride);
  CHECK(stride_roles(Major::MN, SwizzleFamily::none).group == "16-byte MN chunks");
}

}  // namespace
}  // namespace swz

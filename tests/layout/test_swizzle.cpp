// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "layout/composed_layout.hpp"
#include "random_layouts.hpp"

using namespace swz;
using Tuple = std::vector<IntTuple>;

namespace {

// Bit by bit, as the definition says it.
std::int64_t bit_by_bit(int bits, int base, int shift, std::int64_t x) {
  std::int64_t result = x;
  for (int i = 0; i < bits; ++i) {
    const int to = base + i - (shift < 0 ? shift : 0);
    const int from = base + i + (shift > 0 ? shift : 0);
    if ((x >> from) & 1) result ^= std::int64_t{1} << to;
  }
  return result;
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("swizzle: every small one agrees with its definition, is its own inverse and has its period") {
    for (int bits = 0; bits <= 4; ++bits)
      for (int base = 0; base <= 5; ++base)
        for (int shift = -5; shift <= 5; ++shift) {
          if (std::abs(shift) < bits) {
            CHECK_THROWS_AS(Swizzle(bits, base, shift), Error);
            continue;
          }
          const Swizzle s(bits, base, shift);
          std::set<std::int64_t> seen;
          for (std::int64_t x = 0; x < 2 * s.period(); ++x) {
            REQUIRE(s(x) == bit_by_bit(bits, base, shift, x));
            REQUIRE(s(s(x)) == x);
            REQUIRE(s(x + s.period()) == s(x) + s.period());
            if (x < s.period()) seen.insert(s(x));
          }
          REQUIRE(seen.size() == static_cast<std::size_t>(s.period()));
          REQUIRE((seen.empty() || *seen.rbegin() == s.period() - 1));
        }
  }

  TEST_CASE("swizzle: known values") {
    CHECK(Swizzle(3, 4, 3)(0x2a8) == 0x2f8);
    CHECK(Swizzle(2, 4, 3)(249) == 233);
    CHECK(to_string(Swizzle(3, 4, 3)) == "Sw<3,4,3>");
    CHECK_THROWS_WITH_AS(Swizzle(3, 4, 2), "Sw<3,4,2> reads and writes the same bits", Error);
    CHECK_THROWS_AS(Swizzle(3, 60, 3), Error);
    CHECK_THROWS_AS(Swizzle(-1, 4, 3), Error);
  }

  TEST_CASE("swizzle: a change of units is the same map") {
    // s on bytes, then in units of 2^k bytes: unit u covers bytes u*2^k, …
    for (int k = -2; k <= 4; ++k) {
      const Swizzle s(3, 4, 3);
      const auto in = in_units(s, k);
      REQUIRE(in.has_value());
      for (std::int64_t byte = 0; byte<4096; byte += k> 0 ? 1 << k : 1) {
        if (k >= 0) REQUIRE((*in)(byte >> k) == s(byte) >> k);
        else REQUIRE((*in)(byte << -k) == s(byte) << -k);
      }
    }
    CHECK_FALSE(in_units(Swizzle(3, 4, 3), 5).has_value());
    CHECK(in_units(Swizzle(0, 4, 3), 5).has_value());
  }

  TEST_CASE("composed layout: the two forms of a swizzle are the same function") {
    const Layout tile(Tuple{8, 64}, Tuple{64, 1});
    const ComposedLayout bytes = ComposedLayout::smem_ptr(Swizzle(3, 4, 3), 16, tile);
    const ComposedLayout elements(Swizzle(3, 3, 3), 0, tile);
    CHECK(to_string(bytes) == "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    CHECK(to_string(bytes.plain()) == "Sw<3,3,3> o 0 o (8,64):(64,1)");
    CHECK(bytes.plain() == elements);
    for (std::int64_t i = 0; i < bytes.size(); ++i) {
      REQUIRE(bytes(i) == elements(i));
      // On bytes: the swizzle of the byte address, back in elements.
      REQUIRE(bytes(i) == Swizzle(3, 4, 3)(tile(i) * 2) / 2);
    }
    CHECK(offset_at(bytes, Tuple{1, 8}) == 64);
  }

  TEST_CASE("composed layout: tables agree with evaluation") {
    test::RandomLayouts random(4);
    for (int n = 0; n < 200; ++n) {
      const int bits = static_cast<int>(random.number(0, 3));
      const int shift = static_cast<int>(random.number(bits, 4)) * (random.number(0, 1) == 0 ? 1 : -1);
      const ComposedLayout l(Swizzle(bits, static_cast<int>(random.number(0, 4)), shift), random.number(0, 64),
                             random.any(4));
      INFO(to_string(l));
      std::vector<std::int64_t> table(static_cast<std::size_t>(l.size()));
      tabulate(l, table);
      for (std::int64_t i = 0; i < l.size(); ++i) REQUIRE(table[static_cast<std::size_t>(i)] == l(i));
    }
  }

  TEST_CASE("composed layout: what is refused") {
    const Layout tile(Tuple{8, 64}, Tuple{64, 1});
    CHECK_THROWS_WITH_AS(ComposedLayout::smem_ptr(Swizzle(3, 4, 3), 256, tile),
                         "Sw<3,4,3> moves 16-byte pieces and would tear elements of 256 bits apart", Error);
    CHECK_THROWS_WITH_AS(ComposedLayout::smem_ptr(Swizzle(3, 4, 3), 6, tile),
                         "smem_ptr[6b]: an element of 6 bits has no address of its own", Error);
    CHECK_THROWS_WITH_AS(ComposedLayout(Swizzle(3, 3, 3), 0, Layout(IntTuple(4), IntTuple(-1))),
                         "Sw<3,3,3> would act on the negative offset -3", Error);
  }
}

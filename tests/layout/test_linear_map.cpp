// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "layout/swizzle.hpp"

namespace swz {
namespace {

// The map of `bits` bits whose columns are the digits of `number` in base 2^bits.
LinearMap map_of(std::uint64_t number, int bits) {
  std::vector<std::uint64_t> columns;
  for (int i = 0; i < bits; ++i) columns.push_back(number >> (i * bits) & ((std::uint64_t{1} << bits) - 1));
  return LinearMap(columns);
}

struct Enumerated {
  std::set<std::uint64_t> values, zeros;
};

Enumerated enumerate(const LinearMap& f) {
  Enumerated e;
  for (std::uint64_t x = 0; x < std::uint64_t{1} << f.bits(); ++x) {
    e.values.insert(f(x));
    if (x != 0 && f(x) == 0) e.zeros.insert(x);
  }
  return e;
}

std::uint64_t top(std::uint64_t x) {
  while ((x & (x - 1)) != 0) x &= x - 1;
  return x;
}

void check_against_enumeration(const LinearMap& f) {
  const Enumerated e = enumerate(f);
  CHECK(e.values.size() == std::size_t{1} << rank(f));
  const std::vector<std::uint64_t> basis = kernel(f);
  CHECK(basis.size() == static_cast<std::size_t>(f.bits() - rank(f)));
  for (std::size_t i = 0; i < basis.size(); ++i) {
    CHECK(e.zeros.contains(basis[i]));
    if (i > 0) CHECK(top(basis[i - 1]) < top(basis[i]));
  }
  if (!basis.empty()) {
    for (const std::uint64_t x : e.zeros) CHECK(top(basis.front()) <= top(x));
  }
}

TEST_CASE("rank and kernel of every map of 0 to 3 bits, and of many of 4") {
  check_against_enumeration(LinearMap());
  for (std::uint64_t n = 0; n < 2; ++n) check_against_enumeration(map_of(n, 1));
  for (std::uint64_t n = 0; n < 16; ++n) check_against_enumeration(map_of(n, 2));
  int bijective = 0;
  for (std::uint64_t n = 0; n < 512; ++n) {
    check_against_enumeration(map_of(n, 3));
    bijective += rank(map_of(n, 3)) == 3 ? 1 : 0;
  }
  CHECK(bijective == 7 * 6 * 4);  // the order of GL(3, 2)
  for (std::uint64_t n = 0; n < 65536; n += 13) check_against_enumeration(map_of(n, 4));
}

TEST_CASE("values wider than the argument") {
  const LinearMap f({0x8000000000000000, 3});
  CHECK(rank(f) == 2);
  CHECK(f(3) == 0x8000000000000003);
  check_against_enumeration(f);
}

TEST_CASE("linearity and sums over all pairs of maps of 2 bits") {
  for (std::uint64_t a = 0; a < 16; ++a)
    for (std::uint64_t b = 0; b < 16; ++b) {
      const LinearMap f = map_of(a, 2), g = map_of(b, 2);
      for (std::uint64_t x = 0; x < 4; ++x) {
        CHECK(sum(f, g)(x) == (f(x) ^ g(x)));
        for (std::uint64_t y = 0; y < 4; ++y) CHECK(f(x ^ y) == (f(x) ^ f(y)));
      }
    }
}

TEST_CASE("every swizzle within 9 bits: its values, its own inverse, and it is recognised") {
  for (int bits = 0; bits <= 4; ++bits)
    for (int base = 0; base <= 5; ++base)
      for (int shift = -6; shift <= 6; ++shift) {
        if (std::abs(shift) < bits || bits + base + std::abs(shift) > 9) continue;
        const Swizzle s(bits, base, shift);
        const LinearMap f = LinearMap::of(s, 9);
        for (std::uint64_t x = 0; x < 512; ++x) {
          CHECK(f(x) == static_cast<std::uint64_t>(s(static_cast<std::int64_t>(x))));
          CHECK(f(f(x)) == x);
        }
        const auto again = as_swizzle(f);
        REQUIRE(again.has_value());
        CHECK(*again == (s.is_identity() ? Swizzle() : s));
      }
}

TEST_CASE("what is no swizzle") {
  CHECK(!as_swizzle(LinearMap({2, 1})));                    // a rotation
  CHECK(!as_swizzle(LinearMap({1, 2, 4 | 2, 8, 16 | 4})));  // a gap in the bits it reads
  CHECK(!as_swizzle(LinearMap({1, 2, 4, 8 | 3})));          // one bit into two
  CHECK(!as_swizzle(LinearMap({1, 2 | 1, 4 | 2})));         // reads what it writes
  CHECK(as_swizzle(LinearMap({1, 2, 4 | 1, 8})) == Swizzle(1, 0, 2));
}

TEST_CASE("restricted: the lowest columns") {
  CHECK(LinearMap({1, 2, 7}).restricted(2) == LinearMap::identity(2));
  CHECK(LinearMap::identity(64).bits() == 64);
  CHECK(LinearMap::identity(64)(~std::uint64_t{0}) == ~std::uint64_t{0});
}

}  // namespace
}  // namespace swz

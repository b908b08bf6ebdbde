// SPDX-License-Identifier: Apache-2.0
// Observations: the digest that recordings keep, and the comparison.
#include <doctest/doctest.h>

#include <set>

#include "probe/observation.hpp"

using namespace swz;

TEST_CASE("the digest is FNV-1a of the values, little endian") {
  // Of no bytes it is the offset basis; of 8 bytes of 0 the basis times the prime to the 8th power, modulo 2^64.
  CHECK(digest({}) == 0xcbf29ce484222325);
  std::uint64_t zeros = 0xcbf29ce484222325;
  for (int i = 0; i < 8; ++i) zeros *= 0x100000001b3;
  CHECK(digest({0}) == zeros);
  // "foobar" is 0x85944171f73967e8 (the test vectors of Fowler, Noll and Vo); two bytes of 0 follow it here.
  CHECK(digest({0x7261626f6f66}) == 0x85944171f73967e8 * 0x100000001b3 * 0x100000001b3);
}

TEST_CASE("observations that differ in one value, in order or in length have different digests") {
  std::set<std::uint64_t> digests;
  const Observation base{0, 1, 2, 3, -1};
  digests.insert(digest(base));
  for (std::size_t i = 0; i < base.size(); ++i)
    for (int bit = 0; bit < 63; ++bit) {
      Observation other = base;
      other[i] ^= std::int64_t{1} << bit;
      digests.insert(digest(other));
    }
  digests.insert(digest({1, 0, 2, 3, -1}));
  digests.insert(digest({0, 1, 2, 3}));
  digests.insert(digest({0, 1, 2, 3, -1, 0}));
  CHECK(digests.size() == 1 + 5 * 63 + 3);
}

TEST_CASE("a comparison tells the first difference and how many there are") {
  const Observation expected{10, 11, 12, 13};
  CHECK(compare(expected, expected).is_same());
  CHECK(compare({}, {}).is_same());

  const Mismatch two = compare(expected, {10, 7, 12, 8});
  CHECK_FALSE(two.is_same());
  CHECK(two.differing == 2);
  CHECK(two.of == 4);
  CHECK(two.first == 1);
  CHECK(two.expected == 11);
  CHECK(two.observed == 7);
}

TEST_CASE("observations of different length differ from the end of the shorter one on") {
  const Mismatch shorter = compare({10, 11, 12, 13}, {10, 11});
  CHECK_FALSE(shorter.is_same());
  CHECK(shorter.differing == 2);
  CHECK(shorter.of == 4);
  CHECK(shorter.first == 2);
  CHECK(shorter.expected == 12);
  CHECK(shorter.observed == -1);
  const Mismatch longer = compare({10}, {10, 0, 0});
  CHECK(longer.differing == 2);
  CHECK(longer.of == 3);
  CHECK(longer.first == 1);
  CHECK(longer.expected == -1);
  CHECK(longer.observed == 0);
}

// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "smem/address_lint.hpp"

namespace swz {
namespace {

std::vector<std::uint64_t> table(const AffineMap& f) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t x = 0; x < std::uint64_t{1} << f.linear.bits(); ++x) values.push_back(f(x));
  return values;
}

void check_both_ways(const AffineMap& f, int log2_unit) {
  const std::vector<AddressReference> references = mode_references(log2_unit);
  const std::vector<std::uint64_t> values = table(f);
  const AddressLint fast = lint_affine(f, std::uint64_t{16} >> log2_unit, references);
  const AddressLint slow = lint_values(values, std::uint64_t{16} >> log2_unit, references);
  CHECK(fast.values == slow.values);
  CHECK(fast.collision == slow.collision);
  CHECK(fast.outside == slow.outside);
  CHECK(fast.piece == slow.piece);
  CHECK(fast.torn == slow.torn);
  CHECK(fast.swizzle == slow.swizzle);
  CHECK(fast.comparisons == slow.comparisons);
  CHECK(fast == slow);
  const auto period = xor_period(f);
  if (period && *period * 2 <= values.size()) CHECK(xor_period(values) == period);
  if (xor_period(values)) CHECK(xor_period(values) == period);
}

TEST_CASE("elimination and enumeration make the same report: random affine maps near the identity and far from it") {
  std::mt19937_64 random(7);
  for (int n = 0; n < 600; ++n) {
    const int bits = static_cast<int>(random() % 12);
    std::vector<std::uint64_t> columns = LinearMap::identity(bits).columns();
    const std::uint64_t changes = random() % 4;
    for (std::uint64_t i = 0; bits > 0 && i < changes; ++i)
      columns[random() % columns.size()] ^= random() % (std::uint64_t{2} << bits);
    if (n % 10 == 0)
      for (std::uint64_t& column : columns) column = random() % (std::uint64_t{2} << bits);
    const std::uint64_t constant = n % 3 == 0 ? random() % (std::uint64_t{2} << bits) : 0;
    check_both_ways({LinearMap(columns), constant}, static_cast<int>(random() % 5));
  }
}

TEST_CASE("elimination and enumeration make the same report: every swizzle within 11 bits") {
  for (int bits = 0; bits <= 3; ++bits)
    for (int base = 0; base <= 6; ++base)
      for (int shift = -4; shift <= 4; ++shift)
        if (std::abs(shift) >= bits && bits + base + std::abs(shift) <= 11)
          check_both_ways({LinearMap::of(Swizzle(bits, base, shift), 11)}, base % 3);
}

TEST_CASE("each mode is equal only to itself, in every unit") {
  for (int log2_unit = -1; log2_unit <= 4; ++log2_unit) {
    const std::vector<AddressReference> references = mode_references(log2_unit);
    for (std::size_t i = 0; i < references.size(); ++i) {
      const auto s = in_units(references[i].mode->byte_swizzle(), log2_unit);
      const AddressLint lint = lint_affine({LinearMap::of(*s, 12)}, 1, references);
      for (std::size_t j = 0; j < references.size(); ++j) CHECK((lint.comparisons[j].wrong == 0) == (i == j));
      CHECK(lint.nearest() == i);
      CHECK(lint.is_bijective());
    }
  }
}

// All modes, and row by row, differ from it in lines 1 to 7 of 8: none moves line 7 by 0x50, nor another by 0x70.
TEST_CASE("of references that are equally far the largest mode is the nearest") {
  std::vector<std::uint64_t> values;
  for (std::uint64_t x = 0; x < 1024; ++x) values.push_back(x ^ (x >> 7 == 0 ? 0 : (x >> 7) == 7 ? 0x50 : 0x70));
  const std::vector<AddressReference> references = mode_references(0);
  const AddressLint lint = lint_values(values, 16, references);
  std::uint64_t fewest = ~std::uint64_t{0};
  for (const AddressComparison& c : lint.comparisons) fewest = std::min(fewest, c.wrong);
  int bits = 0;
  for (std::size_t i = 0; i < references.size(); ++i)
    if (lint.comparisons[i].wrong == fewest) bits = std::max(bits, references[i].mode->bits);
  CHECK(fewest == 896);
  CHECK(references[*lint.nearest()].mode->bits == bits);
  CHECK(bits == 3);
}

TEST_CASE("values that are no affine map: a rotation by one chunk, a table of three inputs, padding") {
  std::vector<std::uint64_t> values;
  for (std::uint64_t x = 0; x < 128; ++x) values.push_back((x + 16) % 128);
  AddressLint lint = lint_values(values, 16, mode_references(0));
  CHECK(lint.is_bijective());
  CHECK(!lint.affine);
  CHECK(lint.piece == 16);
  CHECK(!lint.torn);
  CHECK(lint.comparisons[0].wrong == 128);
  CHECK(lint.comparisons[0].first == WrongAddress{0, 16, 0});

  lint = lint_values(std::vector<std::uint64_t>{0, 7, 7}, 16, {});
  CHECK(lint.values == 2);
  CHECK(lint.collision == AddressCollision{1, 2, 7});
  CHECK(lint.outside == 1);
  CHECK(!lint.nearest());

  values.clear();
  for (std::uint64_t x = 0; x < 64; ++x) values.push_back(x / 32 * 36 + x % 32);
  lint = lint_values(values, 16, {});
  CHECK(lint.is_injective());
  CHECK(!lint.is_bijective());
  CHECK(lint.outside == 60);
  CHECK(lint.piece == 4);
  CHECK(lint.torn == WrongAddress{32, 36, 32});
}

TEST_CASE("the period needs two repetitions to be seen, and blocks that keep to themselves") {
  const auto period_of = [](auto f, std::uint64_t inputs) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t x = 0; x < inputs; ++x) values.push_back(f(x));
    return xor_period(values);
  };
  CHECK(period_of([](std::uint64_t x) { return x; }, 8) == 1);
  CHECK(period_of([](std::uint64_t x) { return x ^ (x >> 3 & 0x70); }, 4096) == 1024);
  CHECK(period_of([](std::uint64_t x) { return x ^ (x >> 3 & 0x70); }, 1024) == std::nullopt);
  CHECK(period_of([](std::uint64_t x) { return x ^ (x & 1) << 5; }, 256) == 64);
  CHECK(period_of([](std::uint64_t x) { return x & 15; }, 256) == std::nullopt);
}

}  // namespace
}  // namespace swz

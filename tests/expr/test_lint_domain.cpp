// SPDX-License-Identifier: Apache-2.0
// How far an expression is examined when it is linted, in which units, and with which tiles it is compared.
#include <doctest/doctest.h>

#include <string>

#include "arch/dtype.hpp"
#include "base/error.hpp"
#include "expr/swizzle_lint.hpp"

using namespace swz;

namespace {

SwizzleLint linted(const char* text, const char* dtype = nullptr, std::optional<std::uint64_t> inputs = {}) {
  return lint_swizzle({CExpression(text), dtype == nullptr ? nullptr : &require_dtype(dtype), inputs});
}

SwizzleLint tile(const char* text, std::uint64_t rows, std::uint64_t cols, const char* dtype = nullptr) {
  return lint_swizzle({CExpression(text), dtype == nullptr ? nullptr : &require_dtype(dtype), {}, rows, cols});
}

constexpr const char* mode_128b = "addr ^ ((addr >> 3) & 0x70)";

}  // namespace

TEST_CASE("lint: without a period 64 KiB are examined, with one as much as mode 128B takes, in units") {
  CHECK(linted("addr * 3").lint.inputs == 65536);
  CHECK(linted("addr * 3", "f16").lint.inputs == 32768);
  CHECK(linted("addr * 3", "b1").lint.inputs == 8 * 65536);
  CHECK_FALSE(linted("addr * 3").is_whole_period);
  CHECK(linted("addr").lint.inputs == 1024);
  CHECK(linted("addr", "f16").lint.inputs == 512);
  CHECK(linted(mode_128b).lint.inputs == 1024);
  CHECK(linted("addr ^ ((addr >> 10) & 1)").lint.inputs == 2048);
  CHECK(linted("addr ^ ((addr >> 10) & 1)").is_whole_period);
  // Not affine, with a period of 4: (x + 1) % 4 within blocks of 4.
  const SwizzleLint rotation = linted("(addr & ~3) + (addr + 1) % 4");
  CHECK(rotation.period == 4);
  CHECK(rotation.lint.inputs == 1024);
  CHECK_FALSE(rotation.is_by_algebra);
}

TEST_CASE("lint: an address has 62 bits of bytes, in any unit; more inputs would have to be tried") {
  const auto power = [](int bit) { return std::uint64_t{1} << bit; };
  CHECK(linted(mode_128b, nullptr, power(62)).is_by_algebra);
  CHECK(linted(mode_128b, nullptr, power(62)).lint.inputs == power(62));
  CHECK_THROWS_AS(linted(mode_128b, nullptr, power(63)), Error);
  CHECK(linted("addr", "f16", power(61)).is_by_algebra);
  CHECK_THROWS_AS(linted("addr", "f16", power(62)), Error);
  CHECK(linted("addr", "u64", power(59)).is_by_algebra);
  CHECK_THROWS_AS(linted("addr", "u64", power(60)), Error);
  CHECK(linted("addr", "b1", power(62)).is_by_algebra);
  CHECK_THROWS_AS(linted("addr", "b1", power(63)), Error);
  // Inputs that are no power of two, and one that is not affine: at most 2^18.
  CHECK_FALSE(linted("addr", nullptr, 1000).is_by_algebra);
  CHECK(linted("addr", nullptr, 1000).lint.inputs == 1000);
  CHECK(linted("addr * 3", nullptr, power(18)).lint.inputs == power(18));
  CHECK_THROWS_AS(linted("addr * 3", nullptr, power(18) + 1), Error);
  CHECK_THROWS_AS(linted("addr", nullptr, power(18) + 1), Error);
}

TEST_CASE("lint: a chunk is 16 bytes of any unit") {
  CHECK_FALSE(linted("addr ^ ((addr >> 1) & 16)").lint.torn.has_value());
  CHECK(linted("addr ^ ((addr >> 1) & 8)").lint.torn.has_value());
  CHECK_FALSE(linted("addr ^ ((addr >> 1) & 8)", "f16").lint.torn.has_value());
  CHECK(linted("addr ^ ((addr >> 1) & 4)", "f16").lint.torn.has_value());
  CHECK_FALSE(linted("addr ^ ((addr >> 1) & 128)", "b1").lint.torn.has_value());
  CHECK(linted("addr ^ ((addr >> 1) & 64)", "b1").lint.torn.has_value());
  CHECK_FALSE(linted("addr ^ ((addr >> 1) & 2)", "u64").lint.torn.has_value());
  CHECK(linted("addr ^ ((addr >> 1) & 1)", "u64").lint.torn.has_value());
}

TEST_CASE("lint: the unit that was meant, of every mode, and none where the constant is not 0") {
  const auto meant = [](const char* text) {
    const SwizzleLint s = linted(text);
    return s.other_unit ? std::string(s.other_unit->mode->name) + " " + std::to_string(s.other_unit->unit.count)
                        : "none";
  };
  CHECK(meant("addr ^ ((addr >> 3) & 0x8)") == "32B 2");
  CHECK(meant("addr ^ ((addr >> 3) & 0x18)") == "64B 2");
  CHECK(meant("addr ^ ((addr >> 3) & 0x38)") == "128B 2");
  CHECK(meant("addr ^ ((addr >> 3) & 0x1c)") == "128B 4");
  CHECK(meant("addr ^ ((addr >> 3) & 0x0e)") == "128B 8");
  CHECK(meant("addr ^ ((addr >> 3) & 0x07)") == "128B 16");
  CHECK(meant("addr ^ ((addr >> 2) & 0x30)") == "128B_32B 2");
  CHECK(meant("1 ^ addr ^ ((addr >> 3) & 0x38)") == "none");
  CHECK(meant("addr") == "none");
  CHECK(meant(mode_128b) == "none");
  CHECK(meant("addr ^ ((addr >> 4) & 0x38)") == "none");
}

TEST_CASE("lint: the tiles that coordinates are compared with; an order only where both directions have two atoms") {
  const auto has = [](const SwizzleLint& s, const char* mode, const char* name) {
    for (const AddressReference& reference : s.references)
      if (reference.mode->name == mode && reference.layout == name) return true;
    return false;
  };
  const SwizzleLint four = tile("row * 32 + col", 16, 32);  // mode none, K-major: atoms of 8 x 16
  CHECK(has(four, "none", "K-major, mn-first"));
  CHECK(has(four, "none", "K-major, k-first"));
  CHECK_FALSE(has(four, "none", "K-major"));
  CHECK(has(four, "none", "row by row"));
  CHECK(has(four, "none", "column by column"));
  const SwizzleLint two = tile("row * 32 + col", 8, 32);
  CHECK(has(two, "none", "K-major"));
  CHECK_FALSE(has(two, "none", "K-major, mn-first"));
  const SwizzleLint column = tile("row * 16 + col", 16, 16);
  CHECK(has(column, "none", "K-major"));
  CHECK_FALSE(has(column, "none", "K-major, k-first"));
  REQUIRE(tile("row * 32 + col", 16, 32).equal() != nullptr);
  CHECK(tile("row * 32 + col", 16, 32).equal()->layout == "row by row");
  REQUIRE(tile("col * 16 + row", 16, 32).equal() != nullptr);
  CHECK(tile("col * 16 + row", 16, 32).equal()->layout == "column by column");
  CHECK(tile("row * 33 + col", 16, 32).equal() == nullptr);
}

TEST_CASE("lint: coordinates in bytes of an element of every width") {
  for (const auto& [name, bytes] : {std::pair{"f16", 2}, {"f32", 4}, {"u64", 8}}) {
    const char* const dtype = name;
    const std::string text = "row * " + std::to_string(32 * bytes) + " + col * " + std::to_string(bytes);
    const SwizzleLint s = tile(text.c_str(), 16, 32, dtype);
    CAPTURE(dtype);
    REQUIRE(s.equal() != nullptr);
    CHECK(s.value_bytes == static_cast<std::uint64_t>(bytes));
    CHECK(s.value(33) == 33);
    // Without a type the wider element is found.
    const SwizzleLint untyped = tile(text.c_str(), 16, 32);
    REQUIRE(untyped.other_unit.has_value());
    CHECK(untyped.other_unit->unit.count == bytes);
  }
  const SwizzleLint elements = tile("row * 32 + col", 16, 32, "f16");
  CHECK(elements.value_bytes == 0);
  CHECK(elements.value(33) == 33);
  CHECK_THROWS_AS(lint_swizzle({CExpression("row"), nullptr, {}, 8, {}}), Error);
  CHECK_THROWS_AS(lint_swizzle({CExpression("addr"), nullptr, {}, 8, 8}), Error);
}

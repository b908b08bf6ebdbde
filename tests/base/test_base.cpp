// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <climits>

#include "base/bit_field.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

using namespace swz;

TEST_SUITE("base") {
  TEST_CASE("checked arithmetic: exact or an error") {
    CHECK(checked_add(INT64_MAX - 1, 1) == INT64_MAX);
    CHECK_THROWS_WITH_AS(checked_add(INT64_MAX, 1), "9223372036854775807 + 1 does not fit in 64 bits", Error);
    CHECK_THROWS_AS(checked_add(INT64_MIN, -1), Error);
    CHECK(checked_mul(std::int64_t{1} << 31, std::int64_t{1} << 31) == std::int64_t{1} << 62);
    CHECK_THROWS_AS(checked_mul(std::int64_t{1} << 32, std::int64_t{1} << 31), Error);
    CHECK_THROWS_AS(checked_abs(INT64_MIN), Error);
    CHECK(checked_abs(-5) == 5);
    for (std::int64_t a = 0; a < 50; ++a)
      for (std::int64_t b = 1; b < 50; ++b) {
        const std::int64_t c = ceil_div(a, b);
        REQUIRE((c * b >= a && (c == 0 || (c - 1) * b < a)));
      }
    CHECK(is_power_of_two(1));
    CHECK_FALSE(is_power_of_two(0));
    CHECK_FALSE(is_power_of_two(-8));
    CHECK_FALSE(is_power_of_two(12));
    CHECK(log2_exact(1024) == 10);
  }

  TEST_CASE("bit fields: write then read, neighbours untouched") {
    for (int low = 0; low < 64; ++low)
      for (int width = 1; low + width <= 64; ++width) {
        const BitField f{low, width};
        REQUIRE(f.high() == low + width - 1);
        for (const std::uint64_t word : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x123456789abcdef0}})
          for (const std::uint64_t value : {std::uint64_t{0}, f.max(), f.max() & 0x5555555555555555}) {
            const std::uint64_t written = f.write(word, value);
            REQUIRE(f.read(written) == value);
            REQUIRE((written & ~f.mask()) == (word & ~f.mask()));
          }
      }
    CHECK(BitField{32, 14}.read(0x4000004000010042) == 64);
  }

  TEST_CASE("nearest: slips of the finger, nothing far away") {
    CHECK(edit_distance("layuot", "layout") == 1);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("Swizzle", "swizzle") == 0);
    CHECK(edit_distance("kitten", "sitting") == 3);
    const std::vector<std::string> names{"decode", "layout", "diff", "arch"};
    CHECK(nearest("layot", names) == "layout");
    CHECK(nearest("decdoe", names) == "decode");
    CHECK_FALSE(nearest("frobnicate", names).has_value());
    CHECK_FALSE(nearest("", names).has_value());
    CHECK_FALSE(nearest(std::string(1000, 'x'), names).has_value());
    CHECK(did_you_mean("dif", names) == "did you mean 'diff'?");
    CHECK(did_you_mean("xyzzy", names).empty());
  }

  TEST_CASE("text for messages") {
    CHECK(plural(1, "access") == "1 access");
    CHECK(plural(2, "access") == "2 accesses");
    CHECK(plural(0, "copy") == "0 copies");
    CHECK(plural(3, "MMA") == "3 MMAs");
    CHECK(quoted("abc") == "'abc'");
    CHECK(quoted(std::string_view("a\0b", 3)) == "'a\\x00b'");
    CHECK(quoted("a\x1b[31m") == "'a\\x1b[31m'");
    CHECK(quoted(std::string(100, 'a'), 10) == "'aaaaa…aaaaa'");
    CHECK(join_and({}).empty());
    CHECK(join_and({"a"}) == "a");
    CHECK(join_and({"a", "b", "c"}) == "a, b and c");
    CHECK(hex64(0x4000004000010042) == "0x4000004000010042");
    CHECK(hex64(0) == "0x0000000000000000");
    CHECK(hex32(0x08400490) == "0x08400490");
  }

  TEST_CASE("errors keep the first place and the first text") {
    const Error e("message", "hint");
    CHECK(e.span.empty());
    CHECK(e.at({2, 5}).span.begin == 2);
    CHECK(e.at({2, 5}).at({7, 9}).span.begin == 2);
    CHECK(e.in_text("abc").in_text("xyz").text == "abc");
    CHECK(e.kind == ErrorKind::input);
  }

  TEST_CASE("units convert exactly") {
    CHECK(Bytes{1024}.in_chunks() == 64);
    CHECK(Bits{16}.in_bytes() == Bytes{2});
    CHECK(Bytes{48}.is_multiple_of(chunk));
    CHECK_FALSE(Bytes{40}.is_multiple_of(chunk));
  }
}

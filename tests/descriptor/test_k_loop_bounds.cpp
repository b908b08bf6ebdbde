// SPDX-License-Identifier: Apache-2.0
// K loops at the bounds of what is said: how many rows, how many strides, how far; one step more and one less.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "descriptor/k_loop.hpp"

namespace swz {
namespace {

using Words = std::vector<SmemDescriptor>;

// Of mode 128B with this SBO, on sm_90a; LBO 16 B.
Words words_of(const std::vector<std::uint64_t>& starts, std::int64_t sbo = 1024) {
  Words words;
  for (const std::uint64_t start : starts)
    words.push_back(SmemDescriptor(0x4000000000010000 | static_cast<std::uint64_t>(sbo / 16) << 32 | start,
                                   require_target("sm_90a")));
  return words;
}

bool names(const KLoop& loop, std::string_view rule) {
  return std::ranges::find(loop.mistakes, rule, &Explanation::rule) != loop.mistakes.end();
}

std::string readings(const KLoop& loop) {
  std::string out;
  for (const LoopReading& reading : loop.readings) out += reading.text + "\n";
  return out;
}

const LoopOperand f16_k{Major::K, 16, 0, 32, {}, 0, {}}, f16_mn{Major::MN, 16, 0, 32, {}, 0, {}};

TEST_CASE("a loop inside one line tells of no other atom") {
  for (std::uint64_t steps = 2; steps <= 4; ++steps) {
    std::vector<std::uint64_t> starts;
    for (std::uint64_t i = 0; i < steps; ++i) starts.push_back(0x40 + 2 * i);
    const KLoop loop = k_loop(words_of(starts), f16_k);
    CHECK(readings(loop) == "K-major: 32 B a step (field +2) inside the 128 B line\n");
    REQUIRE(loop.readings.size() == 1);
    CHECK(loop.readings[0].next_atom == Bytes{0});
    CHECK(loop.readings[0].most_rows == 0);
  }
}

TEST_CASE("atoms along K after all rows: for 8 rows a group of SBO between them") {
  for (std::int64_t groups = 1; groups <= 20; ++groups) {
    const auto next = static_cast<std::uint64_t>(0x40 + groups * 64);
    const KLoop loop = k_loop(words_of({0x40, 0x42, 0x44, 0x46, next, next + 2}), f16_k);
    CHECK(
        readings(loop) ==
        fmt::format("K-major: 32 B a step (field +2) inside the 128 B line; atoms along K are {} B apart: right for at "
                    "most {} rows\n",
                    groups * 1024, groups * 8));
  }
}

TEST_CASE("atoms along K between two groups of rows: as many as fit below SBO, else one group of rows") {
  // Atoms of 1024 B; `steps` of 32 B lie in (steps + 3) / 4 atoms.
  for (std::int64_t fit = 2; fit <= 4; ++fit)
    for (std::uint64_t steps = 5; steps <= 18; ++steps) {
      std::vector<std::uint64_t> starts;
      for (std::uint64_t i = 0; i < steps; ++i) starts.push_back(0x40 + i / 4 * 64 + i % 4 * 2);
      const std::string text = readings(k_loop(words_of(starts, fit * 1024), f16_k));
      const bool fits = static_cast<std::int64_t>((steps + 3) / 4) <= fit;
      CAPTURE(fit);
      CAPTURE(steps);
      CHECK(text ==
            std::string("K-major: 32 B a step (field +2) inside the 128 B line; atoms along K are 1024 B apart") +
                (fits ? "\n" : ": right for at most 8 rows\n"));
    }
}

TEST_CASE("the same k of other rows: whole groups of SBO, up to 32 of them") {
  for (std::int64_t units = 1; units <= 40 * 64; units += units % 64 == 1 ? 31 : units % 64 == 32 ? 31 : 1) {
    const auto second = static_cast<std::uint64_t>(units);
    const KLoop loop = k_loop(words_of({0x40, 0x40 + second}));
    const bool is_whole = units % 64 == 0 && units / 64 <= 32;
    CAPTURE(units);
    const bool is_named = !loop.other_rows.starts_with("words of other");
    if (loop.is_right()) CHECK(loop.other_rows.empty());
    else if (is_named)
      CHECK(loop.other_rows ==
            (is_whole ? fmt::format("K-major: the same k of other rows, {} further each", units / 64 * 8) : ""));
    else CHECK_FALSE(is_whole);
  }
  CHECK(k_loop(words_of({0x40, 0x240, 0x440})).other_rows == "K-major: the same k of other rows, 64 further each");
  CHECK(k_loop(words_of({0x40, 0x240, 0x480})).other_rows == "words of other rows, tiles or operands");
  CHECK(k_loop(words_of({0x40, 0x240, 0x400})).other_rows == "words of other rows, tiles or operands");
}

TEST_CASE("another number of strides than a step takes: 1 to 4") {
  for (std::uint64_t n = 1; n <= 6; ++n) {
    CAPTURE(n);
    const KLoop f16 = k_loop(words_of({0x40, 0x40 + n * 64, 0x40 + n * 128}), f16_mn);
    CHECK(f16.is_right() == (n == 2));  // 16 elements of K are two groups of 8
    CHECK(names(f16, "advance-step-count") == (n == 1 || n == 3 || n == 4));
    const KLoop half = k_loop(words_of({0x40, 0x40 + n * 64 + 32, 0x40 + n * 128 + 64}), f16_mn);
    CHECK_FALSE(half.is_right());
    CHECK_FALSE(names(half, "advance-step-count"));
  }
}

TEST_CASE("strides swapped: where the other stride is an atom or more") {
  // LBO 1008, 1024 and 1040 B, SBO 4096 B, MN-major: right is 2 x SBO.
  for (const std::uint64_t lbo : {63U, 64U, 65U}) {
    Words words;
    for (std::uint64_t i = 0; i < 3; ++i)
      words.push_back(SmemDescriptor(0x4000010000000000 | lbo << 16 | (0x40 + i * 2 * lbo), require_target("sm_90a")));
    CAPTURE(lbo);
    CHECK(names(k_loop(words, f16_mn), "advance-strides-exchanged") == (lbo >= 64));
  }
}

TEST_CASE("a tile that begins inside of a line, or a step past the end of one: both are said, and no more") {
  const KLoop either = k_loop(words_of({0x46, 0x48}));
  CHECK(either.is_right());
  CHECK(std::ranges::none_of(either.mistakes, [](const Explanation& m) { return m.rule == "advance-wrapped"; }));
  CHECK(names(either, "advance-past-atom"));
}

TEST_CASE("the last start address that the field holds") {
  const auto rules = [](const std::vector<std::uint64_t>& starts) {
    const KLoop loop = k_loop(words_of(starts), f16_k);
    return loop.is_right() ? "right" : names(loop, "advance-wrapped") ? "wrapped" : "other";
  };
  CHECK(rules({0x3ff8, 0x3ffa, 0x3ffc, 0x3ffe}) == std::string("right"));
  CHECK(rules({0x3ffc, 0x3ffe, 0}) == std::string("wrapped"));
  CHECK(rules({0x3ffc, 0x3ffe, 2}) == std::string("other"));
  CHECK(rules({0x3ffe, 0}) == std::string("wrapped"));
}

}  // namespace
}  // namespace swz

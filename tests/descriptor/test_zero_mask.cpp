// SPDX-License-Identifier: Apache-2.0
// Zero-column masks: fields decoded and encoded back; the columns are those of the runs written out one by one.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "descriptor/zero_mask.hpp"

namespace swz {
namespace {

// The fields that PTX's table 45 names, put into a word.
std::uint64_t word_of(const ZeroColumnMask& m) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    word |= static_cast<std::uint64_t>(m.left_out[i]) << (8 * i);
    word |= static_cast<std::uint64_t>(m.starts_skipping[i]) << (32 + i);
  }
  word |= static_cast<std::uint64_t>(m.is_zero_mask ? 0 : 1) << 39;
  word |= static_cast<std::uint64_t>(m.skip - 1) << 40 | static_cast<std::uint64_t>(m.use - 1) << 48;
  return word | static_cast<std::uint64_t>(m.shift) << 56;
}

// Run after run, from the kind that the sub-mask starts with; then the first columns left out.
std::vector<bool> written_out(const ZeroColumnMask& m, std::size_t sub_mask, std::size_t columns) {
  std::vector<bool> zero;
  bool skips = m.starts_skipping[sub_mask];
  const auto left_out = static_cast<std::size_t>(m.left_out[sub_mask]);
  while (zero.size() < columns + left_out) {
    zero.insert(zero.end(), static_cast<std::size_t>(skips ? m.skip : m.use), skips && !m.is_zero_mask);
    skips = !skips;
  }
  return {zero.begin() + static_cast<std::ptrdiff_t>(left_out),
          zero.begin() + static_cast<std::ptrdiff_t>(left_out + columns)};
}

constexpr std::uint64_t reserved = 7ULL << 36 | 3ULL << 62;

TEST_CASE("the fields cover the word once, in order; only reserved ones make no difference") {
  unsigned next = 0;
  for (const ZeroMaskField& field : zero_mask_fields()) {
    CHECK(field.bits.low == next);
    next = field.bits.high() + 1;
  }
  CHECK(next == 64);
}

TEST_CASE("decoded and encoded back; each column is what the runs say") {
  std::mt19937_64 random(45);
  int zeros = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t word = random() & ~reserved;
    const ZeroColumnMask mask = read_zero_mask(word);
    CAPTURE(word);
    CHECK(word_of(mask) == word);
    int faults = 0;
    for (std::size_t sub_mask = 0; sub_mask < 4; ++sub_mask) {
      const std::vector<bool> zero = written_out(mask, sub_mask, 256);
      for (int column = 0; column < 256; ++column) {
        const bool is_zero = mask.is_zero(static_cast<int>(sub_mask), column);
        faults += is_zero != zero[static_cast<std::size_t>(column)];
        zeros += is_zero;
      }
    }
    CHECK(faults == 0);
  }
  CHECK(zeros > 100000);
}

TEST_CASE("the example of the header; what is reserved or too large is said") {
  const ZeroColumnMask mask = read_zero_mask(0x0003038000000000);
  for (int column = 0; column < 64; ++column) CHECK(mask.is_zero(0, column) == (column / 4 % 2 == 1));
  CHECK(lint(mask).empty());
  const auto rules = [](std::uint64_t word) {
    std::vector<std::string> names;
    for (const Finding& finding : lint(read_zero_mask(word))) names.push_back(finding.rule);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(rules(1ULL << 36) == Names{"reserved-bits"});
  CHECK(rules(1ULL << 62) == Names{"reserved-bits"});
  CHECK(rules(32ULL << 56) == Names{});
  CHECK(rules(33ULL << 56) == Names{"column-shift"});
}

}  // namespace
}  // namespace swz

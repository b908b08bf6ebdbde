// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/error.hpp"
#include "smem/placement.hpp"

namespace swz {
namespace {

// Rows of `pitch` bytes in sequence, bf16.
Placement linear(std::int64_t rows, std::int64_t pitch) {
  return Placement(Layout(std::vector<IntTuple>{rows, pitch / 2}, std::vector<IntTuple>{pitch / 2, 1}), 16);
}

// As measured: passes of a group = the most distinct 32-bit words in one bank.
std::int64_t wavefronts_by_words(const std::vector<std::vector<std::int64_t>>& phases, const Placement& p) {
  std::int64_t wavefronts = 0;
  for (const auto& phase : phases) {
    std::map<std::int64_t, std::set<std::int64_t>> words;
    for (const std::int64_t index : phase)
      for (std::int64_t w = 0; w < 4; ++w) {
        const std::int64_t word = p.chunk_at(index).byte.count / 4 + w;
        words[word % 32].insert(word);
      }
    std::size_t passes = 0;
    for (const auto& [bank, distinct] : words) passes = std::max(passes, distinct.size());
    wavefronts += static_cast<std::int64_t>(passes);
  }
  return wavefronts;
}

PhaseReading reading(const Selection& s, const Placement& p) {
  const auto phases = phases_of(s, p);
  const PhaseReading r = read(phases, p);
  CHECK(r.wavefronts == wavefronts_by_words(phases, p));
  return r;
}

std::string refused(const Selection& s, const Placement& p) {
  std::string text[2];
  for (int i = 0; i < 2; ++i) {
    try {
      if (i == 0) phases_of(s, p);
      else selected_elements(s, p);
      return "accepted";
    } catch (const Error& e) {
      text[i] = e.message() + " | " + e.hint;
    }
  }
  CHECK(text[0] == text[1]);
  return text[0];
}

TEST_CASE("one ldmatrix of 8x32 B, linear and with mode 32B") {
  const Selection s{.rows = {{0, 7}}, .ks = {{0, 7}}};
  const PhaseReading two_way = reading(s, linear(8, 32));
  CHECK(two_way.chunks == 8);
  CHECK(two_way.phases == 1);
  CHECK(two_way.ways == 2);
  for (std::size_t i = 0; i < 16; ++i) CHECK(two_way.colliding[i] == (i % 2 == 0));
  const PhaseReading free = reading(s, Placement(SmemTile({.mn = 8, .k = 16, .swizzle = "32B"})));
  CHECK(free.ways == 1);
  CHECK(std::ranges::count(free.colliding, true) == 0);
}

TEST_CASE("banks.md, section 3: ways of a column of 8 rows by pitch, without a swizzle and with it") {
  struct Row {
    std::int64_t pitch, ways;
    const char* mode;
  };
  for (const Row& row : {Row{16, 1, "none"}, Row{32, 2, "32B"}, Row{64, 4, "64B"}, Row{128, 8, "128B"}}) {
    const Selection column{.ks = {{0, 0}}};
    CHECK(reading(column, linear(8, row.pitch)).ways == row.ways);
    CHECK(reading(column, Placement(SmemTile({.mn = 8, .k = row.pitch / 2, .swizzle = row.mode}))).ways == 1);
  }
}

TEST_CASE("canonical tiles: all of it, eight lines of a chunk column at a time, is free of conflicts") {
  for (const char* dtype : {"f16", "e4m3", "tf32"})
    for (const Major major : {Major::K, Major::MN})
      for (const SwizzleMode& mode : swizzle_modes())
        for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
          if (major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
          const TileExtents atom = atom_extents(major, mode, require_dtype(dtype), Packing::packed);
          const Placement p(SmemTile({.dtype = dtype,
                                      .major = major,
                                      .mn = 4 * atom.mn,
                                      .k = 4 * atom.k,
                                      .swizzle = mode.name,
                                      .order = order}));
          const PhaseReading r = reading({.rows = {{0, p.extents().mn - 1}}}, p);
          INFO(dtype << " " << to_string(major) << " " << mode.name << " " << to_string(order));
          CHECK(r.chunks == p.chunk_count());
          // banks.md, section 4: of the 32-byte-atomic mode 8 k x 16 B are 2-way.
          CHECK(r.ways == (mode.family == SwizzleFamily::chunk_32 ? 2 : 1));
        }
}

TEST_CASE("places in shared memory: the elements that lie there, of those selected; no instruction reads them") {
  const Placement p = linear(16, 32);
  const auto is_in = [](std::int64_t i, std::int64_t first, std::int64_t last) { return i >= first && i <= last; };
  const Selection banks{.banks = {{3, 4}}}, lines{.lines = {{2, 2}}}, bytes{.bytes = {{65, 70}}};
  const Selection both{.rows = {{0, 3}}, .banks = {{3, 4}}};
  const std::vector<bool> in_banks = selected_elements(banks, p), in_lines = selected_elements(lines, p);
  const std::vector<bool> in_bytes = selected_elements(bytes, p), in_both = selected_elements(both, p);
  for (std::int64_t row = 0; row < 16; ++row)
    for (std::int64_t k = 0; k < 16; ++k) {
      const auto i = static_cast<std::size_t>(row * 16 + k);
      const std::int64_t byte = p.byte(row, k).count;
      CHECK(in_banks[i] == is_in(byte / 4 % 32, 3, 4));
      CHECK(in_lines[i] == is_in(byte / 128, 2, 2));
      CHECK(in_bytes[i] == is_in(byte, 64, 70));  // two bytes each: that from 64 on has byte 65
      CHECK(in_both[i] == (in_banks[i] && row < 4));
    }
  for (const Selection& s : {banks, lines, bytes, both}) CHECK(phases_of(s, p).empty());
  CHECK(refused({.banks = {{30, 32}}}, p) == "banks 30-32 are not in the operand | banks go from 0 to 31");
  CHECK(refused({.bytes = {{1024, 1024}}}, p) == "bytes 1024-1024 are not in the operand | bytes go from 0 to 511");
}

TEST_CASE("what is selected: the rectangle of rows and ks, and the chunks named") {
  const Placement p = linear(16, 32);
  const auto elements = [&](const Selection& s) {
    const std::vector<bool> all = selected_elements(s, p);
    return std::ranges::count(all, true);
  };
  CHECK(elements({.rows = {{0, 7}}, .ks = {{0, 7}}}) == 64);
  CHECK(elements({.rows = {{3, 3}, {5, 6}}}) == 48);
  CHECK(elements({.ks = {{1, 1}}}) == 16);
  CHECK(elements({.chunks = {{0, 0}, {2, 2}}}) == 16);
  CHECK(elements({.rows = {{0, 0}}, .chunks = {{0, 2}}}) == 24);  // chunks 0 and 1 are row 0
  CHECK(elements({.lanes = {{0, 15}}}) == 128);

  const auto chunks = [&](const Selection& s) {
    std::string text;
    for (const auto& phase : phases_of(s, p)) {
      for (const std::int64_t index : phase) text += std::to_string(index) + " ";
      text += "| ";
    }
    return text;
  };
  CHECK(chunks({.rows = {{6, 9}}, .ks = {{7, 8}}}) == "12 14 | 16 18 | 13 15 | 17 19 | ");
  CHECK(chunks({.chunks = {{9, 9}, {0, 8}}}) == "9 0 1 2 3 4 5 6 | 7 8 | ");
  CHECK(chunks({.lanes = {{6, 9}}}) == "12 14 | 16 18 | ");
  CHECK(chunks({.lanes = {{15, 16}}}) == "30 | 1 | ");
  const Placement low = linear(8, 32);
  CHECK(phases_of({.lanes = {{8, 8}}}, low) == std::vector<std::vector<std::int64_t>>{{1}});
}

TEST_CASE("the same chunk for two lanes is fetched once") {
  const PhaseReading r = reading({.chunks = {{0, 0}, {0, 0}, {0, 0}}}, linear(8, 32));
  CHECK(r.chunks == 3);
  CHECK(r.wavefronts == 1);
  CHECK_FALSE(r.colliding[0]);
}

TEST_CASE("beyond the operand") {
  const Placement p = linear(8, 32);
  CHECK(refused({.rows = {{0, 8}}}, p) == "rows 0-8 are not in the operand | rows go from 0 to 7");
  CHECK(refused({.ks = {{16, 16}}}, p) == "ks 16-16 are not in the operand | ks go from 0 to 15");
  CHECK(refused({.chunks = {{16, 20}}}, p) == "chunks 16-20 are not in the operand | chunks go from 0 to 15");
  CHECK(refused({.chunks = std::vector<IndexRange>(65537, {0, 15})}, p) ==
        "1048592 chunks are listed; at most 1048576 are read | name every chunk once");
  CHECK(refused({.lanes = {{0, 16}}}, p) == "lanes 0-16 are not in the operand | lanes go from 0 to 15");
  CHECK(refused({.lanes = {{0, 3}}}, linear(4, 32)) ==
        "ldmatrix reads 8 lines at a time; the operand has 4 | select chunks");
  const Placement torn(Layout(std::vector<IntTuple>{8, 8}, std::vector<IntTuple>{16, 2}), 16);
  CHECK(refused({.chunks = {{0, 0}}}, torn) ==
        "the operand has no 16-byte chunks: its elements do not lie together in 16 bytes | select rows and ks");
  CHECK(phases_of({.rows = {{0, 1}}}, torn).empty());
}

}  // namespace
}  // namespace swz

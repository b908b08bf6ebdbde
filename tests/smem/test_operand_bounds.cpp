// SPDX-License-Identifier: Apache-2.0
// What of an operand in shared memory is taken and what is refused, at n and n + 1: selections, bases, sizes, addresses.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "smem/placement.hpp"
#include "smem/tile.hpp"
#include "smem/walk.hpp"
#include "told.hpp"

namespace swz {
namespace {

// Rows of `pitch` bytes in sequence, bf16.
Placement linear(std::int64_t rows, std::int64_t pitch, std::int64_t base = 0) {
  return Placement(Layout(std::vector<IntTuple>{rows, pitch / 2}, std::vector<IntTuple>{pitch / 2, 1}), 16,
                   Bytes{base});
}

std::string selected(const Selection& s, const Placement& p) {
  return told([&] { phases_of(s, p); });
}

TEST_CASE("selections: the first and last row, k, chunk and lane, and those beside them") {
  const Placement p = linear(16, 64);  // 16 x 32 elements, 64 chunks
  for (const IndexRange& r : {IndexRange{0, 15}, {0, 0}, {15, 15}}) CHECK(selected({.rows = {r}}, p) == "taken");
  for (const IndexRange& r : {IndexRange{0, 31}, {31, 31}}) CHECK(selected({.ks = {r}}, p) == "taken");
  for (const IndexRange& r : {IndexRange{0, 63}, {63, 63}}) CHECK(selected({.chunks = {r}}, p) == "taken");
  for (const IndexRange& r : {IndexRange{0, 31}, {31, 31}}) CHECK(selected({.lanes = {r}}, p) == "taken");
  CHECK(selected({.rows = {{0, 16}}}, p) == "rows 0-16 are not in the operand | rows go from 0 to 15");
  CHECK(selected({.rows = {{-1, 0}}}, p) == "rows -1-0 are not in the operand | rows go from 0 to 15");
  CHECK(selected({.rows = {{3, 2}}}, p) == "rows 3-2 are not in the operand | rows go from 0 to 15");
  CHECK(selected({.ks = {{32, 32}}}, p) == "ks 32-32 are not in the operand | ks go from 0 to 31");
  CHECK(selected({.chunks = {{64, 64}}}, p) == "chunks 64-64 are not in the operand | chunks go from 0 to 63");
  CHECK(selected({.lanes = {{32, 32}}}, p) == "lanes 32-32 are not in the operand | lanes go from 0 to 31");
  // Fewer chunks than lanes; 24 lines, 16 of which ldmatrix takes.
  CHECK(selected({.lanes = {{7, 7}}}, linear(8, 16)) == "taken");
  CHECK(selected({.lanes = {{8, 8}}}, linear(8, 16)) == "lanes 8-8 are not in the operand | lanes go from 0 to 7");
  CHECK(selected({.lanes = {{15, 15}}}, linear(24, 16)) == "taken");
  CHECK(selected({.lanes = {{16, 16}}}, linear(24, 16)) ==
        "lanes 16-16 are not in the operand | lanes go from 0 to 15");
  CHECK(selected({.lanes = {{0, 0}}}, linear(12, 16)).find("; the operand has 12 | ") != std::string::npos);
  Selection many{.chunks = std::vector<IndexRange>(16384, IndexRange{0, 63})};
  CHECK(selected(many, p) == "taken");
  many.chunks.push_back({0, 0});
  CHECK(selected(many, p).find("1048577 chunks are listed; at most 1048576 are read") == 0);
}

TEST_CASE("selections: lane j is line j % 16 and chunk column j / 16, eight lanes a phase") {
  const Placement p = linear(16, 32);  // two chunks per line
  const auto phases = phases_of({.lanes = {{0, 31}}}, p);
  REQUIRE(phases.size() == 4);
  for (std::size_t phase = 0; phase < 4; ++phase) {
    REQUIRE(phases[phase].size() == 8);
    for (std::size_t i = 0; i < 8; ++i) {
      const auto lane = static_cast<std::int64_t>(8 * phase + i);
      CHECK(phases[phase][i] == lane % 16 * 2 + lane / 16);
    }
  }
  CHECK(phases_of({.lanes = {{7, 8}}}, p).size() == 2);
  CHECK(phases_of({.lanes = {{0, 3}, {4, 7}}}, p).size() == 1);
  CHECK(phases_of({.chunks = {{0, 7}}}, p).size() == 1);
  CHECK(phases_of({.chunks = {{0, 8}}}, p).size() == 2);
  CHECK(phases_of({.rows = {{7, 8}}}, p).size() == 4);  // rows 7 and 8 are in two groups of 8, in two columns
  CHECK(phases_of({.rows = {{0, 0}}, .ks = {{7, 7}}}, p).size() == 1);
  CHECK(phases_of({.rows = {{0, 0}}, .ks = {{7, 8}}}, p).size() == 2);
}

TEST_CASE("tiles: the largest, the last base, and the neighbours of an extent") {
  const auto tile = [](std::int64_t mn, std::int64_t k, std::int64_t base = 0, const char* swizzle = "128B") {
    return told([&] { SmemTile({.dtype = "bf16", .mn = mn, .k = k, .swizzle = swizzle, .base = Bytes{base}}); });
  };
  CHECK(tile(1816, 64) == "taken");  // 232448 B
  CHECK(tile(1824, 64).find("the tile takes 233472 B; a CTA has at most 232448 B") == 0);
  CHECK(tile(8, 64, 233472 - 1024) == "taken");
  CHECK(tile(8, 64, 233472 - 1008) ==
        "a tile of 1024 B at 0x38c10 runs past 0x39000, the end of shared memory | the last base address it fits "
        "at is "
        "0x38c00");
  CHECK(tile(8, 64, 16) == "taken");
  for (const std::int64_t base : {-16, -1, 1, 8, 15, 17}) CHECK(tile(8, 64, base).find("the base address ") == 0);
  CHECK(tile(0, 64).find("a tile of 0x64 elements is empty") == 0);
  CHECK(tile(8, 0).find("a tile of 8x0 elements is empty") == 0);
  CHECK(tile(3, 64).find("| take MN 8") != std::string::npos);
  CHECK(tile(7, 64).find("take MN 8,") == std::string::npos);
  CHECK(tile(12, 64).find("| take MN 8 or 16") != std::string::npos);
  CHECK(tile(64, 32).find("| take K 64, or a mode that divides it: none (8x8), 32B (8x16) and 64B (8x32)") !=
        std::string::npos);
  CHECK(tile(64, 96).find("| take K 64 or 128, or a mode that divides it: none (8x8), 32B (8x16) and 64B (8x32)") !=
        std::string::npos);
  CHECK(tile(64, 8).find("| take K 64, or a mode that divides it: none (8x8)") != std::string::npos);
}

TEST_CASE("layouts: inside shared memory, before it and past it") {
  const auto placed = [](IntTuple shape, IntTuple stride, std::int64_t base, int bits = 16) {
    return told([&] { Placement(Layout(std::move(shape), std::move(stride)), bits, Bytes{base}); });
  };
  const auto pair = [](std::int64_t a, std::int64_t b) { return IntTuple(std::vector<IntTuple>{a, b}); };
  const std::int64_t window = 233472;
  CHECK(placed(pair(8, 8), pair(8, 1), window - 128) == "taken");
  CHECK(placed(pair(8, 8), pair(8, 1), window - 126).find("index 63 of the layout is element 63 from 0x38f82") == 0);
  CHECK(placed(pair(8, 8), pair(8, 1), window - 127).find("base 0x38f81 is not a multiple") == 0);
  CHECK(placed(pair(1, 1), pair(1, 1), window).find("index 0 of the layout is element 0 from 0x39000") == 0);
  CHECK(placed(pair(1, 1), pair(1, 1), window + 2).find("base 0x39002 is not a multiple") == 0);
  CHECK(placed(pair(1, 1), pair(1, 1), -2).find("base -0x2 is not a multiple") == 0);
  CHECK(placed(pair(2, 1), pair(-1, 1), 2) == "taken");
  CHECK(placed(pair(2, 1), pair(-1, 1), 0).find("index 1 of the layout is element -1 from 0x0") == 0);
  CHECK(placed(pair(2, 1), pair(116735, 1), 0) == "taken");
  CHECK(placed(pair(2, 1), pair(116736, 1), 0).find("index 1 of the layout is element 116736") == 0);
  CHECK(placed(pair(2, 1), pair(std::int64_t{1} << 61, 1), 0).find("index 1 of the layout") == 0);
  CHECK(placed(pair(2, 1), pair(-(std::int64_t{1} << 61), 1), 0).find("index 1 of the layout") == 0);
  CHECK(placed(pair(8 * window, 1), pair(1, 1), 0, 1) == "taken");
  CHECK(placed(pair(8 * window + 1, 1), pair(1, 1), 0, 1).find("a layout of 1867777 elements does not fit") == 0);
  CHECK(told([] { Placement(Layout(IntTuple(8)), 16); }).find("an operand has two modes") == 0);
  // Begin and end in whole bytes.
  const Placement nibbles(Layout(std::vector<IntTuple>{1, 3}, std::vector<IntTuple>{3, 1}), 4, Bytes{16});
  CHECK(nibbles.begin().count == 16);
  CHECK(nibbles.end().count == 18);
}

TEST_CASE("accesses in words: one or two, and what transpose is") {
  for (const char* text : {"ld.shared", "ldmatrix.x4", "st.shared.b128 rows", " \tst.shared \t columns ", "transpose"})
    CHECK(told([&] { parse_accesses(text); }) == "taken");
  for (const char* text : {"", " ", "ld.shared rows rows", "transpose rows", "transpose x", "ld.shared sideways"})
    CHECK(told([&] { parse_accesses(text); }) != "taken");
  const auto transpose = parse_accesses("transpose");
  REQUIRE(transpose.size() == 2);
  CHECK(to_string(transpose[0]) == "st.shared rows");
  CHECK(to_string(transpose[1]) == "ld.shared columns");
  CHECK(to_string(parse_accesses("cp.async.16").front()) == "cp.async.16 gmem");
  CHECK(to_string(parse_accesses("ldmatrix.x2").front()) == "ldmatrix.x2");
}

TEST_CASE("walks: an operand that ends with the shared memory of a target, and one that ends past it") {
  const Target& ada = require_target("sm_89");  // 100 KiB
  const Access access = parse_accesses("ld.shared.b32").front();
  CHECK(told([&] { walk(linear(8, 64, 102400 - 512), access, ada); }) == "taken");
  CHECK(told([&] { walk(linear(8, 64, 102400 - 508), access, ada); }).find("the operand ends at 0x19004, beyond") == 0);
}

TEST_CASE("walks: which matrices x1, x2 and x4 take together, along the rows first") {
  // The first rows of the matrices of the first instruction: 8 x 8 elements each.
  const auto first = [](const char* name, std::int64_t rows, std::int64_t pitch) {
    const Placement p = linear(rows, pitch);
    const Walk steps = walk(p, parse_accesses(name).front());
    std::string text;
    for (int lane = 0; lane < steps.steps.front().pattern.instruction->addresses; lane += 8) {
      const TileCoordinate c = coordinate(steps.steps.front(), lane, p);
      text += fmt::format("{}{},{}", text.empty() ? "" : " ", c.row, c.k);
    }
    return text;
  };
  CHECK(first("ldmatrix.x4", 16, 32) == "0,0 8,0 0,8 8,8");
  CHECK(first("ldmatrix.x4", 32, 64) == "0,0 8,0 0,8 8,8");
  CHECK(first("ldmatrix.x4", 8, 64) == "0,0 0,8 0,16 0,24");
  CHECK(first("ldmatrix.x4", 32, 16) == "0,0 8,0 16,0 24,0");
  CHECK(first("ldmatrix.x2", 16, 16) == "0,0 8,0");
  CHECK(first("ldmatrix.x2", 16, 32) == "0,0 8,0");
  CHECK(first("ldmatrix.x2", 8, 32) == "0,0 0,8");
  CHECK(first("ldmatrix.x1", 8, 16) == "0,0");
  CHECK(told([] {
          walk(linear(8, 16), parse_accesses("ldmatrix.x4").front());
        }).find("ldmatrix.x4 takes 4 matrices at a time; the operand has 1 x 1 of them (rows x k)") == 0);
  CHECK(told([] {
          walk(linear(8, 48), parse_accesses("ldmatrix.x2").front());
        }).find("ldmatrix.x2 takes 2 matrices at a time; the operand has 1 x 3 of them (rows x k)") == 0);
  CHECK(told([] {
          walk(linear(12, 16), parse_accesses("ldmatrix.x1").front());
        }).find("ldmatrix.x1 takes 8 lines at a time; the operand has 12") == 0);
}

}  // namespace
}  // namespace swz

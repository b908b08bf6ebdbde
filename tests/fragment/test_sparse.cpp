// SPDX-License-Identifier: Apache-2.0
// mma.sp and wgmma.sp: A against PTX's ranges of k per register, metadata bit by bit and as an H100 reads them, laws
// over every row.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fragment/fragment.hpp"
#include "fragment/sparse.hpp"

namespace swz {
namespace {

std::string refusal(const FragmentRequest& request) {
  try {
    return "found " + find_fragment(request).name;
  } catch (const Error& e) {
    return e.message() + "\n" + e.hint;
  }
}

FragmentRequest request_of(const SparseMma& row, Operand operand, int selector = 0) {
  return {.name = sparse_name(row, 8, row.is_ordered_only),
          .dtype = std::string(row.mma.types[0]),
          .operand = operand,
          .selector = selector};
}

// Every (row, column) once, from the threads that are read.
bool is_one_to_one(const Fragment& f) {
  std::set<std::pair<int, int>> seen;
  int read = 0;
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values() && f.is_read(thread); ++value, ++read) {
      const Coordinate at = f.at(thread, value);
      seen.emplace(at.row, at.column);
      if (FragmentInverse(f)(at) != Holder{thread, value}) return false;
    }
  return read == f.rows * f.columns && seen.size() == static_cast<std::size_t>(read) && !has_gap(f);
}

TEST_CASE("A, B, C, D and e of every row are one to one, for every selector") {
  int fragments = 0;
  for (const SparseMma& row : sparse_mmas()) {
    CAPTURE(sparse_name(row, 8, false));
    CAPTURE(row.mma.types[0]);
    const bool is_wgmma = row.mma.family == InstructionFamily::wgmma;
    for (const Operand operand : {Operand::a, Operand::b, Operand::c, Operand::d}) {
      if (is_wgmma && (operand == Operand::b || operand == Operand::c)) continue;
      CHECK(is_one_to_one(find_fragment(request_of(row, operand))));
      ++fragments;
    }
    for (int selector = 0; selector < row.selectors(); ++selector, ++fragments)
      CHECK(is_one_to_one(find_fragment(request_of(row, Operand::e, selector))));
  }
  // e with four selectors: f16, bf16 and tf32 of the smallest K; with two: the same of twice that K, and s8 and s4.
  CHECK(fragments == 13 * 4 + 5 * 2 + 3 * 4 + (3 + 2) * 2 + 5 + 3 * 2 + 2);
}

// PTX ISA 9.1, 9.7.14.6.2 and 9.7.15.6: the elements of a register are of k firstcol to lastcol, firstcol being
// t * width, and so much further in the upper registers.
TEST_CASE("A: the k that a register's elements are of, as PTX has them") {
  struct Row {
    const char *name, *dtype;
    int width, further;  // of the k of a register, from the lower registers to the upper
    int in_register;
  };
  for (const Row& row : {Row{"mma.sp.m16n8k16", "f16", 4, 0, 2}, Row{"mma.sp.m16n8k32", "bf16", 4, 16, 2},
                         Row{"mma.sp.m16n8k8", "tf32", 2, 0, 1}, Row{"mma.sp.m16n8k16", "tf32", 2, 8, 1},
                         Row{"mma.sp.m16n8k32", "s8", 8, 0, 4}, Row{"mma.sp.m16n8k64", "e4m3", 8, 32, 4},
                         Row{"mma.sp.m16n8k64", "u4", 16, 0, 8}, Row{"mma.sp.m16n8k128", "s4", 16, 64, 8}}) {
    CAPTURE(row.name);
    CAPTURE(row.dtype);
    const Fragment f = find_fragment({row.name, row.dtype, Operand::a, ""});
    CHECK(f.registers() == (row.further > 0 ? 4 : 2));
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < f.values(); ++i) {
        const int reg = i / row.in_register, first = lane % 4 * row.width + (reg >= 2 ? row.further : 0);
        const Coordinate at = f.at(lane, i);
        const Fragment::KRange k = f.k_of(at);
        CHECK(at.row == lane / 4 + (reg % 2 == 1 ? 8 : 0));
        CHECK(k.first >= first);
        CHECK(k.first + k.count <= first + row.width);
        CHECK(f.slot(i).index == reg);
      }
  }
}

TEST_CASE("B of a shape that a dense MMA does not have: four registers along K") {
  const Fragment f16 = find_fragment({"mma.sp.m16n8k32", "f16", Operand::b, ""}),
                 s4 = find_fragment({"mma.sp.m16n8k128", "s4", Operand::b, ""});
  CHECK(f16.registers() == 4);
  CHECK(s4.registers() == 4);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) CHECK(f16.at(lane, i) == Coordinate{lane % 4 * 2 + i % 2 + i / 2 * 8, lane / 4});
    for (int i = 0; i < 32; ++i) CHECK(s4.at(lane, i) == Coordinate{lane % 4 * 8 + i % 8 + i / 8 * 32, lane / 4});
  }
}

// Bit v of the register of a thread that is read: its row and its k; bits of one chunk's k are the chunk's nibble.
TEST_CASE("metadata bit by bit") {
  struct Row {
    const char *name, *dtype;
    int selectors;
    int (*row)(int t, int bit);
    int (*k)(int t, int bit);
  };
  const auto upper_half = [](int, int bit) { return bit >= 16 ? 8 : 0; };
  const auto by_thread = [](int t, int) { return 8 * (t % 2); };
  const auto f16 = [](int t, int bit) { return 16 * (t % 2) + bit % 16; };
  const auto tf32 = [](int t, int bit) { return 8 * (t % 2) + bit % 16 / 2; };
  const auto bytes = [](int t, int bit) { return 32 * (t / 2) + bit; };
  for (const Row& row : {Row{"mma.sp.m16n8k32", "f16", 2, upper_half, f16},
                         {"mma.sp.m16n8k16", "tf32", 2, upper_half, tf32},
                         {"mma.sp.m16n8k64", "u8", 1, by_thread, bytes},
                         {"wgmma.sp.m64n8k32", "bf16", 2, upper_half, f16},
                         {"wgmma.sp.m64n16k16", "tf32", 2, upper_half, tf32},
                         {"wgmma.sp.m64n256k64", "e5m2", 1, by_thread, bytes}})
    for (int selector = 0; selector < row.selectors; ++selector) {
      CAPTURE(row.name);
      const Fragment e =
          find_fragment({.name = row.name, .dtype = row.dtype, .operand = Operand::e, .selector = selector});
      CHECK(e.registers() == 1);
      for (int thread = 0; thread < e.threads(); ++thread) {
        const int t = thread % 4;
        CHECK(e.is_read(thread) == (row.selectors == 1 || t / 2 == selector));
        for (int bit = 0; bit < 32; ++bit) {
          const Coordinate at = e.at(thread, bit / e.bits);
          const Fragment::KRange k = e.k_of(at);
          const int of_bit = row.k(t, bit);
          CHECK(at.row == thread / 32 * 16 + thread % 32 / 4 + row.row(t, bit));
          CHECK(of_bit >= k.first);
          CHECK(of_bit < k.first + k.count);
        }
      }
    }
}

// Where a nibble of the metadata is, lane by lane, as a GPU reads it (tests/data/sparse_metadata.txt).
void check_lanes(const Fragment& e, std::span<const std::string> lanes) {
  std::set<int> read;
  for (const std::string& text : lanes) {
    std::istringstream words(text);
    int lane = 0;
    words >> lane;
    read.insert(lane);
    std::string place;
    for (int nibble = 0; nibble < 8; ++nibble) {
      words >> place;
      const int row = std::stoi(place), chunk = std::stoi(place.substr(place.find('.') + 1));
      const int in_nibble = 4 / e.bits;
      for (int i = 0; i < in_nibble; ++i) {
        CAPTURE(lane);
        CAPTURE(nibble);
        const Coordinate at = e.at(lane, nibble * in_nibble + i);
        CHECK(at == Coordinate{row, chunk * in_nibble + i});
        CHECK(e.k_of(at).first == chunk * e.kept_of);
      }
    }
  }
  for (int lane = 0; lane < 32; ++lane) CHECK(e.is_read(lane) == read.contains(lane));
}

TEST_CASE("metadata of mma.sp: every nibble of every lane and selector as an H100 reads it") {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/sparse_metadata.txt");
  std::set<std::string> asked;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream head(line);
    std::string shape, dtype, what, number;
    head >> shape >> dtype >> what >> number;
    CAPTURE(line.substr(0, 40));
    const FragmentRequest request{.name = "mma.sp." + shape, .dtype = dtype, .operand = Operand::e};
    if (what == "selector") {
      std::vector<std::string> lanes;
      for (std::size_t at = line.find(" | "); at != line.npos; at = line.find(" | ", at + 3))
        lanes.push_back(line.substr(at + 3));
      FragmentRequest one = request;
      one.selector = std::stoi(number);
      check_lanes(find_fragment(one), lanes);
      asked.insert(shape + dtype + number);
    } else {  // the lowest bits of a nibble are the index of what is first in A; of tf32 all four bits are one index
      const Fragment e = find_fragment(request);
      const int value = std::stoi(number, nullptr, 16), pair = dtype == "s4" ? 2 : 1;
      std::string kept;
      for (int i = 0; i < e.kept; ++i)
        for (int j = 0; j < pair; ++j)
          kept += " " + std::to_string(e.bits == 4 ? value >> 3 : (value >> 2 * i & 3) * pair + j);
      CHECK(line.substr(line.find(':') + 1) == kept);
    }
  }
  // Every form that is not of sm_120 only; u8, u4 and e5m2 have the rows of s8, s4 and e4m3.
  std::size_t selectors = 0;
  for (const SparseMma& row : sparse_mmas())
    if (row.mma.family == InstructionFamily::mma && row.mma.availability.from != 0)
      selectors += static_cast<std::size_t>(row.selectors());
  CHECK(asked.size() == selectors);
}

TEST_CASE("what does not exist") {
  CHECK(refusal({.name = "mma.sp.m16n8k32", .dtype = "f16", .operand = Operand::e, .selector = 2}) ==
        "sparsity selector 2 does not exist for mma.sp.m16n8k32\nit is 0 to 1 "
        "(PTX ISA 9.1, 9.7.14.6.2; ptxas 13.5.37 for the targets (documented))");
  CHECK(refusal({"mma.sp.m16n8k64", "e2m1", Operand::a, ""}) ==
        "mma.sp.m16n8k64 of e2m3, e3m2 and e2m1 needs ordered metadata\n"
        "write mma.sp::ordered_metadata (PTX ISA 9.1, 9.7.14.6.2; ptxas 13.5.37 for the targets (documented))");
  CHECK(refusal({"mma.sp.m16n8k24", "f16", Operand::a, ""}) ==
        "mma.sp has no shape m16n8k24\n"
        "shapes: m16n8k16, m16n8k32, m16n8k8, m16n8k64 and m16n8k128; K is that of B");
  CHECK(refusal({"wgmma.sp.m64n8k16", "f16", Operand::a, ""}) == "wgmma.sp.m64n8k16 does not take f16\nit takes tf32");
  CHECK(refusal({"wgmma.sp.m64n8k32", "f16", Operand::b, ""}) ==
        "wgmma.sp.m64n8k32 has no operand b in registers\noperands: a (when it lies in registers), d and e");
  CHECK(refusal({"mma.sp.m16n8k32", "", Operand::a, ""}).starts_with("the a fragment of mma.sp.m16n8k32 depends on"));
  CHECK(find_fragments({"mma.sp.m16n8k16", "f16", {}, ""}).size() == 5);
  CHECK(find_fragments({"wgmma.sp.m64n8k32", "f16", {}, ""}).size() == 3);
  CHECK(find_fragment({"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "", Operand::a, ""})
            .name == "mma.sp::ordered_metadata.m16n8k32");
  CHECK(find_fragment({"wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.f16.f16", "", Operand::d, ""}).name ==
        "wgmma.sp.m64n64k32");
}

}  // namespace
}  // namespace swz

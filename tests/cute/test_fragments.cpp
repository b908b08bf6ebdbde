// SPDX-License-Identifier: Apache-2.0
// The fragments against CuTe's ALayout, BLayout and CLayout of MMA atoms and SrcLayout and DstLayout of copies,
// coordinate by coordinate.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "fragment/fragment.hpp"
#include "fragments.hpp"

namespace swz {
namespace {

Fragment fragment_of(const std::string& name, std::optional<Operand> operand = {}) {
  FragmentRequest request;
  request.name = name;
  request.operand = operand;
  return find_fragment(request);
}

Fragment fragment_of(const CuteFragment& c) {
  return find_fragment({.name = c.name,
                        .dtype = c.dtype,
                        .operand = static_cast<Operand>(c.operand - 'a'),
                        .accumulator = c.accumulator});
}

// How many (thread, value) of swz lie elsewhere in CuTe.
int differences(const Fragment& f, const CuteFragment& c) {
  const Layout tv = tv_layout(f);
  const auto threads = static_cast<std::int64_t>(c.lanes.size());
  int different = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(c.indices.size()); ++i) {
    const int lane = c.lanes[static_cast<std::size_t>(i % threads)], value = static_cast<int>(i / threads);
    const std::int64_t cute = c.indices[static_cast<std::size_t>(i)];
    different += f.tile_index(f.at(lane, value)) != cute || tv(lane + value * f.threads()) != cute;
  }
  return different;
}

// Where the copy leaves a byte that the instruction gave it: after ldmatrix.m16n16 it swaps bytes 2 and 3 of each
// pair of registers with bytes 4 and 5 (cute/arch/copy_sm100.hpp), so that stmatrix can take them.
int copied_value(const Fragment& f, int value) {
  if (!f.name.starts_with("ldmatrix.m16n16")) return value;
  constexpr std::array swapped{0, 1, 4, 5, 2, 3, 6, 7};
  return value / 8 * 8 + swapped[static_cast<std::size_t>(value % 8)];
}

// Memory row r of the matrices is the 16 bytes that begin at the address of lane r.
int differences(const Fragment& f, const CuteCopy& c) {
  int different = 0;
  for (int thread = 0; thread < 32; ++thread) {
    for (int value = 0; value < f.values(); ++value) {
      const Coordinate at = f.at(thread, value);
      for (int bit = 0; bit < f.bits; ++bit) {
        const int here = thread + 32 * (copied_value(f, value) * f.bits + bit);
        const int there = at.row + 32 * (at.column * f.bits + bit);
        different += c.registers[static_cast<std::size_t>(here)] != c.memory[static_cast<std::size_t>(there)];
      }
    }
  }
  return different;
}

bool is_one_to_one(std::vector<int> indices) {
  std::ranges::sort(indices);
  return std::ranges::adjacent_find(indices) == indices.end();
}

// What CuTe 4.2 has wrong, and why PTX must be right: A of SM80_16x8x128 is not a layout (its strides are in one
// bracket too many), and B of SM80_16x8x32 of 4-bit types gives k 4 to 7 to two lanes (stride 32 of the lane where
// 8 k of 8 columns are 64).
bool is_wrong_in_cute(const CuteFragment& c) {
  if (c.name == "mma.m16n8k128" && c.operand == 'a') return c.indices.empty();
  return c.name == "mma.m16n8k32" && (c.dtype == "s4" || c.dtype == "u4") && c.operand == 'b' &&
         !is_one_to_one(c.indices);
}

}  // namespace

TEST_CASE("the fragments of mma and wgmma are CuTe's TV layouts") {
  std::map<std::string, int> same;
  int coordinates = 0;
  for (const CuteFragment& c : cute_fragments()) {
    CAPTURE(c.name);
    CAPTURE(c.dtype);
    CAPTURE(std::string(1, c.operand));
    CAPTURE(c.accumulator);
    const Fragment f = fragment_of(c);
    if (is_wrong_in_cute(c)) {
      ++same["wrong in CuTe"];
      continue;
    }
    CHECK(f.threads() == static_cast<int>(c.lanes.size()) * f.tiles);
    CHECK(c.indices.size() == c.lanes.size() * static_cast<std::size_t>(f.values()));
    CHECK(differences(f, c) == 0);
    ++same[c.name.substr(0, c.name.find('.')) + " " + c.operand];
    coordinates += static_cast<int>(c.indices.size());
  }
  for (const auto& [operand, count] : same) MESSAGE(operand << ": " << count << " fragments");
  MESSAGE(coordinates << " coordinates");
  CHECK(same ==
        std::map<std::string, int>{
            {"mma a", 64}, {"mma b", 62}, {"mma d", 66}, {"wgmma a", 62}, {"wgmma d", 62}, {"wrong in CuTe", 6}});
  CHECK(coordinates == 598912);
}

TEST_CASE("ldmatrix and stmatrix are CuTe's copies, bit by bit") {
  int copies = 0, bits = 0;
  for (const CuteCopy& c : cute_copies()) {
    if (c.name == "movmatrix.trans") continue;
    CAPTURE(c.name);
    const Fragment f = fragment_of(c.name);
    REQUIRE(c.registers.size() == 32U * static_cast<std::size_t>(f.values() * f.bits));
    REQUIRE(c.memory.size() == 32U * 128);
    CHECK(differences(f, c) == 0);
    ++copies;
    bits += static_cast<int>(c.registers.size());
  }
  MESSAGE(copies << " copies, " << bits << " bits");
  CHECK(copies == 23);
  CHECK(bits == 55 * 32 * 32);  // 55 registers
}

// Copy_Traits<SM75_U32x1_MOVM_T> has the same layout on both sides, as if nothing moved; PTX transposes. That is
// what swz says, and its source side is CuTe's.
TEST_CASE("movmatrix transposes, which CuTe's traits leave out") {
  const std::vector<CuteCopy> copies = cute_copies();
  const auto c = std::ranges::find(copies, "movmatrix.trans", &CuteCopy::name);
  REQUIRE(c != copies.end());
  CHECK(c->registers == c->memory);
  const Fragment from = fragment_of("movmatrix.trans", Operand::a);
  const Fragment to = fragment_of("movmatrix.trans", Operand::d);
  for (int thread = 0; thread < 32; ++thread) {
    for (int value = 0; value < 2; ++value) {
      const Coordinate source = from.at(thread, value);
      CHECK(c->memory[static_cast<std::size_t>(thread + 32 * 16 * value)] == (source.row * 8 + source.column) * 16);
      CHECK(to.at(thread, value) == Coordinate{source.column, source.row});
    }
  }
}

}  // namespace swz

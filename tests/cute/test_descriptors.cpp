// SPDX-License-Identifier: Apache-2.0
// The words of tile_descriptors against CuTe's make_gmma_desc and make_umma_desc, every MMA of every tile. A stride
// that the MMA does not step over may differ: CuTe writes 0 there, swz that of the tile.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <ostream>
#include <string>

#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "base/error.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "descriptors.hpp"
#include "smem/mma_operand.hpp"
#include "tolerated_tiles.hpp"

namespace swz {
namespace {

using Refused = std::map<std::string, int>;  // tiles, by the rule that refuses them

struct Counts {
  int tiles = 0, words = 0;
  Refused refused = {};
  bool operator==(const Counts&) const = default;
};

std::string describe(const CuteTile& t, const char* target) {
  return fmt::format("{} {}{} {} {}x{} mode {} {} MMA {}x{}", target, t.dtype, t.in_slots ? " in slots" : "",
                     t.is_mn_major ? "MN-major" : "K-major", t.mn, t.k, t.swizzle,
                     t.is_k_first ? "k-first" : "mn-first", t.mma_mn, t.mma_k);
}

SmemTile tile_of(const CuteTile& t) {
  return SmemTile({.dtype = t.dtype,
                   .packing = t.in_slots ? Packing::slots : Packing::packed,
                   .major = t.is_mn_major ? Major::MN : Major::K,
                   .mn = t.mn,
                   .k = t.k,
                   .swizzle = t.swizzle,
                   .order = t.is_k_first ? StackingOrder::k_first : StackingOrder::mn_first,
                   .base = Bytes{cute_tile_base}});
}

// Why swz makes no descriptors of the tile; empty: it makes them.
std::string refusal_of(const CuteTile& t, const SmemTile& tile, const Target& target) {
  if (const auto refused = refusal(operand_choice(tile, target))) return std::string(refused->rule);
  try {
    tile_descriptors(tile, target, {t.mma_mn, t.mma_k});
  } catch (const Error& e) {
    return e.message().find("begin inside atoms") != std::string::npos ? "crosses-atoms" : e.message();
  }
  return "";
}

// The word with 0 where CuTe has 0 for a stride that the MMA does not step over.
std::uint64_t as_cute_writes(const TileDescriptors& mine, const SmemDescriptor& word, std::uint64_t cute) {
  std::uint64_t out = word.word();
  const SmemDescriptor theirs(cute, word.target());
  const auto leave_out = [&](FieldId field, const StrideField& stride) {
    if (!stride.is_applied && theirs.raw(field) == 0) out = with_field(out, word.format(), field, 0);
  };
  leave_out(FieldId::leading_byte_offset, mine.leading);
  leave_out(FieldId::stride_byte_offset, mine.stride);
  return out;
}

void compare(const CuteTile& t, const char* target_name, const std::vector<std::uint64_t>& words, Counts& counts) {
  if (words.empty()) return;
  CAPTURE(describe(t, target_name));
  const Target& target = require_target(target_name);
  const SmemTile tile = tile_of(t);
  if (const std::string rule = refusal_of(t, tile, target); !rule.empty()) {
    CHECK(tolerated_tile(rule));
    ++counts.refused[rule];
    return;
  }
  const TileDescriptors mine = tile_descriptors(tile, target, {t.mma_mn, t.mma_k});
  REQUIRE(mine.steps.size() == words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const MmaStep& step = mine.steps[i];
    CAPTURE(step.m_block);
    CAPTURE(step.k_step);
    CHECK(fmt::format("{:#018x}", as_cute_writes(mine, step.descriptor, words[i])) ==
          fmt::format("{:#018x}", words[i]));
  }
  ++counts.tiles;
  counts.words += static_cast<int>(words.size());
}

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  out << counts.words << " words of " << counts.tiles << " tiles the same";
  for (const auto& [rule, tiles] : counts.refused) out << ", " << tiles << " tiles refused by " << rule;
  return out;
}

// Compares, and checks that nothing dropped out. The numbers follow from the cuts in cute_tile.hpp: k_major has 56
// tiles with 976 words, mn_major 48 with 348, the samples 8 with 80 and 8 with 56.
void compare_all(const CuteTiles& tiles, const Counts& wanted_gmma, const Counts& wanted_umma) {
  Counts gmma, umma;
  for (const CuteTile& t : tiles) {
    compare(t, "sm_90a", t.gmma, gmma);
    compare(t, "sm_100a", t.umma, umma);
  }
  MESSAGE("make_gmma_desc: " << gmma);
  MESSAGE("make_umma_desc: " << umma);
  CHECK(gmma == wanted_gmma);
  CHECK(umma == wanted_umma);
}

}  // namespace

TEST_CASE("16-bit tiles: the words are CuTe's") {
  compare_all(cute_tiles_16_bit(), {56 + 48 + 8 + 8, 976 + 348 + 80 + 56, {{"crosses-atoms", 2}}},
              {56 + 48 + 8 + 8, 976 + 348 + 80 + 56, {{"32b-atom-32-bit", 2}, {"crosses-atoms", 2}}});
}

TEST_CASE("8-bit tiles and 8-bit slots: the words are CuTe's") {
  compare_all(cute_tiles_8_bit(), {56 + 3 * 8, 976 + 3 * 80, {{"wgmma-mn-16-bit", 8}}},
              {56 + 48 + 6 * (8 + 8), 976 + 348 + 6 * (80 + 56), {}});
}

TEST_CASE("1-, 4- and 32-bit tiles: the words are CuTe's") {
  compare_all(cute_tiles_other(), {56 + 8, 976 + 80, {{"wgmma-mn-16-bit", 8}}},
              {56 + 12 + 56, 976 + 92 + 976, {{"packed-fp4-k-major", 8}, {"tf32-mn-32b-atom", 8}}});
}

}  // namespace swz

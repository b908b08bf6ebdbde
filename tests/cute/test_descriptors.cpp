// The words of tile_descriptors against CuTe's make_gmma_desc and make_umma_desc, every MMA of every tile.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>

#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "base/error.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "descriptors.hpp"
#include "smem/legality.hpp"
#include "tolerated_tiles.hpp"

namespace swz {
namespace {

struct Counts {
  int tiles = 0, words = 0;
  std::map<std::string, int> refused;  // by rule
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
  } catch (const Error&) {
    return "crosses-atoms";
  }
  return "";
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
    CHECK(fmt::format("{:#018x}", step.descriptor.word()) == fmt::format("{:#018x}", words[i]));
  }
  ++counts.tiles;
  counts.words += static_cast<int>(words.size());
}

std::string describe(const Counts& counts) {
  std::string text = fmt::format("{} words of {} tiles the same; refused by swz:", counts.words, counts.tiles);
  for (const auto& [rule, tiles] : counts.refused) text += fmt::format(" {} {}", rule, tiles);
  return text;
}

struct Both {
  Counts gmma, umma;
};

Both compare_all(const CuteTiles& tiles) {
  Both counts;
  for (const CuteTile& t : tiles) {
    compare(t, "sm_90a", t.gmma, counts.gmma);
    compare(t, "sm_100a", t.umma, counts.umma);
  }
  MESSAGE("make_gmma_desc: " << describe(counts.gmma));
  MESSAGE("make_umma_desc: " << describe(counts.umma));
  return counts;
}

using Refused = std::map<std::string, int>;

}  // namespace

TEST_CASE("16-bit tiles: the words are CuTe's") {
  const Both counts = compare_all(cute_tiles_16_bit());
  CHECK(counts.gmma.tiles == 0);
  CHECK(counts.gmma.words == 0);
  CHECK(counts.gmma.refused == Refused{});
  CHECK(counts.umma.tiles == 0);
  CHECK(counts.umma.words == 0);
  CHECK(counts.umma.refused == Refused{});
}

TEST_CASE("8-bit tiles and 8-bit slots: the words are CuTe's") {
  const Both counts = compare_all(cute_tiles_8_bit());
  CHECK(counts.gmma.tiles == 0);
  CHECK(counts.gmma.words == 0);
  CHECK(counts.gmma.refused == Refused{});
  CHECK(counts.umma.tiles == 0);
  CHECK(counts.umma.words == 0);
  CHECK(counts.umma.refused == Refused{});
}

TEST_CASE("1-, 4- and 32-bit tiles: the words are CuTe's") {
  const Both counts = compare_all(cute_tiles_other());
  CHECK(counts.gmma.tiles == 0);
  CHECK(counts.gmma.words == 0);
  CHECK(counts.gmma.refused == Refused{});
  CHECK(counts.umma.tiles == 0);
  CHECK(counts.umma.words == 0);
  CHECK(counts.umma.refused == Refused{});
}

}  // namespace swz

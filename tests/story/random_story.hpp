// SPDX-License-Identifier: Apache-2.0
// Random tiles of each generation, with a place in a larger operand, that its copies can bring and its MMAs can read.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "story/story.hpp"

namespace swz {

struct Generation {
  std::vector<std::string_view> targets, types;
};

inline const std::vector<Generation>& generations() {
  static const std::vector<Generation> all{
      {{"sm_80", "sm_86", "sm_89"}, {"f16", "bf16", "tf32", "s8"}},
      {{"sm_90a"}, {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8"}},
      {{"sm_100a", "sm_103a", "sm_110a"}, {"f16", "bf16", "tf32", "e4m3", "e5m2", "e2m1"}},
      {{"sm_120a"}, {"f16", "bf16", "tf32", "e4m3", "s8"}},
  };
  return all;
}

// Nothing for values that no such tile has.
inline std::optional<StoryAsk> random_ask(const Generation& generation, Random& random) {
  const Target& target = require_target(random.of(generation.targets));
  const bool has_words = target.descriptor != SmemDescriptorKind::none;
  SmemTileValues values{.dtype = random.of(generation.types)};
  values.target = &target;
  if (values.dtype->name == "e2m1" && random.one_in(2)) values.packing = Packing::slots;
  values.major = random.one_in(3) ? Major::MN : Major::K;
  const SwizzleMode& mode = swizzle_modes()[static_cast<std::size_t>(random.below(std::ssize(swizzle_modes())))];
  values.swizzle = mode;
  values.order = random.one_in(2) ? StackingOrder::mn_first : StackingOrder::k_first;
  const int bits = element_bits(*values.dtype, values.packing);
  if (!has_words && values.major == Major::MN && bits != 16) return std::nullopt;
  if (has_words ? !is_legal(operand_choice(values, target)) : mode.base != 4) return std::nullopt;
  const TileExtents atom = atom_extents(values.major, mode, *values.dtype, values.packing);
  const std::int64_t k = dense_mma_k(bits);
  values.mn = std::lcm<std::int64_t>(atom.mn, 64) * (1 + random.below(3));
  values.k = std::lcm<std::int64_t>(atom.k, k) * (1 + random.below(4));
  values.base = Bytes{1024 * random.below(8)};
  if (values.mn * values.k * bits / 8 > 32 * 1024) return std::nullopt;
  const SmemTile tile(values);
  const StoryMma mma = story_mma(tile, target, random.one_in(2) ? OperandRole::a : OperandRole::b, {});
  // Where the tile begins is a multiple of 16 B, and of 128 elements for those with gaps.
  const std::int64_t grain = 128;
  const TileExtents first{grain * random.below(3), grain * random.below(3)};
  GmemOperand from = packed_operand(
      tile, target, {first.mn + values.mn + grain * random.below(3), first.k + values.k + grain * random.below(3)});
  from.extents.mn = (from.extents.mn + grain - 1) / grain * grain;
  from.extents.k = (from.extents.k + grain - 1) / grain * grain;
  from.line_stride = packed_operand(tile, target, from.extents).line_stride;
  from.line_stride.count += 16 * random.below(2);
  from.tile_at = first;
  return StoryAsk{.tile = tile, .target = &target, .role = mma.role, .mma = mma.extents, .from = from};
}

// One that has no break.
inline StoryAsk right_ask(const Generation& generation, Random& random) {
  for (;;)
    if (auto ask = random_ask(generation, random); ask && story_of(*ask).breaks.empty()) return std::move(*ask);
}

}  // namespace swz

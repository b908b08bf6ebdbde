// SPDX-License-Identifier: Apache-2.0
// Finds exchanged strides whose atoms overlap.
//
//   bf16 16x256, mode 128B, mn-first: 2 atoms along MN 1024 B apart, 4 along K 2048 B apart. If the strides are
//   exchanged, (1, 0) and (0, 2) in atoms are both at 2048
//
// Which chunk was written last to a place is not known, and it may differ from place to place.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "arch/mistake.hpp"
#include "identify/tile_mistakes.hpp"

namespace swz {
namespace {

// The base that most of the chunks have, from some of them.
std::optional<std::int64_t> voted_base(const DumpOfMajor& d, const SwizzleMode& mode,
                                       const std::vector<std::int64_t>& linear) {
  constexpr std::int64_t voters = 256;
  constexpr std::size_t most_telling = 8;  // a chunk that occurs more often says little
  std::map<std::int64_t, std::int64_t> votes;
  const std::int64_t count = d.image.chunk_count();
  for (std::int64_t i = 0; i < count; i += count / voters + 1)
    if (const auto places = d.positions.of(i); places.size() <= most_telling)
      for (const std::int64_t at : places) ++votes[mode.byte(at) - linear[static_cast<std::size_t>(i)]];
  const auto best = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  return best == votes.end() ? std::nullopt : std::optional(best->first);
}

std::optional<Mistake> exchanged_on_each_other(const DumpOfMajor& d, const TileShape& shape) {
  const SmemTile tile(shape.values);
  const std::int64_t mn = tile.mn_atom_stride().count, k = tile.k_atom_stride().count;
  if (mn == k) return {};
  const std::vector<std::int64_t> linear = stacked(d, tile, k, mn);
  const auto base = voted_base(d, tile.swizzle(), linear);
  if (!base || *base < d.dump.address().count) return {};
  std::unordered_map<std::int64_t, bool> is_held;
  for (std::int64_t i = 0; i < d.image.chunk_count(); ++i) {
    const std::int64_t at = linear[static_cast<std::size_t>(i)];
    bool& held = is_held[at];
    held = held || d.dump.has(tile.swizzle().byte(*base + at), d.image, i);
  }
  if (std::ssize(is_held) == d.image.chunk_count() ||
      !std::ranges::all_of(is_held, [](const auto& place) { return place.second; }))
    return {};
  const auto meant = tile_if(d, shape, *base);
  if (!meant) return {};
  return Mistake{mistake::strides_exchanged,
                 fmt::format("LBO and SBO are exchanged: atoms lie {} B apart along MN and {} B along K, on each "
                             "other: {} of {} pieces of 16 B "
                             "are overwritten; {} has {} B and {} B",
                             k, mn, d.image.chunk_count() - std::ssize(is_held), d.image.chunk_count(),
                             to_string(tile.order()), mn, k),
                 *meant};
}

}  // namespace

std::optional<Mistake> find_overwritten(const std::vector<DumpOfMajor>& majors) {
  for (const DumpOfMajor& d : majors)
    for (auto shape = d.shapes.rbegin(); shape != d.shapes.rend(); ++shape)
      if (auto found = exchanged_on_each_other(d, *shape)) return found;
  return {};
}

}  // namespace swz

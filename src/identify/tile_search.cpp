// SPDX-License-Identifier: Apache-2.0
#include "identify/tile_search.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/limits.hpp"

namespace swz {

namespace {

constexpr std::size_t most_bases = 64;                         // listed for one mode, major and order
constexpr std::int64_t most_compared = std::int64_t{1} << 24;  // chunks in total

std::uint64_t hash_of_places(const DumpOfMajor& d, const TileShape& shape, std::int64_t base) {
  std::uint64_t hash = static_cast<std::uint64_t>(d.image.major);
  for (const std::int64_t linear : shape.linear)
    hash = (hash ^ static_cast<std::uint64_t>(shape.values.swizzle->byte(base + linear))) * 0x9e3779b97f4a7c15;
  return hash;
}

}  // namespace

std::vector<TileShape> tile_shapes(const ElementType& type, TileExtents extents, const LineImage& image) {
  std::vector<TileShape> shapes;
  for (const SwizzleMode& mode : swizzle_modes())
    for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
      if (image.major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
      const TileExtents atom = atom_extents(image.major, mode, *type.dtype, type.packing);
      if (extents.mn % atom.mn != 0 || extents.k % atom.k != 0) continue;
      TileShape shape{{.dtype = *type.dtype,
                       .packing = type.packing,
                       .major = image.major,
                       .mn = extents.mn,
                       .k = extents.k,
                       .swizzle = mode,
                       .order = order},
                      {}};
      const SmemTile tile(shape.values);
      for (std::int64_t i = 0; i < image.chunk_count(); ++i) {
        const TileCoordinate first = image.element(i);
        shape.linear.push_back(tile.linear_offset(first.row, first.k).count);
      }
      const bool is_known = std::ranges::any_of(shapes, [&](const TileShape& other) {
        return &*other.values.swizzle == &mode && other.linear == shape.linear;
      });
      if (!is_known) shapes.push_back(std::move(shape));
    }
  return shapes;
}

SmemTile tile_at(const TileShape& shape, std::int64_t base, const Target& target) {
  SmemTileValues values = shape.values;
  values.base = Bytes{base};
  values.target = &target;
  return SmemTile(values);
}

FoundTiles find_tiles(const std::vector<DumpOfMajor>& majors) {
  FoundTiles found;
  std::set<std::uint64_t> known;
  std::int64_t compared = 0;
  for (const DumpOfMajor& d : majors) {
    if (!d.positions.has_all()) continue;
    for (const TileShape& shape : d.shapes) {
      const SwizzleMode& mode = *shape.values.swizzle;
      const std::int64_t anchor = d.positions.rarest();
      std::size_t bases = 0;
      for (const std::int64_t at : d.positions.of(anchor)) {
        if (bases == most_bases || compared > most_compared) {
          found.is_cut = true;
          break;
        }
        const std::int64_t base = mode.byte(at) - shape.linear[static_cast<std::size_t>(anchor)];
        if (base < d.dump.address().count) continue;
        const auto address = [&](std::int64_t i) {
          return mode.byte(base + shape.linear[static_cast<std::size_t>(i)]);
        };
        if (!has_all_chunks(d, address, compared) || !known.insert(hash_of_places(d, shape, base)).second) continue;
        found.tiles.push_back(tile_at(shape, base, d.dump.target()));
        ++bases;
      }
    }
  }
  std::ranges::stable_sort(found.tiles, {}, [](const SmemTile& tile) {
    return std::tuple(!tile.is_pattern_aligned(), tile.base().count, -tile.swizzle().bits);
  });
  return found;
}

}  // namespace swz

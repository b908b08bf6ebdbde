// SPDX-License-Identifier: Apache-2.0
#include "identify/tile_identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

void require_tile(const SharedDump& dump, const LogicalTile& tile, const std::vector<DumpOfMajor>& majors) {
  const bool has_shape = std::ranges::any_of(majors, [](const DumpOfMajor& d) { return !d.shapes.empty(); });
  if (!has_shape)
    throw Error(fmt::format("no canonical tile of {} has {} elements", tile.type.dtype->name, to_string(tile.extents)),
                fmt::format("its lines hold whole chunks of 16 B, {} elements, and it has groups of 8 lines",
                            128 / tile.type.slot_bits()));
  const std::int64_t needed = tile.elements() * tile.type.slot_bits() / 8;
  if (dump.size() < needed)
    throw Error(fmt::format("a tile of {} {} takes {} B; the dump has {} B{}", to_string(tile.extents),
                            tile.type.dtype->name, needed, dump.size(), dump.passes() == 1 ? "" : " in each pass"),
                "the dump is truncated, or --dtype or --tile is another one");
}

// The tile with the most chunks in place. None if no tile has more than chance would give.
std::optional<SmemTile> nearest_tile(const std::vector<DumpOfMajor>& majors) {
  std::optional<SmemTile> best;
  std::int64_t most = 0;
  for (const DumpOfMajor& d : majors)
    for (const TileShape& shape : d.shapes) {
      const SwizzleMode& mode = *shape.values.swizzle;
      std::unordered_map<std::int64_t, std::int64_t> votes;  // number of chunks per base
      for (std::int64_t i = 0; i < d.image.chunk_count(); ++i) {
        const auto positions = d.positions.of(i);
        constexpr std::size_t most_telling = 8;  // a chunk that occurs more often says little
        for (const std::int64_t at : positions.first(positions.size() > most_telling ? 0 : positions.size())) {
          const std::int64_t base = mode.byte(at) - shape.linear[static_cast<std::size_t>(i)];
          if (base >= d.dump.address().count) ++votes[base];
        }
      }
      for (const auto& [base, count] : votes) {
        const bool is_better = count > most || (count == most && best && base < best->base().count);
        if (!is_better) continue;
        try {
          best = tile_at(shape, base, d.dump.target());
          most = count;
        } catch (const Error&) {  // the tile would run past shared memory
        }
      }
    }
  return best;
}

void count_matches(const SharedDump& dump, const LogicalTile& tile, TileIdentification& out) {
  const int bits = tile.type.value_bits();
  for (std::int64_t row = 0; row < tile.extents.mn; ++row)
    for (std::int64_t k = 0; k < tile.extents.k; ++k) {
      const std::uint64_t expected = tile.value({row, k});
      const std::optional<std::uint64_t> found = dump.value(out.tile->bit(row, k).count, bits);
      if (found == expected) ++out.matching;
      else if (!out.first_difference) out.first_difference = {{row, k}, expected, found};
    }
}

}  // namespace

TileIdentification identify_tile(const SharedDump& dump, const LogicalTile& tile, Effort effort) {
  std::vector<DumpOfMajor> majors;
  for (const Major major : {Major::K, Major::MN})
    if (std::optional<LineImage> image = line_image(tile, major)) {
      ChunkPositions positions(dump, *image);
      std::vector<TileShape> shapes = tile_shapes(tile.type, tile.extents, *image);
      majors.push_back({dump, std::move(*image), std::move(positions), std::move(shapes)});
    }
  require_tile(dump, tile, majors);

  TileIdentification out;
  out.elements = tile.elements();
  FoundTiles found = find_tiles(majors);
  out.is_cut = found.is_cut;
  if (!found.tiles.empty()) {
    out.is_exact = true;
    out.tile = found.tiles.front();
    out.matching = out.elements;
    if (found.tiles.size() > 1) out.candidates = std::move(found.tiles);
    return out;
  }
  out.is_constant = dump.is_constant();
  if (effort == Effort::exact_only) return out;
  // A right tile may be among those that were not tried.
  if (out.is_cut) return out;
  out.mistake = find_mistake(tile, majors);
  if (!out.mistake) out.mistake = find_overwritten(majors);
  out.tile = out.mistake ? std::optional(out.mistake->meant) : nearest_tile(majors);
  if (!out.tile) return out;
  if (!out.mistake) out.mistake = find_missing(tile, majors, *out.tile);
  count_matches(dump, tile, out);
  return out;
}

std::optional<ComposedLayout> dump_layout(const SmemTile& tile, Bytes dump_address) {
  if (!dump_address.is_multiple_of(tile.swizzle().pattern())) return std::nullopt;
  const ComposedLayout plain = tile.layout().plain();
  const std::int64_t elements = (tile.base().count - dump_address.count) * 8 / tile.element_bits();
  return ComposedLayout(plain.swizzle(), elements, plain.layout());
}

std::vector<IndexRange> unowned_bytes(const SharedDump& dump, const SmemTile& tile) {
  std::vector<IndexRange> runs;
  for (std::int64_t i = 0; i < dump.size(); ++i) {
    if (tile.at(Bytes{dump.address().count + i})) continue;
    if (!runs.empty() && runs.back().last == i - 1) runs.back().last = i;
    else runs.push_back({i, i});
  }
  return runs;
}

std::vector<std::int64_t> chunks_in_place(const SharedDump& dump, const LogicalTile& values, const SmemTile& tile) {
  const Placement placement(tile);
  const std::optional<LineImage> image = line_image(values, tile.major());
  std::vector<std::int64_t> found;
  if (!image || !placement.has_chunks()) return found;
  const ChunkPositions positions(dump, *image);
  std::unordered_map<std::int64_t, std::int64_t> chunk_at;
  for (std::int64_t i = 0; i < image->chunk_count(); ++i)
    for (const std::int64_t at : positions.of(i)) chunk_at.emplace(at, i);
  for (std::int64_t i = 0; i < image->chunk_count(); ++i) {
    const TileCoordinate element = image->element(i);
    const std::int64_t at = placement.byte(element.row, element.k).count;
    const auto there = chunk_at.find(at);
    found.push_back(dump.has(at, *image, i) ? i : there == chunk_at.end() ? -1 : there->second);
  }
  return found;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "identify/tile_mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "arch/mistake.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using Found = std::optional<Mistake>;

constexpr std::size_t most_anchors = 256;  // positions of one chunk that are tried

// ---- the places of a tile, except for the XOR

// The base with which `place(base, linear)` has every chunk where the dump has it. base_of(position, linear) is the
// base for one chunk.
template <class Place, class BaseOf>
std::optional<std::int64_t> find_base(const DumpOfMajor& d, const std::vector<std::int64_t>& linear, const Place& place,
                                      const BaseOf& base_of) {
  const auto anchor = static_cast<std::size_t>(d.positions.rarest());
  std::size_t tried = 0;
  for (const std::int64_t at : d.positions.of(d.positions.rarest())) {
    if (++tried > most_anchors) break;
    const std::int64_t base = base_of(at, linear[anchor]);
    if (base < d.dump.address().count) continue;
    if (has_all_chunks(d, [&](std::int64_t i) { return place(base, linear[static_cast<std::size_t>(i)]); }))
      return base;
  }
  return std::nullopt;
}

Found relative_swizzle(const DumpOfMajor& d, const TileShape& shape) {
  const SwizzleMode& mode = *shape.values.swizzle;
  if (mode.bits == 0) return {};
  const auto base = find_base(
      d, shape.linear, [&](std::int64_t b, std::int64_t linear) { return b + mode.byte(linear); },
      [&](std::int64_t at, std::int64_t linear) { return at - mode.byte(linear); });
  if (!base) return {};
  const auto tile = tile_if(d, shape, *base);
  if (!tile) return {};
  const std::vector<int> offsets = phase(mode, Bytes{*base}).relative_base_offsets;
  const std::string mended = offsets.empty()
                                 ? "no base offset reads it: begin the tile at a multiple of the pattern"
                                 : fmt::format("base offset {} of the descriptor reads it", offsets.front());
  return Mistake{
      mistake::relative_swizzle,
      fmt::format("the swizzle is counted from the beginning of the tile, {:#x}, instead of from address 0; {}", *base,
                  mended),
      *tile, mended};
}

Found other_mode(const DumpOfMajor& d, const TileShape& shape) {
  const SwizzleMode& own = *shape.values.swizzle;
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (&mode == &own) continue;
    const auto base = find_base(
        d, shape.linear, [&](std::int64_t b, std::int64_t linear) { return mode.byte(b + linear); },
        [&](std::int64_t at, std::int64_t linear) { return mode.byte(at) - linear; });
    if (!base) continue;
    const auto tile = tile_if(d, shape, *base);
    if (!tile) continue;
    const std::string how =
        mode.bits == 0 ? "without a swizzle" : fmt::format("with the swizzle of mode {}", mode.name);
    return Mistake{
        mistake::other_mode,
        fmt::format("the lines are the {} B of mode {}, but they were written {}", own.span.count, own.name, how),
        *tile};
  }
  return {};
}

Found other_unit(const DumpOfMajor& d, const TileShape& shape) {
  const SwizzleMode& mode = *shape.values.swizzle;
  const std::int64_t bits = element_bits(*shape.values.dtype, shape.values.packing);
  // For 8 bits both units are the same; below, the XOR splits chunks, and their contents are not found.
  if (mode.bits == 0 || bits <= 8) return {};
  const std::int64_t unit = bits / 8;
  const auto swizzled = [&](std::int64_t byte) { return mode.byte(byte / unit) * unit + byte % unit; };
  const auto relative = find_base(
      d, shape.linear, [&](std::int64_t b, std::int64_t linear) { return b + swizzled(linear); },
      [&](std::int64_t at, std::int64_t linear) { return at - swizzled(linear); });
  const auto base =
      relative ? relative
               : find_base(
                     d, shape.linear, [&](std::int64_t b, std::int64_t linear) { return swizzled(b + linear); },
                     [&](std::int64_t at, std::int64_t linear) { return swizzled(at) - linear; });
  if (!base) return {};
  const auto tile = tile_if(d, shape, *base);
  if (!tile) return {};
  return Mistake{mistake::element_unit_swizzle,
                 fmt::format("{} was applied to the numbers of elements of {} bits; the hardware applies it to bytes",
                             to_string(mode.byte_swizzle()), bits),
                 *tile};
}

// ---- other steps between atoms, lines and blocks

Found strides_exchanged(const DumpOfMajor& d, const TileShape& shape) {
  const SmemTile tile(shape.values);
  const std::int64_t mn = tile.mn_atom_stride().count, k = tile.k_atom_stride().count;
  if (mn == k) return {};
  const SwizzleMode& mode = tile.swizzle();
  const std::vector<std::int64_t> linear = stacked(d, tile, k, mn);
  const auto base = find_base(
      d, linear, [&](std::int64_t b, std::int64_t offset) { return mode.byte(b + offset); },
      [&](std::int64_t at, std::int64_t offset) { return mode.byte(at) - offset; });
  if (!base) return {};
  const auto meant = tile_if(d, shape, *base);
  if (!meant) return {};
  return Mistake{
      mistake::strides_exchanged,
      fmt::format("LBO and SBO are exchanged: atoms lie {} B apart along MN and {} B along K; {} has {} B and {} B", k,
                  mn, to_string(tile.order()), mn, k),
      *meant};
}

// Lines, groups of 8 lines and blocks of `width` chunks at any steps: line l, chunk c of a line is at
// l % 8 * line + l / 8 * group + c / width * block + c % width * 16.
struct Steps {
  std::int64_t width = 1, line = 0, group = 0, block = 0;

  std::int64_t at(std::int64_t l, std::int64_t c) const {
    return l % 8 * line + l / 8 * group + c / width * block + c % width * 16;
  }
};

// The steps, from the positions of the neighbours of the first chunk. Only a chunk that occurs once shows a step.
Found other_pitch(const DumpOfMajor& d, const TileShape& shape, std::int64_t width) {
  const LineImage& image = d.image;
  static const SwizzleMode& plain = require_swizzle_mode("none");
  std::set<std::string_view> seen;
  for (const SwizzleMode* mode : {&*shape.values.swizzle, &plain}) {
    if (!seen.insert(mode->name).second) continue;
    const auto linear_at = [&](std::int64_t l, std::int64_t c) -> std::optional<std::int64_t> {
      const std::int64_t index = l * image.chunks_per_line + c;
      // Without a swizzle lines may begin anywhere, at the step of a padded array.
      const std::vector<std::int64_t> found = any_positions(d.dump, image, index, 2);
      if (found.size() != 1) return std::nullopt;
      return mode->bits == 0 ? found.front() : mode->byte(found.front());
    };
    const auto first = linear_at(0, 0);
    if (!first) continue;
    const auto step = [&](std::int64_t l, std::int64_t c) -> std::optional<std::int64_t> {
      if (l >= image.lines || c >= image.chunks_per_line) return 0;
      const auto there = linear_at(l, c);
      return there ? std::optional(*there - *first) : std::nullopt;
    };
    const auto line = step(1, 0), group = step(8, 0), block = step(0, width);
    if (!line || !group || !block || *line < 0 || *group < 0 || *block < 0) continue;
    const Steps steps{width, *line, *group, *block};
    if (!has_all_chunks(d, [&](std::int64_t i) {
          return mode->byte(*first + steps.at(i / image.chunks_per_line, i % image.chunks_per_line));
        }))
      continue;
    const auto meant = tile_if(d, shape, *first / 16 * 16);
    if (!meant) continue;
    std::string text = fmt::format("lines lie {} B apart", steps.line);
    if (image.lines > 8 && steps.group != 8 * steps.line) text += fmt::format(", groups of 8 lines {} B", steps.group);
    if (image.chunks_per_line > width && steps.block != width * 16)
      text += fmt::format(", blocks of {} B {} B", width * 16, steps.block);
    return Mistake{
        "pitch",
        fmt::format("{}{}; mode {} has lines {} B apart", text,
                    mode->bits == 0 ? ", without a swizzle" : fmt::format(", swizzled as mode {}", mode->name),
                    shape.values.swizzle->name, shape.values.swizzle->span.count),
        *meant};
  }
  return {};
}

Found pitch(const DumpOfMajor& d, const TileShape& shape) {
  const std::int64_t own = shape.values.swizzle->span.in_chunks();
  for (const std::int64_t width : {own, d.image.chunks_per_line})
    if (Found found = other_pitch(d, shape, width)) return found;
  return {};
}

// ---- the order of chunks inside their lines

Found chunk_order(const DumpOfMajor& d, const TileShape& shape) {
  const SwizzleMode& mode = *shape.values.swizzle;
  const std::int64_t width = mode.span.count;
  if (mode.bits == 0) return {};
  const std::int64_t per_block = mode.span.in_chunks();
  const auto anchor = static_cast<std::size_t>(d.positions.rarest());
  std::set<std::int64_t> bases;
  for (const std::int64_t at : d.positions.of(d.positions.rarest())) {
    if (bases.size() > most_anchors) break;
    bases.insert(at / width * width - shape.linear[anchor] / width * width);
  }
  for (const std::int64_t base : bases) {
    const auto tile = base < d.dump.address().count ? std::nullopt : tile_if(d, shape, base);
    if (!tile) continue;
    bool explains = true;
    for (std::int64_t first = 0; explains && first < d.image.chunk_count(); first += per_block) {
      const std::int64_t line = base + shape.linear[static_cast<std::size_t>(first)] / width * width;
      std::array<bool, 8> taken = {};
      for (std::int64_t i = first; explains && i < first + per_block; ++i) {
        std::int64_t slot = 0;
        while (slot < per_block && (taken[static_cast<std::size_t>(slot)] || !d.dump.has(line + slot * 16, d.image, i)))
          ++slot;
        explains = slot < per_block;
        if (explains) taken[static_cast<std::size_t>(slot)] = true;
      }
    }
    if (explains)
      return Mistake{"chunk-order",
                     fmt::format("every line of {} B holds its own chunks, in another order than mode {} has them",
                                 width, mode.name),
                     *tile};
  }
  return {};
}

constexpr Found (*place_mistakes[])(const DumpOfMajor&, const TileShape&) = {
    relative_swizzle, other_mode, other_unit, strides_exchanged, pitch, chunk_order};

// ---- elements that contain other bits

// The tile that is found if the expected values are `changed`.
std::optional<SmemTile> found_when(const LogicalTile& changed, const std::vector<DumpOfMajor>& majors) {
  std::vector<DumpOfMajor> other;
  for (const DumpOfMajor& d : majors) {
    LineImage image = *line_image(changed, d.image.major);
    ChunkPositions positions(d.dump, image);
    if (positions.has_all()) other.push_back({d.dump, std::move(image), std::move(positions), d.shapes});
  }
  const FoundTiles found = find_tiles(other);
  return found.tiles.empty() ? std::nullopt : std::optional(found.tiles.front());
}

// Blocks of 8 rows x 8 units, each transposed in place; a unit is `together` elements of a row.
std::optional<LogicalTile> turned(const LogicalTile& tile, std::int64_t together) {
  if (tile.extents.mn % 8 != 0 || tile.extents.k % (8 * together) != 0) return std::nullopt;
  LogicalTile out = tile;
  for (std::int64_t row = 0; row < tile.extents.mn; ++row)
    for (std::int64_t k = 0; k < tile.extents.k; ++k) {
      const std::int64_t unit = k / together % 8, block = k / (8 * together) * 8 * together;
      out.values[static_cast<std::size_t>(row * tile.extents.k + k)] =
          tile.value({row / 8 * 8 + unit, block + row % 8 * together + k % together});
    }
  return out;
}

Found transposed(const LogicalTile& tile, const std::vector<DumpOfMajor>& majors) {
  const int bits = tile.type.slot_bits();
  std::vector<std::int64_t> units{1};
  if (bits < 16) units.push_back(16 / bits);
  for (const std::int64_t together : units) {
    const auto changed = turned(tile, together);
    if (!changed) continue;
    if (const auto meant = found_when(*changed, majors))
      return Mistake{
          mistake::transposed,
          fmt::format("each block of 8 rows and {} elements is transposed in its place{}; the blocks lie right",
                      8 * together, together == 1 ? "" : ", 16 bits at a time"),
          *meant};
  }
  return {};
}

std::uint64_t reversed(std::uint64_t value, int bytes) {
  std::uint64_t out = 0;
  for (int i = 0; i < bytes; ++i) out = out << 8 | (value >> (8 * i) & 0xff);
  return out;
}

Found byte_order(const LogicalTile& tile, const std::vector<DumpOfMajor>& majors) {
  const int bits = tile.type.value_bits();
  if (bits < 16 || bits > 64 || bits % 8 != 0 || tile.passes != 1) return {};
  LogicalTile changed = tile;
  for (std::uint64_t& value : changed.values) value = reversed(value, bits / 8);
  const auto meant = found_when(changed, majors);
  if (!meant) return {};
  return Mistake{"byte-order", fmt::format("the {} bytes of each element lie in the other order", bits / 8), *meant};
}

constexpr Found (*content_mistakes[])(const LogicalTile&, const std::vector<DumpOfMajor>&) = {transposed, byte_order};

}  // namespace

std::optional<SmemTile> tile_if(const DumpOfMajor& d, const TileShape& shape, std::int64_t base) {
  if (base < 0 || base % chunk.count != 0) return std::nullopt;
  try {
    return tile_at(shape, base, d.dump.target());
  } catch (const Error&) {
    return std::nullopt;  // it would run past shared memory
  }
}

std::vector<std::int64_t> stacked(const DumpOfMajor& d, const SmemTile& tile, std::int64_t mn, std::int64_t k) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < d.image.chunk_count(); ++i) {
    const TileCoordinate at = d.image.element(i);
    const TileExtents atom = tile.atom();
    out.push_back(at.row / atom.mn * mn + at.k / atom.k * k +
                  tile.linear_offset(at.row % atom.mn, at.k % atom.k).count);
  }
  return out;
}

std::vector<std::string_view> writer_mistake_names() {
  return {mistake::relative_swizzle,
          mistake::other_mode,
          mistake::element_unit_swizzle,
          mistake::strides_exchanged,
          "pitch",
          "chunk-order",
          mistake::transposed,
          "byte-order",
          mistake::stale,
          mistake::wrong_lane};
}

std::optional<Mistake> find_mistake(const LogicalTile& tile, const std::vector<DumpOfMajor>& majors) {
  for (const auto& find : place_mistakes)
    for (const DumpOfMajor& d : majors) {
      if (!d.positions.has_all()) continue;
      // The widest mode first: it describes most of the lines.
      for (auto shape = d.shapes.rbegin(); shape != d.shapes.rend(); ++shape)
        if (Found found = find(d, *shape)) return found;
    }
  for (const auto& find : content_mistakes)
    if (Found found = find(tile, majors)) return found;
  return {};
}

}  // namespace swz

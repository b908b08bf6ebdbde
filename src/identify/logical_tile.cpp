// SPDX-License-Identifier: Apache-2.0
#include "identify/logical_tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"

namespace swz {

namespace {

std::uint64_t low_bits(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

LogicalTile counted_tile(const ElementType& type, TileExtents extents, int passes) {
  LogicalTile tile{type, extents, passes, {}};
  tile.values.resize(static_cast<std::size_t>(tile.elements()));
  const std::uint64_t mask = low_bits(type.value_bits() * passes);
  for (std::size_t i = 0; i < tile.values.size(); ++i) tile.values[i] = i & mask;
  return tile;
}

}  // namespace

std::uint64_t bits_at(std::span<const std::byte> bytes, std::int64_t first, int bits) {
  std::uint64_t value = 0;
  for (int done = 0; done < bits;) {
    const std::int64_t bit = first + done;
    const int inside = static_cast<int>(bit % 8), taken = std::min(8 - inside, bits - done);
    const auto byte = std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(bit / 8)]);
    if (done < 64) value |= (byte >> inside & low_bits(taken)) << done;
    done += taken;
  }
  return value;
}

void put_bits(std::span<std::byte> bytes, std::int64_t first, int bits, std::uint64_t value) {
  for (int done = 0; done < bits;) {
    const std::int64_t bit = first + done;
    const int inside = static_cast<int>(bit % 8), taken = std::min(8 - inside, bits - done);
    std::byte& byte = bytes[static_cast<std::size_t>(bit / 8)];
    const auto kept = std::to_integer<std::uint64_t>(byte) & ~(low_bits(taken) << inside);
    const std::uint64_t put = done < 64 ? value >> done & low_bits(taken) : 0;
    byte = static_cast<std::byte>(kept | put << inside);
    done += taken;
  }
}

LogicalTile iota_tile(const ElementType& type, TileExtents extents) { return counted_tile(type, extents, 1); }

LogicalTile code_tile(const ElementType& type, TileExtents extents) {
  return counted_tile(type, extents, code_passes(type, extents));
}

int code_passes(const ElementType& type, TileExtents extents) {
  const auto last = static_cast<std::uint64_t>(extents.mn * extents.k - 1);
  return std::max(1, (static_cast<int>(std::bit_width(last)) + type.value_bits() - 1) / type.value_bits());
}

LogicalTile tile_of_bytes(const ElementType& type, TileExtents extents, std::span<const std::byte> bytes) {
  LogicalTile tile{type, extents, 1, {}};
  const int bits = type.value_bits();
  const std::int64_t count = tile.elements(), packed = (count * bits + 7) / 8;
  const auto size = static_cast<std::int64_t>(bytes.size());
  const std::int64_t whole = (bits + 7) / 8 * count;  // one byte or more each
  if (size != packed && size != whole)
    throw Error(fmt::format("--expect holds {} B; {} elements of {} take {} B", size, to_string(extents),
                            type.dtype->name, packed),
                "row after row, element after element, without a header");
  const int step = size == packed ? bits : (bits + 7) / 8 * 8;
  tile.values.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < tile.values.size(); ++i)
    tile.values[i] = bits_at(bytes, static_cast<std::int64_t>(i) * step, bits);
  return tile;
}

LogicalTile tile_of_array(const ElementType& type, TileExtents extents, const NpyArray& array) {
  if (array.is_big_endian && array.item_bytes > 1)
    throw Error(fmt::format("--expect holds {}, big-endian elements", array.descr),
                "array.astype(array.dtype.newbyteorder('<'))");
  LogicalTile tile = tile_of_bytes(type, extents, array.data);
  if (!array.is_fortran_order || array.shape.size() < 2) return tile;
  if (array.shape != std::vector{extents.mn, extents.k})
    throw Error("--expect holds an array in Fortran order of another shape than the tile",
                "np.ascontiguousarray(array)");
  const std::vector<std::uint64_t> columns = std::move(tile.values);
  tile.values.resize(columns.size());
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t k = 0; k < extents.k; ++k)
      tile.values[static_cast<std::size_t>(row * extents.k + k)] =
          columns[static_cast<std::size_t>(k * extents.mn + row)];
  return tile;
}

std::optional<LineImage> line_image(const LogicalTile& tile, Major major) {
  const int slot = tile.type.slot_bits(), bits = tile.type.value_bits();
  const std::int64_t along = tile.extents.along(major), per_chunk = 128 / slot;
  if (along % per_chunk != 0) return std::nullopt;
  LineImage image;
  image.major = major;
  image.lines = tile.extents.across(major);
  image.chunks_per_line = along / per_chunk;
  image.chunk_elements = per_chunk;
  if (tile.type.has_gaps()) image.front = 2 * bits;
  const int step = tile.type.has_gaps() ? bits : slot;  // from one element of a chunk to the next
  for (int pass = 0; pass < tile.passes; ++pass) {
    std::vector<std::byte>& bytes = image.passes.emplace_back(static_cast<std::size_t>(image.chunk_count() * 16));
    for (std::int64_t line = 0; line < image.lines; ++line)
      for (std::int64_t i = 0; i < along; ++i) {
        const std::uint64_t value = tile.value(TileCoordinate::of(major, line, i)) >> (pass * bits % 64);
        const std::int64_t chunk_index = line * image.chunks_per_line + i / per_chunk;
        put_bits(bytes, chunk_index * 128 + i % per_chunk * step, bits, value);
      }
  }
  return image;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// LogicalTile: the contents of a tile in logical order; and the same as lines, in chunks of 16 bytes.
//
//   iota of bf16 128x64: element (r, c) holds the bits of 64 r + c, here all different
//   iota of u8   128x64: modulo 256, so that every four rows repeat
//   codes of u8  128x64: two passes: 64 r + c modulo 256, then the rest, (64 r + c) >> 8
//
// A pass has one value for each element. A dump of several passes has the images of the same bytes of shared memory one
// after another, and is read as one image of wider elements: pass 0 has the low bits.
//
// LineImage: the elements of a major in order, as they are in the tile inside a chunk of 16 bytes. It exists only if
// lines are whole chunks; otherwise there is no canonical tile.
//
//   bf16 128x64: K-major lines of 128 B, 8 chunks each, 128 of them;  MN-major lines of 256 B, 16 chunks, 64 of them
//
// Elements with gaps (arch/narrow.hpp) fill the front of a chunk; the bytes after them are not compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "identify/npy.hpp"
#include "smem/tile.hpp"

namespace swz {

struct ElementType {
  DTypeRow dtype = "f16";
  Packing packing = Packing::packed;

  int slot_bits() const { return element_bits(*dtype, packing); }
  const NarrowForm* form() const { return narrow_form(*dtype, packing); }
  // Bits of the value itself.
  int value_bits() const { return form() != nullptr ? form()->bits : slot_bits(); }
  bool has_gaps() const { return form() != nullptr && form()->has_gaps; }
};

// How far a dump is compared with a tile: until the tile is found exact or not, or until a mistake explains the
// difference.
enum class Effort { exact_only, with_mistakes };

struct LogicalTile {
  ElementType type;
  TileExtents extents;
  int passes = 1;
  std::vector<std::uint64_t> values;  // row by row; all passes of an element in one number, the first in the low bits

  std::uint64_t value(TileCoordinate at) const { return values[static_cast<std::size_t>(at.row * extents.k + at.k)]; }
  std::int64_t elements() const { return extents.mn * extents.k; }
};

// The tile whose element i is i modulo 2^bits.
LogicalTile iota_tile(const ElementType& type, TileExtents extents);
// The tile whose element i is i, in as many passes as this needs.
LogicalTile code_tile(const ElementType& type, TileExtents extents);
int code_passes(const ElementType& type, TileExtents extents);
// The tile of bytes, row by row: each element in its bits without gaps, or in the low bits of one or more bytes each.
// Throws Error if the length fits neither.
LogicalTile tile_of_bytes(const ElementType& type, TileExtents extents, std::span<const std::byte> bytes);

// The tile of an array of MxK, or of its bytes in order.
LogicalTile tile_of_array(const ElementType& type, TileExtents extents, const NpyArray& array);

struct LineImage {
  Major major = Major::K;
  std::int64_t lines = 0, chunks_per_line = 0;
  std::int64_t chunk_elements = 0;
  std::int64_t front = 16;                     // bytes of a chunk that contain elements
  std::vector<std::vector<std::byte>> passes;  // line by line

  std::int64_t chunk_count() const { return lines * chunks_per_line; }
  std::span<const std::byte> chunk(std::int64_t index, std::size_t pass) const {
    return std::span(passes[pass]).subspan(static_cast<std::size_t>(index * 16), static_cast<std::size_t>(front));
  }
  // The first element of a chunk.
  TileCoordinate element(std::int64_t index) const {
    return TileCoordinate::of(major, index / chunks_per_line, index % chunks_per_line * chunk_elements);
  }
};

// None if a line is not whole chunks.
std::optional<LineImage> line_image(const LogicalTile& tile, Major major);

// The number whose lowest bit is bit `first` of the bytes, little-endian; all its bits must be inside them. If it has
// more than 64 bits, those above are ignored; put_bits sets them to 0.
std::uint64_t bits_at(std::span<const std::byte> bytes, std::int64_t first, int bits);
void put_bits(std::span<std::byte> bytes, std::int64_t first, int bits, std::uint64_t value);

}  // namespace swz

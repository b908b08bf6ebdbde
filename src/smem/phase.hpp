// Phase: what a tile means that does not begin where the swizzle pattern does.
//
//   phase(64B, 0x680): the pattern repeats every 512 B, and 0x680 lies 128 B (1 line) behind its beginning
//     TMA and an MMA with base offset 0    both read bits 7-8 of the absolute address: they agree
//     a reader that counts from 0x680      looks for byte 0 at 0x680, but it lies at 0x690: 512 of 512 bytes wrong
//     data written by such a writer        an MMA reads it with base offset 5 = (0x680 >> 7) & 7, or 1
//     0x690: no base offset repairs it     the line number changes in the middle of the tile's own lines
//
// Absolute: byte = XOR of the address. Tile-relative: byte = base + XOR of the offset from base, as index swizzles
// compute it. Offsets count the bytes of a tile in linear order, before the XOR.
//
// Invariant (tested): operand_map with a base offset reads tile-relative data right exactly for
// relative_base_offsets, and absolute data exactly for absolute_base_offsets, for both majors.
// Source: measured on H200 (absolute address, base offset subtracted, also in mode 32B); PTX ISA 9.1,
// 9.7.15.5.1.2.2 for the formula. Mode 128B_32B: neither documented nor measured, taken to work alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "arch/swizzle_mode.hpp"

namespace swz {

struct PhaseCount {
  Bytes wrong, of;
};

// A chunk that a tile-relative reader does not find.
struct MisplacedChunk {
  Bytes offset;      // in the tile
  Bytes lies_at;     // where absolute writers put it
  Bytes looked_for;  // where a tile-relative reader looks
};

struct Phase {
  const SwizzleMode* mode = nullptr;
  Bytes base;
  Bytes bytes;         // base modulo the pattern
  Bytes below, above;  // the nearest addresses of phase 0; both are base when its phase is 0

  // A tile-relative reader of what absolute writers wrote, or the other way round.
  PhaseCount over_pattern;
  std::optional<PhaseCount> over_tile;
  std::optional<MisplacedChunk> first_wrong;  // in the tile, else in one pattern

  // All 0 ... 7 with which an MMA reads the data; without a swizzle all of them.
  std::vector<int> absolute_base_offsets;
  std::vector<int> relative_base_offsets;  // empty: none does
  int documented_base_offset = 0;          // PTX: (pattern start >> 7) & 7, when the pattern begins at base

  // What absolute writers touch of the tile, else of one pattern: an XOR inside aligned lines leaves
  // [base, base + size) when base is not a multiple of the mode's line.
  Bytes size, lowest, end;

  std::int64_t lines() const { return bytes.count / bank_row.count; }
  bool is_aligned() const { return bytes.count == 0; }
  bool stays_inside() const { return lowest >= base && end.count <= base.count + size.count; }
};

// Where the chunk at `offset` of a tile at `base` lies.
inline Bytes absolute_byte(const SwizzleMode& mode, Bytes base, Bytes offset) {
  return Bytes{mode.byte(base.count + offset.count)};
}
inline Bytes relative_byte(const SwizzleMode& mode, Bytes base, Bytes offset) {
  return Bytes{base.count + mode.byte(offset.count)};
}

// The bytes that a picture of one pattern shows: the pattern, without a swizzle one line of banks.
inline Bytes pattern_shown(const SwizzleMode& mode) { return std::max(mode.pattern(), bank_row); }

// Throws Error unless base is a multiple of 16 in shared memory and tile_bytes, when given, one that fits behind
// it.
Phase phase(const SwizzleMode& mode, Bytes base, std::optional<Bytes> tile_bytes = std::nullopt);

}  // namespace swz

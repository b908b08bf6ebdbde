// SPDX-License-Identifier: Apache-2.0
// TileIdentification: the tile in a dump of shared memory; if none is right, the nearest one, and the single mistake
// that explains all differences.
//
//   bf16 128x64 iota, a dump of 32 KiB                exact: K-major, mode 128B, mn-first, from byte 0x400 of the dump
//   the same written in linear rows of 128 B          not exact: lines of mode 128B without a swizzle, "other-mode"
//   16 KiB of random bytes                            no tile, no mistake: random
//
// Invariants (tested): exact only if every element is where the tile puts it; no mistake is reported for an exact
// tile; a mistake explains every element.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identify/tile_mistakes.hpp"
#include "smem/placement.hpp"

namespace swz {

struct DifferentElement {
  TileCoordinate at;
  std::uint64_t expected = 0;
  std::optional<std::uint64_t> found;  // none if it would be outside of the dump
};

struct TileIdentification {
  bool is_exact = false;
  std::optional<SmemTile> tile;  // the tile found, intended, or nearest; none if nothing resembles a tile
  std::int64_t elements = 0, matching = 0;
  std::optional<DifferentElement> first_difference;
  std::optional<Mistake> mistake;
  std::vector<SmemTile> candidates;  // all tiles, if the data allow more than one
  bool is_cut = false;               // whether there may be more of them
  bool is_constant = false;          // whether every byte of the dump is the same
};

// Throws Error if no canonical tile has the extents, or the dump is smaller than a tile.
TileIdentification identify_tile(const SharedDump& dump, const LogicalTile& tile,
                                 Effort effort = Effort::with_mistakes);

// The map (row, col) to the element of the dump, including the base. None if the dump begins inside the pattern of the
// swizzle, and no layout without another offset describes it.
std::optional<ComposedLayout> dump_layout(const SmemTile& tile, Bytes dump_address);

// The bytes of the dump, counted from its first, that belong to no element: first and last of each run.
std::vector<IndexRange> unowned_bytes(const SharedDump& dump, const SmemTile& tile);

// For each chunk of 16 bytes of the tile, line by line: the chunk that the dump has in its place, -1 for none. Of chunks
// with the same bytes the expected one counts. Empty if elements are not in such chunks.
std::vector<std::int64_t> chunks_in_place(const SharedDump& dump, const LogicalTile& values, const SmemTile& tile);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Mistakes of whoever wrote a tile: had they been made, the dump would hold just what it holds.
//
//   bf16 128x64, mode 128B, at 0x480, written with offset ^ ((offset >> 7 & 7) << 4) from the tile's beginning
//     tile-relative-swizzle: the pattern is counted from 0x480; base offset 1 reads it
//
//   name                    where chunk c of a line lies, or what an element holds
//   tile-relative-swizzle   base + XOR(offset) instead of XOR(base + offset)
//   other-mode              lines of one mode, the XOR of another, or none
//   element-unit-swizzle              the XOR of the mode on the numbers of elements, not of bytes
//   strides-exchanged       atoms along MN at the step of those along K, and the other way round, also on each other
//   pitch                   lines, groups of 8 lines or blocks at other steps than those of any mode
//   chunk-order             each line holds its own chunks in another order
//   transposed              each block of 8 x 8 elements (or of 8 rows x 16 bytes, 16 bits at a time) turned in its place
//   byte-order              the bytes of each element, or of each word, the other way round
//   stale                   all that differs is where tensor copies of the tile, or a few blocks of it, did not arrive
//   wrong-lane              one piece of at most 16 bytes lies where another belongs, or holds what another holds; or one of
//                           every store instruction, all as far away
//
// A mistake is told only if it explains every element, and only of a dump that holds no tile as it should be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "identify/tile_search.hpp"

namespace swz {

struct Mistake {
  std::string_view name;
  std::string text;
  SmemTile meant;  // the tile that it would be without the mistake
};

std::vector<std::string_view> writer_mistake_names();

// ---- between the files

// The tile that begins at `base`. None: no tile can.
std::optional<SmemTile> tile_if(const TileShape& shape, std::int64_t base);
// Linear offsets of the chunks with atoms along MN and along K `mn` and `k` bytes apart.
std::vector<std::int64_t> stacked(const DumpOfMajor& d, const SmemTile& tile, std::int64_t mn, std::int64_t k);

// ----

// Those of places and of contents; `tile` is what was expected.
std::optional<Mistake> find_mistake(const LogicalTile& tile, const std::vector<DumpOfMajor>& majors);

// Atoms whose places fall on each other: each place holds one of the chunks that were written there.
std::optional<Mistake> find_overwritten(const std::vector<DumpOfMajor>& majors);

// Those of a few elements: `nearest` is the tile with the most chunks in place.
std::optional<Mistake> find_missing(const LogicalTile& tile, const std::vector<DumpOfMajor>& majors,
                                    const SmemTile& nearest);

}  // namespace swz

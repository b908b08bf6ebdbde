// SPDX-License-Identifier: Apache-2.0
// Mistakes in writing a tile, each of which would give exactly the contents of the dump.
//
//   bf16 128x64, mode 128B, at 0x480, written with offset ^ ((offset >> 7 & 7) << 4) from the tile's beginning
//     tile-relative-swizzle: the pattern is counted from 0x480; base offset 1 reads it
//
//   name                    where chunk c of a line is, or what an element contains
//   tile-relative-swizzle   base + XOR(offset) instead of XOR(base + offset)
//   other-mode              lines of one mode, the XOR of another, or none
//   element-unit-swizzle    the XOR of the mode on the numbers of elements, not of bytes
//   strides-exchanged       atoms along MN at the step of those along K, and the reverse, even if they overlap
//   pitch                   lines, groups of 8 lines or blocks at other steps than those of any mode
//   chunk-order             each line contains its own chunks in another order
//   transposed              each block of 8 x 8 elements (or 8 rows x 16 bytes, 16 bits at a time) transposed in place
//   byte-order              the bytes of each element, or of each word, in reverse order
//   stale                   all differences are where tensor copies of the tile, or a few blocks of it, did not arrive
//   wrong-lane              one piece of at most 16 bytes is where another belongs, or contains what another should; or
//                           one piece per store instruction, all equally far away
//
// A mistake is reported only if it explains every element, and only for a dump without a right tile.
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
  SmemTile meant;            // the tile as it would be without the mistake
  std::string way_out = {};  // of a reader of the data as they are; a part of the text
};

std::vector<std::string_view> writer_mistake_names();

// ---- internal to the files tile_*.cpp

// The tile that begins at `base`. None if no tile can.
std::optional<SmemTile> tile_if(const DumpOfMajor& d, const TileShape& shape, std::int64_t base);
// Linear offsets of the chunks, with atoms `mn` bytes apart along MN and `k` bytes apart along K.
std::vector<std::int64_t> stacked(const DumpOfMajor& d, const SmemTile& tile, std::int64_t mn, std::int64_t k);

// Finds mistakes in places and in contents; `tile` is the expected one.
std::optional<Mistake> find_mistake(const LogicalTile& tile, const std::vector<DumpOfMajor>& majors);

// Finds atoms whose places overlap: each place has one of the chunks that were written there.
std::optional<Mistake> find_overwritten(const std::vector<DumpOfMajor>& majors);

// Finds mistakes of a few elements; `nearest` is the tile with the most chunks in place.
std::optional<Mistake> find_missing(const LogicalTile& tile, const std::vector<DumpOfMajor>& majors,
                                    const SmemTile& nearest);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// TileSearch: the canonical tiles that a dump contains, with every element in place.
//
//   bf16 128x64 iota in mode 128B at 0x400 of a dump of 64 KiB
//     the chunk of (0, 0) occurs once, at 0x400: in mode 128B the tile then begins at 0x400, in mode none too, …
//     of these 18 tiles one has the other 1023 chunks in place
//
// A tile of each mode, major and stacking order is tried at every base that puts its rarest chunk where the dump has
// it. So a base is found from the values, and repeated values allow more than one. Tiles that put every chunk at the
// same addresses count as one.
//
// Invariant (tested): every tile found has every element in place; the tile that was written is among them, or one
// with the same addresses, unless is_cut.
#pragma once

#include <numeric>
#include <vector>

#include "identify/shared_dump.hpp"

namespace swz {

// A mode, major and stacking order, before a base is known.
struct TileShape {
  SmemTileValues values;             // with base 0
  std::vector<std::int64_t> linear;  // of each chunk of the image, before the XOR
};
// The shapes whose atoms divide the tile. Equal ones are omitted: an order that makes no difference.
std::vector<TileShape> tile_shapes(const ElementType& type, TileExtents extents, const LineImage& image);
// The tile at an absolute address.
SmemTile tile_at(const TileShape& shape, std::int64_t base, const Target& target);

// What is known about the dump for one major.
struct DumpOfMajor {
  const SharedDump& dump;
  LineImage image;
  ChunkPositions positions;
  std::vector<TileShape> shapes;
};

// Whether the dump has every chunk at `address(index)`; adds the number of chunks that were compared to `compared`.
// The last ones are compared first, then with long steps: if values repeat, the edges of the tile differ most.
template <class Address>
bool has_all_chunks(const DumpOfMajor& d, const Address& address, std::int64_t& compared) {
  const std::int64_t count = d.image.chunk_count();
  std::int64_t step = count * 5 / 8 + 1;
  while (std::gcd(step, count) != 1) ++step;
  for (std::int64_t n = 0, i = count - 1; n < count; ++n, i = (i + step) % count, ++compared)
    if (!d.dump.has(address(i), d.image, i)) return false;
  return true;
}
template <class Address>
bool has_all_chunks(const DumpOfMajor& d, const Address& address) {
  std::int64_t compared = 0;
  return has_all_chunks(d, address, compared);
}

struct FoundTiles {
  std::vector<SmemTile> tiles;  // likeliest first: at a multiple of the pattern, at a low base, of a wide mode
  bool is_cut = false;          // whether there may be more
};
FoundTiles find_tiles(const std::vector<DumpOfMajor>& majors);

}  // namespace swz

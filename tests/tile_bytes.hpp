// Where a tile has its elements: SmemTile::byte of each, row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "smem/tile.hpp"

namespace swz {

inline std::vector<std::int64_t> tile_bytes(const SmemTile& tile) {
  std::vector<std::int64_t> bytes;
  for (std::int64_t row = 0; row < tile.extents().mn; ++row)
    for (std::int64_t k = 0; k < tile.extents().k; ++k) bytes.push_back(tile.byte(row, k).count);
  return bytes;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "tile_bytes.hpp"

namespace swz {

// The linear offset is a sum of one part for the row and one for k; sweeps ask for millions of elements.
std::vector<std::int64_t> tile_bytes(const SmemTile& tile) {
  std::vector<std::int64_t> along_k, bytes;
  for (std::int64_t k = 0; k < tile.extents().k; ++k) along_k.push_back(tile.linear_offset(0, k).count);
  bytes.reserve(static_cast<std::size_t>(tile.extents().mn * tile.extents().k));
  const Swizzle swizzle = tile.swizzle().byte_swizzle();
  for (std::int64_t row = 0; row < tile.extents().mn; ++row) {
    const std::int64_t start = tile.base().count + tile.linear_offset(row, 0).count;
    for (const std::int64_t offset : along_k) bytes.push_back(swizzle(start + offset));
  }
  return bytes;
}

}  // namespace swz

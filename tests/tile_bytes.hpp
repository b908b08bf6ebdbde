// SPDX-License-Identifier: Apache-2.0
// Where the elements of a tile are: SmemTile::byte of each, row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "smem/tile.hpp"

namespace swz {

std::vector<std::int64_t> tile_bytes(const SmemTile& tile);

}  // namespace swz

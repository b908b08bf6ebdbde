// SPDX-License-Identifier: Apache-2.0
// Missing: the pieces of a tile that are not where the nearest tile has them, and what explains this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "identify/tile_mistakes.hpp"

namespace swz {

struct Missing {
  const LogicalTile& tile;
  const DumpOfMajor& d;
  const SmemTile& nearest;
  std::vector<std::int64_t> chunks = {};  // the chunks with an element that differs

  std::int64_t place_of(std::int64_t chunk_index) const {
    const TileCoordinate first = d.image.element(chunk_index);
    return nearest.byte(first.row, first.k).count;
  }
  std::string element_text(std::int64_t chunk_index) const;  // "(3, 8)", its first element
};

// One lane that stored wrongly in every store instruction: the differences are a regular pattern of pieces of 16, 8 or
// 4 bytes, each equally far away, or each with what another, equally far away, should contain.
std::optional<Mistake> find_lane(const Missing& m);

}  // namespace swz

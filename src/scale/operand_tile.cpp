// SPDX-License-Identifier: Apache-2.0
#include "scale/operand_tile.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

void require_tile_in(const ScaleExtents& whole, const ScaleCoordinate& origin, const ScaleExtents& tile,
                     std::string_view row_word, int block) {
  constexpr std::int64_t rows_of_tile = 128, factors_of_tile = 4;
  const auto require_end = [](std::string_view what, std::int64_t end, std::int64_t of) {
    if (end > of)
      throw usage_error(fmt::format("the tile ends at {} {}; --shape has {}", what, end, of),
                        "give the whole operand, padded to tiles");
  };
  require_end(row_word, origin.row + tile.rows, whole.rows);
  require_end("factor", origin.kb + tile.factors, whole.factors);
  if (origin.row % rows_of_tile != 0 || origin.kb % factors_of_tile != 0)
    throw usage_error(
        fmt::format("the tile begins inside a 128x4 tile: row {}, factor {}", origin.row, origin.kb),
        fmt::format("--origin is a multiple of 128 rows and of {} elements of K: a 128x4 tile is 512 bytes that are "
                    "copied whole, and rows 32 apart lie in the same 16 (cuBLAS 3.1.4.4.2)",
                    factors_of_tile * block));
}

void require_factor_in(const ScaleExtents& tile, const ScaleCoordinate& at) {
  if (at.row < 0 || at.row >= tile.rows)
    throw usage_error(fmt::format("there is no row {}", at.row), fmt::format("row is 0 to {}", tile.rows - 1));
  if (at.kb < 0 || at.kb >= tile.factors)
    throw usage_error(fmt::format("there is no factor {}", at.kb), fmt::format("--kb is 0 to {}", tile.factors - 1));
}

}  // namespace swz

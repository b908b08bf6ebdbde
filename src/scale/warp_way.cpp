// SPDX-License-Identifier: Apache-2.0
#include "scale/warp_way.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "scale/operand_tile.hpp"

namespace swz {
namespace {

constexpr int rows_of_warp = 16;  // that are next to each other
constexpr std::int64_t word = 4;  // factors of a row of a 128x4 tile

void require_multiple(std::string_view what, std::int64_t count, std::int64_t of, std::string_view why) {
  if (count <= 0 || count % of != 0)
    throw usage_error(fmt::format("{} {} is not a multiple of {}: {}", what, count, of, why),
                      fmt::format("for example {}", (count / of + 1) * of));
}

ScaleExtents stage_of(const WarpScaleTile& tile) {
  const bool is_a = tile.operand == ScaleOperand::a;
  const int warps = is_a ? tile.warps_m : tile.warps_n;
  require_multiple(is_a ? "M" : "N", tile.rows, rows_of_warp * warps,
                   fmt::format("{} warps have 16 {} each", warps, is_a ? "rows" : "columns"));
  require_multiple("K", tile.k, tile.form->k, "the tile is whole MMAs");
  require_multiple("K", tile.k, word * tile.form->block(), "a row of a 128x4 tile has four factors");
  return {tile.rows, tile.k / tile.form->block()};
}

ScaleExtents whole_of(const WarpScaleTile& tile) {
  const ScaleExtents stage = stage_of(tile);
  if (tile.whole.rows == 0) return stage;
  require_tile_in(tile.whole, tile.origin, stage, tile.operand == ScaleOperand::a ? "row" : "column",
                  tile.form->block());
  return tile.whole;
}

}  // namespace

WarpScaleWay::WarpScaleWay(const WarpScaleTile& tile)
    : tile_(tile), gmem_("128x4", whole_of(tile)), stage_("128x4_stage", stage_of(tile)) {}

int WarpScaleWay::atoms() const {
  const int warps = tile_.operand == ScaleOperand::a ? tile_.warps_m : tile_.warps_n;
  return static_cast<int>(tile_.rows / (rows_of_atom() * warps));
}

WarpScaleWay::Stop WarpScaleWay::stop(ScaleCoordinate at) const {
  require_factor_in(stage_.extents(), at);
  const bool is_a = tile_.operand == ScaleOperand::a;
  const int row = static_cast<int>(at.row), kb = static_cast<int>(at.kb), each = tile_.form->scale_vec;
  const int along = is_a ? tile_.warps_m : tile_.warps_n, across = is_a ? tile_.warps_n : tile_.warps_m;
  Stop stop{gmem_.offset({tile_.origin.row + row, tile_.origin.kb + kb}),
            stage_.offset(at),
            {},
            0,
            {},
            each,
            0,
            kb / each,
            kb % each};
  const int warp = row / rows_of_warp % along, block = row / (rows_of_warp * along);
  for (int other = 0; other < across; ++other)
    stop.warps.push_back(is_a ? warp + tile_.warps_m * other : other + tile_.warps_m * warp);
  const int line = row % 8, upper = row % rows_of_warp / 8;  // the group of four lanes, and the second eight rows
  if (is_a) {
    stop.atom = block;
    stop.lanes = {4 * line + upper, 4 * line + upper + 2};
  } else {
    stop.atom = 2 * block + upper;
    stop.lanes = {4 * line, 4 * line + 1, 4 * line + 2, 4 * line + 3};
  }
  stop.fragment_byte = 4 * stop.atom + kb % 4 + 4 * atoms() * (kb / 4);
  return stop;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "tmem/scale_way.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "scale/operand_tile.hpp"

namespace swz {
namespace {

constexpr int tile_bytes = 512, tile_rows = 128;

int factors_of(const ScalePlacement& p, const ScaleTile& tile) {
  if (p.in_128_lanes)
    throw usage_error("no source says how the factors of A come to 128 lanes",
                      "PTX ISA 9.4 names tcgen05.st; swz sf tmem has their places");
  const int k = p.mma_k();
  if (tile.k <= 0 || tile.k % k != 0)
    throw usage_error(fmt::format("--k {} is not a whole number of MMAs of K {}", tile.k, k),
                      fmt::format("for example --k {}", 4 * k));
  return tile.k / k * p.kind->factors;
}

// The extents of the whole operand, which is at least the tile.
ScaleExtents whole_of(const ScalePlacement& p, const ScaleTile& tile) {
  const bool is_a = p.operand == ScaleOperand::a;
  const std::int64_t rows = is_a ? p.m : p.n, factors = factors_of(p, tile);
  if (tile.whole.rows == 0) return {rows, factors};
  require_tile_in(tile.whole, tile.origin, {rows, factors}, is_a ? "row" : "column", p.block());
  return tile.whole;
}

}  // namespace

const TmemCopy& scale_copy(const ScalePlacement& placement) {
  return require_tmem_copy(placement.is_split() ? "64x128b.warpx2::01_23" : "32x128b.warpx4");
}

ScaleWay::ScaleWay(const ScalePlacement& placement, const ScaleTile& tile)
    : placement_(placement),
      tile_(tile),
      gmem_("128x4", whole_of(placement, tile)),
      stage_("128x4_stage", {placement.is_split() ? 2 * tile_rows : placement.rows(), factors_of(placement, tile)}),
      copy_(&scale_copy(placement)) {
  if (tile.column + columns() > tmem_columns)
    throw usage_error(
        fmt::format("the factors take {} columns from {} on; there are {}", columns(), tile.column, tmem_columns),
        "take a smaller --k or --column");
}

int ScaleWay::columns() const { return static_cast<int>(stage_.size().count) / (copy_->rows * 16) * copy_->columns(); }

ScaleCoordinate ScaleWay::in_stage(ScaleCoordinate at) const {
  if (!placement_.is_split()) return at;
  return {at.row / placement_.half() * tile_rows + at.row % placement_.half(), at.kb};
}

bool ScaleWay::has_own_tiles() const { return placement_.is_split() && placement_.half() != tile_rows; }

ScaleCoordinate ScaleWay::in_whole(ScaleCoordinate at) const {
  const std::int64_t rows_before = placement_.operand == ScaleOperand::a ? tile_.cta * placement_.rows() : 0;
  return {tile_.origin.row + rows_before + at.row, tile_.origin.kb + at.kb};
}

std::vector<ScaleWay::Copy> ScaleWay::copies() const {
  std::vector<Copy> all;
  const std::int64_t unit = copy_->rows * std::int64_t{16};
  for (Bytes smem; smem < stage_.size(); smem.count += unit) {
    Copy copy{smem, tile_.column + static_cast<int>(all.size()) * copy_->columns(), {}};
    for (Bytes tile = smem; tile.count < smem.count + unit; tile.count += tile_bytes) {
      // The first row and factor of the tile. Global memory may not have such a tile.
      const ScaleCoordinate at = in_whole(*stage_.at(tile));
      const bool is_tile = !has_own_tiles() && at.row % tile_rows == 0 && at.row < gmem_.extents().rows;
      copy.gmem.push_back(is_tile ? std::optional(gmem_.offset(at)) : std::nullopt);
    }
    all.push_back(std::move(copy));
  }
  return all;
}

std::vector<ScaleWay::Step> ScaleWay::steps() const {
  std::vector<Step> all;
  const int k = placement_.mma_k(), each = placement_.kind->factors;
  for (int mma = 0; mma < tile_.k / k; ++mma) {
    const ScalePlace first = scale_place(placement_, {0, mma * each}, tile_.column);
    all.push_back({mma, mma * k, (mma + 1) * k - 1, first.address_column, first.sf_id});
  }
  return all;
}

ScaleWay::Stop ScaleWay::stop(ScaleCoordinate at) const {
  require_factor_in({placement_.rows(), factors()}, at);
  const Bytes smem = stage_.offset(in_stage(at));
  return {gmem_.offset(in_whole(at)), smem, static_cast<int>(smem.count / (copy_->rows * 16)),
          scale_place(placement_, at, tile_.column)};
}

}  // namespace swz

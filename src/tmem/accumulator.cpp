// SPDX-License-Identifier: Apache-2.0
#include "tmem/accumulator.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

Accumulator::Accumulator(const DataPath& path, int n) : path_(&path), n_(n) {
  if (n > 0 && n <= tmem_columns && n % path.parts == 0) return;
  throw usage_error(
      fmt::format("N {} does not fit data path {}, which cuts it into {} parts", n, path.name, path.parts),
      fmt::format("N is a multiple of {}, at most 256", path.parts));
}

TmemCell Accumulator::place(Coordinate at) const {
  const int row = at.row % path_->rows();
  return {at.row / path_->rows(), lane_of_row(*path_, row) + at.column / columns() * path_->rows(),
          at.column % columns()};
}

std::optional<Coordinate> Accumulator::element(const TmemCell& cell) const {
  if (cell.cta < 0 || cell.cta >= path_->cta_group || cell.column < 0 || cell.column >= columns()) return {};
  const std::optional<int> row = row_of_lane(*path_, cell.lane);
  if (!row) return {};
  const int part = path_->parts > 1 ? cell.lane / path_->rows() : 0;
  return Coordinate{cell.cta * path_->rows() + *row, part * columns() + cell.column};
}

Layout Accumulator::layout() const {
  const std::int64_t lane = tmem_address(1, 0);
  const int rows = path_->rows();
  const auto pair = [](const IntTuple& a, const IntTuple& b) { return IntTuple(std::vector<IntTuple>{a, b}); };
  const Layout row =
      path_->is_scattered ? Layout(pair(16, rows / 16), pair(lane, tmem_quarter * lane)) : Layout(rows, lane);
  const Layout column = path_->parts > 1 ? Layout(pair(columns(), path_->parts), pair(1, rows * lane)) : Layout(n_, 1);
  return Layout(pair(row.shape(), column.shape()), pair(row.stride(), column.stride()));
}

}  // namespace swz

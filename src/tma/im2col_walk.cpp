// SPDX-License-Identifier: Apache-2.0
#include "tma/im2col_walk.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

namespace {

constexpr std::string_view axis_names[] = {"W", "H", "D"};

// The number of steps after which a walk along one axis, from x, has left it for the first time.
std::int64_t steps_left(const Im2colAxis& axis, std::int64_t x) {
  return x >= axis.end ? 1 : (axis.end - x + axis.step - 1) / axis.step;
}

// Where `steps` steps lead from x; they become the number of turns.
std::int64_t advance(const Im2colAxis& axis, std::int64_t x, std::int64_t& steps) {
  const std::int64_t left = steps_left(axis, x);
  if (steps < left) {
    x += steps * axis.step;
    steps = 0;
    return x;
  }
  const std::int64_t rest = steps - left;
  steps = 1 + rest / axis.places();
  return axis.lower + rest % axis.places() * axis.step;
}

}  // namespace

Im2colWalk::Im2colWalk(const Im2colMap& map, const Im2colOffsets& offsets)
    : moved_(offsets.filter), axis_count_(map.corner_count()), halo_(map.wide ? offsets.halo : 0) {
  const TensorMap& tensor = map.tensor;
  const std::size_t first = tensor.interleave == TensorMapInterleave::none ? 1 : 0;
  image_dim_ = static_cast<std::size_t>(tensor.rank - 1);
  image_step_ = static_cast<std::int64_t>(tensor.element_strides[image_dim_]);
  is_w128_ = map.wide == Im2colWideMode::w128;
  for (std::size_t i = 0; i < static_cast<std::size_t>(axis_count_); ++i) {
    const std::size_t dim = first + i;
    axes_[i] = {dim, map.lower_corner[i], static_cast<std::int64_t>(tensor.dims[dim]) + map.upper_corner[i],
                static_cast<std::int64_t>(tensor.element_strides[dim])};
  }
  main_rows_ = is_w128_ ? 128 : static_cast<std::int64_t>(map.pixels_per_column);
  rows_ = main_rows_ + (is_w128_ ? 4 : 1) * halo_;
}

std::int64_t Im2colWalk::steps_to(std::int64_t row) const {
  if (!is_w128_ || !is_halo(row)) return row;
  const std::int64_t h = (row - main_rows_) / 4, c = (row - main_rows_) % 4;
  return 32 * (c + 1) + h;
}

TensorCoordinate Im2colWalk::window(std::int64_t row, const TensorCoordinate& start) const {
  TensorCoordinate at = start;
  std::int64_t steps = steps_to(row);
  for (std::size_t i = 0; i < static_cast<std::size_t>(axis_count_); ++i)
    at[axes_[i].dim] = advance(axes_[i], at[axes_[i].dim], steps);
  at[image_dim_] += steps * image_step_;
  return at;
}

TensorCoordinate Im2colWalk::element(std::int64_t row, const TensorCoordinate& start) const {
  TensorCoordinate at = window(row, start);
  for (std::size_t i = 0; i < static_cast<std::size_t>(axis_count_); ++i) at[axes_[i].dim] += moved_[i];
  return at;
}

bool Im2colWalk::holds_start(const TensorCoordinate& start) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(axis_count_); ++i) {
    const std::int64_t x = start[axes_[i].dim];
    if (x < axes_[i].lower || x >= axes_[i].end) return false;
  }
  return true;
}

std::int64_t most_filter_offset(const Im2colMap& map) {
  if (map.wide || map.tensor.rank == 5) return 31;
  return map.tensor.rank == 4 ? 255 : 65535;
}

void require_offsets(const Im2colMap& map, const Im2colOffsets& offsets) {
  const std::int64_t most = most_filter_offset(map);
  for (std::size_t i = 0; i < static_cast<std::size_t>(map.corner_count()); ++i)
    if (offsets.filter[i] < 0 || offsets.filter[i] > most)
      throw Error(fmt::format("the offset {} along {} is not 0 to {}", offsets.filter[i], axis_names[i], most),
                  map.wide ? "im2col::w has 5 bits for it: PTX ISA 9.4, 5.5.5"
                           : fmt::format("of rank {} the operand has {} bits for it: PTX ISA 9.4, 5.5.4; nearest: {}",
                                         map.tensor.rank,
                                         map.tensor.rank == 3   ? 16
                                         : map.tensor.rank == 4 ? 8
                                                                : 5,
                                         offsets.filter[i] < 0 ? 0 : most));
  const std::int64_t most_halo = map.wide == Im2colWideMode::w128 ? 31 : map.wide ? 511 : 0;
  if (offsets.halo < 0 || offsets.halo > most_halo)
    throw Error(most_halo == 0 ? std::string("only im2col::w and im2col::w::128 have a halo")
                               : fmt::format("the halo {} is not 0 to {}", offsets.halo, most_halo),
                "PTX ISA 9.4, 5.5.5: wHalo of im2col::w is 0 to 511, of im2col::w::128 0 to 31");
}

}  // namespace swz

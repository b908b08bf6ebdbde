// SPDX-License-Identifier: Apache-2.0
// Accumulator: where tcgen05.mma puts D in tensor memory.
//
//   Accumulator d(require_data_path({.m = 128, .cta_group = 2}), 256);      data path B
//   d.place({100, 200})          CTA 1, lane 100, column 72
//   d.element({1, 100, 72})      row 100, column 200
//   d.layout()                   (64,(128,2)):(65536,(1,4194304))     of one CTA: (row, n) -> address
//
// Lanes and columns count from the address that the MMA was given. D is never packed: a 16-bit element takes bits 0-15
// of a cell, so that the columns are those of 32 bits.
//
// Invariants (tested over every M, N, coordinate and cell): place is one to one; element is its inverse, and nothing for
// the cells that D leaves out; both are layout().
// Source: arch/tensor_memory.hpp.
#pragma once

#include <optional>

#include "arch/tensor_memory.hpp"
#include "fragment/fragment.hpp"
#include "layout/layout.hpp"

namespace swz {

// 32 bits of the tensor memory of one CTA of a pair.
struct TmemCell {
  int cta = 0, lane = 0, column = 0;
  bool operator==(const TmemCell&) const = default;
};

class Accumulator {
 public:
  // Throws Error when N cannot be cut into the parts of the path.
  Accumulator(const DataPath& path, int n);

  const DataPath& path() const { return *path_; }
  int n() const { return n_; }
  int columns() const { return n_ / path_->parts; }  // of tensor memory
  // at.row in [0, M), at.column in [0, N).
  TmemCell place(Coordinate at) const;
  // Nothing: no element of D lies there.
  std::optional<Coordinate> element(const TmemCell& cell) const;
  // (row of the CTA, n) -> address.
  Layout layout() const;

 private:
  const DataPath* path_;
  int n_;
};

// The first lane of row r of a CTA.
constexpr int lane_of_row(const DataPath& path, int row) {
  return path.is_scattered ? tmem_quarter * (row / 16) + row % 16 : row;
}
// The row of a CTA that lies in this lane; nothing: the path leaves the lane out.
constexpr std::optional<int> row_of_lane(const DataPath& path, int lane) {
  if (lane < 0 || lane >= tmem_lanes) return {};
  if (!path.is_scattered) return lane % path.rows();
  if (lane % tmem_quarter >= 16) return {};
  return lane / tmem_quarter * 16 + lane % tmem_quarter;
}

}  // namespace swz

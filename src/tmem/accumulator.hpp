// SPDX-License-Identifier: Apache-2.0
// Accumulator: where tcgen05.mma puts D in tensor memory.
//
//   Accumulator d(require_data_path({.m = 128, .cta_group = 2}), 256);      data path B
//   d.place({100, 200})          CTA 1, lane 100, column 72
//   d.element({1, 100, 72})      row 100, column 200
//   d.layout()                   (64,(128,2)):(65536,(1,4194304))     of one CTA: (row, n) -> address
//
// Lanes and columns count from the address that the MMA was given. D is never packed: a 16-bit element takes bits 0-15
// of a cell, so there are as many columns as for 32 bits.
//
// Invariants (tested over every M, N, coordinate and cell): place is one to one; element is its inverse, and gives
// nothing for the cells that D leaves out; both agree with layout().
// Source: arch/tensor_memory.hpp.
#pragma once

#include <optional>

#include "arch/tensor_memory.hpp"
#include "fragment/fragment.hpp"
#include "layout/layout.hpp"

namespace swz {

// A cell of 32 bits in the tensor memory of one CTA of a pair.
struct TmemCell {
  int cta = 0, lane = 0, column = 0;
  bool operator==(const TmemCell&) const = default;
};

class Accumulator {
 public:
  // Throws Error if N cannot be cut into the parts of the path.
  Accumulator(const DataPath& path, int n);

  const DataPath& path() const { return *path_; }
  int n() const { return n_; }
  int columns() const { return n_ / path_->parts; }  // columns of tensor memory
  // The cell of an element, for at.row in [0, M) and at.column in [0, N).
  TmemCell place(Coordinate at) const;
  // The element in a cell, or nothing if D has no element there.
  std::optional<Coordinate> element(const TmemCell& cell) const;
  // The map (row of the CTA, n) -> address.
  Layout layout() const;

 private:
  const DataPath* path_;
  int n_;
};

// The first lane for row r of a CTA.
constexpr int lane_of_row(const DataPath& path, int row) {
  return path.is_scattered ? tmem_quarter * (row / 16) + row % 16 : row;
}
// The row of a CTA that is in this lane; nothing if the path leaves the lane out.
constexpr std::optional<int> row_of_lane(const DataPath& path, int lane) {
  if (lane < 0 || lane >= tmem_lanes) return {};
  if (!path.is_scattered) return lane % path.rows();
  if (lane % tmem_quarter >= 16) return {};
  return lane / tmem_quarter * 16 + lane % tmem_quarter;
}

}  // namespace swz

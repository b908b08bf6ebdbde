// SPDX-License-Identifier: Apache-2.0
// ScaleTensor: the scale factors of a whole operand in memory: a layout, the orders in which its rows are permuted before
// it, and groups, each of which is padded by itself and follows the one before it.
//
//   128x4, rows 5 + 130 + 37 of 8 factors: the groups begin at rows 0, 128, 384 of what is padded
//   (row 5 + 0, kb 5) is row 0 of group 1: 128 * 8 + 512 + 1 = 1537
//
//   128x4, 256 x 22, order shuffle32: (row 37, kb 5) is where (row 41, kb 5) of 128x4 is: 661
//
// Groups cut the rows (tokens of experts) or the factors of a row (weight gradients). An operand that is not grouped is
// one group.
//
// Invariants (tested): one to one, at() is the inverse, and the sizes of the groups add up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.hpp"
#include "scale/row_order.hpp"
#include "scale/scale_layout.hpp"

namespace swz {

// The rows or the factors of each group; none: one group.
struct ScaleGroups {
  ScaleDigit::Axis axis = ScaleDigit::Axis::row;
  std::vector<std::int64_t> counts = {};
};

class ScaleTensor {
 public:
  // Throws Error for extents, groups or orders that do not fit each other.
  ScaleTensor(const ScaleLayoutRow& row, ScaleExtents extents, const ScaleGroups& groups = {},
              const std::vector<const RowOrder*>& orders = {});

  const ScaleExtents& extents() const { return extents_; }
  const ScaleLayoutRow& row() const { return parts_.front().layout.row(); }
  Bytes size() const;
  Bytes offset(ScaleCoordinate at) const;
  // The factor of a byte, counted in the whole operand. Nothing if the byte has no factor. Padding has no coordinate in
  // the whole: its Place says in which group it is.
  struct Place {
    ScaleCoordinate at;
    bool is_padding = false;
    std::size_t group = 0;  // `at` of padding is counted in it
  };
  std::optional<Place> at(Bytes offset) const;

  bool is_grouped() const { return parts_.size() > 1; }
  std::vector<const RowOrder*> orders() const;
  // The layout of a group.
  const ScaleLayout& layout(std::size_t group = 0) const { return parts_[group].layout; }
  std::size_t groups() const { return parts_.size(); }
  std::size_t group_of(ScaleCoordinate at) const;
  Bytes begin(std::size_t group) const { return parts_[group].begin; }

 private:
  struct Part {
    ScaleLayout layout;
    std::int64_t first = 0;  // row or factor
    Bytes begin;
  };
  ScaleExtents extents_;
  ScaleDigit::Axis axis_;
  std::vector<Part> parts_;
  std::vector<RowPermutation> permutations_;
};

// Where two tensors of the same extents have a factor at different bytes; and what a reader of `b` gets there from what
// `a` wrote.
struct ScaleDifference {
  std::int64_t different = 0;  // factors
  struct First {
    ScaleCoordinate at;
    Bytes written, read;
    // What lies where it is read; nothing beyond the memory of `a`, or where it has no factor.
    std::optional<ScaleTensor::Place> instead;
  };
  std::optional<First> first;
};
// Throws Error if the factors have different sizes, and beyond limits::compared_factors.
ScaleDifference difference_of(const ScaleTensor& a, const ScaleTensor& b);
// Whether both have every factor at the same bytes; quicker, as the first difference decides.
bool is_same(const ScaleTensor& a, const ScaleTensor& b);

}  // namespace swz

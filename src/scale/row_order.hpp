// SPDX-License-Identifier: Apache-2.0
// RowOrder: a permutation of the rows of an operand that a library applies to its weights, and in the same way to their
// scale factors, before it writes a layout. It is itself a layout of the rows, with one factor of one byte each: the byte
// of a row is its new row.
//
//   shuffle32   row 37 = 1 + 4 * 1 + 32 * 1, digits r1 1, r4 1, r32 1;  in memory order r4 r1 r32: 1 + 8 * 1 + 32 = 41
//
// Invariants (tested): every order is one to one on the rows it takes, source_of is the inverse of place_of, and both
// are equal to the formulas of tests/scale.
// Source: each row.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "scale/scale_layout.hpp"

namespace swz {

struct RowOrder : ScaleLayoutRow {
  bool swaps_halves = false;  // instead: the one permutation that digits do not express
};
std::span<const RowOrder> row_orders();
// Throws Error with the nearest name and the list.
const RowOrder& require_row_order(std::string_view name);

// An order of so many rows.
class RowPermutation {
 public:
  // Throws Error if the order does not take so many rows.
  RowPermutation(const RowOrder& order, std::int64_t rows);

  const RowOrder& order() const { return *order_; }
  // The new row of a source row, and the inverse.
  std::int64_t place_of(std::int64_t row) const;
  std::int64_t source_of(std::int64_t place) const;

 private:
  const RowOrder* order_;
  ScaleLayout layout_;
};

}  // namespace swz

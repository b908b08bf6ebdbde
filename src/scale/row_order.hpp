// SPDX-License-Identifier: Apache-2.0
// RowOrder: a permutation of the rows of an operand that a library applies to its weights, and in the same way to their
// scale factors, before it writes a layout.
//
//   shuffle32   row 37 = 1 + 4 * 1 + 32 * 1, digits r1 1, r4 1, r32 1;  in memory order r4 r1 r32: 1 + 8 * 1 + 32 = 41
//
// An order is written as in ScaleLayoutRow: the digits of the row, the fastest in the new order first.
//
// Invariants (tested): every order is one to one on the rows it takes, source_of is the inverse of place_of, and both
// are equal to the formulas of tests/scale.
// Source: each row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/finding.hpp"

namespace swz {

struct RowOrder {
  std::string_view name;
  std::array<int, 4> from;  // where a digit of the row begins, ScaleDigit::half for half of the rows; 0: unused
  bool swaps_halves = false;
  int rows_of = 1;  // rows are a multiple of this
  std::string_view used_by;
  Source source;
};
std::span<const RowOrder> row_orders();
// Throws Error with the nearest name and the list.
const RowOrder& require_row_order(std::string_view name);

// The new row of a source row, for rows that the order takes, and the inverse.
std::int64_t place_of(const RowOrder& order, std::int64_t row, std::int64_t rows);
std::int64_t source_of(const RowOrder& order, std::int64_t place, std::int64_t rows);
// Throws Error if the order does not take so many rows.
void require_rows(const RowOrder& order, std::int64_t rows);

}  // namespace swz

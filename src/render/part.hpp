// SPDX-License-Identifier: Apache-2.0
// The part of a grid that is drawn: one period of a pattern that repeats.
//
//   128 rows, every 8th like the first     rows 0 to 7, row 8 as the first line of the next period, "× 16"
//   T0 R0, T0 R1, … T32 R0 below it        "× 4: T + 32": how the rest follows
//
// A grid repeats after p rows if row r + p looks like row r, for every r: the same colours, and texts that are the
// same except for numbers that all grow by the same amounts; the labels likewise. Shades may alternate: those of row r +
// p are all as much lighter than those of row r. Panels side by side are cut in the same place, so that their rows stay
// aligned. A highlight moves the part: it is drawn from the first period with a
// highlighted cell to the last. A grid that names its key rows is cut to those and to what is highlighted. A "…" represents three rows or more. Arrows keep
// their squares; one with an end that is left out is removed. Of the steps of a figure those stay whose squares are
// drawn.
//
// Invariants (tested): a grid that does not repeat stays whole; what is left out looks like what is drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "view/document/document.hpp"

namespace swz {

// Rows or columns of a grid, counted from 0; the end is the first that does not belong to it.
struct DrawnRange {
  std::int64_t begin = 0, end = 0;
  bool operator==(const DrawnRange&) const = default;
};

// What is asked of a picture: these rows and columns, or all; otherwise one period, of at least so many columns.
struct DrawnPart {
  std::optional<DrawnRange> rows = {}, columns = {};
  bool is_whole = false;
  std::size_t fewest_columns = 16;
  // The shortest period there is, even if it is drawn only two or three times; not more rows than this, of which the
  // last stands for those at the end.
  bool is_short = false;
  std::size_t most_rows = 0;     // 0: any
  bool has_times_below = false;  // how often rows repeat is below them, not beside them
};

// A grid without the rows or columns that are asked for stays whole in that direction. Throws Error if no grid of the
// figure has them.
Figure part_of(Figure figure, const DrawnPart& part);

}  // namespace swz

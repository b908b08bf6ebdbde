// SPDX-License-Identifier: Apache-2.0
// Some rows or columns of a grid, with their headings, heavier lines, outlines and arrows: a range of them, or single ones
// with "…" for those between.
//
//   rows 0 to 127, keys 0, 1 and 40     drawn are 0, 1, "…", 40, "…"; an arrow from row 0 to row 40 goes from 0 to 3
#pragma once

#include <cstddef>
#include <set>

#include "view/document/document.hpp"

namespace swz {

enum class Axis { rows, columns };

inline std::size_t length(const Grid& grid, Axis axis) {
  const std::size_t columns = grid.squares.empty() ? 0 : grid.squares.front().size();
  return axis == Axis::rows ? grid.squares.size() : columns;
}

// Keeps those from `first` to before `last`. An arrow with an end that is not drawn is removed; an outline is open where it
// goes on.
void keep_range(Grid& grid, Axis axis, std::size_t first, std::size_t last);

// Keeps those of `keys`; a "…" without squares represents those between two of them. What says how all repeat is removed,
// because it does not hold for single ones.
void keep_lines(Grid& grid, Axis axis, const std::set<std::size_t>& keys);

}  // namespace swz

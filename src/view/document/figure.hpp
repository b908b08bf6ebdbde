// SPDX-License-Identifier: Apache-2.0
// Figures: what the pictures of all views have in common.
//
//   tint_of_bank(13) == Tint{3, 1}       16-byte chunk 3 of its line, second of the chunk's four banks
//   tint_of_thread(13) == Tint{3, 1}     group 3 of four lanes, second lane of the group
//   range_text(12, 4) == "12-15"         range_text(12, 1) == "12"
//
// A figure has at most drawable_squares cells; a view checks this before it makes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "view/document/document.hpp"

namespace swz {

// With more cells than this, a cell is smaller than its text on any page, and the file is too large to be opened.
inline constexpr std::int64_t drawable_squares = limits::drawn_cells.most;

// Throws Error naming `what` ("a figure of 1024 x 1024 elements") and `way_out` if there are more squares.
void require_drawable(std::int64_t squares, std::string_view what, std::string_view way_out);

constexpr Tint tint_of_bank(std::int64_t bank) { return {static_cast<int>(bank >> 2 & 7), static_cast<int>(bank & 3)}; }
constexpr Tint tint_of_thread(std::int64_t thread) { return tint_of_bank(thread); }

std::string range_text(std::int64_t first, std::int64_t count);

// The texts that `text` makes of 0, step, 2 step, … below the end.
template <class TextOf>
std::vector<std::string> labels_of(std::int64_t end, std::int64_t step, TextOf text) {
  std::vector<std::string> labels;
  for (std::int64_t i = 0; i < end; i += step) labels.push_back(text(i));
  return labels;
}
std::vector<std::string> number_labels(std::int64_t end, std::int64_t step = 1);

// An entry for each of the first `count` hues: the text that `text` makes of its number.
template <class TextOf>
std::vector<LegendEntry> hue_legend(std::int64_t count, TextOf text) {
  std::vector<LegendEntry> legend;
  for (int hue = 0; hue < std::min<std::int64_t>(count, 8); ++hue) legend.push_back({text(hue), {hue, 0}});
  return legend;
}

// A rectangle with a square for each of these rows and columns.
template <class SquareOf>
Grid grid_of(std::string title, std::string corner, std::vector<std::string> rows, std::vector<std::string> columns,
             SquareOf square) {
  Grid grid{std::move(title), std::move(corner), std::move(columns), std::move(rows), {}};
  for (std::int64_t row = 0; row < std::ssize(grid.row_labels); ++row) {
    std::vector<Grid::Square>& squares = grid.squares.emplace_back();
    for (std::int64_t column = 0; column < std::ssize(grid.column_labels); ++column)
      squares.push_back(square(row, column));
  }
  return grid;
}

// Lines of 128 bytes of shared memory, cut into cells: rows are their addresses, columns their banks.
Grid smem_lines(std::string title, std::string corner, const std::vector<std::int64_t>& lines, std::int64_t cell_bits);
Grid smem_lines(std::string title, std::string corner, std::int64_t first_line, std::int64_t count,
                std::int64_t cell_bits = 128);

}  // namespace swz

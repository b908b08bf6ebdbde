// SPDX-License-Identifier: Apache-2.0
// Panel: one grid of a figure, measured, then painted.
//
//   PanelShape shape = shape_of(grid);     cells as large as their texts need
//   resize(shape, 12, 12, 8);              12 x 12 pixels; letters below 8 pixels are left out
//   add_headings(shape);                   room for the labels, and for how a pattern continues
//   paint_panel(scene, shape, x, y);       the first cell begins at (x, y), headings are above and to the left
//
// All lengths are pixels.
#pragma once

#include <cstddef>

#include "render/picture.hpp"

namespace swz {

// How one panel is drawn, before its place is known. Pixels.
struct PanelShape {
  const Grid* grid = nullptr;
  std::size_t rows = 0, columns = 0;
  double text_size = 11;                     // 0: cells are too small for letters
  double smallest = smallest_letters.count;  // of letters
  double widest = 0;                         // of the text of a cell, in text sizes
  std::size_t lines = 1;                     // of the text of a cell, at most
  double cell_width = 0, cell_height = 0;
  std::size_t column_label_step = 1;  // from one heading to the next
  bool has_first_labels = false;      // "0" for "0-3", where the ranges have no room
  std::size_t row_label_step = 1;
  bool has_row_labels = true;  // false: the panel at its left has them
  double heading_width = 0;    // of the row labels, with their gap
  double title_height = 0, heading_height = 0;
  double right = 0, bottom = 0;             // room beside and below the cells, for how a pattern continues
  double arrows_right = 0, arrows_top = 0;  // room for distances: beside the cells, and above their headings
  double call_outs_at = 0;                  // from the cells to the lines of call-outs
  double dots_top = 0, dots_left = 0;       // room for "…" before the first row or column
  double clear = 0;                         // of headings, for dashed frames around the cells
  double air = 0;                           // on either side of the widest text of its cells, at least; 0: they grew
  bool raises_arrows = false;               // texts of distances down the rows are above the cells, not beside them

  bool is_empty() const { return rows == 0 || columns == 0; }
  double cells_width() const { return static_cast<double>(columns) * cell_width; }
  double cells_height() const { return static_cast<double>(rows) * cell_height; }
  double width() const { return cells_width() + right; }
  double height() const { return cells_height() + bottom; }
  double top() const { return title_height + arrows_top + heading_height; }
};

struct Frame {
  double x = 0, y = 0, width = 0, height = 0;
};

PanelShape shape_of(const Grid& grid);
// Gives cells another size; their letters, which never grow, fit it, or are left out below `smallest`.
void resize(PanelShape& shape, double width, double height, double smallest);
// Cells as low as letters of this size allow, which are not larger than they were.
void tighten(PanelShape& shape, double largest);
// Adds room for headings. Requires that the size of the cells is known.
void add_headings(PanelShape& shape);

// ---- in arrow.cpp: the arrows of the grid, once their rows and columns have a size

// Adds room for distances: vertical ones are to the right of the cells, horizontal ones above the headings.
void add_arrows(PanelShape& shape);
// (x, y) is the first cell. `beside`: the width that is already used to the right of the cells.
void paint_arrows(Scene& scene, const PanelShape& shape, double x, double y, double beside);

// The length of (x, y), accurate to 4 percent, without libm.
double length_of(double x, double y);

// ---- in repeat_words.cpp: how the rows or columns of a grid go on, and the same in one line
std::vector<std::string> words_of_repeat(const Grid& grid, bool is_rows);
std::string in_one_line(const std::vector<std::string>& words);

// ---- in mark.cpp: one frame around cells that collide and touch each other, and a frame around each that is highlighted
void paint_marks(Scene& scene, const PanelShape& shape, double x, double y);
void paint_mark(Scene& scene, Frame cell, Mark mark);

void paint_panel(Scene& scene, const PanelShape& shape, double x, double y);
// A dashed line along a rectangle, without the sides at which it is open.
void paint_dashed_frame(Scene& scene, const Frame& frame, const Grid::Outline& open = {});
// One cell, for a legend.
void paint_swatch(Scene& scene, const Grid::Square& square, double x, double y, double size);

}  // namespace swz

// Panel: one grid of a figure, measured and painted.
//
//   PanelShape shape = shape_of(grid);   cells as wide as the widest text
//   add_headings(shape);                 once the size of the cells is final
//   paint_panel(scene, shape, x, y);     (x, y): top left corner of the cells; headings stand to the left and above
//
// What has no room in its cell is left out of the picture; its tooltip has it.
#pragma once

#include "render/scene.hpp"

namespace swz {

inline constexpr double heading_size = 10;
inline constexpr double smallest_text = 6;

// How one panel is drawn, before its place is known. Pixels.
struct PanelShape {
  const Grid* grid = nullptr;
  std::size_t rows = 0, columns = 0;
  double text_size = 11;
  double cell_width = 0, cell_height = 0;
  std::size_t column_label_step = 1;  // every so many columns have a heading
  std::size_t row_label_step = 1;
  double heading_width = 0;  // of the row labels, with their gap
  double title_height = 0, heading_height = 0;

  bool is_empty() const { return rows == 0 || columns == 0; }
  double cells_width() const { return static_cast<double>(columns) * cell_width; }
  double cells_height() const { return static_cast<double>(rows) * cell_height; }
  double top() const { return title_height + heading_height; }
};

PanelShape shape_of(const Grid& grid);
// Room for the labels of rows and columns, and which of them there is room for.
void add_headings(PanelShape& shape);
void paint_panel(Scene& scene, const PanelShape& shape, double x, double y);
// One cell alone, of a legend.
void paint_swatch(Scene& scene, const Grid::Square& square, double x, double y, double size);

}  // namespace swz

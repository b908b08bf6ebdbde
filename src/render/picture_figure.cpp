// Figures as Scenes: panels with their titles, legend and caption.
//
// A cell is as wide as the widest text of its panel, or to scale when the grid says what a cell stands for. Panels
// of one row share their top, those of one column their left edge, so that the rows of A meet the rows of C.
#include <algorithm>
#include <cmath>

#include "render/panel.hpp"
#include "render/picture.hpp"

namespace swz {
namespace {

constexpr double panel_gap = 30;
constexpr double row_gap = 22;
constexpr double figure_title_size = 14;
constexpr double narrowest_room = 420;  // for running text under a small figure
constexpr double panel_title_size = 12;
constexpr double narrowest_panel_title = 200;
// To scale, a figure is made smaller, letters first, until its cells take no more than this many pixels.
constexpr double widest_to_scale = 1100;

// Cells to scale: one factor for the whole figure, as large as the neediest text asks, within limits.
void scale(std::vector<std::vector<PanelShape>>& panels) {
  double factor = 0;
  double across = 0;
  for (const auto& row : panels) {
    double row_columns = 0;
    for (const PanelShape& p : row) {
      if (p.is_empty() || p.grid->cell_columns == 0) continue;
      factor = std::max({factor, p.cell_width / p.grid->cell_columns, p.cell_height / p.grid->cell_rows});
      row_columns += static_cast<double>(p.columns) * p.grid->cell_columns;
    }
    across = std::max(across, row_columns);
    double row_rows = 0;
    for (const PanelShape& p : row)
      if (!p.is_empty()) row_rows = std::max(row_rows, static_cast<double>(p.rows) * p.grid->cell_rows);
    across = std::max(across, row_rows);
  }
  if (factor == 0) return;
  factor = std::min(factor, widest_to_scale / across);
  for (auto& row : panels)
    for (PanelShape& p : row) {
      if (p.is_empty() || p.grid->cell_columns == 0) continue;
      const double width = p.grid->cell_columns * factor;
      const double height = p.grid->cell_rows * factor;
      const double shrink = std::min({1.0, width / p.cell_width, height / p.cell_height});
      p.text_size = std::max(smallest_text, std::floor(p.text_size * shrink * 2) / 2);
      p.cell_width = width;
      p.cell_height = height;
    }
}

Extent paint_legend(Scene& scene, const std::vector<LegendEntry>& legend, double x, double y, double room) {
  constexpr double swatch = 14, line = 22, between = 18;
  Extent extent;
  double at = 0;
  for (const LegendEntry& entry : legend) {
    const double width = swatch + 6 + text_width(entry.text, 11, Label::Face::sans);
    if (at > 0 && at + width > room) {
      at = 0;
      extent.height += line;
    }
    const double top = y + extent.height + 3;
    paint_swatch(scene, {"", entry.tint, entry.mark}, x + at, top, swatch);
    scene.items.push_back(
        Label{x + at + swatch + 6, top + 11, 11, entry.text, {Ink::text}, Label::Anchor::start, Label::Face::sans});
    extent.width = std::max(extent.width, at + width);
    at += width + between;
  }
  if (!legend.empty()) extent.height += line;
  return extent;
}

// All panels with their sizes, and for each column of panels the room of its headings and of its cells.
struct FigureShape {
  std::vector<std::vector<PanelShape>> panels;
  std::vector<double> left, width;

  double room(std::size_t column) const { return left[column] + width[column]; }
  double total_width() const {
    double total = 0;
    for (std::size_t c = 0; c < width.size(); ++c) total += room(c) + (c > 0 ? panel_gap : 0);
    return total;
  }
};

// Painted into a scene of its own, a title is measured.
Extent paint_panel_title(Scene& scene, const PanelShape& p, double x, double y, double room) {
  return paint_text(scene, p.grid->title, x, y, std::max(room, narrowest_panel_title), panel_title_size,
                    Label::Face::sans_bold, Ink::text);
}

FigureShape shape_of(const Figure& figure) {
  FigureShape shape;
  std::size_t columns = 0;
  for (const auto& row : figure.panels) {
    shape.panels.emplace_back();
    for (const Grid& grid : row) shape.panels.back().push_back(shape_of(grid));
    columns = std::max(columns, row.size());
  }
  scale(shape.panels);
  shape.left.resize(columns);
  shape.width.resize(columns);
  for (auto& row : shape.panels)
    for (std::size_t c = 0; c < row.size(); ++c) {
      add_headings(row[c]);
      shape.left[c] = std::max(shape.left[c], row[c].heading_width);
      shape.width[c] = std::max(shape.width[c], row[c].cells_width());
    }
  // A title wraps at the width of its column; where a word is longer, it widens the column.
  for (auto& row : shape.panels)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (row[c].is_empty() || row[c].grid->title.empty()) continue;
      Scene measured;
      const Extent title = paint_panel_title(measured, row[c], 0, 0, shape.room(c));
      shape.width[c] = std::max(shape.width[c], title.width - shape.left[c]);
      row[c].title_height = title.height + 4;
    }
  return shape;
}

// Returns the height of the row.
double paint_row(Scene& scene, const FigureShape& shape, std::size_t row, double x, double y) {
  double top = 0, bottom = 0;
  for (const PanelShape& p : shape.panels[row]) top = std::max(top, p.top());
  for (std::size_t c = 0; c < shape.panels[row].size(); ++c) {
    const PanelShape& p = shape.panels[row][c];
    if (!p.is_empty()) {
      paint_panel_title(scene, p, x, y + top - p.top(), shape.room(c));
      paint_panel(scene, p, x + shape.left[c], y + top);
      bottom = std::max(bottom, p.cells_height());
    }
    x += shape.room(c) + panel_gap;
  }
  return top + bottom;
}

}  // namespace

Figure figure_of(const Grid& grid) {
  Figure figure;
  figure.panels.push_back({grid});
  return figure;
}

Extent paint_figure(Scene& scene, const Figure& figure, double x, double y) {
  const FigureShape shape = shape_of(figure);
  Extent extent;
  extent.width = shape.total_width();
  if (!figure.title.empty()) {
    const double room = std::max(extent.width, narrowest_room);
    const Extent title =
        paint_text(scene, figure.title, x, y, room, figure_title_size, Label::Face::sans_bold, Ink::text);
    extent.width = std::max(extent.width, title.width);
    extent.height += title.height + 6;
  }
  for (std::size_t r = 0; r < shape.panels.size(); ++r) {
    if (r > 0) extent.height += row_gap;
    extent.height += paint_row(scene, shape, r, x, y + extent.height);
  }
  const double room = std::max(extent.width, narrowest_room);
  if (!figure.legend.empty()) {
    const Extent legend = paint_legend(scene, figure.legend, x, y + extent.height + 8, room);
    extent.width = std::max(extent.width, legend.width);
    extent.height += legend.height + 8;
  }
  if (!figure.caption.empty()) {
    const Extent caption =
        paint_text(scene, figure.caption, x, y + extent.height + 6, room, 11, Label::Face::sans, Ink::soft);
    extent.width = std::max(extent.width, caption.width);
    extent.height += caption.height + 6;
  }
  return extent;
}

}  // namespace swz

// Figures as Scenes: panels with their titles, legend and caption.
//
// A cell is as wide as the widest text of its panel, or to scale when the grid says what a cell stands for. Panels
// of one row share their top, those of one column their left edge, so that the rows of A meet the rows of C. What
// has no room in its cell is left out of the picture; its tooltip has it.
#include <algorithm>
#include <cmath>

#include "render/display.hpp"
#include "render/picture.hpp"

namespace swz {

namespace {

constexpr double heading_size = 10;
constexpr double smallest_text = 6;

// How one panel is drawn, before its place is known. Pixels.
struct PanelShape {
  const Grid* grid = nullptr;
  std::size_t rows = 0, columns = 0;
  double text_size = 11;
  double cell_width = 0, cell_height = 0;
  std::size_t column_label_step = 1;  // from one heading to the next
  std::size_t row_label_step = 1;
  double heading_width = 0;  // of the row labels, with their gap
  double title_height = 0, heading_height = 0;

  bool is_empty() const { return rows == 0 || columns == 0; }
  double cells_width() const { return static_cast<double>(columns) * cell_width; }
  double cells_height() const { return static_cast<double>(rows) * cell_height; }
  double top() const { return title_height + heading_height; }
};

// ---- one panel: a grid, measured and painted

constexpr double cell_padding = 3;
constexpr double line_spacing = 1.25;  // from line to line of one cell, in text sizes

std::vector<std::string> lines_in(const std::string& text) {
  if (text.find('\n') == std::string::npos) return {text};
  return wrap(printable(text, true), 0);
}

double widest_label(const std::vector<std::string>& labels) {
  double widest = 0;
  for (const std::string& label : labels)
    widest = std::max(widest, text_width(label, heading_size, Label::Face::sans));
  return widest;
}

// The least power of two of cells that leaves room for a heading.
std::size_t label_step(double needed, double cell) {
  std::size_t step = 1;
  while (static_cast<double>(step) * cell < needed && step < 1024) step *= 2;
  return step;
}

void paint_square(Scene& scene, const PanelShape& shape, const Grid::Square& square, double x, double y) {
  const bool tinted = square.tint.hue >= 0;
  const bool faint = square.mark == Mark::faint;
  const Paint fill{tinted ? Ink::tint : Ink::cell, square.tint, faint};
  scene.items.push_back(Box{x, y, shape.cell_width, shape.cell_height, fill, {Ink::line}, 1, true, square.tip});
  if (square.text.empty() || shape.text_size > shape.cell_height) return;
  const Paint ink{tinted && !faint ? Ink::on_tint : Ink::text, {}, faint};
  const double middle = x + shape.cell_width / 2;
  // 0.36: from the middle of a figure or capital letter to its baseline, in text sizes.
  const double centre = y + shape.cell_height / 2 + 0.36 * shape.text_size;
  std::vector<std::string> lines = lines_in(square.text);
  const double step = shape.text_size * line_spacing;
  if (static_cast<double>(lines.size()) * step > shape.cell_height + 2) lines.resize(1);
  double baseline = centre - step * static_cast<double>(lines.size() - 1) / 2;
  for (const std::string& line : lines) {
    // What has no room is left out; the tooltip has it.
    if (text_width(line, shape.text_size, Label::Face::mono) <= shape.cell_width)
      scene.items.push_back(Label{middle, baseline, shape.text_size, line, ink, Label::Anchor::middle});
    baseline += step;
  }
}

void paint_mark(Scene& scene, const PanelShape& shape, const Grid::Square& square, double x, double y) {
  if (square.mark != Mark::highlighted && square.mark != Mark::colliding) return;
  const Ink ink = square.mark == Mark::colliding ? Ink::alarm : Ink::accent;
  const double width = shape.cell_width, height = shape.cell_height;
  const double inset = std::min({1.25, width / 4, height / 4});
  scene.items.push_back(
      Box{x + inset, y + inset, width - 2 * inset, height - 2 * inset, {}, {ink}, 2 * inset, false});
  // Not by colour alone: a collision is also crossed at a corner.
  if (square.mark == Mark::colliding) {
    const double reach = std::min({7.0, width / 2, height / 2});
    scene.items.push_back(Rule{x + width - reach, y + 1, x + width - 1, y + reach, {ink}, 2.5});
  }
}

void paint_groups(Scene& scene, const PanelShape& shape, double x, double y) {
  const Paint border{Ink::border};
  const auto rule_at_each = [&](int group, std::size_t count, double cell, auto rule) {
    const auto step = static_cast<std::size_t>(std::max(group, 0));
    for (std::size_t i = step; step > 0 && i < count; i += step)
      scene.items.push_back(rule(static_cast<double>(i) * cell));
  };
  rule_at_each(shape.grid->row_group, shape.rows, shape.cell_height,
               [&](double at) { return Rule{x, y + at, x + shape.cells_width(), y + at, border, 1.75}; });
  rule_at_each(shape.grid->column_group, shape.columns, shape.cell_width,
               [&](double at) { return Rule{x + at, y, x + at, y + shape.cells_height(), border, 1.75}; });
  scene.items.push_back(Box{x, y, shape.cells_width(), shape.cells_height(), {}, border, 1.75, false});
}

void paint_headings(Scene& scene, const PanelShape& shape, double x, double y) {
  const Grid& grid = *shape.grid;
  using Anchor = Label::Anchor;
  const auto put = [&scene](const std::string& text, double at, double baseline, Anchor anchor) {
    scene.items.push_back(Label{at, baseline, heading_size, text, {Ink::soft}, anchor, Label::Face::sans});
  };
  if (!grid.corner.empty()) put(grid.corner, x - 6, y - 5, Anchor::end);
  for (std::size_t c = 0; c < std::min(shape.columns, grid.column_labels.size()); c += shape.column_label_step) {
    // A heading that stands over several cells begins over the first of them.
    const bool one = shape.column_label_step == 1;
    const double at = x + static_cast<double>(c) * shape.cell_width + (one ? shape.cell_width / 2 : 1);
    const double width = text_width(grid.column_labels[c], heading_size, Label::Face::sans);
    if (!one && at + width > x + shape.cells_width()) break;
    put(grid.column_labels[c], at, y - 5, one ? Anchor::middle : Anchor::start);
  }
  for (std::size_t r = 0; r < std::min(shape.rows, grid.row_labels.size()); r += shape.row_label_step)
    put(grid.row_labels[r], x - 6, y + (static_cast<double>(r) + 0.5) * shape.cell_height + 0.36 * heading_size,
        Anchor::end);
}

PanelShape shape_of(const Grid& grid) {
  PanelShape shape;
  shape.grid = &grid;
  shape.rows = grid.squares.size();
  for (const auto& row : grid.squares) shape.columns = std::max(shape.columns, row.size());
  if (shape.is_empty()) return shape;
  shape.text_size = shape.columns <= 32 ? 11 : shape.columns <= 64 ? 10 : 9;
  double widest = 0;
  std::size_t highest = 1;
  for (const auto& row : grid.squares)
    for (const Grid::Square& square : row) {
      const std::vector<std::string> lines = lines_in(square.text);
      highest = std::max(highest, lines.size());
      for (const std::string& line : lines) widest = std::max(widest, text_width(line, 1, Label::Face::mono));
    }
  shape.cell_width = std::max(shape.columns <= 32 ? 20.0 : 12.0, widest * shape.text_size + 2 * cell_padding);
  shape.cell_height = static_cast<double>(highest) * shape.text_size * line_spacing + (shape.columns <= 32 ? 7 : 4);
  // A heading that is a little wider than the cells makes room for itself; a longer one stands over several.
  const double label = widest_label(grid.column_labels) + 4;
  if (label > shape.cell_width && label < 2 * shape.cell_width && shape.columns <= 16) shape.cell_width = label;
  return shape;
}

void add_headings(PanelShape& shape) {
  if (shape.is_empty()) return;
  const Grid& grid = *shape.grid;
  shape.column_label_step = label_step(widest_label(grid.column_labels) + 2, shape.cell_width);
  shape.row_label_step = label_step(heading_size + 1, shape.cell_height);
  const double corner = text_width(grid.corner, heading_size, Label::Face::sans);
  shape.heading_width = std::max(widest_label(grid.row_labels), corner);
  if (shape.heading_width > 0) shape.heading_width += 6;
  shape.heading_height = grid.column_labels.empty() && grid.corner.empty() ? 0 : heading_size + 6;
}

void paint_panel(Scene& scene, const PanelShape& shape, double x, double y) {
  paint_headings(scene, shape, x, y);
  const auto each = [&](const auto& paint) {
    for (std::size_t r = 0; r < shape.rows; ++r)
      for (std::size_t c = 0; c < shape.grid->squares[r].size(); ++c)
        paint(scene, shape, shape.grid->squares[r][c], x + static_cast<double>(c) * shape.cell_width,
              y + static_cast<double>(r) * shape.cell_height);
  };
  each(paint_square);
  paint_groups(scene, shape, x, y);
  each(paint_mark);
}

void paint_swatch(Scene& scene, const Grid::Square& square, double x, double y, double size) {
  PanelShape one;
  one.cell_width = one.cell_height = size;
  paint_square(scene, one, square, x, y);
  paint_mark(scene, one, square, x, y);
}

// ---- all panels

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
      across = std::max({across, row_columns, static_cast<double>(p.rows) * p.grid->cell_rows});
    }
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
  Extent extent{shape.total_width(), 0};
  const auto room = [&] { return std::max(extent.width, narrowest_room); };
  if (!figure.title.empty())
    extent.stack(
        paint_text(scene, figure.title, x, y, room(), figure_title_size, Label::Face::sans_bold, Ink::text), 6);
  for (std::size_t r = 0; r < shape.panels.size(); ++r) {
    if (r > 0) extent.height += row_gap;
    extent.height += paint_row(scene, shape, r, x, y + extent.height);
  }
  const double width = room();
  if (!figure.legend.empty()) extent.stack(paint_legend(scene, figure.legend, x, y + extent.height + 8, width), 8);
  if (!figure.caption.empty())
    extent.stack(
        paint_text(scene, figure.caption, x, y + extent.height + 6, width, 11, Label::Face::sans, Ink::soft), 6);
  return extent;
}

}  // namespace swz

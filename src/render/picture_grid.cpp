// Figures as Scenes: panels of cells with their headings, marks, legend and caption.
//
// A cell is as wide as the widest text of its panel, or to scale when the grid says what a cell stands for. Panels
// of one row share their top, those of one column their left edge, so that the rows of A meet the rows of C.
#include <algorithm>
#include <cmath>

#include "render/display.hpp"
#include "render/picture.hpp"

namespace swz {
namespace {

constexpr double cell_padding = 3;
constexpr double panel_gap = 30;
constexpr double panel_title_size = 12;
constexpr double heading_size = 10;
constexpr double smallest_text = 6;
constexpr double line_spacing = 1.25;  // from line to line of one cell, in text sizes
// To scale, a figure is made smaller, letters first, until its cells take no more than this many pixels.
constexpr double widest_to_scale = 1100;

std::vector<std::string> lines_in(const std::string& text) { return wrap(printable(text, true), 0); }

// How one panel is drawn, before its place is known.
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

double text_size_for(std::size_t columns) { return columns <= 32 ? 11 : columns <= 64 ? 10 : 9; }

struct TextNeeds {
  double width = 0;  // of the widest line, in text sizes
  int lines = 1;     // of the highest cell
};

TextNeeds needs_of(const Grid& grid) {
  TextNeeds needs;
  for (const auto& row : grid.squares)
    for (const Grid::Square& square : row) {
      if (square.text.find('\n') == std::string::npos) {
        needs.width = std::max(needs.width, text_width(square.text, 1, Label::Face::mono));
        continue;
      }
      const std::vector<std::string> lines = lines_in(square.text);
      needs.lines = std::max(needs.lines, static_cast<int>(lines.size()));
      for (const std::string& line : lines)
        needs.width = std::max(needs.width, text_width(line, 1, Label::Face::mono));
    }
  return needs;
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

PanelShape shape_of(const Grid& grid) {
  PanelShape shape;
  shape.grid = &grid;
  shape.rows = grid.squares.size();
  for (const auto& row : grid.squares) shape.columns = std::max(shape.columns, row.size());
  if (shape.is_empty()) return shape;
  shape.text_size = text_size_for(shape.columns);
  const TextNeeds needs = needs_of(grid);
  shape.cell_width = std::max(shape.columns <= 32 ? 20.0 : 12.0, needs.width * shape.text_size + 2 * cell_padding);
  shape.cell_height = needs.lines * shape.text_size * line_spacing + (shape.columns <= 32 ? 7 : 4);
  // A heading that is a little wider than the cells makes room for itself; a longer one stands over several.
  const double label = widest_label(grid.column_labels) + 4;
  if (label > shape.cell_width && label < 2 * shape.cell_width && shape.columns <= 16) shape.cell_width = label;
  return shape;
}

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

void paint_mark(Scene& scene, const Grid::Square& square, double x, double y, double width, double height) {
  if (square.mark != Mark::highlighted && square.mark != Mark::colliding) return;
  const Ink ink = square.mark == Mark::colliding ? Ink::alarm : Ink::accent;
  Box frame{x + 1.25, y + 1.25, width - 2.5, height - 2.5, {}, {ink}, 2.5, false};
  scene.items.push_back(std::move(frame));
  // Not by colour alone: a collision is also crossed at a corner.
  if (square.mark == Mark::colliding) {
    const double reach = std::min({7.0, width / 2, height / 2});
    scene.items.push_back(Rule{x + width - reach, y + 1, x + width - 1, y + reach, {ink}, 2.5});
  }
}

void paint_square(Scene& scene, const PanelShape& shape, const Grid::Square& square, double x, double y) {
  const bool tinted = square.tint.hue >= 0;
  const bool faint = square.mark == Mark::faint;
  const Paint fill{tinted ? Ink::tint : Ink::cell, square.tint, faint};
  scene.items.push_back(Box{x, y, shape.cell_width, shape.cell_height, fill, {Ink::line}, 1, true, square.tip});
  if (square.text.empty()) return;
  const Paint ink{tinted && !faint ? Ink::on_tint : Ink::text, {}, faint};
  const double middle = x + shape.cell_width / 2;
  const auto put = [&](const std::string& line, double baseline) {
    if (text_width(line, shape.text_size, Label::Face::mono) > shape.cell_width) return;  // the tooltip has it
    scene.items.push_back(Label{middle, baseline, shape.text_size, line, ink, Label::Anchor::middle});
  };
  // 0.36: from the middle of a figure or capital letter to its baseline, in text sizes.
  const double centre = y + shape.cell_height / 2 + 0.36 * shape.text_size;
  if (square.text.find('\n') == std::string::npos) {
    put(square.text, centre);
    return;
  }
  const std::vector<std::string> lines = lines_in(square.text);
  const double step = shape.text_size * line_spacing;
  if (static_cast<double>(lines.size()) * step > shape.cell_height + 2) {
    put(lines.front(), centre);
    return;
  }
  const double first = centre - step * static_cast<double>(lines.size() - 1) / 2;
  for (std::size_t i = 0; i < lines.size(); ++i) put(lines[i], first + step * static_cast<double>(i));
}

void paint_groups(Scene& scene, const PanelShape& shape, double x, double y) {
  const Grid& grid = *shape.grid;
  const Paint border{Ink::border};
  if (grid.row_group > 0)
    for (std::size_t r = static_cast<std::size_t>(grid.row_group); r < shape.rows;
         r += static_cast<std::size_t>(grid.row_group)) {
      const double at = y + static_cast<double>(r) * shape.cell_height;
      scene.items.push_back(Rule{x, at, x + shape.cells_width(), at, border, 1.75});
    }
  if (grid.column_group > 0)
    for (std::size_t c = static_cast<std::size_t>(grid.column_group); c < shape.columns;
         c += static_cast<std::size_t>(grid.column_group)) {
      const double at = x + static_cast<double>(c) * shape.cell_width;
      scene.items.push_back(Rule{at, y, at, y + shape.cells_height(), border, 1.75});
    }
  scene.items.push_back(Box{x, y, shape.cells_width(), shape.cells_height(), {}, border, 1.75, false});
}

void paint_headings(Scene& scene, const PanelShape& shape, double x, double y) {
  const Grid& grid = *shape.grid;
  const Paint soft{Ink::soft};
  if (!grid.corner.empty())
    scene.items.push_back(
        Label{x - 6, y - 5, heading_size, grid.corner, soft, Label::Anchor::end, Label::Face::sans});
  for (std::size_t c = 0; c < std::min(shape.columns, grid.column_labels.size()); c += shape.column_label_step) {
    // A heading that stands over several cells begins over the first of them.
    const bool one = shape.column_label_step == 1;
    const double at = x + static_cast<double>(c) * shape.cell_width + (one ? shape.cell_width / 2 : 1);
    scene.items.push_back(Label{at, y - 5, heading_size, grid.column_labels[c], soft,
                                one ? Label::Anchor::middle : Label::Anchor::start, Label::Face::sans});
  }
  for (std::size_t r = 0; r < std::min(shape.rows, grid.row_labels.size()); r += shape.row_label_step) {
    const double at = y + (static_cast<double>(r) + 0.5) * shape.cell_height + 0.36 * heading_size;
    scene.items.push_back(
        Label{x - 6, at, heading_size, grid.row_labels[r], soft, Label::Anchor::end, Label::Face::sans});
  }
}

// (x, y) is the top left corner of the cells.
void paint_cells(Scene& scene, const PanelShape& shape, double x, double y) {
  const auto each = [&](auto&& paint) {
    for (std::size_t r = 0; r < shape.rows; ++r)
      for (std::size_t c = 0; c < shape.grid->squares[r].size(); ++c)
        paint(shape.grid->squares[r][c], x + static_cast<double>(c) * shape.cell_width,
              y + static_cast<double>(r) * shape.cell_height);
  };
  each([&](const Grid::Square& square, double cx, double cy) { paint_square(scene, shape, square, cx, cy); });
  paint_groups(scene, shape, x, y);
  each([&](const Grid::Square& square, double cx, double cy) {
    paint_mark(scene, square, cx, cy, shape.cell_width, shape.cell_height);
  });
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
    PanelShape one;
    one.cell_width = one.cell_height = swatch;
    const Grid::Square square{"", entry.tint, entry.mark};
    paint_square(scene, one, square, x + at, top);
    paint_mark(scene, square, x + at, top, swatch, swatch);
    scene.items.push_back(
        Label{x + at + swatch + 6, top + 11, 11, entry.text, {Ink::text}, Label::Anchor::start, Label::Face::sans});
    extent.width = std::max(extent.width, at + width);
    at += width + between;
  }
  if (!legend.empty()) extent.height += line;
  return extent;
}

}  // namespace

Figure figure_of(const Grid& grid) {
  Figure figure;
  figure.panels.push_back({grid});
  return figure;
}

Extent paint_figure(Scene& scene, const Figure& figure, double x, double y) {
  std::vector<std::vector<PanelShape>> panels;
  std::size_t columns = 0;
  for (const auto& row : figure.panels) {
    panels.emplace_back();
    for (const Grid& grid : row) panels.back().push_back(shape_of(grid));
    columns = std::max(columns, row.size());
  }
  scale(panels);

  // Where the cells of each column of panels begin, and how wide the column is.
  std::vector<double> left(columns, 0), width(columns, 0);
  for (auto& row : panels)
    for (std::size_t c = 0; c < row.size(); ++c) {
      add_headings(row[c]);
      left[c] = std::max(left[c], row[c].heading_width);
      width[c] = std::max(width[c], row[c].cells_width());
    }
  Extent extent;
  if (!figure.title.empty())
    extent.height += paint_text(scene, figure.title, x, y, 1000, 14, Label::Face::sans_bold, Ink::text).height + 6;

  for (std::size_t r = 0; r < panels.size(); ++r) {
    double top = 0;
    for (std::size_t c = 0; c < panels[r].size(); ++c) {
      PanelShape& p = panels[r][c];
      if (p.is_empty()) continue;
      if (!p.grid->title.empty()) {
        // A title may use its panel and the headings beside it; one that is longer wraps, a word widens the panel.
        Scene measured;
        const double room = std::max(left[c] + width[c], 200.0);
        const Extent title =
            paint_text(measured, p.grid->title, 0, 0, room, panel_title_size, Label::Face::sans_bold, Ink::text);
        width[c] = std::max(width[c], title.width - left[c]);
        p.title_height = title.height + 4;
      }
      top = std::max(top, p.top());
    }
    double at = x, bottom = 0;
    for (std::size_t c = 0; c < panels[r].size(); ++c) {
      const PanelShape& p = panels[r][c];
      if (!p.is_empty()) {
        const double cells_y = y + extent.height + top;
        paint_text(scene, p.grid->title, at, cells_y - p.top(), std::max(left[c] + width[c], 200.0),
                   panel_title_size, Label::Face::sans_bold, Ink::text);
        paint_headings(scene, p, at + left[c], cells_y);
        paint_cells(scene, p, at + left[c], cells_y);
        bottom = std::max(bottom, top + p.cells_height());
      }
      at += left[c] + width[c] + panel_gap;
    }
    extent.width = std::max(extent.width, at - panel_gap - x);
    extent.height += bottom + (r + 1 < panels.size() ? panel_gap * 0.75 : 0);
  }

  const double room = std::max(extent.width, 420.0);
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

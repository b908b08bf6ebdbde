#include "render/panel.hpp"

#include <algorithm>

#include "render/display.hpp"

namespace swz {
namespace {

constexpr double cell_padding = 3;
constexpr double line_spacing = 1.25;  // from line to line of one cell, in text sizes

std::vector<std::string> lines_in(const std::string& text) { return wrap(printable(text, true), 0); }

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

void paint_mark(Scene& scene, const Grid::Square& square, double x, double y, double width, double height) {
  if (square.mark != Mark::highlighted && square.mark != Mark::colliding) return;
  const Ink ink = square.mark == Mark::colliding ? Ink::alarm : Ink::accent;
  const double inset = std::min({1.25, width / 4, height / 4});
  scene.items.push_back(
      Box{x + inset, y + inset, width - 2 * inset, height - 2 * inset, {}, {ink}, 2 * inset, false});
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
    // What has no room is left out; the tooltip has it.
    if (text_width(line, shape.text_size, Label::Face::mono) > shape.cell_width) return;
    if (shape.text_size > shape.cell_height) return;
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
    const double width = text_width(grid.column_labels[c], heading_size, Label::Face::sans);
    if (!one && at + width > x + shape.cells_width()) break;
    scene.items.push_back(Label{at, y - 5, heading_size, grid.column_labels[c], soft,
                                one ? Label::Anchor::middle : Label::Anchor::start, Label::Face::sans});
  }
  for (std::size_t r = 0; r < std::min(shape.rows, grid.row_labels.size()); r += shape.row_label_step) {
    const double at = y + (static_cast<double>(r) + 0.5) * shape.cell_height + 0.36 * heading_size;
    scene.items.push_back(
        Label{x - 6, at, heading_size, grid.row_labels[r], soft, Label::Anchor::end, Label::Face::sans});
  }
}

}  // namespace

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

void paint_swatch(Scene& scene, const Grid::Square& square, double x, double y, double size) {
  PanelShape one;
  one.cell_width = one.cell_height = size;
  paint_square(scene, one, square, x, y);
  paint_mark(scene, square, x, y, size, size);
}

}  // namespace swz

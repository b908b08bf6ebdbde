// SPDX-License-Identifier: Apache-2.0
// Arrows of a grid, in pixels.
//
//   distance  (0,0) to (8,0), "SBO 1024 B"   a dimension line right of the cells, from the top of row 0 to that of row 8
//             (0,0) to (0,2), "32 B"         one above the headings, from the left of column 0 to that of column 2
//   extent    the same with a head at either end
//   move      (0,1) to (2,4)                 a line in the accent colour from one square to the other
//   call_out  (3,1), "0x4000, 128 B"         a text right of the cells and of all distances, with an arrow to row 3
//
// In a panel that raises its arrows the texts of lines beside the cells are above them, one over the other, each at the
// left of its line, which goes up to it: so the cells have the room of the texts.
//
// Of several dimension lines, the one that reaches farthest is the nearest to the cells. Texts are at the ends of their
// lines, at least one line of text apart: so lines farther out have ended before a text, and no line crosses one
// (tested).
#include <algorithm>
#include <cstddef>
#include <vector>

#include "render/display.hpp"
#include "render/panel.hpp"

namespace swz {

double length_of(double x, double y) {
  const double a = x < 0 ? -x : x, b = y < 0 ? -y : y;
  return std::max(a, b) * 0.96 + std::min(a, b) * 0.4;
}

namespace {

using Arrow = Grid::Arrow;

constexpr double arrow_text = 10, text_line = 12, between_lines = 12, between_columns = 8, witness = 3, head_length = 6,
                 head_width = 2.5;

struct Point {
  double x = 0, y = 0;
};

double width_of(const Arrow& arrow) {
  double widest = 0;
  for (const std::string& line : wrap(arrow.text, 0))
    widest = std::max(widest, text_width(line, arrow_text, Label::Face::sans_bold));
  return widest;
}

bool is_vertical(const Arrow& arrow) { return arrow.from.row != arrow.to.row; }

bool is_dimension(const Arrow& arrow) {
  return arrow.kind == Arrow::Kind::distance || arrow.kind == Arrow::Kind::extent;
}

// One dimension line along the rows or columns: where it begins and ends, and where its text is.
struct Dimension {
  const Arrow* arrow = nullptr;
  double from = 0, to = 0;  // pixels from the first cell
  double at = 0;            // pixels between the line and the cells
  Point text = {};          // from the corner where the lines begin; y is the baseline
  bool is_around = false;   // the line has its text inside

  double low() const { return std::min(from, to); }
  double high() const { return std::max(from, to); }
};

// The dimension lines, the nearest to the cells first.
std::vector<Dimension> dimensions(const PanelShape& shape, bool vertical) {
  std::vector<Dimension> lines;
  for (const Arrow& arrow : shape.grid->arrows) {
    if (!is_dimension(arrow) || is_vertical(arrow) != vertical) continue;
    const auto pixels = [&](const Grid::Place& place) {
      return vertical ? static_cast<double>(place.row) * shape.cell_height
                      : static_cast<double>(place.column) * shape.cell_width;
    };
    lines.push_back({&arrow, pixels(arrow.from), pixels(arrow.to), 0, {}, false});
  }
  std::ranges::stable_sort(lines, [](const Dimension& a, const Dimension& b) { return a.high() > b.high(); });
  double at = 0;
  for (Dimension& line : lines) line.at = at += vertical ? between_columns : between_lines;
  return lines;
}

std::vector<Dimension> beside_cells(const PanelShape& shape) {
  std::vector<Dimension> lines = dimensions(shape, true);
  double lowest = 0;
  for (std::size_t i = lines.size(); i > 0; --i) {  // from the outside: each text is below the heads farther out
    Dimension& line = lines[i - 1];
    const auto lines_of_text = static_cast<double>(wrap(line.arrow->text, 0).size());
    const bool is_outermost = i == lines.size();
    const double wanted = line.arrow->kind == Arrow::Kind::extent && is_outermost
                              ? (line.from + line.to + lines_of_text * text_line) / 2 - 2
                              : line.high() - witness - 1;
    line.text.y = std::max(wanted, lowest + lines_of_text * text_line);
    lowest = std::max(line.text.y, line.high() + 2);
    line.text.x = line.at + witness + 2;
  }
  return lines;
}

// The text of a long extent is in its line, if no other line could cross it.
bool has_room_inside(const Dimension& line) {
  constexpr double least_beside = 24;
  return line.arrow->kind == Arrow::Kind::extent && line.high() - line.low() > width_of(*line.arrow) + least_beside;
}

std::vector<Dimension> above_headings(const PanelShape& shape) {
  std::vector<Dimension> lines = dimensions(shape, false);
  for (Dimension& line : lines) {
    line.is_around = lines.size() == 1 && has_room_inside(line);
    line.text = {line.is_around ? (line.from + line.to - width_of(*line.arrow)) / 2 : line.high() + 5,
                 -line.at + 0.36 * arrow_text};
  }
  return lines;
}

// A text beside a row, below those of the rows above it.
struct CallOut {
  const Arrow* arrow = nullptr;
  double row = 0;  // its middle, from the first cell
  double top = 0, height = 0, width = 0;

  double middle() const { return top + height / 2; }
};

std::vector<CallOut> call_outs(const PanelShape& shape) {
  std::vector<CallOut> found;
  for (const Arrow& arrow : shape.grid->arrows) {
    if (arrow.kind != Arrow::Kind::call_out) continue;
    CallOut& out = found.emplace_back(CallOut{&arrow});
    out.row = (static_cast<double>(arrow.from.row) + 0.5) * shape.cell_height;
    out.height = text_line * static_cast<double>(wrap(arrow.text, 0).size());
    out.width = width_of(arrow);
  }
  std::ranges::stable_sort(found, {}, &CallOut::row);
  double bottom = -text_line;  // beside the headings
  for (CallOut& out : found) {
    out.top = std::max(out.row - out.height / 2, bottom);
    bottom = out.top + out.height + 2;
  }
  return found;
}

constexpr double call_out_line = 22;  // from the cells, or the distances, to the text

class Pen {
 public:
  Pen(Scene& scene, Ink ink) : scene_(scene), ink_(ink) {}

  void rule(Point from, Point to, double width = 1) {
    scene_.items.push_back(Rule{from.x, from.y, to.x, to.y, {ink_}, width});
  }
  // Draws a line with a head at its end.
  void arrow(Point from, Point to, double width = 1) {
    rule(from, to, width);
    const double length = length_of(to.x - from.x, to.y - from.y);
    if (length == 0) return;
    const double x = (to.x - from.x) / length, y = (to.y - from.y) / length;
    const double reach = std::min(head_length, length / 2), side = head_width * reach / head_length;
    for (const double turn : {-side, side})
      rule(to, {to.x - x * reach - y * turn, to.y - y * reach + x * turn}, width + 0.25);
  }
  void dimension(const Arrow& of, Point from, Point to) {
    arrow(from, to);
    if (of.kind == Arrow::Kind::extent) arrow(to, from);
  }
  void text(const std::string& text, Point at) {
    scene_.items.push_back(
        Label{at.x, at.y, arrow_text, text, {Ink::text}, Label::Anchor::start, Label::Face::sans_bold});
  }

 private:
  Scene& scene_;
  Ink ink_;
};

// Draws from square to square, without the parts inside the two; neighbours are joined from centre to centre.
void paint_move(Pen& pen, const PanelShape& shape, const Arrow& arrow, double x, double y) {
  const auto middle = [&](const Grid::Place& at) {
    return Point{x + (static_cast<double>(at.column) + 0.5) * shape.cell_width,
                 y + (static_cast<double>(at.row) + 0.5) * shape.cell_height};
  };
  Point from = middle(arrow.from), to = middle(arrow.to);
  const Point way{to.x - from.x, to.y - from.y};
  const auto part = [](double half, double all) { return all == 0 ? 1.0 : half / (all < 0 ? -all : all); };
  // The part of the way that is inside a square.
  const double inside = std::min(part(shape.cell_width / 2, way.x), part(shape.cell_height / 2, way.y));
  if (arrow.to.row > arrow.from.row + 1) {
    // Past a row between them from the middle of one edge to that of the other, where no corner hides the head.
    from.y += shape.cell_height / 2;
    to.y -= shape.cell_height / 2;
  } else if (inside < 0.4) {
    from = {from.x + way.x * inside, from.y + way.y * inside};
    to = {to.x - way.x * inside, to.y - way.y * inside};
  }
  pen.arrow(from, to, 1.25);
  if (!arrow.text.empty()) pen.text(arrow.text, {(from.x + to.x) / 2 + 4, (from.y + to.y) / 2});
}

// The text of an arrow in one line.
std::string one_line(const Arrow& arrow) {
  std::string text = arrow.text;
  std::ranges::replace(text, '\n', ' ');
  return text;
}

double raised_width(const Arrow& arrow) { return text_width(one_line(arrow), arrow_text, Label::Face::sans_bold); }

// How far the lowest raised text is above the headings: past the dimension lines there, if one would touch it; beside the
// upper lines of the corner, if only the lowest has headings beside it.
double raised_from(const PanelShape& shape) {
  constexpr double one_line_of_headings = 16;
  double from = shape.grid->column_levels.empty() && shape.heading_height > one_line_of_headings
                    ? one_line_of_headings - shape.heading_height
                    : 0;
  for (const Dimension& above : above_headings(shape))
    for (const Dimension& line : beside_cells(shape))
      if (shape.cells_width() + line.at - raised_width(*line.arrow) < above.text.x + width_of(*above.arrow) + text_line)
        from = std::max(from, above.at + between_lines / 2);
  return from;
}

void add_raised(PanelShape& shape) {
  const std::vector<Dimension> lines = beside_cells(shape);
  if (lines.empty()) return;
  shape.arrows_right = lines.back().at + 1;  // the ends of its witness lines may be in the margin
  shape.arrows_top = std::max(0.0, raised_from(shape) + text_line * static_cast<double>(lines.size()) + 2);
}

void paint_raised(Pen& pen, const PanelShape& shape, const Dimension& line, std::size_t i, Point first, double begin) {
  const double at = begin + line.at;
  const double baseline =
      first.y - shape.heading_height - raised_from(shape) - text_line * static_cast<double>(i) - witness;
  pen.rule({at, first.y + line.from}, {at, baseline - 0.7 * arrow_text}, 0.75);
  pen.text(one_line(*line.arrow), {at - witness - raised_width(*line.arrow), baseline});
}

}  // namespace

void add_arrows(PanelShape& shape) {
  shape.arrows_right = shape.arrows_top = 0;
  if (shape.raises_arrows) add_raised(shape);
  for (const Dimension& line : beside_cells(shape)) {
    if (shape.raises_arrows) break;
    shape.arrows_right = std::max(shape.arrows_right, line.text.x + width_of(*line.arrow));
    shape.bottom = std::max(shape.bottom, line.text.y + witness - shape.cells_height());
  }
  const std::vector<CallOut> outs = call_outs(shape);
  double widest = 0;
  for (const CallOut& out : outs) widest = std::max(widest, out.width);
  shape.call_outs_at = shape.arrows_right;
  if (!outs.empty()) {
    shape.arrows_right += call_out_line + widest;
    shape.bottom = std::max(shape.bottom, outs.back().top + outs.back().height - shape.cells_height());
  }
  shape.right += shape.arrows_right;
  for (const Dimension& line : above_headings(shape)) {
    shape.arrows_top = std::max(shape.arrows_top, line.at + between_lines / 2);
    shape.right = std::max(shape.right, line.text.x + width_of(*line.arrow) - shape.cells_width());
  }
}

void paint_arrows(Scene& scene, const PanelShape& shape, double x, double y, double beside) {
  Pen pen(scene, Ink::border), accent(scene, Ink::accent);
  // A witness line begins at the edge of the cells, or at its corner if that is further inside.
  const double right = x + shape.cells_width(), begin = right + beside;
  std::size_t raised = 0;
  for (const Dimension& line : beside_cells(shape)) {
    const double at = begin + line.at;
    const bool is_oblique = line.arrow->from.column != line.arrow->to.column;
    const auto witness_line = [&](double from_top, std::int64_t column) {
      const double inside = is_oblique ? x + static_cast<double>(column) * shape.cell_width : right + 2;
      pen.rule({inside, y + from_top}, {at + witness, y + from_top}, 0.75);
    };
    witness_line(line.from, line.arrow->from.column);
    witness_line(line.to, line.arrow->to.column);
    pen.dimension(*line.arrow, {at, y + line.from}, {at, y + line.to});
    if (shape.raises_arrows) {
      paint_raised(pen, shape, line, raised++, {x, y}, begin);
      continue;
    }
    const std::vector<std::string> words = wrap(line.arrow->text, 0);
    for (std::size_t i = 0; i < words.size(); ++i)
      pen.text(words[i],
               {begin + line.text.x, y + line.text.y - text_line * static_cast<double>(words.size() - 1 - i)});
  }
  // Between headings that span one column each there is room for a line.
  const double top = y - shape.heading_height, edge = shape.column_label_step == 1 ? y - 2 : top;
  for (const Dimension& line : above_headings(shape)) {
    const double at = top - line.at, row = static_cast<double>(line.arrow->from.row);
    for (const double column : {line.from, line.to})
      pen.rule({x + column, row > 0 ? y + row * shape.cell_height : edge}, {x + column, at - witness}, 0.75);
    if (line.is_around) {
      pen.arrow({x + line.text.x - 4, at}, {x + line.from, at});
      pen.arrow({x + line.text.x + width_of(*line.arrow) + 4, at}, {x + line.to, at});
    } else {
      pen.dimension(*line.arrow, {x + line.from, at}, {x + line.to, at});
    }
    pen.text(line.arrow->text, {x + line.text.x, top + line.text.y});
  }
  for (const Arrow& arrow : shape.grid->arrows)
    if (arrow.kind == Arrow::Kind::move) paint_move(accent, shape, arrow, x, y);
  for (const CallOut& out : call_outs(shape)) {
    const double left = begin + shape.call_outs_at + call_out_line, at = y + out.row;
    accent.rule({left - 3, y + out.middle()}, {left - 8, at}, 1.25);
    accent.arrow({left - 8, at}, {right + 2 + shape.clear, at}, 1.25);
    double baseline = y + out.top + 0.8 * text_line;
    for (const std::string& line : wrap(out.arrow->text, 0)) {
      pen.text(line, {left, baseline});
      baseline += text_line;
    }
  }
}

}  // namespace swz

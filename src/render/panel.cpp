// SPDX-License-Identifier: Apache-2.0
#include "render/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "render/display.hpp"

namespace swz {
namespace {

constexpr double heading_size = 10;
constexpr double heading_gap =
    5;  // of ranges beside each other; without room for it only their first numbers are shown
constexpr double cell_padding = 3;
// On either side of the letters, where cells shrink: the first that leaves them readable.
constexpr std::array airs{2.5, 2.0, 1.5, 1.0};
constexpr double cut_air = 1.5;        // the same in the part of a cell that is not outside
constexpr double ellipsis_room = 14;   // for "…" where rows or columns are left out
constexpr double line_spacing = 1.25;  // from line to line of one cell, in text sizes

std::vector<std::string> lines_in(const std::string& text) {
  if (text.find('\n') == std::string::npos) return {text};
  return wrap(printable(text, true), 0);
}

// The widest line, in text sizes.
double widest_of(const std::vector<std::string>& lines) {
  double widest = 0;
  for (const std::string& line : lines) widest = std::max(widest, text_width(line, 1, Label::Face::mono));
  return widest;
}

double widest_label(const std::vector<std::string>& labels) {
  double widest = 0;
  for (const std::string& label : labels) widest = std::max(widest, text_width(label, heading_size, Label::Face::sans));
  return widest;
}

// "0" for "0-3", also of negative numbers: "-8" for "-8..-1"; other labels have no short form.
std::string first_of_range(const std::string& label) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t end = label.starts_with('-') ? 1 : 0;
  while (end < label.size() && is_digit(label[end])) ++end;
  const std::string_view rest = std::string_view(label).substr(end);
  const bool is_range = end > 0 && (rest.empty() || rest.front() == '-' || rest.starts_with(".."));
  return is_range ? label.substr(0, end) : label;
}

std::vector<std::string> first_labels(const std::vector<std::string>& labels) {
  std::vector<std::string> firsts;
  for (const std::string& label : labels) firsts.push_back(first_of_range(label));
  return firsts;
}

// How wide a cell has to be so that each heading, over the middle of its cell, is this far from its neighbours, a single
// number a little less; the last one may go a little past the cells.
double room_of_labels(const std::vector<std::string>& labels, double gap) {
  constexpr double past = 6, less_for_number = 1;
  double room = 0, before = 0;
  bool was_number = false;
  for (const std::string& label : labels) {
    const double width = text_width(label, heading_size, Label::Face::sans);
    const bool is_number = label.find_first_not_of("0123456789") == std::string::npos;
    if (before > 0 && width > 0)
      room = std::max(room, (before + width) / 2 + gap - less_for_number * (is_number + was_number));
    before = width;
    was_number = is_number;
  }
  return std::max({room, before - past, labels.size() == 1 ? before + gap : 0});
}

// The smallest power of two of cells that leaves room for a heading.
std::size_t label_step(double needed, double cell) {
  std::size_t step = 1;
  while (static_cast<double>(step) * cell < needed && step < 1024) step *= 2;
  return step;
}

bool has_step(const Scene& scene, const Grid::Square& square) {
  return square.step >= 0 && square.step < std::ssize(scene.steps);
}

// ---- headings of several levels

constexpr double corner_line = heading_size + 2;  // from line to line of the corner
constexpr double level_height = heading_size + 5, level_gap = 8;

// Calls `visit` with each heading of a level: its text and its first and last row or column.
template <class Visit>
void each_heading(const Grid::Level& level, std::size_t count, Visit visit) {
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count && !level.begins(end);) ++end;
    if (level.heading(begin) < level.labels.size()) visit(level.labels[level.heading(begin)], begin, end);
  }
}

double width_of(const std::vector<Grid::Level>& levels) {
  double width = 0;
  for (const Grid::Level& level : levels) width += widest_label(level.labels) + level_gap;
  return width;
}

// Paints each heading in the middle of what it spans, between lines that become heavier from level to level.
void paint_levels(Scene& scene, const PanelShape& shape, double x, double y) {
  const Grid& grid = *shape.grid;
  const Paint ink{Ink::soft}, border{Ink::border};
  double top = y - heading_size - 6 - shape.dots_top,
         left = x - 6 - shape.dots_left - widest_label(grid.row_labels) - level_gap, weight = 1.75;
  for (const Grid::Level& level : grid.column_levels) {
    each_heading(level, shape.columns, [&](const std::string& text, std::size_t begin, std::size_t end) {
      const double from = x + static_cast<double>(begin) * shape.cell_width,
                   room = static_cast<double>(end - begin) * shape.cell_width;
      if (begin > 0)
        scene.items.push_back(Rule{from, top - level_height, from, y + shape.cells_height(), border, weight});
      // The last may go past the cells.
      const bool is_within = text_width(text, heading_size, Label::Face::sans) <= room;
      if (is_within || end == shape.columns)
        scene.items.push_back(Label{is_within ? from + room / 2 : from + 3, top - 3, heading_size, text, ink,
                                    is_within ? Label::Anchor::middle : Label::Anchor::start, Label::Face::sans});
    });
    top -= level_height;
    weight += 0.75;
  }
  weight = 1.75;
  for (const Grid::Level& level : grid.row_levels) {
    const double width = widest_label(level.labels);
    each_heading(level, shape.rows, [&](const std::string& text, std::size_t begin, std::size_t end) {
      const double from = y + static_cast<double>(begin) * shape.cell_height,
                   room = static_cast<double>(end - begin) * shape.cell_height;
      if (begin > 0) scene.items.push_back(Rule{left - width, from, x + shape.cells_width(), from, border, weight});
      if (heading_size <= room)
        scene.items.push_back(Label{left, from + room / 2 + 0.36 * heading_size, heading_size, text, ink,
                                    Label::Anchor::end, Label::Face::sans});
    });
    left -= width + level_gap;
    weight += 0.75;
  }
}

// The outside part is as empty as the page, with a diagonal, so that it is not distinguished only by colour.
void paint_outside(Scene& scene, const PanelShape& shape, const Grid::Square& square, double x, double y) {
  const double width = shape.cell_width * square.outside, left = x + shape.cell_width - width;
  const double bottom = y + shape.cell_height;
  scene.items.push_back(Box{left, y, width, shape.cell_height, {Ink::cell}, {Ink::line}, 1, true, square.tip});
  scene.items.push_back(Rule{left, bottom, left + width, y, {Ink::soft}, 0.75});
}

void paint_square(Scene& scene, const PanelShape& shape, const Grid::Square& square, double x, double y) {
  const bool tinted = square.tint.hue >= 0;
  const bool faint = square.mark == Mark::faint;
  // Without a tint the text is red too, besides the frame (mark.cpp).
  const bool is_alarm = square.mark == Mark::colliding && !tinted;
  const Paint fill{tinted ? Ink::tint : Ink::cell, square.tint, faint};
  std::string tip = square.tip;
  if (has_step(scene, square) && !tip.empty()) tip += "\n" + scene.steps[static_cast<std::size_t>(square.step)];
  const double part = shape.cell_width * (1 - square.outside);
  if (part > 0) scene.items.push_back(Box{x, y, part, shape.cell_height, fill, {Ink::line}, 1, true, std::move(tip)});
  const bool has_text = !square.text.empty() && shape.text_size > 0 && shape.text_size <= shape.cell_height;
  double size = shape.text_size;
  std::vector<std::string> lines = lines_in(square.text);
  // In a cell that is cut the text is made smaller.
  const double room = square.outside > 0 ? part - 2 * cut_air : part;
  if (square.outside > 0) size = std::max(shape.smallest, std::min(size, std::floor(2 * room / widest_of(lines)) / 2));
  if (square.outside > 0) paint_outside(scene, shape, square, x, y);
  if (!has_text) return;
  const Paint ink{tinted && !faint ? Ink::on_tint
                  : is_alarm       ? Ink::alarm
                                   : Ink::text,
                  tinted && !faint ? square.tint : Tint{}, faint};
  // 0.36: from the middle of a figure or capital letter to its baseline, in text sizes.
  const double centre = y + shape.cell_height / 2 + 0.36 * size;
  const double step = size * line_spacing;
  if (static_cast<double>(lines.size()) * step > shape.cell_height + 2) lines.resize(1);
  double baseline = centre - step * static_cast<double>(lines.size() - 1) / 2;
  for (const std::string& line : lines) {
    // Text that does not fit is left out; the tooltip has it.
    if (text_width(line, size, Label::Face::mono) <= room)
      scene.items.push_back(Label{x + part / 2, baseline, size, line, ink, Label::Anchor::middle});
    baseline += step;
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

// Dashed frames along the edges of cells, clear of digits: those that meet at an edge are side by side.
void paint_outlines(Scene& scene, const PanelShape& shape, double x, double y) {
  constexpr double inset = 1, outside = 2.5;
  const double right = x + shape.cells_width(), bottom = y + shape.cells_height();
  for (const Grid::Outline& outline : shape.grid->outlines) {
    double left_edge = x + static_cast<double>(outline.from.column) * shape.cell_width + inset,
           top_edge = y + static_cast<double>(outline.from.row) * shape.cell_height + inset;
    double right_edge = left_edge + static_cast<double>(outline.columns) * shape.cell_width - 2 * inset,
           bottom_edge = top_edge + static_cast<double>(outline.rows) * shape.cell_height - 2 * inset;
    // At the edge of the panel, outside of it.
    if (left_edge < x + 2) left_edge = x - outside;
    if (top_edge < y + 2) top_edge = y - outside;
    if (right_edge > right - 2) right_edge = right + outside;
    if (bottom_edge > bottom - 2) bottom_edge = bottom + outside;
    paint_dashed_frame(scene, {left_edge, top_edge, right_edge - left_edge, bottom_edge - top_edge}, outline);
  }
}

void paint_headings(Scene& scene, const PanelShape& shape, double x, double y) {
  const Grid& grid = *shape.grid;
  using Anchor = Label::Anchor;
  const auto put = [&scene](const std::string& text, double at, double baseline, Anchor anchor) {
    if (!text.empty())
      scene.items.push_back(Label{at, baseline, heading_size, text, {Ink::soft}, anchor, Label::Face::sans});
  };
  const std::vector<std::string> columns =
      shape.has_first_labels ? first_labels(grid.column_labels) : grid.column_labels;
  const double left = x - 6 - shape.dots_left - shape.clear, above = y - 5 - shape.dots_top - shape.clear;
  double baseline = above;
  const std::vector<std::string> corner = lines_in(grid.corner);
  if (shape.has_row_labels)
    for (auto line = corner.rbegin(); line != corner.rend(); ++line, baseline -= corner_line)
      put(*line, left, baseline, Anchor::end);
  for (std::size_t c = 0; c < std::min(shape.columns, columns.size()); c += shape.column_label_step) {
    // A heading that spans several cells begins over the first of them.
    const bool one = shape.column_label_step == 1;
    const double at = x + static_cast<double>(c) * shape.cell_width + (one ? shape.cell_width / 2 : 1);
    const double width = text_width(columns[c], heading_size, Label::Face::sans);
    if (!one && at + width > x + shape.cells_width()) break;
    put(columns[c], at, above, one ? Anchor::middle : Anchor::start);
  }
  for (std::size_t r = 0; shape.has_row_labels && r < std::min(shape.rows, grid.row_labels.size());
       r += shape.row_label_step)
    put(grid.row_labels[r], left, y + (static_cast<double>(r) + 0.5) * shape.cell_height + 0.36 * heading_size,
        Anchor::end);
}

// ---- how a pattern continues: "…" after what is drawn, and a dimension line along one period with words beside it

constexpr double dimension_gap = 8, tick = 4, widest_step = 110;

// The room for "…" after columns that continue.
double room_of_dots(const Grid::Repeat& columns) { return columns.period > 0 ? ellipsis_room : 0; }

using Words = std::vector<std::string>;

// Lines beside the dimension line, the first of each level bold; y is the top.
Extent paint_words(Scene& scene, const Words& words, double x, double y, double width) {
  Extent extent;
  for (const std::string& line : words) {
    const bool is_range = line.ends_with(':');
    extent.stack(
        paint_balanced(scene, line, x, y + extent.height, width, heading_size,
                       is_range ? Label::Face::sans_bold : Label::Face::sans, is_range ? Ink::text : Ink::soft),
        0);
  }
  return extent;
}

Extent words_extent(const Words& words, double width = widest_step) {
  Scene measured;
  return paint_words(measured, words, 0, 0, width);
}

// The room of words that are below the cells: a little more than the cells where these are few.
double room_below(const PanelShape& shape) {
  constexpr double least = 190;
  return std::max(shape.cells_width(), least);
}

Words below_words(const Grid& grid, bool is_rows) { return {in_one_line(words_of_repeat(grid, is_rows))}; }

void add_repeats(PanelShape& shape) {
  const Grid& grid = *shape.grid;
  const Grid::Repeat &rows = grid.row_repeat, &columns = grid.column_repeat;
  if (columns.period > 0) {
    shape.right += ellipsis_room;
    const Extent below = words_extent(below_words(grid, false), room_below(shape));
    shape.bottom += dimension_gap + tick + below.height;
    shape.right = std::max(shape.right, below.width - shape.cells_width());
  }
  if (rows.period == 0) return;
  if (!rows.levels.empty() && !rows.is_below)
    shape.right += dimension_gap + tick + words_extent(words_of_repeat(grid, true)).width;
  const Extent below = rows.is_below ? words_extent(below_words(grid, true), room_below(shape)) : Extent();
  shape.bottom += std::max(ellipsis_room, below.height + 2);
  shape.right = std::max(shape.right, below.width - shape.cells_width());
}

void paint_repeats(Scene& scene, const PanelShape& shape, double x, double y) {
  const Grid::Repeat &rows = shape.grid->row_repeat, &columns = shape.grid->column_repeat;
  const Paint soft{Ink::soft};
  const auto rule = [&](double x1, double y1, double x2, double y2) {
    scene.items.push_back(Rule{x1, y1, x2, y2, soft, 1});
  };
  const auto dots = [&](double at_x, double at_y, Label::Anchor anchor) {
    scene.items.push_back(Label{at_x, at_y, heading_size, "…", soft, anchor, Label::Face::sans});
  };
  const double right = x + shape.cells_width(), bottom = y + shape.cells_height();
  if (rows.period > 0) {
    if (rows.is_below) paint_words(scene, below_words(*shape.grid, true), x, bottom + 2, room_below(shape));
    if (!rows.levels.empty() && !rows.is_below) {
      const double at = right + room_of_dots(columns) + shape.arrows_right + dimension_gap;
      const double end = y + static_cast<double>(rows.period) * shape.cell_height;
      rule(at, y, at, end);
      for (const double edge : {y, end}) rule(at - tick, edge, at + tick, edge);
      const Words words = words_of_repeat(*shape.grid, true);
      paint_words(scene, words, at + tick + 2, (y + end - words_extent(words).height) / 2, widest_step);
    }
    if (shape.rows > rows.period) dots(x - 6 - shape.dots_left, bottom + heading_size + 2, Label::Anchor::end);
    if (shape.dots_top > 0) dots(x - 6 - shape.dots_left, y - 4, Label::Anchor::end);
  }
  if (columns.period > 0) {
    const double below = rows.is_below ? words_extent(below_words(*shape.grid, true), room_below(shape)).height + 2 : 0;
    const double at = bottom + (rows.period > 0 ? std::max(ellipsis_room, below) : 0) + dimension_gap;
    const double end = x + static_cast<double>(columns.period) * shape.cell_width;
    rule(x, at, end, at);
    for (const double edge : {x, end}) rule(edge, at - tick, edge, at + tick);
    paint_words(scene, below_words(*shape.grid, false), x, at + tick, room_below(shape));
    if (shape.columns > columns.period) dots(right + ellipsis_room, y - 5 - shape.dots_top, Label::Anchor::end);
    if (shape.dots_left > 0) dots(x - 2, y - 5 - shape.dots_top, Label::Anchor::end);
  }
}

}  // namespace

PanelShape shape_of(const Grid& grid) {
  PanelShape shape;
  shape.grid = &grid;
  shape.rows = grid.squares.size();
  for (const auto& row : grid.squares) shape.columns = std::max(shape.columns, row.size());
  if (shape.is_empty()) return shape;
  shape.text_size = shape.columns <= 32 ? 11 : shape.columns <= 64 ? 10 : 9;
  double roomiest = 0;
  for (const auto& row : grid.squares)
    for (const Grid::Square& square : row) {
      const std::vector<std::string> lines = lines_in(square.text);
      shape.lines = std::max(shape.lines, lines.size());
      const double text = widest_of(lines);
      shape.widest = std::max(shape.widest, text);
      // At most twice as wide: the number in a cell that is cut is in the part that is left.
      roomiest = std::max(roomiest, text / std::max(0.5, 1 - square.outside));
    }
  shape.cell_width = std::max(shape.columns <= 32 ? 20.0 : 12.0, roomiest * shape.text_size + 2 * cell_padding);
  shape.cell_height = static_cast<double>(shape.lines) * shape.text_size * line_spacing + (shape.columns <= 32 ? 7 : 4);
  // A heading that is a little wider than the cells makes room for itself; a longer one spans several.
  const double label = room_of_labels(grid.column_labels, heading_gap);
  if (label > shape.cell_width && label < 2 * shape.cell_width && shape.columns <= 16) shape.cell_width = label;
  return shape;
}

void resize(PanelShape& p, double width, double height, double smallest) {
  p.smallest = smallest;
  const double text_height = static_cast<double>(p.lines) * p.text_size * line_spacing;
  // A dashed frame is along the edges of cells.
  const double frame = p.grid != nullptr && !p.grid->outlines.empty() ? 1 : 0;
  const auto letters = [&](double air) {
    const double shrink = std::min({1.0, (width - 2 * air - frame) / (p.widest * p.text_size), height / text_height});
    return std::floor(p.text_size * shrink * 2) / 2;
  };
  if (p.widest > 0) {
    const auto air = std::ranges::find_if(airs, [&](double tried) { return letters(tried) >= smallest; });
    p.air = air == airs.end() ? 0 : *air;
    p.text_size = air == airs.end() ? 0 : letters(*air);
  }
  if (p.text_size < smallest) p.text_size = 0;
  p.cell_width = width;
  p.cell_height = height;
}

void tighten(PanelShape& shape, double largest) {
  constexpr double least_padding = 2;
  if (shape.text_size > 0) shape.text_size = std::max(shape.smallest, std::min(shape.text_size, largest));
  const double text = static_cast<double>(shape.lines) * shape.text_size * line_spacing;
  if (shape.text_size > 0) shape.cell_height = std::min(shape.cell_height, text + least_padding);
}

void add_headings(PanelShape& shape) {
  if (shape.is_empty()) return;
  const Grid& grid = *shape.grid;
  shape.has_first_labels = false;
  shape.column_label_step = 1;
  if (room_of_labels(grid.column_labels, heading_gap) > shape.cell_width)
    shape.column_label_step =
        std::max<std::size_t>(2, label_step(widest_label(grid.column_labels) + 2, shape.cell_width));
  if (shape.column_label_step > 1) {
    const std::size_t step = label_step(widest_label(first_labels(grid.column_labels)) + 2, shape.cell_width);
    shape.has_first_labels = step < shape.column_label_step;
    shape.column_label_step = step;
  }
  shape.clear = grid.outlines.empty() ? 0 : 4;
  shape.right += shape.clear;
  shape.bottom += shape.clear;
  shape.dots_top = grid.rows_before > 0 && grid.row_repeat.period > 0 ? ellipsis_room - 2 : 0;
  shape.dots_left = grid.columns_before > 0 && grid.column_repeat.period > 0 ? ellipsis_room : 0;
  shape.row_label_step = label_step(heading_size + 1, shape.cell_height);
  const std::vector<std::string> corner = lines_in(grid.corner);
  shape.heading_width = std::max(widest_label(grid.row_labels) + width_of(grid.row_levels), widest_label(corner));
  if (!shape.has_row_labels) shape.heading_width = 0;
  if (grid.row_repeat.period > 0) shape.heading_width = std::max(shape.heading_width, ellipsis_room);
  if (shape.heading_width > 0) shape.heading_width += 6 + shape.dots_left + shape.clear;
  shape.heading_height = grid.column_labels.empty() && grid.corner.empty() ? 0 : heading_size + 6;
  shape.heading_height += corner_line * static_cast<double>(std::max<std::size_t>(corner.size(), 1) - 1);
  shape.heading_height += level_height * static_cast<double>(grid.column_levels.size()) + shape.dots_top + shape.clear;
  for (const Grid::Level& level : grid.column_levels)
    each_heading(level, shape.columns, [&](const std::string& text, std::size_t begin, std::size_t end) {
      const double past =
          text_width(text, heading_size, Label::Face::sans) + 3 - static_cast<double>(end - begin) * shape.cell_width;
      if (end == shape.columns) shape.right = std::max(shape.right, past);
    });
  add_repeats(shape);
  add_arrows(shape);
}

void paint_dashed_frame(Scene& scene, const Frame& frame, const Grid::Outline& open) {
  constexpr double dash = 5, between = 3;
  const auto dashes = [&](double x1, double y1, double x2, double y2) {
    const double length = std::max(x2 - x1, y2 - y1);
    const double across = x2 > x1 ? 1 : 0, down = 1 - across;
    for (double at = 0; at < length; at += dash + between) {
      const double end = std::min(at + dash, length);
      scene.items.push_back(
          Rule{x1 + across * at, y1 + down * at, x1 + across * end, y1 + down * end, {Ink::accent}, 1.75});
    }
  };
  const double right = frame.x + frame.width, bottom = frame.y + frame.height;
  if (!open.is_open_above) dashes(frame.x, frame.y, right, frame.y);
  if (!open.is_open_below) dashes(frame.x, bottom, right, bottom);
  if (!open.is_open_left) dashes(frame.x, frame.y, frame.x, bottom);
  if (!open.is_open_right) dashes(right, frame.y, right, bottom);
}

void paint_panel(Scene& scene, const PanelShape& shape, double x, double y) {
  paint_headings(scene, shape, x, y);
  const auto each = [&](const auto& paint) {
    for (std::size_t r = 0; r < shape.rows; ++r)
      for (std::size_t c = 0; c < shape.grid->squares[r].size(); ++c) {
        const Grid::Square& square = shape.grid->squares[r][c];
        const std::size_t before = scene.items.size();
        paint(scene, shape, square, x + static_cast<double>(c) * shape.cell_width,
              y + static_cast<double>(r) * shape.cell_height);
        if (!has_step(scene, square)) continue;
        for (std::size_t i = before; i < scene.items.size(); ++i)
          std::visit([&](auto& item) { item.step = square.step; }, scene.items[i]);
      }
  };
  scene.items.reserve(scene.items.size() + 3 * shape.rows * shape.columns);  // box, letters, mark
  each(paint_square);
  paint_groups(scene, shape, x, y);
  paint_outlines(scene, shape, x, y);
  paint_levels(scene, shape, x, y);
  paint_marks(scene, shape, x, y);
  paint_repeats(scene, shape, x, y);
  paint_arrows(scene, shape, x, y, room_of_dots(shape.grid->column_repeat));
}

void paint_swatch(Scene& scene, const Grid::Square& square, double x, double y, double size) {
  PanelShape one;
  one.cell_width = one.cell_height = size;
  Grid::Square cell = square;
  if (cell.mark == Mark::colliding) cell.mark = Mark::none;  // as in cells with a tint
  paint_square(scene, one, cell, x, y);
  paint_mark(scene, {x, y, size, size}, square.mark);
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Figures as Scenes: panels with their titles, legend and caption.
//
// A cell is as wide as the widest text of its panel, or to scale if the grid gives the extent of a cell. Panels of one
// row have the same top, those of one column the same left edge, so that the rows of A are beside the rows of C. Text
// that does not fit into its cell is left out of the picture; the tooltip has it.
#include <algorithm>
#include <numeric>
#include <optional>

#include "render/panel.hpp"
#include "render/picture.hpp"

namespace swz {
namespace {

constexpr double panel_gap = 30;
constexpr double row_gap = 22;
constexpr double figure_title_size = 14;
constexpr double narrowest_room = 420;  // for running text under a small figure
constexpr double panel_title_size = 12;
constexpr double narrowest_panel_title = 200, narrowest_below = 115;
// To scale, the cells of a figure are at most this many pixels in either direction.
constexpr double widest_to_scale = 1100;

// Cells to scale: one factor for the whole figure, as large as its longest text needs, within limits.
void scale(std::vector<std::vector<PanelShape>>& panels, double smallest) {
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
      resize(p, width, height, smallest);
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
    paint_swatch(scene, {"", entry.tint, entry.mark, {}, -1, entry.outside}, x + at, top, swatch);
    scene.items.push_back(
        Label{x + at + swatch + 6, top + 11, 11, entry.text, {Ink::text}, Label::Anchor::start, Label::Face::sans});
    extent.width = std::max(extent.width, at + width);
    at += width + between;
  }
  if (!legend.empty()) extent.height += line;
  return extent;
}

// All panels with their sizes, and for each column of panels the room for its headings and its cells.
struct FigureShape {
  std::vector<std::vector<PanelShape>> panels;
  std::vector<double> left, width;
  double narrowest_title = 0;  // a panel's title has at least this room

  double room(std::size_t column) const { return left[column] + width[column]; }
  double title_room(std::size_t column) const { return std::max(room(column), narrowest_title); }
  double total_width() const {
    double total = 0;
    for (std::size_t c = 0; c < width.size(); ++c) total += room(c) + (c > 0 ? panel_gap : 0);
    return total;
  }
};

// Paints the title of a panel; painted into a scene of its own, it is only measured.
Extent paint_panel_title(Scene& scene, const PanelShape& p, double x, double y, double room) {
  return paint_text(scene, p.grid->title, x, y, room, panel_title_size, Label::Face::sans_bold, Ink::text);
}

// Measures headings, and the room that each column of panels needs.
void measure_columns(FigureShape& shape) {
  std::ranges::fill(shape.left, 0);
  std::ranges::fill(shape.width, 0);
  for (auto& row : shape.panels)
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c].right = row[c].bottom = 0;
      add_headings(row[c]);
      shape.left[c] = std::max(shape.left[c], row[c].heading_width);
      shape.width[c] = std::max(shape.width[c], row[c].width());
    }
}

// Makes cells narrower until the panels beside each other fit the room, or wider if it is to be filled. Panels that are
// one below the other, and are not to scale, are each as wide as possible.
void fit(FigureShape& shape, const Room& room) {
  const double total = shape.total_width();
  if (total <= room.width && !room.is_filled) return;
  std::vector<double> widest(shape.width.size());
  for (const auto& row : shape.panels)
    for (std::size_t c = 0; c < row.size(); ++c) widest[c] = std::max(widest[c], row[c].cells_width());
  const double cells = std::accumulate(widest.begin(), widest.end(), 0.0);
  if (cells == 0) return;
  constexpr double narrowest_cell = 1.5, most = 2;
  const double common = std::min(most, (room.width - (total - cells)) / cells);
  const auto factor_of = [&](const PanelShape& p, std::size_t c) {
    if (p.grid->cell_columns > 0) return common;
    if (shape.width.size() == 1)
      return std::min(room.is_filled ? most : 1, (room.width - shape.left.front() - p.right) / p.cells_width());
    // A narrow panel above or below a wide one keeps its cells as far as it has room.
    return common > 1 ? common : std::min(1.0, common * widest[c] / p.cells_width());
  };
  for (auto& row : shape.panels)
    for (std::size_t c = 0; c < row.size(); ++c) {
      PanelShape& p = row[c];
      if (p.is_empty()) continue;
      const bool keeps_shape = p.grid->cell_columns > 0;
      const double width = std::max(narrowest_cell, p.cell_width * factor_of(p, c));
      const double height = keeps_shape || p.widest == 0 ? p.cell_height * width / p.cell_width : p.cell_height;
      const double letters = p.text_size;
      resize(p, width, height, room.smallest_letters);
      if (!keeps_shape && p.text_size > 0) p.cell_height *= p.text_size / letters;
      // Without letters, a cell can be lower than they are.
      if (p.text_size == 0 && !keeps_shape) p.cell_height = std::min(p.cell_height, std::max(width, 4.0));
    }
  measure_columns(shape);
}

// Measures titles. A title wraps at the width of its column; a longer word makes the column wider.
void measure_titles(FigureShape& shape) {
  for (auto& row : shape.panels)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (row[c].is_empty() || row[c].grid->title.empty()) continue;
      if (!row[c].grid->below.empty()) shape.width[c] = std::max(shape.width[c], narrowest_below - shape.left[c]);
      Scene measured;
      const Extent title = paint_panel_title(measured, row[c], 0, 0, shape.title_room(c));
      shape.width[c] = std::max(shape.width[c], title.width - shape.left[c]);
      row[c].title_height = title.height + 4;
    }
}

FigureShape shape_of(const Figure& figure, const Room& room) {
  FigureShape shape;
  std::size_t columns = 0;
  for (const auto& row : figure.panels) {
    shape.panels.emplace_back();
    for (const Grid& grid : row) shape.panels.back().push_back(shape_of(grid));
    columns = std::max(columns, row.size());
  }
  scale(shape.panels, room.smallest_letters);
  shape.left.resize(columns);
  shape.width.resize(columns);
  measure_columns(shape);
  fit(shape, room);
  const double wanted = columns == 1 ? narrowest_room : narrowest_panel_title;
  shape.narrowest_title =
      std::min(wanted, room.width / static_cast<double>(std::max<std::size_t>(columns, 1)) - panel_gap);
  measure_titles(shape);
  // The columns became too wide because of the titles: these are wrapped into more lines.
  if (shape.total_width() > room.width && columns > 1) {
    shape.narrowest_title = 0;
    measure_columns(shape);
    measure_titles(shape);
  }
  return shape;
}

std::vector<Figure> rows_of(const Figure& figure) {
  std::vector<Figure> rows;
  for (const std::vector<Grid>& panels : figure.panels) {
    rows.emplace_back();
    rows.back().panels.push_back(panels);
    rows.back().has_stages = true;
  }
  return rows;
}

bool keeps_letters(const FigureShape& shape) {
  const auto is_readable = [](const PanelShape& p) { return p.widest == 0 || p.text_size > 0; };
  return std::ranges::all_of(shape.panels, [&](const auto& row) { return std::ranges::all_of(row, is_readable); });
}

// Whether the figure keeps its letters in this room.
bool fits(const Figure& figure, const Room& room) {
  const FigureShape shape = shape_of(figure, room);
  constexpr double rounding = 0.01;
  return shape.total_width() <= room.width + rounding && keeps_letters(shape);
}

std::vector<Grid*> panels_of(Figure& figure) {
  std::vector<Grid*> panels;
  for (auto& row : figure.panels)
    for (Grid& grid : row)
      if (!grid.squares.empty()) panels.push_back(&grid);
  return panels;
}

// "T12 V3" on two lines, and "127,56" broken after its comma; text that has lines keeps them.
void stack_words(std::string& text) {
  if (text.find('\n') != std::string::npos) return;
  if (text.find(' ') != std::string::npos) std::ranges::replace(text, ' ', '\n');
  else if (const std::size_t comma = text.find(','); comma != std::string::npos) text.insert(comma + 1, "\n");
}

// The figure with narrower cells, and with a narrower corner, "mode 0\1", if no levels of headings are beside it.
Figure with_words_stacked(Figure figure) {
  for (Grid* grid : panels_of(figure)) {
    if (grid->row_levels.empty() && grid->column_levels.empty()) std::ranges::replace(grid->corner, ' ', '\n');
    for (auto& row : grid->squares)
      for (Grid::Square& square : row) stack_words(square.text);
  }
  return figure;
}

Figure with_panels_stacked(Figure figure) {
  std::vector<std::vector<Grid>> rows;
  for (Grid* grid : panels_of(figure)) rows.push_back({std::move(*grid)});
  figure.panels = std::move(rows);
  return figure;
}

// Each grid in `pieces` one below the other, with the same number of columns each; none if that would split a pattern,
// or would be too high.
std::optional<Figure> with_columns_wrapped(const Figure& figure, std::size_t pieces) {
  constexpr std::size_t usual_columns = 8, most_rows = 48;  // of all pieces
  Figure wrapped = figure;
  wrapped.panels.clear();
  for (const Grid& grid : figure.panels.front()) {
    const std::size_t rows = grid.squares.size(), columns = rows == 0 ? 0 : grid.squares.front().size();
    const auto is_whole = [columns](const auto& row) { return row.size() == columns; };
    const std::size_t fewest = rows == 1 ? 1 : usual_columns;
    if (columns % pieces != 0 || columns < pieces * fewest || pieces * rows > most_rows || !grid.arrows.empty() ||
        grid.column_repeat.period > 0 || !std::ranges::all_of(grid.squares, is_whole))
      return {};
    const DrawnRange all{0, static_cast<std::int64_t>(rows)};
    for (std::size_t i = 0; i < pieces; ++i) {
      const auto at = [&](std::size_t piece) { return static_cast<std::int64_t>(piece * columns / pieces); };
      Figure piece = part_of(figure_of(grid), {.rows = all, .columns = DrawnRange{at(i), at(i + 1)}});
      if (i > 0) piece.panels[0][0].title.clear();
      wrapped.panels.push_back(std::move(piece.panels[0]));
    }
  }
  return wrapped;
}

bool is_to_scale(const Figure& figure) {
  const auto is_grid = [](const Grid& grid) { return grid.cell_columns > 0; };
  return std::ranges::any_of(figure.panels, [&](const auto& row) { return std::ranges::any_of(row, is_grid); });
}

// Chooses the first of these that keeps the letters: as it is, panels of one row one below the other, the words of a
// cell one below the other, both, the columns of a grid one below the other. Panels to scale stay in place. Returns
// false if none does; then the figure is unchanged.
bool make_readable(Figure& figure, const Room& room) {
  if (fits(figure, room)) return true;
  if (is_to_scale(figure)) return false;
  const bool is_one_row = figure.panels.size() == 1;
  const Figure words = with_words_stacked(figure);
  std::vector<Figure> ways;
  if (is_one_row && !figure.has_stages) ways.push_back(with_panels_stacked(figure));
  ways.push_back(words);
  ways.push_back(with_panels_stacked(words));
  for (std::size_t pieces = 2; pieces <= 8 && is_one_row; pieces *= 2)
    if (auto wrapped = with_columns_wrapped(words, pieces)) ways.push_back(std::move(*wrapped));
  const auto found = std::ranges::find_if(ways, [&](const Figure& way) { return fits(way, room); });
  if (found == ways.end()) return false;
  figure = std::move(*found);
  return true;
}

double top_of(const std::vector<PanelShape>& row) {
  double top = 0;
  for (const PanelShape& p : row) top = std::max(top, p.top());
  return top;
}

// Where a panel was painted: its left edge with headings, what is under it, and the middle of its first
// highlighted square, if it has one.
struct PaintedPanel {
  double left = 0, bottom = 0;
  double cells_right = 0;
  std::optional<double> x = {}, y = {};
};

// (x, y) is the first cell.
void find_highlighted(PaintedPanel& out, const PanelShape& p, double x, double y) {
  for (std::size_t r = 0; r < p.rows && !out.x; ++r)
    for (std::size_t c = 0; c < p.grid->squares[r].size() && !out.x; ++c) {
      if (p.grid->squares[r][c].mark != Mark::highlighted) continue;
      out.x = x + (static_cast<double>(c) + 0.5) * p.cell_width;
      out.y = y + (static_cast<double>(r) + 0.5) * p.cell_height;
    }
}

constexpr double below_gap = 4, below_size = 10;

// Returns the height of the row; appends its panels to `painted`. Panels of stages have their titles at one height.
double paint_row(Scene& scene, const FigureShape& shape, std::size_t row, double x, double y,
                 std::vector<PaintedPanel>* painted = nullptr) {
  const double top = top_of(shape.panels[row]);
  double bottom = 0;
  for (std::size_t c = 0; c < shape.panels[row].size(); ++c) {
    const PanelShape& p = shape.panels[row][c];
    if (!p.is_empty()) {
      paint_panel_title(scene, p, x, painted != nullptr ? y : y + top - p.top(), shape.title_room(c));
      paint_panel(scene, p, x + shape.left[c], y + top);
      double height = p.height();
      if (!p.grid->below.empty())
        height += below_gap + paint_text(scene, p.grid->below, x, y + top + height + below_gap, shape.room(c) + 8,
                                         below_size, Label::Face::sans, Ink::soft)
                                  .height;
      bottom = std::max(bottom, height);
      if (painted != nullptr) {
        painted->push_back({x, y + top + height, x + shape.left[c] + p.width()});
        find_highlighted(painted->back(), p, x + shape.left[c], y + top);
      }
    }
    x += shape.room(c) + panel_gap;
  }
  return top + bottom;
}

// ---- stages: each row of panels by itself, and arrows between their highlighted squares

void paint_head(Scene& scene, double x, double y, double dx, double dy) {
  constexpr double length = 6, half = 3, line = 1.5;
  for (const double side : {-half, half})
    scene.items.push_back(Rule{x, y, x - dx * length + dy * side, y - dy * length + dx * side, {Ink::accent}, line});
}

// An arrow leads from the row of the highlighted square of one panel to that of the next: from its right to the left of
// the other, between rows of panels along the gap.
void paint_way(Scene& scene, const std::vector<std::vector<PaintedPanel>>& rows, const std::vector<double>& gaps) {
  constexpr double line = 1.5, distance = 3;
  const auto draw = [&](double x1, double y1, double x2, double y2) {
    scene.items.push_back(Rule{x1, y1, x2, y2, {Ink::accent}, line});
  };
  const PaintedPanel* last = nullptr;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const PaintedPanel& at = rows[r][i];
      if (!at.y) continue;
      if (last != nullptr && i > 0) {
        const double to = at.left - distance, turn = to - 3 * distance;
        draw(last->cells_right + distance, *last->y, turn, *last->y);
        draw(turn, *last->y, turn, *at.y);
        draw(turn, *at.y, to, *at.y);
        paint_head(scene, to, *at.y, 1, 0);
      } else if (last != nullptr) {
        // Out below the square, and in at the left of the row.
        const double in = at.left - 2 * distance;
        if (in < 0) {  // no room beside the panels: only down
          draw(*last->x, last->bottom + distance, *last->x, gaps[r] + distance);
          paint_head(scene, *last->x, gaps[r] + distance, 0, 1);
          last = &at;
          continue;
        }
        draw(*last->x, last->bottom + distance, *last->x, gaps[r]);
        draw(*last->x, gaps[r], in, gaps[r]);
        draw(in, gaps[r], in, *at.y);
        draw(in, *at.y, at.left - 1, *at.y);
        paint_head(scene, at.left - 1, *at.y, 1, 0);
      }
      last = &at;
    }
}

Extent paint_stages(Scene& scene, const Figure& figure, double x, double y, const Room& room) {
  constexpr double gap = row_gap + 6;
  Extent extent;
  std::vector<std::vector<PaintedPanel>> painted;
  std::vector<double> gaps;
  for (const Figure& row : rows_of(figure)) {
    const FigureShape shape = shape_of(row, room);
    if (!painted.empty()) extent.height += gap;
    gaps.push_back(y + extent.height - gap / 2 - 2);
    extent.height += paint_row(scene, shape, 0, x, y + extent.height, &painted.emplace_back());
    extent.width = std::max(extent.width, shape.total_width());
  }
  paint_way(scene, painted, gaps);
  return extent;
}

// Of cells with several lines the first: what comes below it is in their tooltips.
Figure with_first_lines(Figure figure) {
  for (Grid* grid : panels_of(figure))
    for (auto& row : grid->squares)
      for (Grid::Square& square : row) square.text.resize(std::min(square.text.size(), square.text.find('\n')));
  return figure;
}

Figure without_arrows(Figure figure) {
  for (Grid* grid : panels_of(figure)) grid->arrows.clear();
  return figure;
}

// The stages one below the other, without those that can be left out, and without what costs letters.
std::vector<Figure> narrow_stages(Figure figure, const DrawnPart& part, const Room& room) {
  for (auto& row : figure.panels) std::erase_if(row, [](const Grid& grid) { return grid.is_optional; });
  for (Grid* grid : panels_of(figure)) grid->below.resize(std::min(grid->below.size(), grid->below.find('\n')));
  std::vector<Figure> stages = rows_of(with_panels_stacked(std::move(figure)));
  const auto is_fit = [&](const Figure& way) { return fits(part_of(way, part), room); };
  for (Figure& stage : stages) {
    if (!is_fit(stage)) stage = without_arrows(std::move(stage));
    if (!is_fit(stage)) stage = with_first_lines(std::move(stage));
  }
  return stages;
}

Figure arranged_stages(const Figure& figure, const DrawnPart& part, const Room& room) {
  constexpr double narrow = 520;
  Figure arranged = figure;
  arranged.panels.clear();
  for (Figure& row : room.width < narrow ? narrow_stages(figure, part, room) : rows_of(figure)) {
    row.steps = figure.steps;
    for (std::vector<Grid>& panels : arranged_part(row, part, room).panels)
      arranged.panels.push_back(std::move(panels));
  }
  return arranged;
}

// One entry below the other, as a legend without any room beside it is painted.
Extent legend_column(const Figure& figure) {
  Scene measured;
  return paint_legend(measured, figure.legend, 0, 0, 0);
}

// Whether an upper left place without a panel, as with A, B and D, has room for the legend.
bool has_legend_in_corner(const FigureShape& shape, const Figure& figure) {
  const bool is_free = shape.panels.size() > 1 && shape.panels.front().size() > 1 &&
                       shape.panels.front().front().is_empty() && !figure.legend.empty();
  if (!is_free) return false;
  double height = 0;
  for (const PanelShape& p : shape.panels.front()) height = std::max(height, p.height());
  const Extent legend = legend_column(figure);
  return legend.width <= shape.room(0) && legend.height <= height;
}

// The room that a legend at the right leaves for the panels; none if such a legend is not asked for, or if the panels
// would lose their letters.
std::optional<Room> room_beside_legend(const Figure& figure, const Room& given) {
  if (!given.has_legend_beside || figure.legend.empty() || figure.panels.empty()) return {};
  Room room = given;
  room.width -= panel_gap + legend_column(figure).width;
  return fits(figure, room) ? std::optional(room) : std::nullopt;
}

}  // namespace

Figure figure_of(const Grid& grid) {
  Figure figure;
  figure.panels.push_back({grid});
  return figure;
}

Figure arranged_part(const Figure& figure, const DrawnPart& part, const Room& room) {
  if (figure.has_stages && figure.panels.size() > 1) return arranged_stages(figure, part, room);
  Figure usual = part_of(figure, part);
  if (make_readable(usual, room)) return usual;
  for (std::size_t fewest = part.fewest_columns / 2; fewest >= 4 && !part.is_whole && !part.columns; fewest /= 2) {
    Figure shorter = part_of(figure, {part.rows, {}, false, fewest});
    if (make_readable(shorter, room)) return shorter;
  }
  return usual.panels.size() == 1 && !is_to_scale(usual) ? with_panels_stacked(std::move(usual)) : usual;
}

Extent paint_figure(Scene& scene, const Figure& figure, double x, double y, const Room& given) {
  const std::optional<Room> beside = room_beside_legend(figure, given);
  const FigureShape shape = shape_of(figure, beside.value_or(given));
  Extent extent{figure.has_stages ? 0 : shape.total_width(), 0};
  const Extent column = beside ? legend_column(figure) : Extent();
  if (beside) extent.width += panel_gap + column.width;
  const auto room = [&] { return std::min(given.width, std::max(extent.width, narrowest_room)); };
  if (!figure.title.empty())
    extent.stack(paint_text(scene, figure.title, x, y, room(), figure_title_size, Label::Face::sans_bold, Ink::text),
                 6);
  const double top = extent.height;
  if (figure.has_stages) extent.stack(paint_stages(scene, figure, x, y + top, given), 0);
  else
    for (std::size_t r = 0; r < shape.panels.size(); ++r) {
      if (r > 0) extent.height += row_gap;
      extent.height += paint_row(scene, shape, r, x, y + extent.height);
    }
  const double width = room();
  if (beside) {
    const double first_cell = top + top_of(shape.panels.front());
    paint_legend(scene, figure.legend, x + extent.width - column.width, y + first_cell, 0);
    extent.height = std::max(extent.height, first_cell + column.height);
  } else if (has_legend_in_corner(shape, figure))
    paint_legend(scene, figure.legend, x, y + top + top_of(shape.panels.front()), 0);
  else if (!figure.legend.empty()) extent.stack(paint_legend(scene, figure.legend, x, y + extent.height + 8, width), 8);
  if (!figure.caption.empty()) {
    const bool has_letters =
        figure.has_stages ? std::ranges::all_of(rows_of(figure),
                                                [&](const Figure& row) { return keeps_letters(shape_of(row, given)); })
                          : keeps_letters(shape);
    const std::string caption = figure.caption + (has_letters ? "" : "\nThe cells are too small for what they show.");
    extent.stack(paint_text(scene, caption, x, y + extent.height + 6, width, 11, Label::Face::sans, Ink::soft), 6);
  }
  return extent;
}

}  // namespace swz

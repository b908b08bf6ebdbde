// SPDX-License-Identifier: Apache-2.0
// Figures as Scenes: panels with their titles, legend and caption.
//
// A cell is as wide as the widest text of its panel, or to scale if the grid gives the extent of a cell. Panels of one
// row have the same top, those of one column the same left edge, so that the rows of A are beside the rows of C. Text
// that does not fit into its cell is left out of the picture; the tooltip has it.
#include <algorithm>
#include <numeric>
#include <optional>

#include "render/figure_shape.hpp"

namespace swz {
namespace {

constexpr double strip_gap = 10;  // before a row of panels without titles
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

// The title, "colour: k", is before the entries, or above them in a column.
Extent paint_legend(Scene& scene, const Figure& figure, double x, double y, double room) {
  constexpr double swatch = 14, line = 22, between = 18, letters = 11;
  const std::vector<LegendEntry>& legend = figure.legend;
  Extent extent;
  double at = 0;
  if (!legend.empty() && !figure.legend_title.empty()) {
    scene.items.push_back(
        Label{x, y + letters + 3, letters, figure.legend_title, {Ink::soft}, Label::Anchor::start, Label::Face::sans});
    extent.width = at = text_width(figure.legend_title, letters, Label::Face::sans);
    at += between - swatch / 2;
  }
  for (const LegendEntry& entry : legend) {
    const double text_at = swatch + 6;
    const double width = text_at + text_width(entry.text, letters, Label::Face::sans);
    if (at > 0 && at + width > room) {
      at = 0;
      extent.height += line;
    }
    const double top = y + extent.height + 3;
    if (entry.is_dashed) paint_dashed_frame(scene, {x + at, top, swatch, swatch});
    else paint_swatch(scene, {"", entry.tint, entry.mark, {}, -1, entry.outside}, x + at, top, swatch);
    const double least = 100;  // room for a text, however little there is
    const Extent text =
        paint_text(scene, entry.text, x + at + text_at, top, room > 0 ? std::max(least, room - at - text_at) : 1e9,
                   letters, Label::Face::sans, Ink::text);
    extent.height += std::max(0.0, text.height - letters * 1.35);
    if (room > 0 && at + width > room) {
      extent.width = std::max(extent.width, at + text_at + text.width);
      at = room;
      continue;
    }
    extent.width = std::max(extent.width, at + width);
    at += width + between;
  }
  if (!legend.empty()) extent.height += line;
  return extent;
}

// Paints the title of a panel; painted into a scene of its own, it is only measured.
Extent paint_panel_title(Scene& scene, const PanelShape& p, double x, double y, double room) {
  return paint_balanced(scene, p.grid->title, x, y, room, panel_title_size, Label::Face::sans_bold, Ink::text);
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

// Panels beside each other whose rows are the same ones have rows of one height.
void align_rows(FigureShape& shape) {
  for (auto& row : shape.panels)
    for (PanelShape& p : row)
      for (const PanelShape& other : row)
        if (p.rows == other.rows && p.grid->cell_rows == 0 && other.grid->cell_rows == 0 && p.text_size > 0 &&
            other.text_size > 0)
          p.cell_height = std::max(p.cell_height, other.cell_height);
}

double top_of(const std::vector<PanelShape>& row) {
  double top = 0;
  for (const PanelShape& p : row) top = std::max(top, p.top());
  return top;
}

double gap_before(const std::vector<PanelShape>& row) {
  return std::ranges::any_of(row, [](const PanelShape& p) { return p.title_height > 0; }) ? row_gap : strip_gap;
}

double height_of(const FigureShape& shape) {
  double height = 0;
  for (const auto& row : shape.panels) {
    double cells = 0;
    for (const PanelShape& p : row)
      if (!p.is_empty()) cells = std::max(cells, p.height());
    height += (height > 0 ? gap_before(row) : 0) + top_of(row) + cells;
  }
  return height;
}

// Without the height of the texts around the panels.
double room_of_panels(const Figure& figure, double width, const Room& room) {
  Scene measured;
  const double across = std::min(room.width, std::max(width, narrowest_room));
  double texts =
      paint_text(measured, figure.title, 0, 0, across, figure_title_size, Label::Face::sans_bold, Ink::text).height;
  if (!figure.legend.empty()) texts += paint_legend(measured, figure, 0, 0, across).height + 8;
  texts += paint_text(measured, figure.caption, 0, 0, across, 11, Label::Face::sans, Ink::soft).height + 6;
  return room.most_height - texts;
}

FigureShape usual_shape_of(const Figure& figure, const Room& room) {
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
  align_rows(shape);
  measure_columns(shape);
  const double wanted = columns == 1 ? narrowest_room : narrowest_panel_title;
  shape.narrowest_title =
      std::min(wanted, room.width / static_cast<double>(std::max<std::size_t>(columns, 1)) - panel_gap);
  measure_titles(shape);
  // The columns became too wide because of the titles: these are wrapped into more lines, as few as possible.
  constexpr double title_step = 20;
  while (shape.total_width() > room.width && columns > 1 && shape.narrowest_title > 0) {
    shape.narrowest_title = std::max(0.0, shape.narrowest_title - title_step);
    measure_columns(shape);
    measure_titles(shape);
  }
  return shape;
}

bool is_too_high(const Figure& figure, const FigureShape& shape, const Room& room) {
  return room.most_height > 0 && height_of(shape) > room_of_panels(figure, shape.total_width(), room);
}

}  // namespace

// With lower cells if it would be too high, and then with smaller letters.
FigureShape shape_of(const Figure& figure, const Room& room) {
  constexpr double largest_letters = 11, step = 0.5;
  FigureShape shape = usual_shape_of(figure, room);
  for (double letters = largest_letters; letters >= room.smallest_letters; letters -= step) {
    if (!is_too_high(figure, shape, room)) break;
    for (auto& row : shape.panels)
      for (PanelShape& p : row)
        if (!p.is_empty() && p.grid->cell_columns == 0) tighten(p, letters);
    align_rows(shape);
    measure_columns(shape);
    measure_titles(shape);
  }
  return shape;
}

bool keeps_letters(const FigureShape& shape) {
  const auto is_readable = [](const PanelShape& p) { return p.widest == 0 || p.text_size > 0; };
  return std::ranges::all_of(shape.panels, [&](const auto& row) { return std::ranges::all_of(row, is_readable); });
}

namespace {

// Whether the figure keeps its letters in this room, and how much higher than the room it is.
struct Fit {
  bool is_readable = false;
  double too_high = 0;

  bool holds() const { return is_readable && too_high <= 0; }
};

Fit fit_of(const Figure& figure, const Room& room) {
  const FigureShape shape = shape_of(figure, room);
  constexpr double rounding = 0.01;
  const bool is_readable = shape.total_width() <= room.width + rounding && keeps_letters(shape);
  if (room.most_height == 0) return {is_readable};
  return {is_readable, height_of(shape) - room_of_panels(figure, shape.total_width(), room)};
}

}  // namespace

bool fits(const Figure& figure, const Room& room) { return fit_of(figure, room).holds(); }

std::vector<Grid*> panels_of(Figure& figure) {
  std::vector<Grid*> panels;
  for (auto& row : figure.panels)
    for (Grid& grid : row)
      if (!grid.squares.empty()) panels.push_back(&grid);
  return panels;
}

namespace {

// "T12 V3" on two lines, and "127,56" broken after its comma; text that has lines keeps them.
void stack_words(std::string& text) {
  if (text.find('\n') != std::string::npos) return;
  if (text.find(' ') != std::string::npos) std::ranges::replace(text, ' ', '\n');
  else if (const std::size_t comma = text.find(','); comma != std::string::npos) text.insert(comma + 1, "\n");
}

// "dims[0] 4096, dims[1] 8192" on two lines: after the comma nearest to its middle.
void break_in_half(std::string& text) {
  if (text.find('\n') != std::string::npos) return;
  const auto from_middle = [&](std::size_t at) {
    const std::size_t middle = text.size() / 2;
    return at > middle ? at - middle : middle - at;
  };
  std::size_t best = std::string::npos;
  for (std::size_t at = text.find(", "); at != std::string::npos; at = text.find(", ", at + 1))
    if (best == std::string::npos || from_middle(at) < from_middle(best)) best = at;
  if (best != std::string::npos) text[best + 1] = '\n';
}

// The figure with narrower cells, and with a narrower corner, "mode 0\1", if no levels of headings are beside it.
Figure with_words_stacked(Figure figure) {
  for (Grid* grid : panels_of(figure)) {
    if (grid->row_levels.empty() && grid->column_levels.empty()) std::ranges::replace(grid->corner, ' ', '\n');
    for (auto& row : grid->squares)
      for (Grid::Square& square : row) stack_words(square.text);
    // "k step +32 B" becomes "k step" above "+32 B", and "copy 1 → 0x4000" likewise.
    for (Grid::Arrow& arrow : grid->arrows) {
      constexpr std::string_view to = " → ";
      if (const std::size_t at = arrow.text.find(to); at != std::string::npos) arrow.text[at] = '\n';
      if (arrow.kind == Grid::Arrow::Kind::call_out) break_in_half(arrow.text);
      const bool is_vertical = arrow.from.row != arrow.to.row && arrow.kind != Grid::Arrow::Kind::move;
      const std::size_t sign = arrow.text.find('+'),
                        number = sign != std::string::npos ? sign : arrow.text.find_first_of("0123456789");
      if (is_vertical && number != std::string::npos && number > 1 && arrow.text[number - 1] == ' ')
        arrow.text[number - 1] = '\n';
    }
  }
  return figure;
}

}  // namespace

Figure with_panels_stacked(Figure figure) {
  std::vector<std::vector<Grid>> rows;
  for (Grid* grid : panels_of(figure)) rows.push_back({std::move(*grid)});
  figure.panels = std::move(rows);
  return figure;
}

namespace {

// The columns of a grid in `pieces` strips, one below the other; none if they would be too narrow. Of columns that
// repeat, the last strip says so.
std::optional<std::vector<Grid>> strips_of(const Grid& grid, std::size_t pieces) {
  constexpr std::size_t fewest_columns = 4, usual_unit = 8;
  const std::size_t rows = grid.squares.size(), all = rows == 0 ? 0 : grid.squares.front().size();
  const std::size_t columns = grid.column_repeat.period > 0 ? grid.column_repeat.period : all;
  const auto is_whole = [all](const auto& row) { return row.empty() || row.size() == all; };  // or "…"
  const std::size_t unit = columns / pieces >= usual_unit ? usual_unit : fewest_columns;
  const std::size_t width = (columns + pieces * unit - 1) / (pieces * unit) * unit;
  if (pieces < 2 || width * (pieces - 1) >= columns || grid.columns_before > 0 ||
      std::ranges::any_of(grid.arrows, [](const Grid::Arrow& a) { return a.from.column != a.to.column; }) ||
      !std::ranges::all_of(grid.squares, is_whole))
    return {};
  std::vector<Grid> strips;
  for (std::size_t begin = 0; begin < columns; begin += width) {
    const bool is_last = begin + width >= columns;
    const DrawnRange range{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(is_last ? all : begin + width)};
    Figure piece = part_of(figure_of(grid), {.rows = DrawnRange{0, static_cast<std::int64_t>(rows)}, .columns = range});
    Grid& strip = strips.emplace_back(std::move(piece.panels[0][0]));
    if (begin > 0) strip.title.clear(), strip.corner.clear();
    if (!is_last) strip.column_repeat = {};
    else if (strip.column_repeat.period > 0)
      strip.column_repeat.period = columns - begin, strip.column_repeat.is_of_all = true;
  }
  return strips;
}

// Grids that lose their letters in strips, each with as few as possible, and all panels one below the other.
std::optional<Figure> with_columns_cut(const Figure& figure, Room room) {
  constexpr std::size_t most_pieces = 8;
  room.most_height = 0;
  Figure cut = figure;
  cut.panels.clear();
  for (const Grid& grid : figure.panels.front()) {
    if (fits(figure_of(grid), room)) {
      cut.panels.push_back({grid});
      continue;
    }
    std::optional<std::vector<Grid>> strips;
    for (std::size_t pieces = 2; pieces <= most_pieces; ++pieces) {
      strips = strips_of(grid, pieces);
      if (strips && std::ranges::all_of(*strips, [&](const Grid& s) { return fits(figure_of(s), room); })) break;
      strips.reset();
    }
    if (!strips) return {};
    for (Grid& strip : *strips) cut.panels.push_back({std::move(strip)});
  }
  return cut;
}

// Panels of one row in rows of two; none for two.
std::optional<Figure> with_panels_in_pairs(const Figure& figure) {
  if (figure.panels.size() != 1 || figure.panels.front().size() < 3) return {};
  Figure pairs = figure;
  pairs.panels.clear();
  for (const Grid& grid : figure.panels.front()) {
    if (pairs.panels.empty() || pairs.panels.back().size() == 2) pairs.panels.emplace_back();
    pairs.panels.back().push_back(grid);
  }
  return pairs;
}

bool is_to_scale(const Figure& figure) {
  const auto is_grid = [](const Grid& grid) { return grid.cell_columns > 0; };
  return std::ranges::any_of(figure.panels, [&](const auto& row) { return std::ranges::any_of(row, is_grid); });
}

// With more squares than this no arrangement gives room for letters.
constexpr std::size_t most_arranged = 16384;

std::size_t square_count(const Figure& figure) {
  std::size_t count = 0;
  for (const auto& row : figure.panels)
    for (const Grid& grid : row)
      for (const auto& squares : grid.squares) count += squares.size();
  return count;
}

// The ways to arrange a figure: as it is, panels of one row one below the other, the words of a cell one below the
// other, both, the columns of a grid in strips. Panels to scale stay in place. Calls `visit` with each until it returns
// true.
template <class Visit>
bool each_way(const Figure& figure, const Room& room, Visit visit) {
  if (visit(figure)) return true;
  if (is_to_scale(figure) || square_count(figure) > most_arranged) return false;
  const bool is_one_row = figure.panels.size() == 1;
  if (const auto pairs = with_panels_in_pairs(figure); pairs && !figure.has_stages && visit(*pairs)) return true;
  if (!figure.has_stages && visit(with_panels_stacked(figure))) return true;
  const Figure words = with_words_stacked(figure);
  if (visit(words) || visit(with_panels_stacked(words))) return true;
  for (const Figure* wide : {&words, &figure})
    if (const auto cut = is_one_row ? with_columns_cut(*wide, room) : std::nullopt; cut && visit(*cut)) return true;
  return false;
}

// What may be drawn, the most first: one period, the shortest one, with fewer columns, with fewer rows.
std::vector<DrawnPart> parts_of(const DrawnPart& part, const Room& room) {
  std::vector<DrawnPart> parts{part};
  if (part.is_whole) return parts;
  DrawnPart less = part;
  less.is_short = true;
  parts.push_back(less);
  for (less.fewest_columns = part.fewest_columns / 2; less.fewest_columns >= 4 && !part.columns;
       less.fewest_columns /= 2)
    parts.push_back(less);
  if (room.most_height == 0 || part.rows) return parts;
  for (const std::size_t rows : {16, 12, 10, 8, 6, 5, 4})
    for (const std::size_t columns : {part.fewest_columns, part.fewest_columns / 2})
      for (const bool is_below : {false, true}) {
        less.fewest_columns = columns;
        less.most_rows = rows;
        less.has_times_below = is_below;
        parts.push_back(less);
      }
  return parts;
}

// (x, y) is the first cell.
void find_highlighted(PaintedPanel& out, const PanelShape& p, double x, double y) {
  for (std::size_t r = 0; r < p.rows && !out.x; ++r)
    for (std::size_t c = 0; c < p.grid->squares[r].size() && !out.x; ++c) {
      if (p.grid->squares[r][c].mark != Mark::highlighted) continue;
      out.x = x + (static_cast<double>(c) + 0.5) * p.cell_width;
      out.y = y + (static_cast<double>(r) + 0.5) * p.cell_height;
    }
}

}  // namespace

double paint_row(Scene& scene, const FigureShape& shape, std::size_t row, double x, double y,
                 std::vector<PaintedPanel>* painted) {
  constexpr double below_gap = 4, below_size = 10;
  const double top = top_of(shape.panels[row]);
  double bottom = 0;
  for (std::size_t c = 0; c < shape.panels[row].size(); ++c) {
    const PanelShape& p = shape.panels[row][c];
    if (!p.is_empty()) {
      paint_panel_title(scene, p, x, painted != nullptr ? y : y + top - p.top(), shape.title_room(c));
      paint_panel(scene, p, x + shape.left[c], y + top);
      double height = p.height();
      if (!p.grid->below.empty())
        height += below_gap + paint_text(scene, p.grid->below, x, y + top + height + below_gap,
                                         shape.room(c) + (shape.width.size() > 1 ? 8 : 0), below_size,
                                         Label::Face::sans, Ink::soft)
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

namespace {

// One entry below the other, as a legend without any room beside it is painted.
Extent legend_column(const Figure& figure) {
  Scene measured;
  return paint_legend(measured, figure, 0, 0, 0);
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

namespace {

bool is_extent(const Grid::Arrow& arrow) { return arrow.kind == Grid::Arrow::Kind::extent; }

bool has_extents(const Figure& figure) {
  return std::ranges::any_of(figure.panels, [](const auto& row) {
    return std::ranges::any_of(row, [](const Grid& grid) { return std::ranges::any_of(grid.arrows, is_extent); });
  });
}

Figure without_extents(Figure figure) {
  for (Grid* grid : panels_of(figure)) std::erase_if(grid->arrows, is_extent);
  return figure;
}

}  // namespace

// Where nothing fits with its extents, they are left out.
Figure arranged_part(const Figure& figure, const DrawnPart& part, const Room& room) {
  if (figure.has_stages && figure.panels.size() > 1) return arranged_stages(figure, part, room);
  std::optional<Figure> best;
  double least = 0;
  for (const DrawnPart& tried : parts_of(part, room)) {
    const Figure drawn = with_true_words(part_of(figure, tried));
    const bool holds = each_way(drawn, room, [&](const Figure& way) {
      const Fit fit = fit_of(way, room);
      if (fit.is_readable && (!best || fit.too_high < least)) best = way, least = fit.too_high;
      return fit.holds();
    });
    if (holds) return *best;
  }
  if (best) return *best;
  if (has_extents(figure)) return arranged_part(without_extents(figure), part, room);
  Figure usual = with_true_words(part_of(figure, part));
  return usual.panels.size() == 1 && !is_to_scale(usual) ? with_panels_stacked(std::move(usual)) : usual;
}

Extent paint_figure(Scene& scene, const Figure& figure, double x, double y, const Room& given) {
  const std::optional<Room> beside = figure.has_stages ? std::nullopt : room_beside_legend(figure, given);
  // Stages are measured row by row.
  const FigureShape shape = figure.has_stages ? FigureShape() : shape_of(figure, beside.value_or(given));
  Extent extent{shape.total_width(), 0};
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
      if (r > 0) extent.height += gap_before(shape.panels[r]);
      extent.height += paint_row(scene, shape, r, x, y + extent.height);
    }
  const double width = room();
  if (beside) {
    const double first_cell = top + top_of(shape.panels.front());
    paint_legend(scene, figure, x + extent.width - column.width, y + first_cell, 0);
    extent.height = std::max(extent.height, first_cell + column.height);
  } else if (has_legend_in_corner(shape, figure))
    paint_legend(scene, figure, x, y + top + top_of(shape.panels.front()), 0);
  else if (!figure.legend.empty()) extent.stack(paint_legend(scene, figure, x, y + extent.height + 8, width), 8);
  if (!figure.caption.empty()) {
    const bool has_letters = figure.has_stages ? stages_keep_letters(figure, given) : keeps_letters(shape);
    const std::string caption = figure.caption + (has_letters ? "" : "\nThe cells are too small for what they show.");
    extent.stack(paint_text(scene, caption, x, y + extent.height + 6, width, 11, Label::Face::sans, Ink::soft), 6);
  }
  return extent;
}

}  // namespace swz

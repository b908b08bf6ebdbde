// SPDX-License-Identifier: Apache-2.0
// Figures as Scenes: panels with their titles, legend and caption.
//
// A cell is as wide as the widest text of its panel, or to scale if the grid gives the extent of a cell. Panels of one
// row have the same top, those of one column the same left edge, so that the rows of A are beside the rows of C. Text
// that does not fit into its cell is left out of the picture; the tooltip has it.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "render/figure_shape.hpp"

namespace swz {
namespace {

constexpr double strip_gap = 8;  // before a row of panels without titles
constexpr double figure_title_size = 14;
constexpr double narrowest_room = 420;  // for running text under a small figure
constexpr double narrowest_panel_title = 200, narrowest_below = 120;
// To scale, the cells of a figure are at most this many pixels in either direction.
constexpr double widest_to_scale = 1100;

bool is_panel_to_scale(const PanelShape& p) { return p.grid->cell_columns > 0; }

// Cells to scale: one factor for the whole figure, as large as its longest text needs, within limits.
void scale(std::vector<std::vector<PanelShape>>& panels, double smallest) {
  double factor = 0;
  double across = 0;
  for (const auto& row : panels) {
    double row_columns = 0;
    for (const PanelShape& p : row) {
      if (p.is_empty() || !is_panel_to_scale(p)) continue;
      factor = std::max({factor, p.cell_width / p.grid->cell_columns, p.cell_height / p.grid->cell_rows});
      row_columns += static_cast<double>(p.columns) * p.grid->cell_columns;
      across = std::max({across, row_columns, static_cast<double>(p.rows) * p.grid->cell_rows});
    }
  }
  if (factor == 0) return;
  factor = std::min(factor, widest_to_scale / across);
  for (auto& row : panels)
    for (PanelShape& p : row) {
      if (p.is_empty() || !is_panel_to_scale(p)) continue;
      const double width = p.grid->cell_columns * factor;
      const double height = p.grid->cell_rows * factor;
      resize(p, width, height, smallest);
    }
}

// Paints the title of a panel; painted into a scene of its own, it is only measured.
Extent paint_panel_title(Scene& scene, const PanelShape& p, double x, double y, double room, bool is_narrow) {
  return paint_balanced(scene, p.grid->title, x, y, room, is_narrow ? narrow_panel_title_size : panel_title_size,
                        Label::Face::sans_bold, Ink::text);
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

// Other cells of this size, as high as their letters need.
void resize_with_letters(PanelShape& p, double width, double height, double smallest) {
  const double letters = p.text_size;
  resize(p, width, height, smallest);
  if (letters > 0 && p.text_size > 0) p.cell_height *= p.text_size / letters;
}

// Makes cells narrower until the panels beside each other fit the room, or wider if it is to be filled. Panels that are
// one below the other, and are not to scale, are each as wide as possible.
void fit(FigureShape& shape, const Room& room) {
  const double total = shape.total_width();
  const bool grows = room.is_filled && std::ranges::none_of(shape.panels, [&](const auto& row) {
                       return std::ranges::any_of(row, is_panel_to_scale);
                     });
  if (total <= room.width && !grows) return;
  std::vector<double> widest(shape.width.size());
  for (const auto& row : shape.panels)
    for (std::size_t c = 0; c < row.size(); ++c) widest[c] = std::max(widest[c], row[c].cells_width());
  const double cells = std::accumulate(widest.begin(), widest.end(), 0.0);
  if (cells == 0) return;
  constexpr double narrowest_cell = 1.5;
  const double common = std::min(room.most_growth, (room.width - (total - cells)) / cells);
  const auto factor_of = [&](const PanelShape& p, std::size_t c) {
    if (is_panel_to_scale(p)) return common;
    if (shape.width.size() == 1)
      return std::min(room.is_filled ? room.most_growth : 1,
                      (room.width - shape.left.front() - p.right) / p.cells_width());
    // A narrow panel above or below a wide one keeps its cells as far as it has room.
    return common > 1 ? common : std::min(1.0, common * widest[c] / p.cells_width());
  };
  for (auto& row : shape.panels)
    for (std::size_t c = 0; c < row.size(); ++c) {
      PanelShape& p = row[c];
      if (p.is_empty()) continue;
      const bool keeps_shape = is_panel_to_scale(p);
      const double width = std::max(narrowest_cell, p.cell_width * factor_of(p, c));
      const double height = keeps_shape || p.widest == 0 ? p.cell_height * width / p.cell_width : p.cell_height;
      if (keeps_shape) resize(p, width, height, room.smallest_letters);
      else resize_with_letters(p, width, height, room.smallest_letters);
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
      const Extent title = paint_panel_title(measured, row[c], 0, 0, shape.title_room(c), shape.is_narrow);
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

// Panels that say how many columns of one axis a cell spans have one scale across, B above D, and letters of one size.
void share_scale(FigureShape& shape, const Room& room) {
  bool is_shared = false;
  for (std::size_t c = 0; c < shape.width.size(); ++c) {
    double widest = 0, units = 0, most = room.width;
    const auto units_of = [](const PanelShape& p) {
      return static_cast<double>(p.columns) * std::max(p.grid->column_units, 0);
    };
    const auto each = [&](const auto& visit) {
      for (auto& row : shape.panels)
        if (c < row.size() && !row[c].is_empty() && row[c].grid->column_units > 0) visit(row[c]);
    };
    each([&](const PanelShape& p) {
      widest = std::max(widest, p.cells_width());
      units = std::max(units, units_of(p));
    });
    if (units == 0) continue;
    is_shared = true;
    if (shape.width.size() == 1)
      each([&](const PanelShape& p) {
        most = std::min(most, (room.width - shape.left.front() - p.right) / units_of(p) * units);
      });
    const double unit = std::min(widest, most) / units;
    each([&](PanelShape& p) {
      resize_with_letters(p, unit * p.grid->column_units, p.cell_height, room.smallest_letters);
    });
  }
  if (!is_shared) return;
  double letters = std::numeric_limits<double>::infinity();
  const auto each_lettered = [&](const auto& visit) {
    for (auto& row : shape.panels)
      for (PanelShape& p : row)
        if (!p.is_empty() && p.widest > 0 && p.text_size > 0) visit(p);
  };
  each_lettered([&](const PanelShape& p) { letters = std::min(letters, p.text_size); });
  each_lettered([&](PanelShape& p) {
    p.cell_height *= letters / p.text_size;
    p.text_size = letters;
  });
}

// The room above the cells of a row of panels, without their titles, of which the last lines are side by side.
double below_titles(const std::vector<PanelShape>& row) {
  double room = 0;
  for (const PanelShape& p : row) room = std::max(room, p.top() - p.title_height);
  return room;
}

double top_of(const std::vector<PanelShape>& row) {
  double titles = 0;
  for (const PanelShape& p : row) titles = std::max(titles, p.title_height);
  return titles + below_titles(row);
}

double gap_before(const FigureShape& shape, const std::vector<PanelShape>& row) {
  return std::ranges::any_of(row, [](const PanelShape& p) { return p.title_height > 0; }) ? shape.gap() : strip_gap;
}

double height_of(const FigureShape& shape) {
  double height = 0;
  for (const auto& row : shape.panels) {
    double cells = 0;
    for (const PanelShape& p : row)
      if (!p.is_empty()) cells = std::max(cells, p.height());
    height += (height > 0 ? gap_before(shape, row) : 0) + top_of(row) + cells;
  }
  return height;
}

// Without the height of the texts around the panels.
double room_of_panels(const Figure& figure, double width, const Room& room) {
  Scene measured;
  const double across = std::min(room.width, std::max(width, narrowest_room));
  double texts =
      paint_text(measured, figure.title, 0, 0, across, figure_title_size, Label::Face::sans_bold, Ink::text).height;
  texts += paint_words_of(measured, figure, figure.caption, 0, 0, across).height;
  return room.most_height - texts;
}

// Panels that are compared and have the same rows have their labels once.
void share_row_labels(std::vector<PanelShape>& row) {
  for (std::size_t c = 1; c < row.size(); ++c) {
    if (row[c].is_empty() || row[c - 1].is_empty()) continue;
    const Grid &grid = *row[c].grid, &before = *row[c - 1].grid;
    row[c].has_row_labels = grid.row_labels != before.row_labels || grid.corner != before.corner ||
                            !grid.row_levels.empty() || grid.row_repeat.period > 0;
  }
}

// In a column, distances beside cells that leave their letters too little room have their texts above the cells.
bool is_crowded_by_arrows(const PanelShape& p) {
  constexpr double wanted_air = 2;
  bool has_distances = false, has_extents = false;
  for (const Grid::Arrow& arrow : p.grid->arrows) {
    if (arrow.from.row == arrow.to.row) continue;
    has_distances = has_distances || arrow.kind == Grid::Arrow::Kind::distance;
    has_extents = has_extents || arrow.kind == Grid::Arrow::Kind::extent;
  }
  return has_distances && !has_extents && p.widest > 0 && (p.text_size == 0 || (p.air > 0 && p.air < wanted_air));
}

// `usual`: the same, if it is known to be crowded.
FigureShape usual_shape_of(const Figure& figure, const Room& room, const FigureShape* usual = nullptr) {
  FigureShape shape;
  shape.is_narrow = room.width < narrow_room;
  std::size_t columns = 0;
  for (const auto& row : figure.panels) {
    shape.panels.emplace_back();
    for (const Grid& grid : row) {
      PanelShape& panel = shape.panels.back().emplace_back(shape_of(grid));
      panel.raises_arrows =
          usual != nullptr &&
          is_crowded_by_arrows(usual->panels[shape.panels.size() - 1][shape.panels.back().size() - 1]);
      const bool has_labels = grid.squares.size() < 2 || !grid.row_labels.empty();
      shape.shares_labels = shape.shares_labels || (row.size() > 2 && !has_labels);
    }
    if (figure.is_comparison) share_row_labels(shape.panels.back());
    columns = std::max(columns, row.size());
  }
  if (shape.is_narrow && columns == 1) shape.below_room = room.width;
  scale(shape.panels, room.smallest_letters);
  shape.left.resize(columns);
  shape.width.resize(columns);
  measure_columns(shape);
  fit(shape, room);
  share_scale(shape, room);
  align_rows(shape);
  measure_columns(shape);
  const double wanted = columns == 1 ? narrowest_room : narrowest_panel_title;
  shape.narrowest_title =
      std::min(wanted, room.width / static_cast<double>(std::max<std::size_t>(columns, 1)) - shape.gap_across());
  measure_titles(shape);
  // The columns became too wide because of the titles: these are wrapped into more lines, as few as possible.
  constexpr double title_step = 20;
  while (shape.total_width() > room.width && columns > 1 && shape.narrowest_title > 0) {
    shape.narrowest_title = std::max(0.0, shape.narrowest_title - title_step);
    measure_columns(shape);
    measure_titles(shape);
  }
  // A title, or what is under a panel, can make its column wider than its cells: all cells are then narrower.
  constexpr int most_rounds = 6;
  Room rest = room;
  rest.is_filled = false;
  for (int round = 0; round < most_rounds && columns > 1 && shape.total_width() > room.width; ++round) {
    rest.width -= shape.total_width() - room.width;
    measure_columns(shape);
    fit(shape, rest);
    share_scale(shape, rest);
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
  if (shape.is_narrow &&
      std::ranges::any_of(shape.panels, [](const auto& row) { return std::ranges::any_of(row, is_crowded_by_arrows); }))
    shape = usual_shape_of(figure, room, &shape);
  for (double letters = largest_letters; letters >= room.smallest_letters; letters -= step) {
    if (!is_too_high(figure, shape, room)) break;
    for (auto& row : shape.panels)
      for (PanelShape& p : row)
        if (!p.is_empty() && !is_panel_to_scale(p)) tighten(p, letters);
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

// Whether the letters of cells that were made narrower are this far from their frames.
bool has_air(const FigureShape& shape, double least) {
  return std::ranges::all_of(shape.panels, [&](const auto& row) {
    return std::ranges::all_of(row, [&](const PanelShape& p) { return p.air == 0 || p.air >= least; });
  });
}

}  // namespace

FigureFit fit_of(const Figure& figure, const Room& room) {
  const FigureShape shape = shape_of(figure, room);
  constexpr double rounding = 0.01;
  const bool is_readable =
      shape.total_width() <= room.width + rounding && keeps_letters(shape) && has_air(shape, room.least_air);
  if (room.most_height == 0) return {is_readable};
  return {is_readable, height_of(shape) - room_of_panels(figure, shape.total_width(), room)};
}

bool fits(const Figure& figure, const Room& room) { return fit_of(figure, room).holds(); }

std::vector<Room> rooms_to_try(const Room& given) {
  constexpr int steps = 4;
  std::vector<Room> rooms;
  for (int step = 0; step <= steps; ++step) {
    Room& room = rooms.emplace_back(given);
    room.wanted_height = 0;
    room.most_height = given.wanted_height + (given.most_height - given.wanted_height) * step / steps;
  }
  return rooms;
}

namespace {

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
      const double above = top - below_titles(shape.panels[row]) - p.title_height;
      paint_panel_title(scene, p, x, painted != nullptr ? y : y + above, shape.title_room(c), shape.is_narrow);
      paint_panel(scene, p, x + shape.left[c], y + top);
      double height = p.height();
      if (!p.grid->below.empty())
        height += below_gap + paint_text(scene, p.grid->below, x, y + top + height + below_gap,
                                         std::max(shape.room(c) + (shape.width.size() > 1 ? 8 : 0), shape.below_room),
                                         below_size, Label::Face::sans, Ink::soft)
                                  .height;
      bottom = std::max(bottom, height);
      if (painted != nullptr) {
        painted->push_back({x, y + top + height, x + shape.left[c] + p.width(), p.grid->joins_way});
        find_highlighted(painted->back(), p, x + shape.left[c], y + top);
      }
    }
    x += shape.room(c) + shape.gap_across();
  }
  return top + bottom;
}

namespace {

// The right end of the lowest row of panels.
double right_of_last_row(const FigureShape& shape) {
  if (shape.panels.size() == 1 || shape.width.size() > 1) return shape.total_width();
  const PanelShape& last = shape.panels.back().front();
  Scene measured;
  return std::max(shape.left.front() + last.width(),
                  paint_panel_title(measured, last, 0, 0, shape.title_room(0), shape.is_narrow).width);
}

// Where there is an empty half beside the lowest row of panels, the legend and the caption are in it. Their room; 0 if it
// is not enough.
double room_in_empty_half(const FigureShape& shape, const Figure& figure, const Room& given) {
  constexpr double least = 220, most = 320, least_share = 0.38, overhang = 30;
  if (shape.is_narrow || shape.panels.empty() || shape.panels.back().empty()) return 0;
  const double all = shape.panels.size() == 1 ? given.width : shape.total_width();
  const double free = all - right_of_last_row(shape) - panel_gap;
  if (free < least || free < least_share * all) return 0;
  Scene measured;
  const double room = std::min(free, most);
  double height = 0;
  for (const PanelShape& p : shape.panels.back()) height = std::max(height, p.height());
  return paint_words_of(measured, figure, figure.caption, 0, 0, room).height <= height + overhang ? room : 0;
}

// One entry below the other, as a legend without any room beside it is painted.
Extent legend_column(const Figure& figure) {
  Scene measured;
  return paint_legend(measured, figure, 0, 0, 0);
}

// A place among the panels that has none: from the left, and from the first cell of the row of panels.
struct FreePlace {
  double left = 0, width = 0, height = 0;
};

bool has_room_for_legend(const FreePlace& place, const Figure& figure) {
  if (place.width <= 0) return false;
  Scene measured;
  const Extent legend = paint_legend(measured, figure, 0, 0, place.width);
  return legend.width <= place.width && legend.height <= place.height;
}

// The upper left place without panels, as with A, B and D: beside all rows of panels that begin later.
FreePlace place_in_corner(const FigureShape& shape) {
  constexpr double most = 330;
  const auto free_columns = [](const std::vector<PanelShape>& row) {
    return static_cast<std::size_t>(std::ranges::find_if_not(row, &PanelShape::is_empty) - row.begin());
  };
  const std::size_t columns = shape.panels.empty() ? 0 : free_columns(shape.panels.front());
  if (columns == 0 || columns >= shape.width.size()) return {};
  FreePlace place;
  for (std::size_t c = 0; c < columns; ++c) place.width += shape.room(c) + (c > 0 ? shape.gap_across() : 0);
  place.width = std::min(place.width, most);
  for (const auto& row : shape.panels) {
    if (free_columns(row) < columns) break;
    double cells = 0;
    for (const PanelShape& p : row) cells = std::max(cells, p.height());
    place.height += (place.height > 0 ? gap_before(shape, row) + top_of(row) : 0) + cells;
  }
  return place;
}

// The place after the last panel of the last row, where this has fewer panels than the others.
FreePlace place_after_last(const FigureShape& shape) {
  if (shape.panels.size() < 2 || shape.panels.back().size() >= shape.width.size()) return {};
  FreePlace place;
  for (std::size_t c = 0; c < shape.panels.back().size(); ++c) {
    place.left += shape.room(c) + shape.gap_across();
    place.height = std::max(place.height, shape.panels.back()[c].height());
  }
  place.width = shape.total_width() - place.left;
  return place;
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

Extent paint_figure(Scene& scene, const Figure& figure, double x, double y, const Room& given) {
  if (given.wanted_height > 0 && !figure.has_stages) {
    const std::vector<Room> rooms = rooms_to_try(given);
    const auto room = std::ranges::find_if(rooms, [&](const Room& tried) { return fits(figure, tried); });
    return paint_figure(scene, figure, x, y, room == rooms.end() ? rooms.back() : *room);
  }
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
  double last_top = top;
  if (figure.has_stages) extent.stack(paint_stages(scene, figure, x, y + top, given), 0);
  else
    for (std::size_t r = 0; r < shape.panels.size(); ++r) {
      if (r > 0) extent.height += gap_before(shape, shape.panels[r]);
      last_top = extent.height;
      extent.height += paint_row(scene, shape, r, x, y + extent.height);
    }
  const double width = room();
  const bool has_letters = figure.has_stages ? stages_keep_letters(figure, given) : keeps_letters(shape);
  const std::string caption = figure.caption.empty() || has_letters
                                  ? figure.caption
                                  : figure.caption + "\nThe cells are too small for what they show.";
  const bool can_be_inside = !figure.has_stages && !beside && !figure.legend.empty();
  const FreePlace corner = place_in_corner(shape), after_last = place_after_last(shape);
  const bool is_in_corner = can_be_inside && has_room_for_legend(corner, figure),
             is_after_last = can_be_inside && !is_in_corner && has_room_for_legend(after_last, figure);
  const double half =
      figure.has_stages || beside || is_in_corner || is_after_last ? 0 : room_in_empty_half(shape, figure, given);
  if (half > 0) {
    const double left = right_of_last_row(shape) + panel_gap, cells = last_top + top_of(shape.panels.back());
    const Extent words = paint_words_of(scene, figure, caption, x + left, y + cells - 8, half);
    extent.width = std::max(extent.width, left + words.width);
    extent.height = std::max(extent.height, cells - 8 + words.height);
    return extent;
  }
  if (beside) {
    const double first_cell = top + top_of(shape.panels.front());
    paint_legend(scene, figure, x + extent.width - column.width, y + first_cell, 0);
    extent.height = std::max(extent.height, first_cell + column.height);
  } else if (is_in_corner) paint_legend(scene, figure, x, y + top + top_of(shape.panels.front()), corner.width);
  else if (is_after_last)
    paint_legend(scene, figure, x + after_last.left, y + last_top + top_of(shape.panels.back()), after_last.width);
  else if (!figure.legend.empty()) extent.stack(paint_legend(scene, figure, x, y + extent.height + 8, width), 8);
  if (!caption.empty())
    extent.stack(paint_text(scene, caption, x, y + extent.height + 6, width, caption_letters(width), Label::Face::sans,
                            Ink::soft),
                 6);
  return extent;
}

}  // namespace swz

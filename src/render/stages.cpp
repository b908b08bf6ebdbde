// SPDX-License-Identifier: Apache-2.0
// Stages: a figure whose panels are the stages of one way. Each row of panels is laid out by itself, and arrows lead from
// the highlighted square of one panel to that of the next.
#include <algorithm>
#include <optional>
#include <utility>

#include "render/figure_shape.hpp"

namespace swz {
namespace {

std::vector<Figure> rows_of(const Figure& figure) {
  std::vector<Figure> rows;
  for (const std::vector<Grid>& panels : figure.panels) {
    rows.emplace_back();
    rows.back().panels.push_back(panels);
    rows.back().has_stages = true;
  }
  return rows;
}

// The lines of a way, or of what joins it.
struct WayPen {
  static constexpr double line = 1.5, distance = 3;
  Scene& scene;
  Ink ink;

  void draw(double x1, double y1, double x2, double y2) const {
    scene.items.push_back(Rule{x1, y1, x2, y2, {ink}, line});
  }
  // Of a line that ends at (x, y), from the left.
  void head(double x, double y) const {
    constexpr double length = 6, half = 3;
    for (const double side : {-half, half}) draw(x, y, x - length, y + side);
  }
};

// An arrow leads from the row of the highlighted square of one panel to that of the next: from its right to the left of
// the other, between rows of panels along the gap. What only joins the way ends at the line to the next panel.
void paint_way(Scene& scene, const std::vector<std::vector<PaintedPanel>>& rows, const std::vector<double>& gaps) {
  const WayPen way{scene, Ink::accent}, joining{scene, Ink::soft};
  constexpr double distance = WayPen::distance;
  const PaintedPanel *last = nullptr, *beside = nullptr;  // on the way, and what joins it next
  std::size_t row_of_last = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const PaintedPanel& at = rows[r][i];
      if (!at.y) continue;
      if (at.joins_way) {
        beside = &at;
        continue;
      }
      const double to = at.left - (i > 0 ? 1 : 2) * distance, turn = i > 0 ? to - 3 * distance : to - 2 * distance;
      if (last != nullptr) {
        const bool is_same_row = row_of_last == r;
        // Out at the right of the cells, or below the square.
        const double from = is_same_row ? *last->y : gaps[r];
        if (!is_same_row) way.draw(*last->x, last->bottom + distance, *last->x, from);
        way.draw(is_same_row ? last->cells_right + distance : *last->x, from, turn, from);
        way.draw(turn, from, turn, *at.y);
        way.draw(turn, *at.y, to, *at.y);
        way.head(to, *at.y);
      }
      if (const PaintedPanel* joins = std::exchange(beside, nullptr)) {
        const double y = std::min(*joins->y, *at.y);
        joining.draw(joins->cells_right + distance, y, turn, y);
        joining.head(turn, y);
      }
      last = &at;
      row_of_last = r;
    }
}

// In a column the line goes down the margin of the picture, and a head leads from it to the row of each highlighted
// square: it crosses no letters.
constexpr double way_room = 5;

void paint_way_in_margin(Scene& scene, const std::vector<std::vector<PaintedPanel>>& rows, double x) {
  constexpr double line = 1, distance = 1.5, length = 4, half = 2;
  const auto draw = [&](double x1, double y1, double x2, double y2, Ink ink = Ink::accent) {
    scene.items.push_back(Rule{x1, y1, x2, y2, {ink}, line});
  };
  std::optional<double> last;
  for (const auto& row : rows)
    for (const PaintedPanel& at : row) {
      if (!at.y) continue;
      const double to = at.left - distance;
      if (at.joins_way) {
        draw(x, *at.y, to, *at.y, Ink::soft);
        continue;
      }
      if (last) draw(x, *last, x, *at.y);
      draw(x, *at.y, to, *at.y);
      if (last)
        for (const double side : {-half, half}) draw(to, *at.y, to - length, *at.y + side);
      last = at.y;
    }
}

// Of cells with several lines the first: what comes below it is in their tooltips.
Figure with_first_lines(Figure figure) {
  for (Grid* grid : panels_of(figure))
    for (auto& row : grid->squares)
      for (Grid::Square& square : row) square.text.resize(std::min(square.text.size(), square.text.find('\n')));
  return figure;
}

bool is_distance(const Grid::Arrow& arrow) { return arrow.kind == Grid::Arrow::Kind::distance; }
bool is_vertical(const Grid::Arrow& arrow) { return is_distance(arrow) && arrow.from.row != arrow.to.row; }

using IsOneOf = bool (*)(const Grid::Arrow&);

// "to 8,0: SBO 0x400; to 0,64: 64 k +0x4000": these arrows of the grid, by the texts of the squares to which they lead.
std::string arrows_in_words(const Grid& grid, IsOneOf is_one) {
  const auto one_line = [](std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
  };
  const auto square = [&](const Grid::Place& at) {
    return one_line(grid.squares[static_cast<std::size_t>(at.row)][static_cast<std::size_t>(at.column)].text);
  };
  std::string words;
  for (const Grid::Arrow& arrow : grid.arrows)
    if (is_one(arrow)) words += (words.empty() ? "to " : "; to ") + square(arrow.to) + ": " + one_line(arrow.text);
  return words;
}

// Below the cells, these arrows are words.
Figure with_arrows_in_words(Figure figure, IsOneOf is_one) {
  for (Grid* grid : panels_of(figure)) {
    if (const std::string words = arrows_in_words(*grid, is_one); !words.empty())
      grid->below = words + (grid->below.empty() ? "" : "\n" + grid->below);
    std::erase_if(grid->arrows, is_one);
  }
  return figure;
}

// A stage that is only words: its title, and one line or two.
Figure in_words(const Grid& grid) {
  Grid words;
  words.title = grid.title;
  words.in_words = grid.in_words;
  return figure_of(words);
}

// A stage that has words for a column, but few squares in one row or column: a strip of them, above the words.
bool is_strip(const Grid& grid) {
  constexpr std::size_t most = 8;
  return !grid.in_words.empty() && !grid.squares.empty() &&
         std::max(grid.squares.size(), grid.squares.front().size()) <= most &&
         std::min(grid.squares.size(), grid.squares.front().size()) == 1;
}

Grid as_strip(Grid grid) {
  grid.below = std::exchange(grid.in_words, "");
  if (grid.squares.size() == 1) return grid;
  std::vector<Grid::Square> squares;
  for (auto& row : grid.squares) squares.push_back(std::move(row.front()));
  grid.squares = {std::move(squares)};
  std::swap(grid.row_labels, grid.column_labels);
  grid.key_rows.clear();
  if (const std::size_t cut = grid.corner.find('\\'); cut != std::string::npos)
    grid.corner = grid.corner.substr(cut + 1) + '\\' + grid.corner.substr(0, cut);
  return grid;
}

bool is_in_words(const Figure& row) { return row.panels.front().front().squares.empty(); }

Extent paint_stage_in_words(Scene& scene, const Figure& row, double x, double y, const Room& room) {
  constexpr double letters = 10;
  const double title_letters = room.width < narrow_room ? narrow_panel_title_size : panel_title_size;
  const Grid& grid = row.panels.front().front();
  Extent extent = paint_text(scene, grid.title, x, y, room.width, title_letters, Label::Face::sans_bold, Ink::text);
  extent.stack(
      paint_text(scene, grid.in_words, x, y + extent.height, room.width, letters, Label::Face::sans, Ink::soft), 0);
  return extent;
}

// The stages one below the other, some only in words, and without what costs letters. The last `strips` of those that
// can be a strip are one.
std::vector<Figure> narrow_stages(Figure figure, const DrawnPart& part, const Room& room, std::ptrdiff_t strips) {
  const std::vector<Grid*> grids = panels_of(figure);
  std::ptrdiff_t left_in_words =
      std::ranges::count_if(grids, [](const Grid* grid) { return is_strip(*grid); }) - strips;
  std::vector<Figure> stages;
  constexpr double wanted_air = 1.5;
  Room airy = room;
  airy.least_air = wanted_air;
  const auto is_fit = [&](const Figure& way) { return fits(part_of(way, part), airy); };
  for (auto& panels : figure.panels)
    for (Grid& grid : panels) {
      if (is_strip(grid) && left_in_words-- <= 0) grid = as_strip(std::move(grid));
      if (!grid.in_words.empty()) {
        stages.push_back(in_words(grid));
        continue;
      }
      if (grid.squares.empty()) continue;
      grid.below.resize(std::min(grid.below.size(), grid.below.find('\n')));
      Figure& stage = stages.emplace_back(figure_of(grid));
      stage.has_stages = true;
      const Figure usual = stage;
      for (const auto& smaller : {with_corners_stacked, with_arrows_stacked, with_brief_texts})
        if (!is_fit(stage)) stage = smaller(std::move(stage));
      // The vertical arrows need room beside the cells, the others above them.
      if (!is_fit(stage)) {
        Figure beside = with_arrows_in_words(usual, is_vertical);
        if (!is_fit(beside)) beside = with_arrows_in_words(stage, is_vertical);
        stage = is_fit(beside) ? std::move(beside) : with_arrows_in_words(std::move(stage), is_distance);
      }
      if (!is_fit(stage)) stage = with_first_lines(std::move(stage));
    }
  return stages;
}

// Beside a higher stage, a grid of few rows is drawn whole: that fills its height.
std::vector<Figure> wide_stages(Figure figure) {
  constexpr std::size_t few_rows = 16;
  for (auto& panels : figure.panels) {
    std::size_t most = 0;
    for (const Grid& grid : panels) most = std::max(most, grid.key_rows.size());
    for (Grid& grid : panels) {
      if (grid.key_rows.empty() || grid.squares.size() > few_rows || grid.key_rows.size() == most) continue;
      grid.key_rows.clear();
      for (std::size_t row = 0; row < grid.squares.size(); ++row) grid.key_rows.push_back(row);
    }
  }
  return rows_of(figure);
}

// Beside others the cells of the highest panel are as low as these, or as their letters: below none is an empty field.
void lower_highest(std::vector<PanelShape>& row) {
  const auto highest = std::ranges::max_element(row, {}, &PanelShape::cells_height);
  double others = 0;
  for (auto it = row.begin(); it != row.end(); ++it)
    if (it != highest) others = std::max(others, it->cells_height());
  if (others == 0) return;
  const double usual = highest->cell_height;
  tighten(*highest, highest->text_size);
  highest->cell_height = std::clamp(others / static_cast<double>(highest->rows), highest->cell_height, usual);
}

// In a narrow room cells are as low as their letters, and there is a line before them. In another a row of few cells
// fills it.
Room room_of_row(Room room) {
  constexpr double most_growth = 4;
  const bool is_narrow = room.width < narrow_room;
  room.most_height = is_narrow ? 1 : 0;
  if (is_narrow) room.width -= way_room;
  else room.most_growth = most_growth;
  return room;
}

Figure arranged_rows(const Figure& figure, std::vector<Figure> rows, const DrawnPart& part, const Room& room) {
  Figure arranged = figure;
  arranged.panels.clear();
  for (Figure& row : rows) {
    if (is_in_words(row)) {
      arranged.panels.push_back(std::move(row.panels.front()));
      continue;
    }
    row.steps = figure.steps;
    for (std::vector<Grid>& panels : arranged_part(row, part, room).panels)
      arranged.panels.push_back(std::move(panels));
  }
  return arranged;
}

}  // namespace

Figure arranged_stages(const Figure& figure, const DrawnPart& part, const Room& given) {
  Room room = given;
  room.most_height = 0;
  if (room.width >= narrow_room) return arranged_rows(figure, wide_stages(figure), part, room);
  room.width -= way_room;
  Figure brief = figure;
  if (!brief.brief_caption.empty()) brief.caption = brief.brief_caption;
  // As many strips as have room in 170 mm of at most 200, the last, where the way ends, first.
  constexpr double share = 0.4;
  const double aim = given.wanted_height > 0 ? given.wanted_height + share * (given.most_height - given.wanted_height)
                                             : given.most_height;
  for (std::ptrdiff_t strips =
           std::ranges::count_if(panels_of(brief), [](const Grid* grid) { return is_strip(*grid); });
       ; --strips) {
    Figure arranged = arranged_rows(brief, narrow_stages(brief, part, room, strips), part, room);
    Scene measured;
    if (strips == 0 || given.most_height == 0 || paint_figure(measured, arranged, 0, 0, given).height <= aim)
      return arranged;
  }
}

bool stages_keep_letters(const Figure& figure, const Room& room) {
  return std::ranges::all_of(rows_of(figure), [&](const Figure& row) {
    return is_in_words(row) || keeps_letters(shape_of(row, room_of_row(room)));
  });
}

Extent paint_stages(Scene& scene, const Figure& figure, double x, double y, const Room& room) {
  const bool is_narrow = room.width < narrow_room;
  const double gap = is_narrow ? narrow_row_gap : row_gap + 6, after_words = is_narrow ? 6 : narrow_row_gap,
               left = is_narrow ? x + way_room : x;
  const Room of_row = room_of_row(room);
  Extent extent;
  std::vector<std::vector<PaintedPanel>> painted;
  std::vector<double> gaps;
  for (const Figure& row : rows_of(figure)) {
    if (!painted.empty()) extent.height += painted.back().empty() ? after_words : gap;
    if (is_in_words(row)) {
      extent.stack(paint_stage_in_words(scene, row, left, y + extent.height, of_row), 0);
      painted.emplace_back();
      gaps.push_back(0);
      continue;
    }
    FigureShape shape = shape_of(row, of_row);
    lower_highest(shape.panels.front());
    gaps.push_back(y + extent.height - gap / 2 - 2);
    extent.height += paint_row(scene, shape, 0, left, y + extent.height, &painted.emplace_back());
    extent.width = std::max(extent.width, left - x + shape.total_width());
  }
  if (is_narrow) paint_way_in_margin(scene, painted, x - 2);
  else paint_way(scene, painted, gaps);
  return extent;
}

}  // namespace swz

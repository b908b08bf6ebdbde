// SPDX-License-Identifier: Apache-2.0
// The arrangement of a figure: which part is drawn, and its panels, words and strips of columns, so that letters are kept
// and it is not too high.
//
//   two panels of 16 columns at 86 mm     one below the other, each in the words and columns that fit
#include <algorithm>
#include <array>
#include <optional>

#include "render/figure_shape.hpp"

namespace swz {

std::vector<Grid*> panels_of(Figure& figure) {
  std::vector<Grid*> panels;
  for (auto& row : figure.panels)
    for (Grid& grid : row)
      if (!grid.squares.empty()) panels.push_back(&grid);
  return panels;
}

namespace {

// "T12 V3" on two lines; text that has lines keeps them. A pair of numbers, "127,56", stays on one.
void stack_words(std::string& text) {
  if (text.find('\n') == std::string::npos) std::ranges::replace(text, ' ', '\n');
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

// The corner "mode 0\\1", and "byte\\bank" as "bank" above "byte", if no levels of headings are beside it.
void stack_corner(Grid& grid) {
  if (grid.row_levels.empty() && grid.column_levels.empty()) {
    std::ranges::replace(grid.corner, ' ', '\n');
    constexpr std::size_t long_corner = 6;
    const std::size_t cut = grid.corner.find('\\');
    if (cut != std::string::npos && grid.corner.size() > long_corner && grid.corner.find('\n') == std::string::npos)
      grid.corner = grid.corner.substr(cut + 1) + "\n" + grid.corner.substr(0, cut);
  }
}

// The texts of arrows on two lines: "k step" above "+32 B", and "copy 1" above "0x4000".
void stack_arrows(Grid& grid) {
  for (Grid::Arrow& arrow : grid.arrows) {
    const bool is_call_out = arrow.kind == Grid::Arrow::Kind::call_out;
    if (const std::size_t at = arrow.text.find(": "); is_call_out && at != std::string::npos) arrow.text[at + 1] = '\n';
    if (is_call_out) break_in_half(arrow.text);
    const bool is_vertical = arrow.from.row != arrow.to.row && arrow.kind != Grid::Arrow::Kind::move;
    const std::size_t sign = arrow.text.find('+'),
                      number = sign != std::string::npos ? sign : arrow.text.find_first_of("0123456789");
    if (is_vertical && number != std::string::npos && number > 1 && arrow.text[number - 1] == ' ')
      arrow.text[number - 1] = '\n';
  }
}

void stack_words(Grid& grid) {
  stack_arrows(grid);
  stack_corner(grid);
  for (auto& row : grid.squares)
    for (Grid::Square& square : row) stack_words(square.text);
}

// The figure with narrower cells.
Figure with_words_stacked(Figure figure) {
  for (Grid* grid : panels_of(figure)) stack_words(*grid);
  return figure;
}

// The same only for the panels that need it: first around their cells, then in them.
Figure with_words_stacked_where_needed(Figure figure, Room room) {
  room.most_height = 0;
  for (Grid* grid : panels_of(figure)) {
    if (fits(figure_of(*grid), room)) continue;
    stack_arrows(*grid);
    if (!fits(figure_of(*grid), room)) stack_corner(*grid);
    if (!fits(figure_of(*grid), room)) stack_words(*grid);
  }
  return figure;
}

// Without the dashed frames of the panels that are readable only without them.
Figure without_outlines_where_needed(Figure figure, Room room) {
  room.most_height = 0;
  for (Grid* grid : panels_of(figure)) {
    if (grid->outlines.empty() || fits(figure_of(*grid), room)) continue;
    Grid plain = *grid;
    plain.outlines.clear();
    if (fits(figure_of(plain), room)) *grid = std::move(plain);
  }
  return figure;
}

}  // namespace

bool has_brief_texts(const Figure& figure) {
  return std::ranges::any_of(figure.panels, [](const auto& row) {
    return std::ranges::any_of(row, [](const Grid& grid) {
      return !grid.squares.empty() && std::ranges::any_of(grid.squares.front(), [](const Grid::Square& square) {
        return !square.brief.empty();
      });
    });
  });
}

Figure with_brief_texts(Figure figure) {
  for (Grid* grid : panels_of(figure))
    for (auto& row : grid->squares)
      for (Grid::Square& square : row)
        if (!square.brief.empty()) square.text = square.brief;
  if (!figure.brief_caption.empty()) figure.caption = figure.brief_caption;
  return figure;
}

Figure with_corners_stacked(Figure figure) {
  for (Grid* grid : panels_of(figure)) stack_corner(*grid);
  return figure;
}

Figure with_arrows_stacked(Figure figure) {
  for (Grid* grid : panels_of(figure)) stack_arrows(*grid);
  return figure;
}

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
    if (begin > 0) strip.title.clear(), strip.corner.clear(), strip.row_repeat = {};
    if (!is_last) strip.column_repeat = {}, strip.below.clear();
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
  Figure whole = figure;
  for (const Grid* panel : panels_of(whole)) {
    const Grid& grid = *panel;
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
    for (Grid& strip : *strips) {
      strip.column_units = std::max(strip.column_units, 1);
      cut.panels.push_back({std::move(strip)});
    }
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
// So many are not high in strips.
constexpr std::size_t few_squares = 128;

std::size_t square_count(const Figure& figure) {
  std::size_t count = 0;
  for (const auto& row : figure.panels)
    for (const Grid& grid : row)
      for (const auto& squares : grid.squares) count += squares.size();
  return count;
}

// Whether panels side by side have cells that are smaller than usual.
bool is_squeezed(const Figure& figure, const Room& room) {
  if (figure.panels.size() != 1 || figure.panels.front().size() < 2) return false;
  Room any = room;
  any.width = 1e9;
  any.is_filled = false;
  return shape_of(figure, any).total_width() > room.width;
}

// Whether a cell has letters that are hardly larger than the smallest, or none.
bool has_small_letters(const Figure& figure, const Room& room) {
  constexpr double small = 9;
  const FigureShape shape = shape_of(figure, room);
  return std::ranges::any_of(shape.panels, [](const auto& row) {
    return std::ranges::any_of(row, [](const PanelShape& p) { return p.widest > 0 && p.text_size < small; });
  });
}

// The ways to arrange a figure: as it is, panels of one row one below the other, in a column with brief texts, the words
// of a cell one below the other, both, the columns of a grid in strips. Panels to scale stay in place. Calls `visit` with
// each until it returns true.
template <class Visit>
bool each_way(const Figure& figure, const std::optional<Figure>& brief, const Room& room, Visit visit) {
  const bool is_column = room.width < narrow_room && room.most_height > 0 && !figure.has_stages;
  // In a column, panels that had to shrink to be side by side are larger one below the other.
  if (is_column && is_squeezed(figure, room) && !is_to_scale(figure) && !figure.is_comparison) {
    const Figure stacked = with_panels_stacked(figure);
    if (fits(stacked, room) && visit(stacked)) return true;
  }
  // Matrices that are arranged by their axes stay so, with larger letters, in cells of two lines.
  const bool is_matrix = figure.panels.size() > 1 && figure.panels.back().size() > 1;
  if (is_matrix && brief && !is_column && has_small_letters(figure, room) && visit(with_words_stacked(figure)))
    return true;
  if (visit(figure)) return true;
  if (is_to_scale(figure) || square_count(figure) > most_arranged) return false;
  const bool is_one_row = figure.panels.size() == 1,
             is_one_column = square_count(figure) <= few_squares &&
                             std::ranges::all_of(figure.panels, [](const auto&row) { return row.size() == 1; });
  if (const auto pairs = with_panels_in_pairs(figure); pairs && !figure.has_stages && visit(*pairs)) return true;
  if (!figure.has_stages && visit(with_panels_stacked(figure))) return true;
  if (is_column && brief && (visit(*brief) || visit(with_panels_stacked(*brief)))) return true;
  const Figure words = with_words_stacked(figure);
  if (visit(words) || visit(with_words_stacked_where_needed(with_panels_stacked(figure), room))) return true;
  if (visit(with_panels_stacked(words))) return true;
  if (is_column && visit(without_outlines_where_needed(with_panels_stacked(words), room))) return true;
  // A column of panels has their headings in one room, which strips of whole words may leave.
  for (const Figure* wide : is_one_column ? std::array{&figure, &words} : std::array{&words, &figure})
    if (const auto cut = is_one_row || is_one_column ? with_columns_cut(*wide, room) : std::nullopt; cut && visit(*cut))
      return true;
  return false;
}

// What may be drawn, the most first: one period, the shortest one, with fewer columns, with fewer rows if there is no
// other way.
std::vector<DrawnPart> parts_of(DrawnPart part, const Room& room, bool keeps_rows) {
  part.has_times_below = part.has_times_below || room.width < narrow_room;
  std::vector<DrawnPart> parts{part};
  if (part.is_whole) return parts;
  DrawnPart less = part;
  // In a column rather few columns than a part of what belongs together in a row.
  for (const std::size_t columns : {8, 4}) {
    less.fewest_columns = columns;
    if (room.width < narrow_room && !part.columns) parts.push_back(less);
  }
  less.fewest_columns = part.fewest_columns;
  less.is_short = true;
  parts.push_back(less);
  for (less.fewest_columns = part.fewest_columns / 2; less.fewest_columns >= 4 && !part.columns;
       less.fewest_columns /= 2)
    parts.push_back(less);
  if (room.most_height == 0 || part.rows || keeps_rows) return parts;
  for (const std::size_t rows : {16, 12, 10, 9, 6, 5, 4})
    for (const std::size_t columns : {part.fewest_columns, part.fewest_columns / 2})
      for (const bool is_below : {part.has_times_below, true}) {
        less.fewest_columns = columns;
        less.most_rows = rows;
        less.has_times_below = is_below;
        parts.push_back(less);
      }
  return parts;
}

}  // namespace

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

namespace {

// Where nothing fits with its extents, they are left out.
Figure arranged_in(const Figure& figure, const DrawnPart& part, const Room& room, bool keeps_rows) {
  const auto drawn_part = [&](const Figure& whole, const DrawnPart& tried) {
    Figure drawn = with_true_words(part_of(whole, tried));
    // Narrower than the words that say how a pattern goes on: "…" is all that is said.
    constexpr double fewest_words = 160;
    if (room.width < fewest_words)
      for (Grid* grid : panels_of(drawn)) grid->row_repeat.levels.clear(), grid->column_repeat.levels.clear();
    return drawn;
  };
  std::optional<Figure> best;
  double least = 0;
  for (const DrawnPart& tried : parts_of(part, room, keeps_rows)) {
    const Figure drawn = drawn_part(figure, tried);
    // How a pattern goes on is said of the texts that are drawn.
    const std::optional<Figure> brief =
        has_brief_texts(figure) ? std::optional(drawn_part(with_brief_texts(figure), tried)) : std::nullopt;
    const bool holds = each_way(drawn, brief, room, [&](const Figure& way) {
      const FigureFit fit = fit_of(way, room);
      if (fit.is_readable && (!best || fit.too_high < least)) best = way, least = fit.too_high;
      return fit.holds();
    });
    if (holds) return *best;
  }
  if (best) return *best;
  if (has_extents(figure)) return arranged_in(without_extents(figure), part, room, keeps_rows);
  Figure usual = drawn_part(figure, part);
  return usual.panels.size() == 1 && !is_to_scale(usual) ? with_panels_stacked(std::move(usual)) : usual;
}

// The figure that is made for a column.
std::optional<Figure> narrow_part(const Figure& figure, const DrawnPart& part, const Room& room) {
  if (figure.narrow.empty() || room.width >= narrow_room || part.rows || part.columns) return {};
  Figure narrow = arranged_part(figure.narrow.front(), part, room);
  return fits(narrow, room) ? std::optional(std::move(narrow)) : std::nullopt;
}

}  // namespace

// In a column the figure that is made for one, if it fits; otherwise with all rows as near to the wanted height as possible,
// or as high as it may be.
Figure arranged_part(const Figure& figure, const DrawnPart& part, const Room& given) {
  if (std::optional<Figure> narrow = narrow_part(figure, part, given)) return *narrow;
  if (figure.has_stages && figure.panels.size() > 1) return arranged_stages(figure, part, given);
  // Rather a little higher than without air beside the letters, and rather without than much higher.
  if (given.wanted_height > 0) {
    constexpr std::size_t steps_for_air = 2;
    const std::vector<Room> rooms = rooms_to_try(given);
    for (const double air : {2.0, 1.5, given.least_air})
      for (std::size_t i = 0; i < (air == given.least_air ? rooms.size() : steps_for_air); ++i) {
        Room room = rooms[i];
        room.least_air = air;
        if (Figure wanted = arranged_in(figure, part, room, true); fits(wanted, room)) return wanted;
      }
  }
  Room room = given;
  room.wanted_height = 0;
  return arranged_in(figure, part, room, false);
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "view/mma/scale_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/checked.hpp"
#include "view/tmem/tmem_figure.hpp"

namespace swz {
namespace {

constexpr const char* asked_text = "the factor that was asked for";
constexpr std::int64_t scale_line_bytes = 16, most_lines = 32, block_rows = 32;

// The blocks into which a layout divides the operand: this many rows and factors are together.
ScaleExtents tile_of(const ScaleLayoutView& view, const ScaleExtents& whole) {
  switch (view.name) {
    case ScaleLayoutName::tile_128x4: return {128, 4};
    case ScaleLayoutName::tile_8x4: return {8, 4};
    case ScaleLayoutName::linear: return {1, whole.factors};
    case ScaleLayoutName::deepgemm: return {std::max<std::int64_t>(whole.rows, 1), 4};
  }
  return {};
}

Figure figure_of_grid(Grid grid) {
  Figure figure;
  figure.panels.push_back({std::move(grid)});
  return figure;
}

// A hue for each 32 rows of a tile of 128, or for each row; a shade for each factor of a word.
Tint tint_of(const ScaleExtents& tile, const ScaleCoordinate& at) {
  const std::int64_t row = at.row % tile.rows / (tile.rows == 128 ? block_rows : 1);
  return {static_cast<int>(row % 8), static_cast<int>(at.kb % 4)};
}

// What both pictures of a layout need.
struct ShownLayout {
  const ScaleLayoutView& view;
  ScaleExtents whole, tile;
  ScaleLayout layout;
  std::optional<ScaleCoordinate> at;

  std::int64_t row_tiles() const { return ceil_div(whole.rows, tile.rows); }
  std::int64_t k_tiles() const { return ceil_div(whole.factors, tile.factors); }
  bool is_linear() const { return view.name == ScaleLayoutName::linear; }
  // The tile of the point, or the first.
  ScaleCoordinate shown() const {
    return at ? ScaleCoordinate{at->row / tile.rows, at->kb / tile.factors} : ScaleCoordinate{};
  }
  std::int64_t first_byte(const ScaleCoordinate& of) const {
    return layout.offset({of.row * tile.rows, of.kb * tile.factors}).count;
  }
  bool is_padding(const ScaleCoordinate& c) const { return c.row >= whole.rows || c.kb >= whole.factors; }
};

ShownLayout shown_of(const ScaleLayoutView& view) {
  const ScaleExtents whole{view.rows, ceil_div(view.k, view.vec)};
  ShownLayout shown{view, whole, tile_of(view, whole), ScaleLayout(view.name, whole, view.memory), {}};
  if (view.at) shown.at = ScaleCoordinate{view.at->row, view.at->kb / view.vec};
  require_drawable(shown.row_tiles() * shown.k_tiles(), "the figure of the tiles", "take fewer rows or a smaller K");
  return shown;
}

// The bytes that are drawn: those of the tile, or lines around the point.
struct ShownBytes {
  std::int64_t begin = 0, count = 0, lines = 0;
};

ShownBytes bytes_of(const ShownLayout& shown) {
  // Rows that are simply consecutive are drawn as one.
  const std::int64_t first = shown.is_linear() ? 0 : shown.first_byte(shown.shown());
  const std::int64_t rest = shown.layout.size().count - first;
  const std::int64_t bytes =
      shown.is_linear() ? rest : std::min(rest, ceil_div(shown.tile.rows, 4) * 4 * shown.tile.factors);
  const std::int64_t lines = ceil_div(bytes, scale_line_bytes);
  if (lines <= most_lines) return {first, bytes, lines};
  constexpr std::int64_t group = 8;  // the drawn part begins at a multiple of so many lines
  const std::int64_t asked = shown.at ? (shown.layout.offset(*shown.at).count - first) / scale_line_bytes : 0;
  const std::int64_t skipped = std::min(asked / group * group, lines - most_lines) * scale_line_bytes;
  return {first + skipped, std::min(bytes - skipped, most_lines * scale_line_bytes), most_lines};
}

}  // namespace

Figure scale_tiles_figure(const ScaleLayoutView& view) {
  const ShownLayout shown = shown_of(view);
  const auto label = [](std::int64_t index, std::int64_t each, std::int64_t end) {
    return range_text(index * each, std::min(each, end - index * each));
  };
  const auto row_label = [&](std::int64_t row) { return label(row, shown.tile.rows, shown.whole.rows); };
  const auto k_label = [&](std::int64_t k) { return label(k, shown.tile.factors, shown.whole.factors); };
  Grid grid = grid_of(shown.is_linear() ? "first byte of each row" : "first byte of each tile", "row\\kb",
                      labels_of(shown.row_tiles(), 1, row_label), labels_of(shown.k_tiles(), 1, k_label),
                      [&](std::int64_t row, std::int64_t k) {
                        const std::int64_t first = shown.first_byte({row, k});
                        Grid::Square square;
                        square.text = fmt::format("{:#x}", first);
                        square.tip =
                            fmt::format("rows {}, factors {}\nfrom byte {} on", row_label(row), k_label(k), first);
                        if (shown.at && shown.shown() == ScaleCoordinate{row, k}) square.mark = Mark::highlighted;
                        return square;
                      });
  return figure_of_grid(std::move(grid));
}

Figure scale_bytes_figure(const ScaleLayoutView& view) {
  const ShownLayout shown = shown_of(view);
  const ShownBytes bytes = bytes_of(shown);
  bool has_padding = false;
  const auto square_at = [&](std::int64_t line, std::int64_t column) {
    const std::int64_t offset = line * scale_line_bytes + column;
    Grid::Square square;
    if (offset >= bytes.count) return square;
    const ScaleCoordinate c = shown.layout.at({bytes.begin + offset});
    square.tip = fmt::format("byte {}: padding", bytes.begin + offset);
    if (shown.is_padding(c)) {
      has_padding = true;
      square.outside = 1;
      return square;
    }
    square.text = fmt::format("{},{}", c.row, c.kb);
    square.tint = tint_of(shown.tile, c);
    square.tip = fmt::format("row {}, factor {}: k {}\nbyte {}", c.row, c.kb, range_text(c.kb * view.vec, view.vec),
                             bytes.begin + offset);
    if (shown.at == c) square.mark = Mark::highlighted;
    return square;
  };
  const auto line_label = [&](std::int64_t line) {
    return fmt::format("{:#x}", bytes.begin + line * scale_line_bytes);
  };
  Grid grid =
      grid_of(fmt::format("bytes {}: row,kb of each factor", range_text(bytes.begin, bytes.count)), "byte",
              labels_of(bytes.lines, 1, line_label), number_labels(std::min(scale_line_bytes, bytes.count)), square_at);
  grid.column_group = 4;
  Figure figure = figure_of_grid(std::move(grid));
  if (has_padding) figure.legend.push_back({"padding", {}, Mark::none, 1});
  if (shown.at) figure.legend.push_back({asked_text, {}, Mark::highlighted});
  figure.caption = fmt::format("Factor kb of a row scales k {0} kb to {0} kb + {1}. Colour: {2}; shade: the factor.",
                               view.vec, view.vec - 1, shown.tile.rows == 128 ? "32 rows of a tile" : "the row");
  return figure;
}

Drawing scale_layout_drawing(const ScaleLayoutView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::terminal && view.at) return document;
    const ShownLayout shown = shown_of(view);
    if (shown.row_tiles() * shown.k_tiles() > 1) document.add(scale_tiles_figure(view));
    document.add(scale_bytes_figure(view));
    return document;
  }};
}

// ---- tensor memory

namespace {

// The words of four factors that are drawn: those of the first MMAs, or that of the point.
std::vector<int> words_of(const ScalePlaceView& view) {
  if (view.at) return {static_cast<int>(view.at->kb / 4)};
  if (view.placement.kind->factors > 4) return {0, 1, 2};
  return {0, 1};
}

// The first rows in one cell: 32, of which the last may be fewer.
std::vector<Run> row_runs(const ScalePlaceView& view) {
  Cuts cuts;
  for (int row = 0; row < view.placement.rows(); row += static_cast<int>(block_rows)) cuts.insert(row);
  if (view.at) cuts.insert({static_cast<int>(view.at->row), static_cast<int>(view.at->row) + 1});
  return runs_of(view.placement.rows(), cuts);
}

}  // namespace

namespace {

// A panel is four columns of a word, which one copy of 512 bytes fills.
constexpr int panel_columns = 4;

std::vector<Run> lane_runs(const ScalePlaceView& view, const std::vector<Run>& rows) {
  Cuts cuts{0, 32, 64, 96};
  for (const Run& run : rows)
    for (const int lane : scale_place(view.placement, {run.first, 0}, 0).lanes) {
      cuts.insert(lane);
      if (lane % tmem_quarter + run.count < tmem_quarter) cuts.insert(lane + run.count);
    }
  return runs_of(tmem_lanes, cuts);
}

// The rows that are in these lanes and this column, counted from the word's first.
std::optional<Run> rows_at(const ScalePlacement& p, const std::vector<Run>& rows, const Run& lanes, int column) {
  for (const Run& run : rows) {
    const ScalePlace place = scale_place(p, {run.first, 0}, 0);
    if (place.column != column) continue;
    for (const int first : place.lanes)
      if (lanes.first >= first && lanes.first < first + run.count)
        return Run{run.first + lanes.first - first, lanes.count};
  }
  return {};
}

Grid scale_panel(const ScalePlaceView& view, int word, int first_column) {
  const ScalePlacement& p = view.placement;
  const std::vector<Run> rows = row_runs(view), lanes = lane_runs(view, rows);
  std::vector<std::string> labels;
  for (const Run& run : lanes) labels.push_back(text_of(run));
  const int word_column = view.column + word * p.columns_per_word() + first_column;
  int least = p.rows(), most = 0;
  const auto square_at = [&](std::int64_t row, std::int64_t column) {
    const Run& run = lanes[static_cast<std::size_t>(row)];
    Grid::Square square;
    const auto held = rows_at(p, rows, run, first_column + static_cast<int>(column));
    if (!held) {
      square.outside = 1;
      square.tip = "not read";
      return square;
    }
    least = std::min(least, held->first);
    most = std::max(most, held->first + held->count);
    square.text = text_of(*held);
    square.tint = {held->first / static_cast<int>(block_rows) % 8, word % 2 * 2};
    square.tip = fmt::format("rows {}, factors {}\nlanes {}, column {}", text_of(*held), range_text(4 * word, 4),
                             text_of(run), word_column + column);
    if (view.at && *held == Run{static_cast<int>(view.at->row), 1}) square.mark = Mark::highlighted;
    return square;
  };
  const auto label = [&](std::int64_t i) { return std::to_string(word_column + i); };
  Grid grid = grid_of("", "lane\\column", std::move(labels),
                      labels_of(std::min(panel_columns, p.columns_per_word() - first_column), 1, label), square_at);
  grid.title = fmt::format("{} {}, kb {}", p.operand == ScaleOperand::a ? "m" : "n", text_of({least, most - least}),
                           range_text(4 * word, 4));
  return grid;
}

}  // namespace

Figure scale_place_figure(const ScalePlaceView& view) {
  const ScalePlacement& p = view.placement;
  Figure figure;
  // A row of panels for each word that has several.
  for (const int word : words_of(view)) {
    if (figure.panels.empty() || p.columns_per_word() > panel_columns) figure.panels.emplace_back();
    for (int column = 0; column < p.columns_per_word(); column += panel_columns)
      figure.panels.back().push_back(scale_panel(view, word, column));
  }
  const auto is_unread = [](const Grid::Square& s) { return s.outside > 0; };
  const auto row_has_unread = [&](const auto& row) { return std::ranges::any_of(row, is_unread); };
  if (std::ranges::any_of(figure.panels.front().front().squares, row_has_unread))
    figure.legend.push_back({"not read", {}, Mark::none, 1});
  if (view.at) figure.legend.push_back({asked_text, {}, Mark::highlighted});
  figure.caption = fmt::format(
      "A cell shows the rows of {} whose factors kb lie in a column of these lanes, one byte each. {} quarters of "
      "the "
      "lanes hold the same. M {}, N {}, cta_group::{}. Not measured: no Blackwell GPU was available.",
      p.operand == ScaleOperand::a ? "A" : "B", p.copies(), p.m, p.n, p.cta_group);
  return figure;
}

Figure scale_word_figure(const ScalePlaceView& view) {
  const ScalePlacement& p = view.placement;
  const std::vector<int> words = words_of(view);
  std::vector<std::string> labels;
  for (const int word : words)
    labels.push_back("columns " + range_text(view.column + word * p.columns_per_word(), p.columns_per_word()));
  std::map<int, ScalePlace> mmas;
  const auto square_at = [&](std::int64_t row, std::int64_t byte) {
    const std::int64_t kb = words[static_cast<std::size_t>(row)] * std::int64_t{4} + byte;
    const ScalePlace place = scale_place(p, {0, kb}, view.column);
    mmas.emplace(place.mma, place);
    Grid::Square square;
    square.text = fmt::format("kb {}\nMMA {}", kb, place.mma);
    square.tint = {place.mma % 8};
    square.tip = fmt::format("factor {} of MMA {}\naddress column {}, sf_id {}", kb, place.mma, place.address_column,
                             place.sf_id);
    if (view.at && view.at->kb == kb) square.mark = Mark::highlighted;
    return square;
  };
  Figure figure = figure_of_grid(grid_of("the bytes of a column, and the MMA that takes them", "", std::move(labels),
                                         {"byte 0", "byte 1", "byte 2", "byte 3"}, square_at));
  for (const auto& [mma, place] : mmas)
    figure.legend.push_back(
        {fmt::format("MMA {}: address column {}, sf_id {}", mma, place.address_column, place.sf_id), {mma % 8}});
  return figure;
}

Drawing scale_place_drawing(const ScalePlaceView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::page || !view.at) document.add(scale_place_figure(view)).add(scale_word_figure(view));
    return document;
  }};
}

}  // namespace swz

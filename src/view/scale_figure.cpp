#include "view/scale_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "view/tmem_figure.hpp"

namespace swz {
namespace {

constexpr const char* asked_text = "the factor that was asked for";
constexpr std::int64_t line_bytes = 16, most_lines = 32, block_rows = 32;

// How a layout cuts the operand: so many rows and factors lie together.
ScaleExtents tile_of(const ScaleLayoutView& view, const ScaleExtents& whole) {
  switch (view.name) {
    case ScaleLayoutName::tile_128x4: return {128, 4};
    case ScaleLayoutName::tile_8x4: return {8, 4};
    case ScaleLayoutName::linear: return {1, whole.factors};
    case ScaleLayoutName::deepgemm: return {std::max<std::int64_t>(whole.rows, 1), 4};
  }
  return {};
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// A hue for each 32 rows of a tile of 128, or for each row; a shade for each factor of a word.
Tint tint_of(const ScaleExtents& tile, const ScaleCoordinate& at) {
  const std::int64_t row = at.row % tile.rows / (tile.rows == 128 ? block_rows : 1);
  return {static_cast<int>(row % 8), static_cast<int>(at.kb % 4)};
}

}  // namespace

Figure scale_layout_figure(const ScaleLayoutView& view) {
  const ScaleExtents whole{view.rows, ceil_div(view.k, view.vec)};
  const ScaleLayout layout(view.name, whole, view.memory);
  const ScaleExtents tile = tile_of(view, whole);
  const std::int64_t row_tiles = ceil_div(whole.rows, tile.rows), k_tiles = ceil_div(whole.factors, tile.factors);
  std::optional<ScaleCoordinate> at;
  if (view.at) at = ScaleCoordinate{view.at->row, view.at->kb / view.vec};
  const ScaleCoordinate shown = at ? ScaleCoordinate{at->row / tile.rows, at->kb / tile.factors} : ScaleCoordinate{};
  require_drawable(row_tiles * k_tiles, "the figure of the tiles", "take fewer rows or a smaller K");
  const auto start_of = [&](std::int64_t row, std::int64_t k) {
    return layout.offset({row * tile.rows, k * tile.factors}).count;
  };
  const auto row_label = [&](std::int64_t row) {
    return range_text(row * tile.rows, std::min(tile.rows, whole.rows - row * tile.rows));
  };
  const auto k_label = [&](std::int64_t k) {
    return range_text(k * tile.factors, std::min(tile.factors, whole.factors - k * tile.factors));
  };
  const bool is_linear = view.name == ScaleLayoutName::linear;
  Grid order = grid_of(is_linear ? "first byte of each row" : "first byte of each tile", "row\\kb",
                       labels_of(row_tiles, 1, row_label), labels_of(k_tiles, 1, k_label),
                       [&](std::int64_t row, std::int64_t k) {
                         Grid::Square square;
                         square.text = fmt::format("{:#x}", start_of(row, k));
                         square.tip = fmt::format("rows {}, factors {}\nfrom byte {} on", row_label(row), k_label(k),
                                                  start_of(row, k));
                         if (at && shown == ScaleCoordinate{row, k}) square.mark = Mark::highlighted;
                         return square;
                       });
  // Rows that simply follow each other are drawn as one.
  const std::int64_t first = is_linear ? 0 : start_of(shown.row, shown.kb);
  const std::int64_t tile_bytes = is_linear ? layout.size().count : ceil_div(tile.rows, 4) * 4 * tile.factors;
  const std::int64_t bytes = std::min(tile_bytes, layout.size().count - first);
  // The lines around the point of a tile that has more of them.
  std::int64_t skipped = 0, lines = ceil_div(bytes, line_bytes);
  if (lines > most_lines) {
    if (at) skipped = std::min((layout.offset(*at).count - first) / line_bytes / 8 * 8, lines - most_lines);
    lines = most_lines;
  }
  const std::int64_t begin = first + skipped * line_bytes;
  Grid memory = grid_of(
      fmt::format("bytes {}: row,kb of each factor", range_text(begin, std::min(bytes, lines * line_bytes))), "byte",
      labels_of(lines * line_bytes, line_bytes, [&](std::int64_t i) { return fmt::format("{:#x}", begin + i); }),
      number_labels(std::min(line_bytes, bytes)), [&](std::int64_t row, std::int64_t column) {
        const Bytes offset{begin + row * line_bytes + column};
        Grid::Square square;
        if (offset.count >= first + bytes) return square;
        const ScaleCoordinate c = layout.at(offset);
        if (c.row >= whole.rows || c.kb >= whole.factors) {
          square.outside = 1;
          square.tip = fmt::format("byte {}: padding", offset.count);
          return square;
        }
        square.text = fmt::format("{},{}", c.row, c.kb);
        square.tint = tint_of(tile, c);
        square.tip = fmt::format("row {}, factor {}: k {}\nbyte {}", c.row, c.kb, range_text(c.kb * view.vec, view.vec),
                                 offset.count);
        if (at && c == *at) square.mark = Mark::highlighted;
        return square;
      });
  memory.column_group = 4;
  Figure figure;
  figure.panels = {{std::move(order), std::move(memory)}};
  if (whole.rows % tile.rows != 0 || whole.factors % 4 != 0) figure.legend.push_back({"padding", {}, Mark::none, 1});
  if (at) figure.legend.push_back({asked_text, {}, Mark::highlighted});
  figure.caption = fmt::format("Factor kb of a row scales k {} kb to {} kb + {}. Colour: {}; shade: the factor.",
                               view.vec, view.vec, view.vec - 1,
                               tile.rows == 128 ? "32 rows of a tile" : "the row");
  return figure;
}

Drawing scale_layout_drawing(const ScaleLayoutView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::page || !view.at) document.add(scale_layout_figure(view));
    return document;
  }};
}

// ---- tensor memory

namespace {

// Words of four factors that are drawn: those of the first MMAs, or up to the point.
int words_of(const ScalePlaceView& view) {
  const int fewest = view.placement.kind->factors > 4 ? 3 : 2;
  return view.at ? std::max(fewest, static_cast<int>(view.at->kb / 4) + 1) : fewest;
}

// The first rows in one cell: 32, of which the last may be fewer.
std::vector<Run> row_runs(const ScalePlaceView& view) {
  std::set<int> cuts;
  for (int row = 0; row < view.placement.rows(); row += static_cast<int>(block_rows)) cuts.insert(row);
  if (view.at) cuts.insert({static_cast<int>(view.at->row), static_cast<int>(view.at->row) + 1});
  return runs_of(view.placement.rows(), cuts);
}

}  // namespace

Figure scale_place_figure(const ScalePlaceView& view) {
  const ScalePlacement& p = view.placement;
  const int words = words_of(view), columns = words * p.columns_per_word();
  const std::vector<Run> rows = row_runs(view);
  // Of each run its lanes; where they are cut, all columns are.
  std::set<int> cuts{0, 32, 64, 96};
  for (const Run& run : rows)
    for (const int lane : scale_place(p, {run.first, 0}, 0).lanes) {
      cuts.insert(lane);
      if (lane % 32 + run.count < 32) cuts.insert(lane + run.count);
    }
  const std::vector<Run> lanes = runs_of(tmem_lanes, cuts);
  std::vector<std::string> labels;
  for (const Run& run : lanes) labels.push_back(text_of(run));
  Figure figure;
  Grid grid = grid_of(
      "tensor memory", "lane\\column", std::move(labels),
      labels_of(columns, 1, [&](std::int64_t i) { return std::to_string(view.column + i); }),
      [&](std::int64_t, std::int64_t) {
        Grid::Square square;
        square.outside = 1;
        square.tip = "not read";
        return square;
      });
  const auto put = [&](const Run& run, int word) {
    const ScalePlace place = scale_place(p, {run.first, 4 * word}, 0);
    for (const int first : place.lanes)
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (lanes[i].first < first || lanes[i].first >= first + run.count) continue;
        const Run part{run.first + lanes[i].first - first, lanes[i].count};
        Grid::Square& square = grid.at(static_cast<std::int64_t>(i), place.column);
        square = {fmt::format("{} {}\nkb {}", p.operand == ScaleOperand::a ? "m" : "n", text_of(part),
                              range_text(4 * word, 4)),
                  {run.first / static_cast<int>(block_rows) % 8, word % 2 * 2}};
        square.tip = fmt::format("rows {}, factors {}\nlanes {}, column {}", text_of(part), range_text(4 * word, 4),
                                 text_of(lanes[i]), view.column + place.column);
        const bool is_asked = view.at && part == Run{static_cast<int>(view.at->row), 1} && view.at->kb / 4 == word;
        square.mark = is_asked ? Mark::highlighted : Mark::none;
      }
  };
  for (int word = 0; word < words; ++word)
    for (const Run& run : rows) put(run, word);
  grid.column_group = p.columns_per_word();
  figure.panels = {{std::move(grid)}};
  const auto is_unread = [](const Grid::Square& s) { return s.outside > 0; };
  if (std::ranges::any_of(figure.panels[0][0].squares,
                          [&](const auto& row) { return std::ranges::any_of(row, is_unread); }))
    figure.legend.push_back({"not read", {}, Mark::none, 1});
  if (view.at) figure.legend.push_back({asked_text, {}, Mark::highlighted});
  figure.caption = fmt::format(
      "A column of a lane holds four factors of a row, {} columns hold those of all rows. {} quarters of the lanes hold "
      "the same. Colour: {} rows of {}. M {}, N {}, cta_group::{}. Not measured, no Blackwell was at hand.",
      p.columns_per_word(), p.copies(), block_rows, p.operand == ScaleOperand::a ? "A" : "B", p.m, p.n, p.cta_group);
  return figure;
}

Figure scale_word_figure(const ScalePlaceView& view) {
  const ScalePlacement& p = view.placement;
  const int words = words_of(view);
  const auto word_label = [&](std::int64_t word) {
    return fmt::format("columns {}", range_text(view.column + word * p.columns_per_word(), p.columns_per_word()));
  };
  Grid grid = grid_of("the bytes of a column, and the MMA that takes them", "", labels_of(words, 1, word_label),
                      {"byte 0", "byte 1", "byte 2", "byte 3"}, [&](std::int64_t word, std::int64_t byte) {
                        const std::int64_t kb = word * 4 + byte;
                        const ScalePlace place = scale_place(p, {0, kb}, view.column);
                        Grid::Square square;
                        square.text = fmt::format("kb {}\nMMA {}", kb, place.mma);
                        square.tint = {place.mma % 8};
                        square.tip = fmt::format("factor {} of MMA {}\naddress column {}, sf_id {}", kb, place.mma,
                                                 place.address_column, place.sf_id);
                        if (view.at && view.at->kb == kb) square.mark = Mark::highlighted;
                        return square;
                      });
  Figure figure;
  figure.panels = {{std::move(grid)}};
  const int last = scale_place(p, {0, words * 4 - 1}, view.column).mma;
  for (int mma = 0; mma <= std::min(last, 7); ++mma) {
    const ScalePlace place = scale_place(p, {0, std::int64_t{mma} * p.kind->factors}, view.column);
    figure.legend.push_back(
        {fmt::format("MMA {}: address column {}, sf_id {}", mma, place.address_column, place.sf_id), {mma}});
  }
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

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "view/mma/mma_figure.hpp"
#include "view/tmem/tmem_figure.hpp"

namespace swz {
namespace {

constexpr std::int64_t block_rows = 32;

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

// Columns of these words: from `first` on of each, `count` of them. `letter`: before rows, "n ", on a page, where lanes
// are ranges of the same numbers.
Grid scale_panel(const ScalePlaceView& view, const std::vector<int>& words, int first, int count,
                 const std::string& letter) {
  const ScalePlacement& p = view.placement;
  const std::vector<Run> rows = row_runs(view), lanes = lane_runs(view, rows);
  std::vector<std::string> labels;
  for (const Run& run : lanes) labels.push_back(text_of(run));
  const auto word_of = [&](std::int64_t column) { return words[static_cast<std::size_t>(column / count)]; };
  const auto column_of = [&](std::int64_t column) {
    return view.column + word_of(column) * p.columns_per_word() + first + static_cast<int>(column % count);
  };
  int least = p.rows(), most = 0;
  const auto square_at = [&](std::int64_t row, std::int64_t column) {
    const Run& run = lanes[static_cast<std::size_t>(row)];
    const int word = word_of(column);
    Grid::Square square;
    const auto held = rows_at(p, rows, run, first + static_cast<int>(column % count));
    if (!held) {
      square.outside = 1;
      square.tip = "not read";
      return square;
    }
    least = std::min(least, held->first);
    most = std::max(most, held->first + held->count);
    square.text = letter + text_of(*held);
    square.tint = {word % 8};
    square.tip = fmt::format("rows {}, factors {}\nlanes {}, column {}", text_of(*held), range_text(4 * word, 4),
                             text_of(run), column_of(column));
    if (view.at && *held == Run{static_cast<int>(view.at->row), 1}) square.mark = Mark::highlighted;
    return square;
  };
  Grid grid = grid_of(
      "", "lane\\column", std::move(labels),
      labels_of(count * std::ssize(words), 1, [&](std::int64_t i) { return std::to_string(column_of(i)); }), square_at);
  grid.column_units = 1;
  grid.title = fmt::format("{} {}", p.operand == ScaleOperand::a ? "m" : "n", text_of(Run{least, most - least}));
  if (words.size() == 1) {
    grid.title += ", kb " + range_text(4 * words.front(), 4);
    return grid;
  }
  grid.column_group = count;
  grid.column_levels = {{count, labels_of(std::ssize(words), 1, [&](std::int64_t i) {
                           return "kb " + range_text(4 * words[static_cast<std::size_t>(i)], 4);
                         })}};
  return grid;
}

// Whether one MMA takes the four bytes of a word: its sf_id is 0.
bool is_of_one_mma(const ScalePlaceView& view, int word) {
  const ScalePlace first = scale_place(view.placement, {0, std::int64_t{4} * word}, view.column),
                   last = scale_place(view.placement, {0, std::int64_t{4} * word + 3}, view.column);
  return first.mma == last.mma && first.sf_id == 0 && last.sf_id == 0;
}

// A row is a word of four bytes, a cell the factor in one of its bytes with the MMA that takes it. On a page an MMA that
// takes whole words is said once for each.
Grid byte_panel(const ScalePlaceView& view, const std::vector<int>& words, bool is_page) {
  const ScalePlacement& p = view.placement;
  const bool is_once = is_page && std::ranges::all_of(words, [&](int word) { return is_of_one_mma(view, word); });
  std::vector<std::string> labels;
  for (const int word : words) {
    labels.push_back("columns " + range_text(view.column + word * p.columns_per_word(), p.columns_per_word()));
    const ScalePlace place = scale_place(p, {0, word * std::int64_t{4}}, view.column);
    if (is_once) labels.back() += fmt::format(": MMA {}", place.mma);
  }
  const auto square_at = [&](std::int64_t row, std::int64_t byte) {
    const int word = words[static_cast<std::size_t>(row)];
    const std::int64_t kb = word * std::int64_t{4} + byte;
    const ScalePlace place = scale_place(p, {0, kb}, view.column);
    Grid::Square square;
    square.text = fmt::format("kb {}", kb);
    if (!is_once) square.text += fmt::format("\nMMA {}\nsf_id {}", place.mma, place.sf_id);
    square.tint = {word % 8, (place.mma - scale_place(p, {0, word * std::int64_t{4}}, view.column).mma) % 2 * 2};
    square.tip = fmt::format("factor {} of MMA {}\naddress column {}, sf_id {}", kb, place.mma, place.address_column,
                             place.sf_id);
    if (view.at && view.at->kb == kb) square.mark = Mark::highlighted;
    return square;
  };
  return grid_of(is_once ? "the bytes of a column: sf_id 0" : "the bytes of a column", "", std::move(labels),
                 {"byte 0", "byte 1", "byte 2", "byte 3"}, square_at);
}

// Quarters of the lanes that hold the same are one row, and below it is what the others hold.
void fold_quarters(Grid& grid) {
  const auto looks_as_first = [&](const auto& row) {
    return std::ranges::equal(row, grid.squares.front(), [](const Grid::Square& a, const Grid::Square& b) {
      return a.text == b.text && a.mark == b.mark && a.outside == b.outside;
    });
  };
  if (grid.squares.size() != 4 || !std::ranges::all_of(grid.squares, looks_as_first)) return;
  grid.squares.resize(1);
  grid.below = fmt::format("lanes {}: the same", join_and({grid.row_labels.begin() + 1, grid.row_labels.end()}));
  grid.row_labels.resize(1);
}

}  // namespace

Figure scale_place_figure(const ScalePlaceView& view, bool is_page) {
  const ScalePlacement& p = view.placement;
  const std::vector<int> words = words_of(view);
  const std::string letter = !is_page ? "" : p.operand == ScaleOperand::a ? "m " : "n ";
  Figure figure;
  // Words of few columns are one panel, beside their bytes. Of others each is a row of panels; a page has the first, and
  // the columns of the next in the panel of the bytes.
  if (p.columns_per_word() <= panel_columns)
    figure.panels = {{scale_panel(view, words, 0, p.columns_per_word(), letter), byte_panel(view, words, is_page)}};
  else {
    for (const int word : is_page ? std::vector<int>{words.front()} : words) {
      std::vector<Grid>& row = figure.panels.emplace_back();
      const int step = is_page ? p.columns_per_word() : panel_columns;
      for (int column = 0; column < p.columns_per_word(); column += step)
        row.push_back(scale_panel(view, {word}, column, std::min(step, p.columns_per_word() - column), letter));
    }
    figure.panels.push_back({byte_panel(view, words, is_page)});
  }
  if (is_page)
    for (Grid& grid : figure.panels.front()) fold_quarters(grid);
  const auto is_unread = [](const Grid::Square& s) { return s.outside > 0; };
  const auto row_has_unread = [&](const auto& row) { return std::ranges::any_of(row, is_unread); };
  if (std::ranges::any_of(figure.panels.front().front().squares, row_has_unread))
    figure.legend.push_back({"not read", {}, Mark::none, 1});
  if (view.at) figure.legend.push_back({"the factor that was asked for", {}, Mark::highlighted});
  const bool is_a = p.operand == ScaleOperand::a;
  if (is_page)
    figure.caption = fmt::format(
        "A cell has the factors of these {}, 4 bytes for each; kb counts factors along K. M {}, N {}, cta_group::{}.",
        is_a ? "rows m of A" : "columns n of B", p.m, p.n, p.cta_group);
  else
    figure.caption = fmt::format(
        "By lane and column, a cell shows the {} whose factors are there, four bytes for each row; kb counts them "
        "along K. {}. An MMA is given the first column of its word, and sf_id. M {}, N {}, cta_group::{}.",
        is_a ? "rows of A" : "rows of B", p.in_128_lanes ? "Each row has a lane of its own" : copies_text(p), p.m, p.n,
        p.cta_group);
  figure.caption += " Not measured: no Blackwell GPU was available.";
  figure.about_shades = " The two shades of a word are its MMAs in turn.";
  return figure;
}

Drawing scale_place_drawing(const ScalePlaceView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::page) document.add(scale_place_figure(view, true));
    else if (!view.at)
      document.add(in_short(scale_place_figure(view, true))).add(in_full(scale_place_figure(view, false)));
    return document;
  }};
}

}  // namespace swz

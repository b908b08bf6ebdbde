// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/checked.hpp"
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
  if (view.at) figure.legend.push_back({"the factor that was asked for", {}, Mark::highlighted});
  figure.caption = fmt::format(
      "A cell shows the rows of {} whose factors kb lie in a column of these lanes, one byte each. {}. M {}, N {}, "
      "cta_group::{}. Not measured: no Blackwell GPU was available.",
      p.operand == ScaleOperand::a ? "A" : "B", p.in_128_lanes ? "Each row has a lane of its own" : copies_text(p), p.m,
      p.n, p.cta_group);
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
  Figure figure;
  figure.panels.push_back({grid_of("the bytes of a column, and the MMA that takes them", "", std::move(labels),
                                   {"byte 0", "byte 1", "byte 2", "byte 3"}, square_at)});
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

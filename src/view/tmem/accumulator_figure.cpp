// SPDX-License-Identifier: Apache-2.0
// The picture of D: the matrix in blocks whose elements are together in tensor memory, and the tensor memory of each
// CTA.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "view/tmem/tmem_figure.hpp"

namespace swz {
namespace {

// The columns of one cell of AccumulatorCells::lane.
constexpr int lane_cell_columns = 16;

std::optional<TmemCell> asked_cell(const Accumulator& d, const AccumulatorView& view) {
  return view.at ? std::optional(d.place(*view.at)) : view.cell;
}

// Where D and tensor memory are cut: in rows and columns of D, and in lanes and columns of tensor memory.
struct AccumulatorCuts {
  Cuts rows, cols, columns;
  std::array<Cuts, 2> lanes;  // of each CTA
};

// A cut of D also cuts the lanes and columns that its elements are in.
AccumulatorCuts cuts_of(const Accumulator& d, const AccumulatorView& view) {
  const DataPath& path = d.path();
  const int block = path.is_scattered ? 16 : tmem_quarter, rows = path.rows();
  AccumulatorCuts cuts{every(block, path.m), every(d.columns(), d.n()), {}, {}};
  cuts.lanes.fill(every(view.cells == AccumulatorCells::lane ? 1 : block, tmem_lanes));
  if (view.cells == AccumulatorCells::lane) cuts.columns = every(lane_cell_columns, d.columns());
  const auto cut_row = [&](int row) {
    cuts.rows.insert(row);
    if (row == path.m) return;
    for (int part = 0; part < path.parts; ++part)
      cuts.lanes.at(static_cast<std::size_t>(row / rows)).insert(lane_of_row(path, row % rows) + part * rows);
  };
  const auto cut_col = [&](int col) {
    cuts.cols.insert(col);
    cuts.columns.insert(col % d.columns());
  };
  const auto cut_lane = [&](int lane) {
    for (Cuts& lanes : cuts.lanes) lanes.insert(lane);
    for (int cta = 0; cta < path.cta_group; ++cta)
      if (const auto at = d.element({cta, lane, 0})) cuts.rows.insert(at->row);
  };
  const auto cut_column = [&](int column) {
    cuts.columns.insert(column);
    for (int part = 0; part < path.parts; ++part) cuts.cols.insert(column + part * d.columns());
  };
  for (const Highlight::Range& range : view.highlight.ranges())
    for (const std::int64_t at : {range.first, range.last + 1}) {
      const int place = static_cast<int>(at);
      if (range.plural == "rows") cut_row(place);
      else if (range.plural == "cols") cut_col(place);
      else if (range.plural == "lanes") cut_lane(place);
      else cut_column(place);
    }
  return cuts;
}

// The block of the element that is asked for, and what is highlighted.
bool is_marked(const Accumulator& d, const AccumulatorView& view, const Run& rows, const Run& cols,
               const TmemCell& first) {
  const auto has = [](const Run& run, int place) { return place >= run.first && place < run.first + run.count; };
  if (const auto cell = asked_cell(d, view)) {
    const Coordinate at = *d.element(*cell);
    return has(rows, at.row) && has(cols, at.column);
  }
  const Highlight& h = view.highlight;
  const auto [row, col, lane, column] = std::tuple(rows.first, cols.first, first.lane, first.column);
  return !h.empty() && h.contains_any("rows", row, rows.count) && h.contains_any("cols", col, cols.count) &&
         h.contains_any("lanes", lane, rows.count) && h.contains_any("columns", column, cols.count);
}

// The same block, shown in D and in tensor memory.
Grid::Square block_square(const Accumulator& d, const AccumulatorView& view, const TmemCell& first, const Run& lanes,
                          const Run& columns, bool is_in_d) {
  const auto at = d.element(first);
  if (!at) return unused_square("not used by D");
  const Run rows{at->row, lanes.count}, cols{at->column, columns.count};
  const int warp = first.lane / tmem_quarter;
  Grid::Square square;
  square.mark = is_marked(d, view, rows, cols, first) ? Mark::highlighted : Mark::none;
  const std::string of_d = named("rows", rows) + "\nn " + text_of(cols);
  if (is_in_d) square.text = fmt::format("{}\ncol {}", named("lanes", lanes), text_of(columns));
  else if (view.cells == AccumulatorCells::lane) square.text = fmt::format("{},{}", rows.first, text_of(cols));
  else square.text = of_d;
  square.tint = {first.cta * 4 + warp};
  square.tip = fmt::format("{}\n{}{}, {}\nread by warp {}", of_d,
                           d.path().cta_group > 1 ? fmt::format("CTA {}, ", first.cta) : "", named("lanes", lanes),
                           named("columns", columns), warp);
  return square;
}

Grid matrix_panel(const Accumulator& d, const AccumulatorView& view, const AccumulatorCuts& cuts) {
  const std::vector<Run> rows = runs_of(d.path().m, cuts.rows), cols = runs_of(d.n(), cuts.cols);
  std::vector<std::string> labels;
  for (const Run& run : rows)
    labels.push_back(d.path().cta_group > 1 ? fmt::format("CTA {}: {}", run.first / d.path().rows(), text_of(run))
                                            : text_of(run));
  return grid_of(fmt::format("D: {} x {}", d.path().m, d.n()), "row\\n", std::move(labels), texts_of(cols),
                 [&](std::int64_t row, std::int64_t col) {
                   const Run &r = rows[static_cast<std::size_t>(row)], &c = cols[static_cast<std::size_t>(col)];
                   const TmemCell cell = d.place({r.first, c.first});
                   return block_square(d, view, cell, {cell.lane, r.count}, {cell.column, c.count}, true);
                 });
}

Grid memory_panel(const Accumulator& d, const AccumulatorView& view, const AccumulatorCuts& cuts, int cta) {
  const std::vector<Run> lanes = runs_of(tmem_lanes, cuts.lanes.at(static_cast<std::size_t>(cta))),
                         columns = runs_of(d.columns(), cuts.columns);
  std::vector<std::string> labels;
  for (const Run& run : lanes) labels.push_back(fmt::format("warp {}: {}", run.first / tmem_quarter, text_of(run)));
  Grid grid = grid_of(d.path().cta_group > 1 ? fmt::format("CTA {}: tensor memory", cta) : "tensor memory",
                      "lane\\column", std::move(labels), texts_of(columns), [&](std::int64_t row, std::int64_t column) {
                        const Run &l = lanes[static_cast<std::size_t>(row)],
                                  &c = columns[static_cast<std::size_t>(column)];
                        return block_square(d, view, {cta, l.first, c.first}, l, c, false);
                      });
  // The first two lanes of a block and the last one are drawn.
  const int block = d.path().is_scattered ? 16 : tmem_quarter;
  for (std::size_t i = 0; view.cells == AccumulatorCells::lane && i < lanes.size(); ++i)
    if (const int inside = lanes[i].first % block; inside < 2 || inside == block - 1) grid.key_rows.push_back(i);
  return grid;
}

std::string asked_text(const AccumulatorView& view) {
  return view.highlight.empty() ? "the block of the element" : "highlighted";
}

}  // namespace

std::vector<HighlightKind> highlight_kinds(const Accumulator& d) {
  return {{"rows", d.path().m}, {"cols", d.n()}, {"lanes", tmem_lanes}, {"columns", d.columns()}};
}

Figure accumulator_figure(const Accumulator& d, const AccumulatorView& view) {
  const DataPath& path = d.path();
  const AccumulatorCuts cuts = cuts_of(d, view);
  require_drawable(std::ssize(cuts.rows) * std::ssize(cuts.cols) +
                       path.cta_group * std::ssize(cuts.lanes[0]) * std::max<std::int64_t>(std::ssize(cuts.columns), 1),
                   "the figure", "highlight fewer ranges");
  Figure figure;
  std::vector<Grid>& panels = figure.panels.emplace_back();
  if (view.cells == AccumulatorCells::block) panels.push_back(matrix_panel(d, view, cuts));
  // Of one element only the tensor memory that has it.
  const auto asked = asked_cell(d, view);
  for (int cta = 0; cta < path.cta_group; ++cta)
    if (!asked || asked->cta == cta) panels.push_back(memory_panel(d, view, cuts, cta));
  // Of one CTA, four hues; in a pair those of the other CTA follow.
  for (int warp = 0; warp < 4 * path.cta_group; ++warp)
    if (view.cells == AccumulatorCells::block || !asked || asked->cta == warp / 4)
      figure.legend.push_back(
          {path.cta_group > 1 ? fmt::format("{}.{}", warp / 4, warp % 4) : std::to_string(warp), {warp}});
  figure.legend_title = path.cta_group > 1 ? "colour: CTA.warp" : "colour: warp";
  if (path.is_scattered) figure.legend.push_back({"not used by D", {}, Mark::none, 1});
  if (view.at || view.cell || !view.highlight.empty())
    figure.legend.push_back({asked_text(view), {}, Mark::highlighted});
  const std::string extent = !view.highlight.empty() ? "Not to scale."
                             : view.cells == AccumulatorCells::lane
                                 ? "A cell is 16 columns of a lane and shows row,n of D."
                                 : "";
  figure.caption =
      fmt::format("D takes {} of {} columns, counted from its address. A warp reads its own 32 lanes only.{}{}",
                  d.columns(), tmem_columns, extent.empty() ? "" : " ", extent);
  return figure;
}

Drawing accumulator_drawing(const Accumulator& d, const AccumulatorView& view) {
  return {[d, view](Medium medium) {
    Document document;
    const bool is_point = view.at || view.cell;
    if (medium == Medium::page || !is_point)
      document.add(with_evidence(accumulator_figure(d, view), medium, d.path().source));
    return document;
  }};
}

}  // namespace swz

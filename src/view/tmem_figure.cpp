#include "view/tmem_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "view/bit_line.hpp"
#include "view/scale_figure.hpp"

namespace swz {
namespace {

// Of "lane by lane": columns in one cell.
constexpr int lane_cell_columns = 16;
// Of A without a point: MMAs along K that are drawn.
constexpr int drawn_mmas = 4;

std::string warp_label(int lane, const std::string& lanes) {
  return fmt::format("warp {}: {}", lane / tmem_quarter, lanes);
}

// Multiples of `step`.
std::set<int> every(int step, int end) {
  std::set<int> cuts;
  for (int i = 0; i < end; i += step) cuts.insert(i);
  return cuts;
}

void cut_out(std::set<int>& cuts, int first, int count = 1) { cuts.insert({first, first + count}); }

// "lanes 0-31", "lane 4".
std::string named(std::string_view plural, const Run& run) {
  return fmt::format("{} {}", run.count == 1 ? plural.substr(0, plural.size() - 1) : plural, text_of(run));
}

Grid::Square unused_square(std::string tip) {
  Grid::Square square;
  square.outside = 1;
  square.tip = std::move(tip);
  return square;
}

// ---- D

std::optional<TmemCell> asked_cell(const Accumulator& d, const AccumulatorView& view) {
  return view.at ? std::optional(d.place(*view.at)) : view.cell;
}

// Where D and tensor memory are cut: in rows of D and its columns, and in lanes and columns.
struct AccumulatorCuts {
  std::set<int> rows, cols, lanes, columns;
};

// A cut of D cuts every lane and column that it lies at.
AccumulatorCuts cuts_of(const Accumulator& d, const AccumulatorView& view) {
  const DataPath& path = d.path();
  const int block = path.is_scattered ? 16 : tmem_quarter, rows = path.rows();
  AccumulatorCuts cuts{every(block, path.m), every(d.columns(), d.n()), every(block, tmem_lanes), {}};
  if (view.cells == AccumulatorCells::lane) {
    cuts.lanes = every(1, tmem_lanes);
    cuts.columns = every(lane_cell_columns, d.columns());
  }
  const auto cut_row = [&](int row) {
    cuts.rows.insert(row);
    for (int part = 0; part < path.parts; ++part) cuts.lanes.insert(lane_of_row(path, row % rows) + part * rows);
  };
  const auto cut_col = [&](int col) {
    cuts.cols.insert(col);
    cuts.columns.insert(col % d.columns());
  };
  const auto cut_lane = [&](int lane) {
    cuts.lanes.insert(lane);
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
  if (const auto cell = asked_cell(d, view)) {
    const Coordinate at = *d.element(*cell);
    cut_out(cuts.rows, at.row);
    cut_out(cuts.cols, at.column);
  }
  return cuts;
}

bool is_marked(const AccumulatorView& view, const Run& rows, const Run& cols, const TmemCell& first) {
  if (view.at) return rows == Run{view.at->row, 1} && cols == Run{view.at->column, 1};
  if (view.cell) return first == *view.cell && rows.count == 1 && cols.count == 1;
  const Highlight& h = view.highlight;
  const auto [row, col, lane, column] = std::tuple(rows.first, cols.first, first.lane, first.column);
  return !h.empty() && h.contains_any("rows", row, rows.count) && h.contains_any("cols", col, cols.count) &&
         h.contains_any("lanes", lane, rows.count) && h.contains_any("columns", column, cols.count);
}

// The same block, seen in D and in tensor memory.
Grid::Square block_square(const Accumulator& d, const AccumulatorView& view, const TmemCell& first, const Run& lanes,
                          const Run& columns, bool is_in_d) {
  const auto at = d.element(first);
  if (!at) return unused_square("not used by D");
  const Run rows{at->row, lanes.count}, cols{at->column, columns.count};
  const int warp = first.lane / tmem_quarter;
  Grid::Square square;
  const std::string of_d = named("rows", rows) + "\n" + named("cols", cols);
  if (is_in_d) square.text = named("lanes", lanes) + "\n" + named("columns", columns);
  else if (view.cells == AccumulatorCells::lane) square.text = fmt::format("{},{}", rows.first, text_of(cols));
  else square.text = of_d;
  square.tint = {first.cta * 4 + warp};
  square.mark = is_marked(view, rows, cols, first) ? Mark::highlighted : Mark::none;
  square.tip = fmt::format("{}\n{}{}, {}\nread by warp {}", of_d,
                           d.path().cta_group > 1 ? fmt::format("CTA {}, ", first.cta) : "", named("lanes", lanes),
                           named("columns", columns), warp);
  return square;
}

std::vector<std::string> texts_of(const std::vector<Run>& runs) {
  std::vector<std::string> texts;
  for (const Run& run : runs) texts.push_back(text_of(run));
  return texts;
}

Grid matrix_panel(const Accumulator& d, const AccumulatorView& view, const AccumulatorCuts& cuts) {
  const std::vector<Run> rows = runs_of(d.path().m, cuts.rows), cols = runs_of(d.n(), cuts.cols);
  std::vector<std::string> labels;
  for (const Run& run : rows)
    labels.push_back(d.path().cta_group > 1 ? fmt::format("CTA {}: {}", run.first / d.path().rows(), text_of(run))
                                            : text_of(run));
  return grid_of(fmt::format("D: {} x {}", d.path().m, d.n()), "row\\col", std::move(labels), texts_of(cols),
                 [&](std::int64_t row, std::int64_t col) {
                   const Run &r = rows[static_cast<std::size_t>(row)], &c = cols[static_cast<std::size_t>(col)];
                   const TmemCell cell = d.place({r.first, c.first});
                   return block_square(d, view, cell, {cell.lane, r.count}, {cell.column, c.count}, true);
                 });
}

Grid memory_panel(const Accumulator& d, const AccumulatorView& view, AccumulatorCuts cuts, int cta) {
  const auto asked = asked_cell(d, view);
  if (asked && asked->cta == cta) {
    cut_out(cuts.lanes, asked->lane);
    cut_out(cuts.columns, asked->column);
  }
  const std::vector<Run> lanes = runs_of(tmem_lanes, cuts.lanes), columns = runs_of(d.columns(), cuts.columns);
  std::vector<std::string> labels;
  for (const Run& run : lanes) labels.push_back(warp_label(run.first, text_of(run)));
  Grid grid = grid_of(
      d.path().cta_group > 1 ? fmt::format("CTA {}: tensor memory", cta) : "tensor memory",
      "lane\\column", std::move(labels), texts_of(columns), [&](std::int64_t row, std::int64_t column) {
        const Run &l = lanes[static_cast<std::size_t>(row)], &c = columns[static_cast<std::size_t>(column)];
        return block_square(d, view, {cta, l.first, c.first}, l, c, false);
      });
  // Of the lanes of a block the first two and the last are drawn.
  const int block = d.path().is_scattered ? 16 : tmem_quarter;
  for (std::size_t i = 0; view.cells == AccumulatorCells::lane && i < lanes.size(); ++i)
    if (const int inside = lanes[i].first % block; inside < 2 || inside == block - 1) grid.key_rows.push_back(i);
  return grid;
}

std::string asked_text(const AccumulatorView& view) {
  return view.highlight.empty() ? "the element that was asked for" : "highlighted";
}

}  // namespace

std::vector<Run> runs_of(int end, const std::set<int>& cuts) {
  std::vector<Run> runs;
  int first = 0;
  for (const int cut : cuts) {
    if (cut <= first || cut >= end) continue;
    runs.push_back({first, cut - first});
    first = cut;
  }
  runs.push_back({first, end - first});
  return runs;
}

std::string evidence_text(const Source& source) {
  return fmt::format("{}; not measured, no Blackwell was at hand.", to_string(source));
}

std::string text_of(const Run& run) { return range_text(run.first, run.count); }

std::vector<HighlightKind> highlight_kinds(const Accumulator& d) {
  return {{"rows", d.path().m}, {"cols", d.n()}, {"lanes", tmem_lanes}, {"columns", d.columns()}};
}

Figure accumulator_figure(const Accumulator& d, const AccumulatorView& view) {
  const DataPath& path = d.path();
  const AccumulatorCuts cuts = cuts_of(d, view);
  Figure figure;
  std::vector<Grid>& panels = figure.panels.emplace_back();
  if (view.cells == AccumulatorCells::block) panels.push_back(matrix_panel(d, view, cuts));
  for (int cta = 0; cta < path.cta_group; ++cta) panels.push_back(memory_panel(d, view, cuts, cta));
  if (path.is_scattered) figure.legend.push_back({"not used by D", {}, Mark::none, 1});
  if (view.at || view.cell || !view.highlight.empty())
    figure.legend.push_back({asked_text(view), {}, Mark::highlighted});
  figure.caption = fmt::format(
      "{}D takes columns 0-{} of {} from its address on. Colour: the lanes of a warp, which alone reads them. {}",
      view.cells == AccumulatorCells::lane ? "A cell is 16 columns of a lane and shows row,cols of D. " : "",
      d.columns() - 1, tmem_columns, evidence_text(path.source));
  return figure;
}

Drawing accumulator_drawing(const Accumulator& d, const AccumulatorView& view) {
  return {[d, view](Medium medium) {
    Document document;
    const bool is_point = view.at || view.cell;
    if (medium == Medium::page || !is_point) document.add(accumulator_figure(d, view));
    return document;
  }};
}

// ---- A

namespace {

struct PanelOfA {
  const OperandAView& view;
  Container container;
  std::vector<Run> lanes, columns;

  int mma_columns() const { return row_of(view.kind).k_dense * container.bits / 32; }
};

PanelOfA panel_of(const OperandAView& view) {
  const DataPath& path = *view.path;
  PanelOfA panel{view, container_of(view.kind, view.dtype->name), {}, {}};
  std::set<int> lanes = every(path.is_scattered ? 16 : tmem_quarter, tmem_lanes), columns;
  int end = std::min(tmem_columns, view.column + drawn_mmas * panel.mma_columns());
  if (view.at) {
    const TmemElement e = operand_a_place(path, panel.container, view.at->row, view.at->column, view.column);
    for (const int lane : e.lanes) cut_out(lanes, lane);
    const int column = static_cast<int>(e.column), offset = column - view.column;
    cut_out(columns, offset);
    end = std::max(end, column / panel.mma_columns() * panel.mma_columns() + panel.mma_columns());
    end = std::min(end, tmem_columns);
  }
  for (int i = 0; i < end - view.column; i += panel.mma_columns()) columns.insert(i);
  panel.lanes = runs_of(tmem_lanes, lanes);
  panel.columns = runs_of(end - view.column, columns);
  return panel;
}

// "k 0-15" of some columns from that of A's address.
std::string k_text(const PanelOfA& panel, const Run& columns) {
  const int each = 32 / panel.container.bits;
  return "k " + range_text(std::int64_t{columns.first} * each, std::int64_t{columns.count} * each);
}

Grid panel_of_cta(const PanelOfA& panel, int cta) {
  const OperandAView& view = panel.view;
  const DataPath& path = *view.path;
  const auto square_at = [&](std::int64_t row, std::int64_t column) {
    const Run &lanes = panel.lanes[static_cast<std::size_t>(row)],
              &columns = panel.columns[static_cast<std::size_t>(column)];
    if (path.is_scattered && lanes.first % tmem_quarter >= 16) return unused_square("not used by A");
    const int inside = path.is_scattered ? lanes.first / tmem_quarter * 16 + lanes.first % tmem_quarter
                                         : lanes.first % path.rows();
    const Run rows{cta * path.rows() + inside, lanes.count};
    Grid::Square square;
    square.text = named("rows", rows) + "\n" + k_text(panel, columns);
    square.tint = {cta * 4 + inside / (path.is_scattered ? 16 : tmem_quarter), columns.first / panel.mma_columns() % 2 * 2};
    square.tip = fmt::format("{}\n{}, {}\nMMA {}", square.text, named("lanes", lanes),
                             named("columns", {view.column + columns.first, columns.count}),
                             columns.first / panel.mma_columns());
    if (view.at && rows == Run{view.at->row, 1} && columns.count == 1 &&
        columns.first == view.at->column * panel.container.bits / 32)
      square.mark = Mark::highlighted;
    return square;
  };
  std::vector<std::string> lanes, columns;
  for (const Run& run : panel.lanes) lanes.push_back(text_of(run));
  for (const Run& run : panel.columns) columns.push_back(text_of({view.column + run.first, run.count}));
  return grid_of(path.cta_group > 1 ? fmt::format("CTA {}: tensor memory", cta) : "tensor memory", "lane\\column",
                 std::move(lanes), std::move(columns), square_at);
}

// The column that holds k, or the first.
Grid word_of_a(const PanelOfA& panel) {
  const Container& c = panel.container;
  const std::int64_t k = panel.view.at ? panel.view.at->column : 0;
  const int each = 32 / c.bits;
  const std::int64_t first = k / each * each;
  return bit_lines({.title = fmt::format("one column: k of each bit, in containers of {} bits", c.bits),
                    .words = {fmt::format("column {}", panel.view.column + k / each)},
                    .cell_bits = std::gcd(std::gcd(c.first_bit, c.value_bits), c.bits),
                    .group_bits = c.bits,
                    .prefix = "k ",
                    .asked = panel.view.at ? k : -1},
                  [&](int bit) -> std::optional<std::int64_t> {
                    const int inside = bit % c.bits - c.first_bit;
                    if (inside < 0 || inside >= c.value_bits) return {};
                    return first + bit / c.bits;
                  });
}

}  // namespace

Figure operand_a_figure(const OperandAView& view) {
  const DataPath& path = *view.path;
  const PanelOfA panel = panel_of(view);
  Figure figure;
  figure.panels.emplace_back();
  for (int cta = 0; cta < path.cta_group; ++cta) figure.panels.front().push_back(panel_of_cta(panel, cta));
  if (path.is_scattered) figure.legend.push_back({"not used by A", {}, Mark::none, 1});
  if (view.at) figure.legend.push_back({"the element that was asked for", {}, Mark::highlighted});
  figure.caption = fmt::format("An MMA of K {} takes {} columns. Colour: rows of A{}.", row_of(view.kind).k_dense,
                               panel.mma_columns(), path.parts > 1 ? "; what has one colour is there more than once, a copy for each part of N" : "");
  figure.caption += " " + evidence_text(path.source);
  return figure;
}

Figure word_figure(const OperandAView& view) {
  const PanelOfA panel = panel_of(view);
  Figure figure = {"", {{word_of_a(panel)}}, {}, "Bits count from the left."};
  if (panel.container.value_bits < panel.container.bits)
    figure.legend.push_back({"bits of the container without a value", {}, Mark::none, 1});
  return figure;
}

Drawing operand_a_drawing(const OperandAView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::page || !view.at) document.add(operand_a_figure(view)).add(word_figure(view));
    return document;
  }};
}

// ---- tcgen05.cp

namespace {

// Rows that go together: those in neighbouring lanes.
std::vector<Run> source_runs(const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  std::set<int> cuts = every(std::min(copy.run, tmem_quarter), copy.rows);
  if (view.row) cut_out(cuts, *view.row);
  return runs_of(copy.rows, cuts);
}

struct LaneRun {
  Run lanes;
  int source = -1;  // which of the source's runs; -1: none
};

std::vector<LaneRun> lane_runs(const TmemCopy& copy, const std::vector<Run>& sources) {
  std::set<int> cuts = every(tmem_quarter, tmem_lanes);
  for (const Run& run : sources)
    for (int time = 0; time < copy.times; ++time) cut_out(cuts, copy.lane(run.first, time), run.count);
  std::vector<LaneRun> lanes;
  for (const Run& run : runs_of(tmem_lanes, cuts)) {
    lanes.push_back({run});
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (int time = 0; time < copy.times; ++time)
        if (copy.lane(sources[i].first, time) == run.first) lanes.back().source = static_cast<int>(i);
  }
  return lanes;
}

// The hue is the quarter of the rows, the shade the word: also of a run that was cut.
Tint tint_of_source(const TmemCopy& copy, const Run& rows, int word) {
  return {rows.first / std::min(copy.run, tmem_quarter), word % 4};
}

}  // namespace

Figure tmem_copy_figure(const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  const std::vector<Run> sources = source_runs(view);
  const std::vector<LaneRun> lanes = lane_runs(copy, sources);
  const auto lanes_of = [&](const Run& rows, const char* between) {
    std::string text;
    for (int time = 0; time < copy.times; ++time)
      text += (time > 0 ? between : "") + text_of({copy.lane(rows.first, time), rows.count});
    return text;
  };
  const auto square_of = [&](const Run& rows, int word, std::string text) {
    Grid::Square square;
    square.text = std::move(text);
    square.tint = tint_of_source(copy, rows, word);
    square.mark = view.row && rows == Run{*view.row, 1} ? Mark::highlighted : Mark::none;
    square.tip = fmt::format("rows {}, bytes {} of each\nlanes {}, column {}", text_of(rows),
                             range_text(4 * word, 4), lanes_of(rows, ", "), word);
    return square;
  };
  Figure figure;
  std::vector<std::string> source_labels, lane_labels;
  for (const Run& run : sources) source_labels.push_back(text_of(run));
  for (const LaneRun& run : lanes) lane_labels.push_back(warp_label(run.lanes.first, text_of(run.lanes)));
  const int columns = copy.columns();
  Grid source = grid_of("shared memory: lanes of each row", "row\\byte", std::move(source_labels),
                        labels_of(columns, 1, [](std::int64_t i) { return range_text(4 * i, 4); }),
                        [&](std::int64_t row, std::int64_t word) {
                          const Run& rows = sources[static_cast<std::size_t>(row)];
                          return square_of(rows, static_cast<int>(word), lanes_of(rows, "\n"));
                        });
  Grid target = grid_of("tensor memory: rows that come there", "lane\\column", std::move(lane_labels),
                        number_labels(columns), [&](std::int64_t row, std::int64_t word) {
                          const LaneRun& run = lanes[static_cast<std::size_t>(row)];
                          if (run.source < 0) return unused_square("not written");
                          const Run& rows = sources[static_cast<std::size_t>(run.source)];
                          return square_of(rows, static_cast<int>(word), text_of(rows));
                        });
  figure.panels = {{std::move(source), std::move(target)}};
  if (std::ranges::any_of(lanes, [](const LaneRun& run) { return run.source < 0; }))
    figure.legend.push_back({"not written", {}, Mark::none, 1});
  if (view.row) figure.legend.push_back({fmt::format("row {}", *view.row), {}, Mark::highlighted});
  figure.caption = fmt::format(
      "Bytes 4j to 4j + 3 of a row go to column j.{} Colour: rows; shade: the column.{} {}",
      copy.times > 1 ? fmt::format(" Every row goes to {} lanes.", copy.times) : "",
      view.cta_group > 1 ? " Each CTA copies from its own shared memory to its own tensor memory." : "",
      evidence_text(copy.source));
  return figure;
}

Figure decompression_figure(const TmemCopyView& view) {
  const bool is_fp4 = view.decompression == Decompression::fp4;
  const NarrowForm& form = require_narrow_form(MmaKind::f8f6f4, is_fp4 ? "e2m1" : "e3m2");
  return narrow_figure(form, view.element.value_or(-1), NarrowPanels::smem_and_tmem);
}

Drawing tmem_copy_drawing(const TmemCopyView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::page || !view.row) {
      document.add(tmem_copy_figure(view));
      if (view.decompression != Decompression::none) document.add(decompression_figure(view));
    }
    return document;
  }};
}

}  // namespace swz

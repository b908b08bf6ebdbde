// SPDX-License-Identifier: Apache-2.0
#include "view/tmem/tmem_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "view/document/bit_line.hpp"
#include "view/mma/mma_figure.hpp"

namespace swz {
namespace {

// For A without a point: the MMAs along K that are drawn.
constexpr int drawn_mmas = 4;

}  // namespace

Figure with_evidence(Figure figure, Medium medium, const Source& source) {
  if (medium == Medium::page) figure.caption += fmt::format(" {}.", evidence_text(source));
  return figure;
}

std::string warp_label(const Run& lanes) {
  return fmt::format("warp {}: {}", lanes.first / tmem_quarter, text_of(lanes));
}

Grid::Square unused_square(std::string tip) {
  Grid::Square square;
  square.outside = 1;
  square.tip = std::move(tip);
  return square;
}

// ---- A

namespace {

struct PanelOfA {
  const OperandAView& view;
  Container container;
  std::vector<Run> lanes, columns;  // columns count from that of A's address

  int mma_columns() const { return row_of(view.kind).k_dense * container.bits / 32; }
};

PanelOfA panel_of(const OperandAView& view) {
  const DataPath& path = *view.path;
  PanelOfA panel{view, container_of(view.kind, view.dtype->name), {}, {}};
  Cuts lanes = every(path.is_scattered ? 16 : tmem_quarter, tmem_lanes);
  const int each = panel.mma_columns();
  if (!view.at) {
    const int columns = std::min(tmem_columns - view.column, drawn_mmas * each);
    panel.columns = runs_of(columns, every(each, columns));
  } else {
    // The MMA of the point.
    const TmemElement e = operand_a_place(path, panel.container, view.at->row, view.at->column, view.column);
    for (const int lane : e.lanes) cut_out(lanes, lane);
    const int column = static_cast<int>(e.column) - view.column, first = column / each * each;
    for (Run run : runs_of(std::min(each, tmem_columns - view.column - first), {column - first, column - first + 1}))
      panel.columns.push_back({first + run.first, run.count});
  }
  panel.lanes = runs_of(tmem_lanes, lanes);
  return panel;
}

// "k 0-15": the k of some columns, counted from the column of A's address.
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
    const int inside =
        path.is_scattered ? lanes.first / tmem_quarter * 16 + lanes.first % tmem_quarter : lanes.first % path.rows();
    const Run rows{cta * path.rows() + inside, lanes.count};
    Grid::Square square;
    square.text = named("rows", rows) + "\n" + k_text(panel, columns);
    square.tint = {cta * 4 + inside / (path.is_scattered ? 16 : tmem_quarter),
                   columns.first / panel.mma_columns() % 2 * 2};
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
  for (const Run& run : panel.columns) columns.push_back(text_of(Run{view.column + run.first, run.count}));
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
  figure.caption = fmt::format("An MMA of K {} takes {} columns.", row_of(view.kind).k_dense, panel.mma_columns());
  figure.about_shades = fmt::format(" Colour: rows of A{}.",
                                    path.parts > 1 ? "; cells of one colour are copies, one for each part of N" : "");
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
    if (medium == Medium::page || !view.at)
      document
          .add(with_evidence(operand_a_figure(view), medium, operand_a_source(*view.path, view.kind, view.dtype->name)))
          .add(word_figure(view));
    return document;
  }};
}

// ---- tcgen05.cp

namespace {

// Rows that go together: those in neighbouring lanes.
std::vector<Run> source_runs(const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  Cuts cuts = every(std::min(copy.run, tmem_quarter), copy.rows);
  if (view.row) cut_out(cuts, *view.row);
  return runs_of(copy.rows, cuts);
}

struct LaneRun {
  Run lanes;
  int source = -1;  // which of the source's runs; -1 for none
};

std::vector<LaneRun> lane_runs(const TmemCopy& copy, const std::vector<Run>& sources) {
  Cuts cuts = every(tmem_quarter, tmem_lanes);
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

// The hue is the quarter of the rows, the shade is the column of the unit, also for a run that was cut.
Tint tint_of_source(const TmemCopy& copy, const Run& rows, int unit) {
  return {rows.first / std::min(copy.run, tmem_quarter), unit % 4};
}

}  // namespace

Figure tmem_copy_figure(const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  const std::vector<Run> sources = source_runs(view);
  const std::vector<LaneRun> lanes = lane_runs(copy, sources);
  // Decompression keeps 16 bytes together; otherwise a word of 4 goes to a column.
  const int columns_of_unit = view.decompression == Decompression::none ? 1 : 4, bytes = 4 * columns_of_unit;
  const auto lanes_of = [&](const Run& rows, const char* between) {
    std::string text;
    for (int time = 0; time < copy.times; ++time)
      text += (time > 0 ? between : "") + text_of({copy.lane(rows.first, time), rows.count});
    return text;
  };
  const auto square_of = [&](const Run& rows, int unit, std::string text) {
    Grid::Square square;
    square.text = std::move(text);
    square.tint = tint_of_source(copy, rows, unit);
    square.mark = view.row && rows == Run{*view.row, 1} ? Mark::highlighted : Mark::none;
    square.tip =
        fmt::format("rows {}, bytes {} of each\nlanes {}, column {}", text_of(rows), range_text(bytes * unit, bytes),
                    lanes_of(rows, ", "), range_text(columns_of_unit * unit, columns_of_unit));
    return square;
  };
  Figure figure;
  std::vector<std::string> source_labels, lane_labels;
  for (const Run& run : sources) source_labels.push_back(text_of(run));
  for (const LaneRun& run : lanes) lane_labels.push_back(warp_label(run.lanes));
  const std::int64_t columns = copy.columns();
  Grid source = grid_of("shared memory: lanes of each row", "row\\byte", std::move(source_labels),
                        labels_of(4 * columns, bytes, [&](std::int64_t i) { return range_text(i, bytes); }),
                        [&](std::int64_t row, std::int64_t unit) {
                          const Run& rows = sources[static_cast<std::size_t>(row)];
                          return square_of(rows, static_cast<int>(unit), lanes_of(rows, "\n"));
                        });
  Grid target =
      grid_of("tensor memory: rows that come there", "lane\\column", std::move(lane_labels),
              labels_of(columns, columns_of_unit, [&](std::int64_t i) { return range_text(i, columns_of_unit); }),
              [&](std::int64_t row, std::int64_t unit) {
                const LaneRun& run = lanes[static_cast<std::size_t>(row)];
                if (run.source < 0) return unused_square("not written");
                const Run& rows = sources[static_cast<std::size_t>(run.source)];
                return square_of(rows, static_cast<int>(unit), text_of(rows));
              });
  figure.panels = {{std::move(source), std::move(target)}};
  if (std::ranges::any_of(lanes, [](const LaneRun& run) { return run.source < 0; }))
    figure.legend.push_back({"not written", {}, Mark::none, 1});
  if (view.row) figure.legend.push_back({fmt::format("row {}", *view.row), {}, Mark::highlighted});
  figure.caption =
      fmt::format("{}{}",
                  bytes == 4 ? "Bytes 4j to 4j + 3 of a row go to column j."
                             : "16 bytes of a row, 16 elements and a gap, go to four columns.",
                  view.cta_group > 1 ? " Each CTA copies from its own shared memory to its own tensor memory." : "");
  figure.about_shades = " Colour: rows; shade: the column.";
  return figure;
}

Figure decompression_figure(const TmemCopyView& view) {
  Figure figure =
      narrow_figure(*narrow_form_of(view.decompression), view.element.value_or(-1), NarrowPanels::smem_and_tmem);
  figure.title = "16 elements of a row before and after decompression";
  return figure;
}

Drawing tmem_copy_drawing(const TmemCopyView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::page || (!view.row && !view.word)) {
      document.add(with_evidence(tmem_copy_figure(view), medium, view.copy->source));
      if (const NarrowForm* form = narrow_form_of(view.decompression))
        document.add(with_evidence(decompression_figure(view), medium, form->source));
    }
    return document;
  }};
}

}  // namespace swz

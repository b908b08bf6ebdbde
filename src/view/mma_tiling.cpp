#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "view/figure.hpp"
#include "view/tile.hpp"

namespace swz {

namespace {

// Along one dimension of the tile: how many blocks, of how many elements, and what a block is called.
struct Axis {
  char letter;
  std::string_view plural;
  std::int64_t blocks, step;
};

Axis axis_m(const MmaTiling& t) { return {'m', "m-blocks", t.blocks().m, t.mma().m}; }
Axis axis_n(const MmaTiling& t) { return {'n', "n-blocks", t.blocks().n, t.mma().n}; }
Axis axis_k(const MmaTiling& t) { return {'k', "k-steps", t.blocks().k, t.mma().k}; }

std::string span(const Axis& axis, std::int64_t block) {
  return fmt::format("{} {}-{}", axis.letter, block * axis.step, (block + 1) * axis.step - 1);
}

using TintOf = Tint (*)(const MmaTiling& t, std::int64_t row, std::int64_t column);

// MMA tiles of A and B that meet have the k-step, so they share its hue (0 to 3) and C has hues of its own (4 to
// 7).
Tint tint_of_step(std::int64_t step, std::int64_t block) {
  return {static_cast<int>(step & 3), static_cast<int>(block & 3)};
}
Tint tint_of_a(const MmaTiling&, std::int64_t m, std::int64_t k) { return tint_of_step(k, m); }
Tint tint_of_b(const MmaTiling&, std::int64_t k, std::int64_t n) { return tint_of_step(k, n); }
Tint tint_of_c(const MmaTiling& t, std::int64_t m, std::int64_t n) {
  const std::int64_t block = m + n * t.blocks().m;
  return {static_cast<int>(4 + (block & 3)), static_cast<int>(block >> 2 & 3)};
}

Grid panel(std::string_view matrix, const MmaTiling& t, const Axis& rows, const Axis& columns, TintOf tint,
           const Highlight& highlight) {
  Grid grid;
  grid.title =
      fmt::format("{}: {} x {} MMA tiles of {} x {}", matrix, rows.blocks, columns.blocks, rows.step, columns.step);
  grid.corner = fmt::format("{}\\{}", rows.letter, columns.letter);
  grid.row_labels = number_labels(rows.blocks * rows.step, rows.step);
  grid.column_labels = number_labels(columns.blocks * columns.step, columns.step);
  grid.cell_rows = static_cast<int>(rows.step);
  grid.cell_columns = static_cast<int>(columns.step);
  grid.squares = squares_of(rows.blocks, columns.blocks, [&](std::int64_t row, std::int64_t column) {
    const bool named =
        !highlight.empty() && highlight.contains(rows.plural, row) && highlight.contains(columns.plural, column);
    return Grid::Square{fmt::format("{}{} {}{}", rows.letter, row, columns.letter, column), tint(t, row, column),
                        named ? Mark::highlighted : Mark::none,
                        fmt::format("{}: {}, {}", matrix, span(rows, row), span(columns, column))};
  });
  return grid;
}

std::vector<LegendEntry> legend_of(const MmaTiling& t, const Highlight& highlight) {
  std::vector<LegendEntry> legend;
  const std::int64_t steps = t.blocks().k;
  for (std::int64_t k = 0; k < std::min<std::int64_t>(steps, 4); ++k)
    legend.push_back(
        {steps > 4 ? fmt::format("A, B: k-step {}, {}, ...", k, k + 4) : fmt::format("A, B: k-step {}", k),
         tint_of_step(k, 0)});
  const std::int64_t blocks = t.blocks().m * t.blocks().n;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(blocks, 4) && blocks <= 4; ++i)
    legend.push_back({fmt::format("C: m{} n{}", i % t.blocks().m, i / t.blocks().m),
                      tint_of_c(t, i % t.blocks().m, i / t.blocks().m)});
  if (!highlight.empty()) legend.push_back({"highlighted", {}, Mark::highlighted});
  return legend;
}

Figure tiling_figure(const MmaTiling& t, const Highlight& highlight) {
  const Axis m = axis_m(t), n = axis_n(t), k = axis_k(t);
  Figure figure;
  figure.panels = {
      {Grid{}, panel("B (K x N)", t, k, n, tint_of_b, highlight)},
      {panel("A (M x K)", t, m, k, tint_of_a, highlight), panel("C (M x N)", t, m, n, tint_of_c, highlight)}};
  figure.legend = legend_of(t, highlight);
  figure.caption =
      "an MMA adds A(m, k) times B(k, n) to C(m, n); labels are the first row and column of each MMA tile";
  return figure;
}

Json json_of(const MmaExtents& e) { return {{"m", e.m}, {"n", e.n}, {"k", e.k}}; }

// k outermost, m innermost: the order of the descriptors of swz desc.
Json mmas_of(const MmaTiling& t) {
  Json list = Json::array();
  const MmaExtents blocks = t.blocks(), mma = t.mma();
  for (std::int64_t k = 0; k < blocks.k; ++k)
    for (std::int64_t n = 0; n < blocks.n; ++n)
      for (std::int64_t m = 0; m < blocks.m; ++m)
        list.push_back({{"m", m},
                        {"n", n},
                        {"k", k},
                        {"a", {m * mma.m, k * mma.k}},
                        {"b", {k * mma.k, n * mma.n}},
                        {"c", {m * mma.m, n * mma.n}}});
  return list;
}

Table instruction_table(const std::vector<MmaForm>& forms) {
  return table_of<MmaForm>("instructions", "", forms,
                           {{"instruction", "instruction", &MmaForm::instruction},
                            {"groups", "with", [](const MmaForm& form) { return or_null(form.groups); }},
                            {"evidence", "", [](const MmaForm& form) { return to_string(form.source.evidence); }},
                            {"source", "source", [](const MmaForm& form) { return form.source.where; }}});
}

Notes tiling_notes(const std::vector<MmaForm>& forms) {
  Notes notes{"notes"};
  if (std::ranges::all_of(forms, [](const MmaForm& form) { return form.groups == "cta_group::2"; }))
    notes.add(
        note("cta-pair",
             "the shape needs cta_group::2: the tile spans two CTAs; each holds half of the rows of A and half "
             "of the columns of B",
             "", "PTX ISA 9.1, 9.7.16 (documented)"));
  return notes;
}

void require_drawable_count(const MmaTiling& t) {
  const MmaExtents blocks = t.blocks();
  require_within(limits::listed_mmas, t.count());
  require_drawable(blocks.m * blocks.n + blocks.n * blocks.k + blocks.m * blocks.k, "the figure of the tile",
                   limits::listed_mmas.way_out);
}

}  // namespace

std::vector<HighlightKind> highlight_kinds(const MmaTiling& tiling) {
  const MmaExtents blocks = tiling.blocks();
  return {{"m-blocks", blocks.m}, {"n-blocks", blocks.n}, {"k-steps", blocks.k}};
}

Document view_mma_tiling(const MmaTilingReport& report, const Highlight& highlight) {
  const MmaTiling& t = report.tiling;
  require_drawable_count(t);
  const MmaExtents tile = t.tile(), blocks = t.blocks();
  Document d(fmt::format("{} x {} x {} of {} as {} on {}", tile.m, tile.n, tile.k, report.dtype->name,
                         to_string(t.mma()), report.target->name));
  d.json("arch", report.target->name).json("dtype", report.dtype->name).json("tile", json_of(tile));
  d.json("mma", json_of(t.mma()));
  d.field("blocks", "blocks", json_of(blocks),
          fmt::format("{} along M, {} along N, {} along K", blocks.m, blocks.n, blocks.k));
  d.field("total", "MMAs", t.count(), {}, Tone::strong);
  d.add(instruction_table(report.forms));
  d.json("mmas", mmas_of(t));
  d.add(drawing([t, highlight] { return tiling_figure(t, highlight); }));
  return d.add(tiling_notes(report.forms));
}

}  // namespace swz

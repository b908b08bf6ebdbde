// SPDX-License-Identifier: Apache-2.0
// View of a CTA's tile divided into MMAs: the answer of `swz tiles`, with A, B and C to scale.
//
//   128 x 128 x 64 of bf16 as m64n128k16: 2 x 1 x 4 blocks; A 16 KiB + B 16 KiB = 32 KiB a stage, 7 stages fit
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "arch/tensor_memory.hpp"
#include "base/text.hpp"
#include "view/tile/tile.hpp"

namespace swz {

namespace {

// One dimension of the tile: the number of blocks, their elements, and the name of a block.
struct Axis {
  char letter;
  std::string_view plural;
  std::int64_t blocks, step;

  std::int64_t extent() const { return blocks * step; }
};

std::string span(const Axis& axis, std::int64_t block) {
  return fmt::format("{} {}-{}", axis.letter, block * axis.step, (block + 1) * axis.step - 1);
}

// Parts of A and B that are used in one k-step have its colour; C, in which all steps end, has none.
Grid::Square square_of_step(std::int64_t step) { return {fmt::format("k{}", step), {static_cast<int>(step & 7)}}; }

// "32 KiB", "768 B"
std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t kib = 1024;
  return bytes % kib == 0 ? fmt::format("{} KiB", bytes / kib) : fmt::format("{} B", bytes);
}

// The bytes of A and B in shared memory, and of C in registers or tensor memory.
struct TilingBytes {
  std::int64_t a = 0, b = 0, c = 0;
  std::int64_t stage = 0;   // A and B, of one CTA
  std::int64_t stages = 0;  // that fit in its shared memory
};

// Whether two CTAs share the tile, each with half of A and B.
bool is_of_pair(const MmaTilingReport& report) {
  return std::ranges::all_of(report.forms, [](const MmaForm& form) { return form.groups == "cta_group::2"; });
}

TilingBytes bytes_of(const MmaTilingReport& report) {
  const MmaExtents tile = report.tiling.tile();
  const std::int64_t bits = report.dtype->memory_bits, accumulator_bits = std::max<std::int64_t>(32, bits);
  TilingBytes bytes{tile.m * tile.k * bits / 8, tile.k * tile.n * bits / 8, tile.m * tile.n * accumulator_bits / 8};
  bytes.stage = (bytes.a + bytes.b) / (is_of_pair(report) ? 2 : 1);
  bytes.stages = report.target->max_smem_per_cta.count / bytes.stage;
  return bytes;
}

// "A 32 KiB + B 32 KiB = 64 KiB a stage; 3 stages fit in the 227 KiB of shared memory"
std::string bytes_text(const MmaTilingReport& report, const TilingBytes& bytes) {
  const bool is_pair = is_of_pair(report);
  return fmt::format("A {} + B {} = {} per stage{}; {} in the {} of shared memory", size_text(bytes.a),
                     size_text(bytes.b), size_text(bytes.stage), is_pair ? " in each of two CTAs" : "",
                     bytes.stages == 0   ? std::string("none fits")
                     : bytes.stages == 1 ? std::string("1 stage fits")
                                         : fmt::format("{} stages fit", bytes.stages),
                     size_text(report.target->max_smem_per_cta.count));
}

// ", in 512 of the 512 columns of tensor memory"; empty where C is in registers.
std::string accumulator_place(const MmaTilingReport& report, const TilingBytes& bytes) {
  if (report.target->descriptor != SmemDescriptorKind::tcgen05) return {};
  const std::int64_t column_bytes = tmem_lanes * 4, ctas = is_of_pair(report) ? 2 : 1;
  return fmt::format(", in {} of the {} columns of tensor memory{}", bytes.c / column_bytes / ctas, tmem_columns,
                     ctas == 2 ? " of each CTA" : "");
}

struct TilePanel {
  std::string_view matrix;
  const Axis &rows, &columns;
  std::int64_t bytes;
  std::function<Grid::Square(std::int64_t row, std::int64_t column)> square;
};

// On a page the caption has the bytes, and the heading of the only block is its range, "0-255".
Grid panel(const TilePanel& p, const Highlight& highlight, bool is_page) {
  const auto labels = [&](const Axis& axis) {
    return labels_of(axis.extent(), axis.step, [&](std::int64_t i) {
      return is_page && axis.blocks == 1 ? range_text(i, axis.step) : std::to_string(i);
    });
  };
  const Axis &rows = p.rows, &columns = p.columns;
  const auto square = [&](std::int64_t row, std::int64_t column) {
    Grid::Square made = p.square(row, column);
    if (!highlight.empty() && highlight.contains(rows.plural, row) && highlight.contains(columns.plural, column))
      made.mark = Mark::highlighted;
    made.tip = fmt::format("{}: {}, {}", p.matrix, span(rows, row), span(columns, column));
    return made;
  };
  Grid grid = grid_of(
      is_page ? fmt::format("{} {}x{}", p.matrix[0], rows.extent(), columns.extent())
              : fmt::format("{}: {} x {}, {}", p.matrix[0], rows.extent(), columns.extent(), size_text(p.bytes)),
      fmt::format("{}\\{}", rows.letter, columns.letter), labels(rows), labels(columns), square);
  grid.cell_rows = static_cast<int>(rows.step);
  grid.cell_columns = static_cast<int>(columns.step);
  return grid;
}

Figure tiling_figure(const MmaTilingReport& report, const Highlight& highlight, bool is_page) {
  const MmaTiling& t = report.tiling;
  const MmaExtents blocks = t.blocks(), mma = t.mma();
  const TilingBytes bytes = bytes_of(report);
  const Axis m{'m', "m-blocks", blocks.m, mma.m}, n{'n', "n-blocks", blocks.n, mma.n},
      k{'k', "k-steps", blocks.k, mma.k};
  // To scale, the figure is as large as the widest text of a narrow cell needs: C, whose headings are enough, has no
  // text.
  constexpr std::int64_t most_named = 16;
  const bool is_named = !is_page || blocks.m * blocks.n <= most_named;
  const auto of_a = [](std::int64_t, std::int64_t step) { return square_of_step(step); };
  const auto of_b = [](std::int64_t step, std::int64_t) { return square_of_step(step); };
  const auto of_c = [&](std::int64_t row, std::int64_t column) -> Grid::Square {
    if (!is_named) return {};
    return {fmt::format("m{}{}n{}", row, is_page && mma.n < 32 ? "\n" : " ", column)};
  };
  Figure figure;
  figure.panels = {{Grid{}, panel({"B (K x N)", k, n, bytes.b, of_b}, highlight, is_page)},
                   {panel({"A (M x K)", m, k, bytes.a, of_a}, highlight, is_page),
                    panel({"C (M x N)", m, n, bytes.c, of_c}, highlight, is_page)}};
  figure.legend = hue_legend(blocks.k, [&](std::int64_t step) {
    return fmt::format("k-step {}{}", step, step + 8 < blocks.k ? fmt::format(", {}, …", step + 8) : "");
  });
  if (!highlight.empty()) figure.legend.push_back({"highlighted", {}, Mark::highlighted});
  figure.caption = fmt::format(
      "To scale, in elements. An MMA adds A(m, k) times B(k, n) to C(m, n). {}. C: {}{}-bit accumulators{}.",
      bytes_text(report, bytes), is_page ? size_text(bytes.c) + " of " : "", std::max(32, report.dtype->memory_bits),
      accumulator_place(report, bytes));
  return figure;
}

// The MMAs with k outermost and m innermost: the order of the descriptors of swz desc.
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

}  // namespace

std::vector<HighlightKind> highlight_kinds(const MmaTiling& tiling) {
  const MmaExtents blocks = tiling.blocks();
  return {{"m-blocks", blocks.m}, {"n-blocks", blocks.n}, {"k-steps", blocks.k}};
}

Json json_of(const MmaExtents& e) { return {{"m", e.m}, {"n", e.n}, {"k", e.k}}; }

Document view_mma_tiling(const MmaTilingReport& report, const Highlight& highlight) {
  const MmaTiling& t = report.tiling;
  const MmaExtents tile = t.tile(), blocks = t.blocks();
  require_within(limits::listed_mmas, t.count());
  require_drawable(blocks.m * blocks.n + blocks.n * blocks.k + blocks.m * blocks.k, "the figure of the tile",
                   limits::listed_mmas.way_out);
  Document d(fmt::format("{} x {} x {} of {} as {} on {}", tile.m, tile.n, tile.k, report.dtype->name,
                         to_string(t.mma()), report.target->name));
  d.json("arch", report.target->name).json("dtype", report.dtype->name).json("tile", json_of(tile));
  d.json("mma", json_of(t.mma()));
  d.field("blocks", "blocks", json_of(blocks),
          fmt::format("{} along M, {} along N, {} along K", blocks.m, blocks.n, blocks.k));
  d.field("total", "MMAs", t.count(), {}, Tone::strong);
  d.answers = {"total"};
  const TilingBytes bytes = bytes_of(report);
  d.headline =
      fmt::format("{} of {} per tile; {}", plural(t.count(), "MMA"), to_string(t.mma()),
                  bytes.stages == 1 ? fmt::format("1 stage of {} fits", size_text(bytes.stage))
                                    : fmt::format("{} stages of {} fit", bytes.stages, size_text(bytes.stage)));
  d.field("stage_bytes", "bytes", bytes.stage, bytes_text(report, bytes));
  d.json("bytes", {{"a", bytes.a}, {"b", bytes.b}, {"c", bytes.c}}).json("stages", bytes.stages);
  d.add(instruction_table(report.forms)).json("mmas", mmas_of(t));
  d.add(Drawing{[report, highlight](Medium medium) {
    return Document().add(tiling_figure(report, highlight, medium == Medium::page));
  }});
  Notes notes{"notes"};
  if (is_of_pair(report))
    notes.note("cta-pair",
               "the shape needs cta_group::2: the tile spans two CTAs; each holds half of the rows of A and half "
               "of the columns of B",
               "", "PTX ISA 9.1, 9.7.16 (documented)");
  return d.add(std::move(notes));
}

}  // namespace swz

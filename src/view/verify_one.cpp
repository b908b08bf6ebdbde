#include "view/verify_one.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "view/map.hpp"
#include "view/verify.hpp"

namespace swz {

namespace {

void add_device(Document& d, const VerifyReport& report) {
  d.add(
      Field{"gpu", "on", report.device.gpu, (report.is_replayed ? "recorded on " : "") + to_string(report.device)});
  d.add(Field{"driver", "", report.device.driver});
  d.add(Field{"nvrtc", "", report.device.nvrtc});
  d.add(Field{"replayed", "", report.is_replayed});
  d.add(Field{"planted", "", report.planted == Hypothesis::none ? Json() : Json(row_of(report.planted).name)});
}

// The one case of the report when it came out otherwise. Null: confirmed.
const CaseMismatch* mismatch_of(const VerifyReport& report) {
  const PartReport& part = report.parts.front();
  return part.mismatches.empty() ? nullptr : &part.mismatches.front();
}

void add_verdict(Document& d, const VerifyReport& report, const std::string& confirmed) {
  const CaseMismatch* mismatch = mismatch_of(report);
  d.add(Field{"confirmed", mismatch == nullptr ? "confirmed" : "mismatch", mismatch == nullptr,
              mismatch == nullptr ? confirmed : "the hardware did otherwise than swz predicts",
              mismatch == nullptr ? Tone::good : Tone::bad});
  if (mismatch == nullptr) {
    d.add(Field{"mismatch", "", nullptr});
    return;
  }
  const CaseCells cells = cells_of(*mismatch);
  d.add(Field{"mismatch",
              "first",
              {{"element", cells.element},
               {"expected", cells.expected},
               {"observed", cells.observed},
               {"differing", cells.differing},
               {"explained_by", cells.explained}},
              fmt::format("element {}: {} expected, {} seen; {} elements differ", cells.element, cells.expected,
                          cells.observed, cells.differing)});
  if (!cells.explained.empty()) d.add(Field{"", "explained", nullptr, cells.explained});
}

// The tile, 16 bytes a cell, line by line; what holds other elements is marked.
Figure wrong_elements(const SmemTile& tile, const Observation& seen) {
  const bool is_k_major = tile.major() == Major::K;
  const std::int64_t in_chunk = chunk.count * 8 / tile.element_bits();
  const std::int64_t lines = is_k_major ? tile.extents().mn : tile.extents().k;
  const std::int64_t chunks = (is_k_major ? tile.extents().k : tile.extents().mn) / in_chunk;
  Grid grid{.title = "what the MMAs got",
            .corner = is_k_major ? "row\\k" : "k\\row",
            .column_labels = {},
            .row_labels = {},
            .squares = {}};
  for (std::int64_t c = 0; c < chunks; ++c) grid.column_labels.push_back(fmt::format("{}", c * in_chunk));
  for (std::int64_t line = 0; line < lines; ++line) {
    grid.row_labels.push_back(fmt::format("{}", line));
    std::vector<Grid::Square>& row = grid.squares.emplace_back();
    for (std::int64_t c = 0; c < chunks; ++c) {
      std::int64_t wrong = 0, first = 0;
      for (std::int64_t i = 0; i < in_chunk; ++i) {
        const std::int64_t at = c * in_chunk + i;
        const std::int64_t index = is_k_major ? line * tile.extents().k + at : at * tile.extents().k + line;
        const std::int64_t got = seen.values[static_cast<std::size_t>(index)];
        if (got != index && wrong++ == 0) first = got;
      }
      Grid::Square square{.text = wrong == 0 ? "."
                                  : first < 0
                                      ? "?"
                                      : fmt::format("{},{}", first / tile.extents().k, first % tile.extents().k)};
      if (wrong != 0) square.mark = Mark::colliding;
      row.push_back(std::move(square));
    }
  }
  Figure figure;
  figure.title = "elements that came from elsewhere";
  figure.panels = {{std::move(grid)}};
  figure.legend = {{"another element, row,k; ? none", {}, Mark::colliding}};
  return figure;
}

}  // namespace

Document view_verified_tile(const TileProbePlan& plan, const VerifyReport& report, const Observed& seen) {
  using enum Column::Align;
  const SmemTile tile(plan.tile);
  const TileDescriptors words = words_of(plan);
  const TileCopies copies = copies_of(plan);
  const std::int64_t elements = tile.extents().mn * tile.extents().k;

  Document d(subject(plan));
  const std::string by = plan.way == TileWay::store
                             ? "stores"
                             : fmt::format("{} of rank {}", plural(copies.count, "TMA copy"), copies.rank);
  add_verdict(d, report,
              fmt::format("every one of {} elements reached the MMA by {} and {}", elements, by,
                          plural(ssize(words.steps), "word")));
  add_device(d, report);
  d.add(Field{"tile", "", to_json(plan)});
  d.add(
      Field{"instruction", "read by", to_string(instruction_of(plan)), to_string(instruction_of(plan)) + ", as B"});
  d.add(Field{"copies", "", copies.count});
  d.add(Field{"elements", "", elements});
  Table table{"steps",
              "",
              {{"m_block", "block", right},
               {"k_step", "k step", right},
               {"word", "word"},
               {"elements", "elements", right},
               {"confirmed", "confirmed", right}},
              {}};
  for (const MmaStep& step : words.steps) {
    std::int64_t right_ones = 0;
    for (std::int64_t row = 0; seen.whole && row < words.mma.mn; ++row)
      for (std::int64_t k = 0; k < words.mma.k; ++k) {
        const std::int64_t index =
            (step.m_block * words.mma.mn + row) * tile.extents().k + step.k_step * words.mma.k + k;
        right_ones += seen.whole->values[static_cast<std::size_t>(index)] == index ? 1 : 0;
      }
    const std::int64_t all = words.mma.mn * words.mma.k;
    const Cell confirmed =
        seen.whole ? Cell{right_ones, "", right_ones == all ? Tone::good : Tone::bad} : Cell{nullptr};
    table.rows.push_back({{step.m_block}, {step.k_step}, {hex64(step.descriptor.word())}, {all}, confirmed});
  }
  d.add(std::move(table));
  if (mismatch_of(report) != nullptr && seen.whole) d.add(wrong_elements(tile, *seen.whole));
  return d;
}

Document view_verified_word(const WgmmaPlan& plan, const VerifyReport& report, const Observed& seen,
                            bool has_figure) {
  const SmemDescriptor word(plan.word, require_target("sm_90a"));
  const DType& dtype = require_dtype(plan.dtype());
  const TileExtents extents = plan.extents();
  Document d(subject(plan));
  add_verdict(d, report,
              fmt::format("every one of {} elements is read from where swz map says", extents.mn * extents.k));
  add_device(d, report);
  d.add(Field{"mma", "", to_string(plan.instruction)});
  OperandMap map = operand_map(word, extents, dtype.memory_bits, plan.major);
  bool is_readable = seen.whole.has_value();
  if (is_readable)
    for (std::size_t i = 0; i < map.bytes.size(); ++i) {
      const std::int64_t place = seen.whole->values[i];
      is_readable = is_readable && place >= 0;
      map.bytes[i] = place / 8;
    }
  if (!is_readable) {
    d.add(Paragraph{seen.whole
                        ? "Some elements came from no place of shared memory: there is no map of what was read."
                        : "The recording holds the digest of this case alone: there is no map to show."});
    d.add(Field{"read", "", nullptr});
    return d;
  }
  // What follows is swz map's answer, with the addresses that were seen.
  const MapAnswer answer{operand_report(word, map), &dtype, plan.operand, {}, {}, {}};
  Document seen_map = view_map(answer, has_figure);
  seen_map.title = "what was read";
  d.add(Group{"read", {std::move(seen_map)}, true});
  return d;
}

}  // namespace swz

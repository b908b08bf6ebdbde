#include "view/verify_one.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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
              fmt::format("{}: {} expected, {} seen; {} differ", cells.element, cells.expected, cells.observed,
                          cells.differing)});
  if (!cells.explained.empty()) d.add(Field{"", "explained", nullptr, cells.explained});
}

// Elements in the order of global memory, as many a cell as a chunk has; what came from elsewhere is marked.
struct ElementGrid {
  TileExtents extents;
  Major major = Major::K;
  std::int64_t in_cell = 1;
  std::string title;
  std::string (*name)(std::int64_t value, TileExtents extents);
  std::string legend;
};

constexpr std::int64_t most_cells = 64;  // in each direction

Figure wrong_elements(const ElementGrid& e, const Observation& expected, const Observation& seen) {
  const bool is_k_major = e.major == Major::K;
  const std::int64_t lines = is_k_major ? e.extents.mn : e.extents.k;
  const std::int64_t cells = (is_k_major ? e.extents.k : e.extents.mn) / e.in_cell;
  const auto index_of = [&](std::int64_t line, std::int64_t along) {
    return static_cast<std::size_t>(is_k_major ? line * e.extents.k + along : along * e.extents.k + line);
  };
  const std::int64_t first = compare(expected, seen).first;
  const auto shown_from = [](std::int64_t at, std::int64_t all) {
    return all <= most_cells ? 0 : std::min(at / most_cells * most_cells, all - most_cells);
  };
  const std::int64_t row = first / e.extents.k, k = first % e.extents.k;
  const std::int64_t first_line = shown_from(is_k_major ? row : k, lines);
  const std::int64_t first_cell = shown_from((is_k_major ? k : row) / e.in_cell, cells);
  Grid grid{.title = e.title,
            .corner = is_k_major ? "row\\k" : "k\\row",
            .column_labels = {},
            .row_labels = {},
            .squares = {}};
  for (std::int64_t c = first_cell; c < std::min(cells, first_cell + most_cells); ++c)
    grid.column_labels.push_back(fmt::format("{}", c * e.in_cell));
  for (std::int64_t line = first_line; line < std::min(lines, first_line + most_cells); ++line) {
    grid.row_labels.push_back(fmt::format("{}", line));
    std::vector<Grid::Square>& squares = grid.squares.emplace_back();
    for (std::int64_t c = first_cell; c < std::min(cells, first_cell + most_cells); ++c) {
      Grid::Square square{.text = "."};
      for (std::int64_t i = e.in_cell; i-- > 0;) {
        const std::size_t at = index_of(line, c * e.in_cell + i);
        if (seen[at] == expected[at]) continue;
        square.text = seen[at] < 0 ? "?" : e.name(seen[at], e.extents);
        square.mark = Mark::colliding;
      }
      squares.push_back(std::move(square));
    }
  }
  Figure figure;
  figure.title = "elements that came from elsewhere";
  figure.panels = {{std::move(grid)}};
  figure.legend = {{e.legend, {}, Mark::colliding}};
  return figure;
}

}  // namespace

Document view_verified_tile(const TileProbePlan& plan, const VerifyReport& report, const Observed& seen) {
  using enum Column::Align;
  const SmemTile& tile = plan.tile;
  const TileDescriptors words = words_of(plan);
  const std::optional<TilePlan> boxes = boxes_of(plan);
  const std::int64_t copies = boxes ? std::ssize(boxes->copies) : 0;
  const std::int64_t elements = tile.extents().mn * tile.extents().k;

  Document d(subject(plan));
  const std::string by =
      boxes ? fmt::format("{} of rank {}", plural(copies, "TMA copy"), boxes->map.rank) : "stores";
  add_verdict(d, report,
              fmt::format("every one of {} elements reached the MMA by {} and {}", elements, by,
                          plural(ssize(words.steps), "word")));
  add_device(d, report);
  d.add(Field{"tile", "", to_json(plan)});
  d.add(
      Field{"instruction", "read by", to_string(instruction_of(plan)), to_string(instruction_of(plan)) + ", as B"});
  d.add(Field{"copies", "", copies});
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
    const std::int64_t all = words.mma.mn * words.mma.k;
    for (std::int64_t i = 0; seen.whole && i < all; ++i) {
      const std::int64_t number = number_read(plan, words, step, i);
      right_ones += (*seen.whole)[static_cast<std::size_t>(number)] == number ? 1 : 0;
    }
    const Cell confirmed =
        seen.whole ? Cell{right_ones, "", right_ones == all ? Tone::good : Tone::bad} : Cell{nullptr};
    table.rows.push_back({{step.m_block}, {step.k_step}, {hex64(step.descriptor.word())}, {all}, confirmed});
  }
  d.add(std::move(table));
  if (mismatch_of(report) != nullptr && seen.whole)
    d.add(wrong_elements({tile.extents(), tile.major(), chunk.count * 8 / tile.element_bits(), "what the MMAs got",
                          [](std::int64_t value, TileExtents extents) {
                            return fmt::format("{},{}", value / extents.k, value % extents.k);
                          },
                          "another element, row,k; ? none"},
                         expected(plan), *seen.whole));
  return d;
}

namespace {

// What was seen of a plan. Null: nothing.
const Observed* seen_of(const LayoutProbePlan& plan, std::span<const RecordedCase> seen) {
  for (const RecordedCase& one : seen)
    if (to_json(one.plan) == to_json(plan)) return &one.seen;
  return nullptr;
}

std::int64_t sum_of(const Observation& observation) {
  return std::accumulate(observation.begin(), observation.end(), std::int64_t{0});
}

// The elements that lie where `truth` says. None: the recording holds the digest of others alone.
Cell agreeing(const Observation& truth, const Observed* seen) {
  const auto all = static_cast<std::int64_t>(truth.size());
  if (seen == nullptr) return {nullptr};
  if (seen->digest == digest(truth)) return {all, "", Tone::good};
  if (!seen->whole) return {nullptr};
  return {all - compare(truth, *seen->whole).differing, "", Tone::bad};
}

Cell timed_cell(const Observation& truth, const Observed* seen) {
  if (seen == nullptr) return {nullptr};
  if (seen->digest == digest(truth)) return {sum_of(truth), "", Tone::good};
  if (!seen->whole || std::ranges::find(*seen->whole, unreadable) != seen->whole->end())
    return {nullptr, "?", Tone::bad};
  return {sum_of(*seen->whole), "", Tone::bad};
}

}  // namespace

Document view_verified_layout(const LayoutOperand& operand, std::span<const LayoutQuestion> questions,
                              const VerifyReport& report, std::span<const RecordedCase> seen) {
  using enum Column::Align;
  Table asked{"ways",
              "",
              {{"by", "by"},
               {"steps", "steps", right},
               {"elements", "elements", right},
               {"confirmed", "confirmed", right},
               {"wavefronts", "wavefronts", right},
               {"timed", "timed", right}},
              {}};
  Table refused{"not_asked", "not asked", {{"by", "by"}, {"reason", "reason"}}, {}};
  std::optional<Figure> figure;
  std::int64_t elements = 0, timed = 0;
  for (const LayoutQuestion& question : questions) {
    if (question.plans.empty()) {
      refused.rows.push_back({{question.by}, {question.reason}});
      continue;
    }
    const LayoutProbePlan& plan = question.plans.front();
    const Observation truth = expected(plan, report.planted);
    const Observed* observed = seen_of(plan, seen);
    elements = static_cast<std::int64_t>(truth.size());
    std::vector<Cell> row{{question.by}, {plan.steps()}, {elements}, agreeing(truth, observed)};
    if (question.plans.size() > 1) {
      const Observation wavefronts = expected(question.plans[1], report.planted);
      row.push_back({sum_of(wavefronts)});
      row.push_back(timed_cell(wavefronts, seen_of(question.plans[1], seen)));
      ++timed;
    } else row.insert(row.end(), 2, Cell{nullptr});
    asked.rows.push_back(std::move(row));
    if (figure || observed == nullptr || !observed->whole || observed->digest == digest(truth)) continue;
    const Placement& p = *plan.placement;
    const std::int64_t length = p.major() == Major::K ? p.extents().k : p.extents().mn;
    figure = wrong_elements({p.extents(), p.major(), length % p.chunk_elements() == 0 ? p.chunk_elements() : 1,
                             "by " + question.by + ", the byte",
                             [](std::int64_t value, TileExtents) { return fmt::format("{:#x}", value / 8); },
                             "not where the layout says; ? no place, or several"},
                            truth, *observed->whole);
  }

  Document d(fmt::format("{} {}, {}, at {:#x}", operand.dtype->name, to_string(operand.layout),
                         to_string(operand.major), operand.base.count));
  add_verdict(d, report,
              fmt::format("{} of {} ways were asked: every one of {} elements lies where the layout says{}",
                          asked.rows.size(), questions.size(), elements,
                          timed == 0 ? "" : fmt::format(", and {} took the wavefronts of swz banks", timed)));
  add_device(d, report);
  d.add(Field{"layout", "", to_string(operand.layout)});
  d.add(Field{"dtype", "", operand.dtype->name});
  d.add(Field{"major", "", operand.major == Major::K ? "K" : "MN"});
  d.add(Field{"base", "", operand.base.count});
  d.add(std::move(asked));
  d.add(std::move(refused));
  if (figure) d.add(std::move(*figure));
  return d;
}

Document view_verified_word(const WgmmaPlan& plan, const VerifyReport& report, const Observed& seen) {
  const SmemDescriptor word(plan.word, sm_90a());
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
    for (std::size_t i = 0; i < map.places.size(); ++i) {
      map.places[i] = (*seen.whole)[i];
      is_readable = is_readable && map.places[i] >= 0;
    }
  if (!is_readable) {
    d.add(Paragraph{seen.whole ? "Some elements did not come from shared memory: there is no map of what was read."
                               : "The recording has only the digest of this case: a map cannot be shown."});
    d.add(Field{"read", "", nullptr});
    return d;
  }
  // What follows is swz map's answer, with the addresses that were seen.
  const MapAnswer answer{operand_report(word, map), &dtype, plan.operand, {}, {}, {}};
  Document seen_map = view_map(answer);
  seen_map.title = "what was read";
  d.add(Group{"read", {std::move(seen_map)}, true});
  return d;
}

}  // namespace swz

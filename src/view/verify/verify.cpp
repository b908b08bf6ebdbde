// SPDX-License-Identifier: Apache-2.0
#include "view/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/map/map.hpp"

namespace swz {

namespace {

using enum Column::Align;

Tone tone_of(bool is_right) { return is_right ? Tone::good : Tone::bad; }

// "NVIDIA H200 (sm_90a), driver 580.159.04, NVRTC 13.0"
std::string device_text(const VerifyReport& report) {
  const DeviceIdentity& device = report.device;
  return fmt::format("{}{} ({}), driver {}, NVRTC {}", report.is_replayed ? "recorded on " : "", device.gpu,
                     device.target, device.driver, device.nvrtc);
}

// JSON has milliseconds: more digits are noise.
Cell seconds_cell(double seconds) {
  return {static_cast<double>(static_cast<std::int64_t>(seconds * 1000)) / 1000, fmt::format("{:.1f} s", seconds)};
}

// ---- a run of the probes

// A case with another result than expected, as a row and in words.
struct CaseCells {
  std::string probe, subject, element, expected, observed, differing, explained;
};

CaseCells cells_of(std::string probe, const CaseMismatch& mismatch) {
  std::vector<std::string> explanations;
  for (const Hypothesis hypothesis : mismatch.explanations) explanations.emplace_back(row_of(hypothesis).what);
  CaseCells cells{std::move(probe),      subject(mismatch.plan), "(only the digest was recorded)", "", "", "",
                  join_and(explanations)};
  if (!mismatch.failure.empty()) {
    cells.element = "(not answered)";
    cells.observed = "failed: " + mismatch.failure;
  }
  if (!mismatch.mismatch) return cells;
  const Mismatch& m = *mismatch.mismatch;
  cells.element = element_name(mismatch.plan, m.first);
  cells.expected = value_name(mismatch.plan, m.expected);
  cells.observed = value_name(mismatch.plan, m.observed);
  cells.differing = fmt::format("{} of {}", m.differing, m.of);
  return cells;
}

Table probe_table(const VerifyReport& report) {
  using Part = PartReport;
  const auto confirmed = [](const Part& part) {
    return Cell(part.confirmed, "", tone_of(part.confirmed == part.cases));
  };
  std::vector<ColumnOf<Part>> columns{{"probe", "probe", &Part::probe},
                                      {"kernels", "kernels", &Part::kernels, right},
                                      {"cases", "cases", &Part::cases, right},
                                      {"confirmed", "confirmed", confirmed, right}};
  // A replay measures the time of this machine, not of the GPU.
  if (!report.is_replayed)
    columns.push_back({"seconds", "time", [](const Part& part) { return seconds_cell(part.seconds); }, right});
  return table_of<Part>("probes", "", report.parts, columns);
}

Table mismatch_table(const VerifyReport& report) {
  std::vector<CaseCells> cases;
  for (const PartReport& part : report.parts)
    for (const CaseMismatch& mismatch : part.mismatches) cases.push_back(cells_of(part.probe, mismatch));
  const auto observed = [](const CaseCells& c) { return Cell(c.observed, "", Tone::bad); };
  return table_of<CaseCells>("mismatches", "not as predicted", cases,
                             {{"probe", "", &CaseCells::probe},
                              {"case", "case", &CaseCells::subject},
                              {"element", "first element", &CaseCells::element},
                              {"expected", "expected", &CaseCells::expected},
                              {"observed", "observed", observed},
                              {"differing", "differing", &CaseCells::differing},
                              {"explained_by", "explained by", &CaseCells::explained}});
}

// ---- one thing

// The one case of the report if its result was not as expected; null if it was confirmed.
const CaseMismatch* mismatch_of(const VerifyReport& report) {
  const PartReport& part = report.parts.front();
  return part.mismatches.empty() ? nullptr : &part.mismatches.front();
}

void add_verdict(Document& d, const VerifyReport& report, const std::string& confirmed) {
  const CaseMismatch* mismatch = mismatch_of(report);
  const bool is_right = mismatch == nullptr;
  d.field("confirmed", is_right ? "confirmed" : "mismatch", is_right,
          is_right                    ? confirmed
          : mismatch->failure.empty() ? "the hardware did not do what swz predicts"
                                      : "the launch failed: the hardware has not answered",
          tone_of(is_right));
  if (is_right) d.json("mismatch", nullptr);
  else {
    const CaseCells cells = cells_of("", *mismatch);
    d.field("mismatch", "first",
            {{"element", cells.element},
             {"expected", cells.expected},
             {"observed", cells.observed},
             {"differing", cells.differing}},
            mismatch->failure.empty() ? fmt::format("{}: {} expected, {} seen; {} differ", cells.element,
                                                    cells.expected, cells.observed, cells.differing)
                                      : cells.observed);
    d.field("mismatch.explained_by", cells.explained.empty() ? "" : "explained", cells.explained);
  }
  d.field("gpu", "on", report.device.gpu, device_text(report)).json("driver", report.device.driver);
  d.json("nvrtc", report.device.nvrtc).json("replayed", report.is_replayed).answers = {"confirmed"};
  d.json("planted", report.planted == Hypothesis::none ? Json() : Json(row_of(report.planted).name));
}

// Elements in the order of global memory, as many per cell as a chunk has; those that came from elsewhere are marked.
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
  const std::int64_t first = compare(expected, seen).first;
  const auto shown_from = [](std::int64_t at, std::int64_t all) {
    return all <= most_cells ? 0 : std::min(at / most_cells * most_cells, all - most_cells);
  };
  const std::int64_t row = first / e.extents.k, k = first % e.extents.k;
  const std::int64_t first_line = shown_from(is_k_major ? row : k, lines);
  const std::int64_t first_cell = shown_from((is_k_major ? k : row) / e.in_cell, cells);
  const auto square = [&](std::int64_t l, std::int64_t c) {
    const std::int64_t line = first_line + l;
    for (std::int64_t i = 0; i < e.in_cell; ++i) {
      const std::int64_t along = (first_cell + c) * e.in_cell + i;
      const auto at = static_cast<std::size_t>(is_k_major ? line * e.extents.k + along : along * e.extents.k + line);
      const std::int64_t value = seen[at];
      if (value != expected[at]) return Grid::Square{value < 0 ? "?" : e.name(value, e.extents), {}, Mark::colliding};
    }
    return Grid::Square{"."};
  };
  Grid grid =
      grid_of(e.title, is_k_major ? "row\\k" : "k\\row",
              labels_of(std::min(lines, most_cells), 1, [&](std::int64_t l) { return std::to_string(first_line + l); }),
              labels_of(std::min(cells, most_cells), 1,
                        [&](std::int64_t c) { return std::to_string((first_cell + c) * e.in_cell); }),
              square);
  return {"elements that came from elsewhere", {{std::move(grid)}}, {{e.legend, {}, Mark::colliding}}};
}

// ---- a tile

Table step_table(const TileProbePlan& plan, const TileDescriptors& words, const std::optional<Observation>& seen) {
  const std::int64_t all = words.mma.mn * words.mma.k;
  const auto confirmed = [&](const MmaStep& step) {
    if (!seen) return Cell(nullptr);
    std::int64_t right_ones = 0;
    for (std::int64_t i = 0; i < all; ++i) {
      const std::int64_t number = number_read(plan, words, step, i);
      right_ones += (*seen)[static_cast<std::size_t>(number)] == number ? 1 : 0;
    }
    return Cell(right_ones, "", tone_of(right_ones == all));
  };
  return table_of<MmaStep>("steps", "", words.steps,
                           {{"m_block", "block", &MmaStep::m_block, right},
                            {"k_step", "k step", &MmaStep::k_step, right},
                            {"word", "word", [](const MmaStep& step) { return hex64(step.descriptor.word()); }},
                            {"elements", "elements", [&](const MmaStep&) { return all; }, right},
                            {"confirmed", "confirmed", confirmed, right}});
}

// ---- a layout

// What was observed for a plan; null if nothing was.
const Observed* seen_of(const LayoutProbePlan& plan, std::span<const RecordedCase> seen) {
  const Json wanted = to_json(plan);
  for (const RecordedCase& one : seen)
    if (to_json(one.plan) == wanted) return &one.seen;
  return nullptr;
}

std::int64_t sum_of(const Observation& observation) {
  return std::accumulate(observation.begin(), observation.end(), std::int64_t{0});
}

// The number of elements that are where `truth` expects them. Null if the recording only has the digest of others.
Cell agreeing(const Observation& truth, const Observed* seen) {
  const auto all = static_cast<std::int64_t>(truth.size());
  if (seen == nullptr) return {nullptr};
  if (seen->is(truth)) return {all, "", Tone::good};
  if (!seen->whole) return {nullptr};
  return {all - compare(truth, *seen->whole).differing, "", Tone::bad};
}

Cell timed_cell(const Observation& truth, const Observed* seen) {
  if (seen == nullptr) return {nullptr};
  if (seen->is(truth)) return {sum_of(truth), "", Tone::good};
  if (!seen->whole || std::ranges::find(*seen->whole, unreadable) != seen->whole->end())
    return {nullptr, "?", Tone::bad};
  return {sum_of(*seen->whole), "", Tone::bad};
}

struct AskedWay {
  std::string by;
  LayoutProbePlan plan;
  Observation truth;
  const Observed* seen;
  Cell wavefronts = nullptr, timed = nullptr;

  std::size_t elements() const { return truth.size(); }
  bool is_seen_wrong() const { return seen != nullptr && seen->whole && !seen->is(truth); }
};

Figure wrong_places(const AskedWay& way) {
  const Placement& p = *way.plan.placement;
  const std::int64_t length = p.major() == Major::K ? p.extents().k : p.extents().mn;
  return wrong_elements(
      {p.extents(), p.major(), length % p.chunk_elements() == 0 ? p.chunk_elements() : 1, "by " + way.by + ", the byte",
       [](std::int64_t value, TileExtents) { return fmt::format("{:#x}", value / 8); },
       "not where the layout puts it; ? no place, or several"},
      way.truth, *way.seen->whole);
}

}  // namespace

Document view_verify(const VerifyReport& report) {
  const DeviceIdentity& device = report.device;
  const std::int64_t cases = report.cases(), wrong = cases - report.confirmed();
  Document d(fmt::format("{}, seed {}", device_text(report), report.seed));
  d.json("gpu", device.gpu).json("target", device.target).json("driver", device.driver);
  d.json("nvrtc", device.nvrtc).json("seed", report.seed).json("replayed", report.is_replayed);
  d.json("cases", cases).answers = {"confirmed", "cases"};
  d.field("confirmed", wrong == 0 ? "confirmed" : "mismatch", report.confirmed(),
          wrong == 0 ? fmt::format("every one of {} cases", cases)
                     : fmt::format("{} of {} cases differ from the prediction", wrong, cases),
          tone_of(wrong == 0));
  const HypothesisRow& planted = row_of(report.planted);
  d.known("planted", "planted", report.planted == Hypothesis::none ? Json() : Json(planted.name),
          fmt::format("{}: a model with this mistake must not be confirmed", planted.what), Tone::accent);
  if (!report.is_replayed) d.json("compile_seconds", seconds_cell(report.compile_seconds).value);
  return d.add(probe_table(report)).add(mismatch_table(report));
}

bool CompileReport::is_fine() const {
  return std::ranges::all_of(rows, [](const CompileRow& row) { return row.compiled == row.kernels; });
}

Document view_compile(const CompileReport& report) {
  using Row = CompileRow;
  Document d(fmt::format("compiled by NVRTC {}, not run", report.nvrtc));
  d.json("nvrtc", report.nvrtc);
  for (const Row& row : report.rows)
    if (!row.log.empty()) d.add(Paragraph{row.log, Tone::bad, true});
  const auto compiled = [](const Row& row) { return Cell(row.compiled, "", tone_of(row.compiled == row.kernels)); };
  return d.add(table_of<Row>("compiled", "", report.rows,
                             {{"target", "target", &Row::target},
                              {"probe", "probe", &Row::probe},
                              {"kernels", "kernels", &Row::kernels, right},
                              {"compiled", "compiled", compiled, right},
                              {"seconds", "time", [](const Row& row) { return seconds_cell(row.seconds); }, right},
                              {"log", "", &Row::log}}));
}

Document view_verified_tile(const TileProbePlan& plan, const VerifyReport& report, const Observed& seen) {
  const SmemTile& tile = plan.tile;
  const TileDescriptors words = words_of(plan);
  const std::optional<TilePlan> boxes = boxes_of(plan);
  const std::int64_t copies = boxes ? std::ssize(boxes->copies) : 0;
  const std::int64_t elements = tile.extents().mn * tile.extents().k;
  const std::string by = boxes ? fmt::format("{} of rank {}", plural(copies, "TMA copy"), boxes->map.rank) : "stores";
  const std::string instruction = to_string(instruction_of(plan));

  Document d(subject(plan));
  add_verdict(d, report,
              fmt::format("every one of {} elements reached the MMA by {} and {}", elements, by,
                          plural(ssize(words.steps), "word")));
  d.json("tile", to_json(plan)).field("instruction", "read by", instruction, instruction + ", as B");
  d.json("copies", copies).json("elements", elements);
  d.add(step_table(plan, words, seen.whole));
  if (mismatch_of(report) != nullptr && seen.whole)
    d.add(wrong_elements({tile.extents(), tile.major(), chunk.count * 8 / tile.element_bits(), "what the MMAs got",
                          [](std::int64_t value, TileExtents extents) {
                            return fmt::format("{},{}", value / extents.k, value % extents.k);
                          },
                          "another element, row,k; ? none"},
                         expected(plan), *seen.whole));
  return d;
}

Document view_verified_layout(const LayoutOperand& operand, std::span<const LayoutQuestion> questions,
                              const VerifyReport& report, std::span<const RecordedCase> seen) {
  using Way = AskedWay;
  std::vector<Way> ways;
  std::vector<LayoutQuestion> refused;
  std::int64_t timed = 0;
  for (const LayoutQuestion& question : questions) {
    if (question.plans.empty()) {
      refused.push_back(question);
      continue;
    }
    const LayoutProbePlan& plan = question.plans.front();
    ways.push_back({question.by, plan, expected(plan, report.planted), seen_of(plan, seen)});
    if (question.plans.size() == 1) continue;
    const Observation wavefronts = expected(question.plans[1], report.planted);
    ways.back().wavefronts = sum_of(wavefronts);
    ways.back().timed = timed_cell(wavefronts, seen_of(question.plans[1], seen));
    ++timed;
  }

  Document d(fmt::format("{} {}, {}, at {:#x}", operand.dtype->name, to_string(operand.layout),
                         to_string(operand.major), operand.base.count));
  add_verdict(d, report,
              fmt::format("{} of {} ways were checked: every one of {} elements lies where the layout puts it{}",
                          ways.size(), questions.size(), ways.empty() ? 0 : ways.back().elements(),
                          timed == 0 ? "" : fmt::format(", and {} took the wavefronts of swz banks", timed)));
  d.json("layout", to_string(operand.layout)).json("dtype", operand.dtype->name);
  d.json("major", direction_name(operand.major)).json("base", operand.base.count);
  d.add(table_of<Way>("ways", "", ways,
                      {{"by", "by", &Way::by},
                       {"steps", "steps", [](const Way& way) { return way.plan.steps(); }, right},
                       {"elements", "elements", &Way::elements, right},
                       {"confirmed", "confirmed", [](const Way& way) { return agreeing(way.truth, way.seen); }, right},
                       {"wavefronts", "wavefronts", &Way::wavefronts, right},
                       {"timed", "timed", &Way::timed, right}}));
  d.add(table_of<LayoutQuestion>("not_asked", "not asked", refused,
                                 {{"by", "by", &LayoutQuestion::by}, {"reason", "reason", &LayoutQuestion::reason}}));
  const auto wrong = std::ranges::find_if(ways, &Way::is_seen_wrong);
  if (wrong != ways.end()) d.add(wrong_places(*wrong));
  return d;
}

Document view_verified_word(const WgmmaPlan& plan, const VerifyReport& report, const Observed& seen) {
  const SmemDescriptor word(plan.word, sm_90a());
  const DType& dtype = require_dtype(plan.dtype());
  const TileExtents extents = plan.extents();
  Document d(subject(plan));
  add_verdict(d, report,
              fmt::format("every one of {} elements is read from where swz map shows", extents.mn * extents.k));
  d.json("mma", to_string(plan.instruction));
  OperandMap map = operand_map(word, extents, dtype.memory_bits, plan.major);
  bool is_readable = seen.whole.has_value();
  for (std::size_t i = 0; is_readable && i < map.places.size(); ++i) {
    map.places[i] = (*seen.whole)[i];
    is_readable = map.places[i] >= 0;
  }
  if (!is_readable) {
    d.add(Paragraph{seen.whole ? "Some elements did not come from shared memory: there is no map of what was read."
                    : seen.failure.empty() ? "The recording has only the digest of this case: a map cannot be shown."
                                           : "The launch failed: a map cannot be shown."});
    return d.json("read", nullptr);
  }
  // What follows is the answer of swz map, with the addresses that were observed.
  Document seen_map = view_map({operand_report(word, map), &dtype, plan.operand, {}, {}, {}});
  seen_map.title = "what was read";
  return d.add(Group{"read", {std::move(seen_map)}, true});
}

}  // namespace swz

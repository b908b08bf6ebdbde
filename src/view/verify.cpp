#include "view/verify.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace swz {

namespace {

std::string explanation_of(const CaseMismatch& mismatch) {
  std::vector<std::string> names;
  for (const Hypothesis hypothesis : mismatch.explanations) names.emplace_back(row_of(hypothesis).what);
  return join_and(names);
}

Cell seconds_cell(double seconds) {
  // JSON keeps milliseconds: more digits are noise.
  return {static_cast<double>(static_cast<std::int64_t>(seconds * 1000)) / 1000, fmt::format("{:.1f} s", seconds)};
}

Table probe_table(const VerifyReport& report) {
  using enum Column::Align;
  Table table{"probes",
              "",
              {{"probe", "probe"},
               {"kernels", "kernels", right},
               {"cases", "cases", right},
               {"confirmed", "confirmed", right}},
              {}};
  // A replay takes the time of this machine, not of the GPU.
  if (!report.is_replayed) table.columns.push_back({"seconds", "time", right});
  for (const PartReport& part : report.parts) {
    const Tone tone = part.confirmed == part.cases ? Tone::good : Tone::bad;
    table.rows.push_back({{part.probe}, {part.kernels}, {part.cases}, {part.confirmed, "", tone}});
    if (!report.is_replayed) table.rows.back().push_back(seconds_cell(part.seconds));
  }
  return table;
}

Table mismatch_table(const VerifyReport& report) {
  Table table{"mismatches",
              "not as predicted",
              {{"probe", ""},
               {"case", "case"},
               {"element", "first element"},
               {"expected", "expected"},
               {"observed", "observed"},
               {"differing", "differing"},
               {"explained_by", "explained by"}},
              {}};
  for (const PartReport& part : report.parts)
    for (const CaseMismatch& mismatch : part.mismatches) {
      const CaseCells cells = cells_of(mismatch);
      table.rows.push_back({{part.probe},
                            {subject(mismatch.plan)},
                            {cells.element},
                            {cells.expected},
                            {cells.observed, "", Tone::bad},
                            {cells.differing},
                            {cells.explained}});
    }
  return table;
}

}  // namespace

std::string to_string(const DeviceIdentity& device) {
  return fmt::format("{} ({}), driver {}, NVRTC {}", device.gpu, device.target, device.driver, device.nvrtc);
}

CaseCells cells_of(const CaseMismatch& mismatch) {
  CaseCells cells;
  cells.explained = explanation_of(mismatch);
  if (!mismatch.mismatch) {
    cells.element = "(only the digest was recorded)";
    return cells;
  }
  const Mismatch& m = *mismatch.mismatch;
  cells.element = element_name(mismatch.plan, m.first);
  cells.expected = value_name(mismatch.plan, m.expected);
  cells.observed = value_name(mismatch.plan, m.observed);
  cells.differing = fmt::format("{} of {}", m.differing, m.of);
  return cells;
}

Document view_verify(const VerifyReport& report) {
  Document document(fmt::format("{}{}, seed {}", report.is_replayed ? "recorded on " : "", to_string(report.device),
                                report.seed));
  const auto key_only = [&](std::string key, Json value) {
    document.add(Field{std::move(key), "", std::move(value)});
  };
  key_only("gpu", report.device.gpu);
  key_only("target", report.device.target);
  key_only("driver", report.device.driver);
  key_only("nvrtc", report.device.nvrtc);
  key_only("seed", report.seed);
  key_only("replayed", report.is_replayed);
  key_only("cases", report.cases());
  const std::int64_t wrong = report.cases() - report.confirmed();
  if (wrong == 0)
    document.add(Field{"confirmed", "confirmed", report.confirmed(),
                       fmt::format("every one of {} cases", report.cases()), Tone::good});
  else
    document.add(Field{"confirmed", "mismatch", report.confirmed(),
                       fmt::format("{} of {} cases came out otherwise than predicted", wrong, report.cases()),
                       Tone::bad});
  if (report.planted == Hypothesis::none) key_only("planted", nullptr);
  else
    document.add(
        Field{"planted", "planted", row_of(report.planted).name,
              fmt::format("{}: a model with this mistake must not be confirmed", row_of(report.planted).what),
              Tone::accent});
  if (!report.is_replayed) key_only("compile_seconds", seconds_cell(report.compile_seconds).value);
  document.add(probe_table(report));
  if (wrong > 0) document.add(mismatch_table(report));
  else key_only("mismatches", Json::array());
  return document;
}

Document view_probes() {
  Document d;
  Table table{"probes", "", {{"probe", "probe"}, {"asks", "asks"}, {"targets", ""}, {"mistakes", ""}}, {}};
  for (const ProbeRow& row : probes()) {
    Json mistakes = Json::array(), on = Json::array();
    for (const HypothesisRow& mistake : hypotheses())
      if (row.catches(mistake.hypothesis)) mistakes.push_back(mistake.name);
    for (const Target& target : targets())
      if (row.runs_on(target)) on.push_back(target.name);
    table.rows.push_back({{row.name}, {row.asks}, {std::move(on)}, {std::move(mistakes)}});
  }
  d.add(std::move(table));
  Table planted{"mistakes", "", {{"name", "--planted"}, {"what", "a model in which"}, {"probes", "caught by"}}, {}};
  for (const HypothesisRow& mistake : hypotheses()) {
    std::vector<std::string> by;
    for (const ProbeRow& row : probes())
      if (row.catches(mistake.hypothesis)) by.emplace_back(row.name);
    planted.rows.push_back({{mistake.name}, {mistake.what}, {by, fmt::format("{}", fmt::join(by, ", "))}});
  }
  d.add(std::move(planted));
  return d;
}

bool CompileReport::is_fine() const {
  for (const CompileRow& row : rows)
    if (row.compiled != row.kernels) return false;
  return true;
}

Document view_compile(const CompileReport& report) {
  using enum Column::Align;
  Document document(fmt::format("compiled by NVRTC {}, not run", report.nvrtc));
  document.add(Field{"nvrtc", "", report.nvrtc});
  Table table{"compiled",
              "",
              {{"target", "target"},
               {"probe", "probe"},
               {"kernels", "kernels", right},
               {"compiled", "compiled", right},
               {"seconds", "time", right},
               {"log", ""}},
              {}};
  for (const CompileRow& row : report.rows) {
    const Tone tone = row.compiled == row.kernels ? Tone::good : Tone::bad;
    table.rows.push_back(
        {{row.target}, {row.probe}, {row.kernels}, {row.compiled, "", tone}, seconds_cell(row.seconds), {row.log}});
    if (!row.log.empty()) document.add(Paragraph{row.log, Tone::bad, true});
  }
  document.add(std::move(table));
  return document;
}

}  // namespace swz

// View of several words as the k loop of one operand: what `swz map WORD WORD…` says.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "view/findings.hpp"
#include "view/k_loop.hpp"
#include "view/map.hpp"

namespace swz {

namespace {

std::vector<SmemDescriptor> words_of(const MapLoopAnswer& answer) {
  std::vector<SmemDescriptor> words;
  for (const MapAnswer& step : answer.steps) words.push_back(step.report.word);
  return words;
}

// A row of the table: what one word reads, and whether a tile put its elements there.
std::vector<Cell> row_of(const MapAnswer& step, std::int64_t k) {
  const OperandReport& r = step.report;
  std::vector<Cell> row{{hex64(r.word.word())},
                        {k},
                        {r.word.start_address().count, fmt::format("{:#x}", r.word.start_address().count)},
                        {r.lowest.count, fmt::format("{:#x}", r.lowest.count)},
                        {r.highest.count, fmt::format("{:#x}", r.highest.count)},
                        {r.is_inside()}};
  if (!step.comparison) {
    row.insert(row.end(), {{nullptr}, {nullptr}, {nullptr}});
    return row;
  }
  const Comparison& c = *step.comparison;
  const Tone tone = c.is_same() ? Tone::good : Tone::bad;
  const Json right = c.right ? Json(hex64(c.right->descriptor.word())) : Json();
  row.push_back(
      {Json{{"row", c.block.row}, {"k", c.block.k}}, fmt::format("row {}, k {}", c.block.row, c.block.k)});
  row.push_back(
      {c.differing, c.is_same() ? "the same bytes" : fmt::format("{} elements differ", c.differing), tone});
  row.push_back({right, right.is_null() ? "" : right.get<std::string>(), Tone::good});
  return row;
}

Table step_table(const MapLoopAnswer& answer) {
  using Align = Column::Align;
  const bool is_compared = answer.steps.front().comparison.has_value();
  const auto label = [&](const char* text) { return std::string(is_compared ? text : ""); };
  Table table{"steps",
              "",
              {{"word", "word"},
               {"k", "k", Align::right},
               {"start_address", "start", Align::right},
               {"lowest", "reads", Align::right},
               {"highest", "to", Align::right},
               {"inside", ""},
               {"block", label("block")},
               {"differing", label("answer")},
               {"right_word", label("right word")}},
              {}};
  std::int64_t k = 0;
  for (const MapAnswer& step : answer.steps) {
    table.rows.push_back(row_of(step, k));
    k += step.report.map.extents.k;
  }
  return table;
}

// The lints of all words, each once.
std::vector<Finding> findings_of(const MapLoopAnswer& answer) {
  std::vector<Finding> lints;
  for (const MapAnswer& step : answer.steps)
    for (const Finding& finding : step.report.findings) {
      const bool is_known = std::ranges::any_of(lints, [&](const Finding& other) {
        return other.rule == finding.rule && other.message == finding.message;
      });
      if (finding.severity != Severity::note && !is_known) lints.push_back(finding);
    }
  return lints;
}

}  // namespace

Document view_map_loop(const MapLoopAnswer& answer) {
  const MapAnswer& first = answer.steps.front();
  const OperandReport& r = first.report;
  const std::string role(first.role ? (*first.role == OperandRole::a ? "a" : "b") : "");
  Document d(fmt::format("{} words  {} {} {}{} on {}", answer.steps.size(), first.dtype->name,
                         to_string(r.map.extents), to_string(r.map.major),
                         role.empty() ? "" : fmt::format(", operand {}", role), r.word.target().name));
  d.add(Field{"kind", "", to_string(r.word.kind())});
  d.add(Field{"arch", "", r.word.target().name});
  d.add(Field{"dtype", "", first.dtype->name});
  d.add(Field{"operand", "", role.empty() ? Json() : Json(role)});
  d.add(Field{"major", "", to_string(r.map.major)});
  d.add(Field{"rows", "", r.map.extents.mn});
  d.add(Field{"cols", "", r.map.extents.k});
  d.add(Field{"placement", first.stored ? "against" : "", first.stored ? Json(to_string(*first.stored)) : Json()});
  d.add(Field{"loop", "", k_loop_json(words_of(answer), answer.loop)});
  d.add(step_table(answer));
  add_k_loop_text(d, words_of(answer), answer.loop);
  d.add(Notes{"notes", first.remarks}).add(lints_of(findings_of(answer)));
  return d;
}

bool has_lints(const MapLoopAnswer& answer) {
  return answer.loop.is_wrong() ||
         std::ranges::any_of(answer.steps, [](const MapAnswer& step) { return has_lints(step); });
}

}  // namespace swz

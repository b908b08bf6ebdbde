// A rule: when it applies to a descriptor, and what it then says. One row of a table: a new lint is a new row.
//
//   {"stride-zero", Severity::lint, "SBO is 0", applies, tell, source}
//
// Severity: `note` is something to know, `lint` is likely wrong, `format` is a lint that the descriptor's own
// format forbids, whatever the operand: it also decides which reading of a word is possible.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/evidence.hpp"

namespace swz {

enum class Severity { note, lint, format };

constexpr std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::lint: return "lint";
    case Severity::format: return "format";
  }
  return "";
}

struct Advice {
  std::string message;  // with the numbers of this word
  std::string hint;     // the way out; may be empty
};

// A rule that applied.
struct Finding {
  Severity severity = Severity::note;
  std::string_view rule;
  Advice advice;
  Source source;
};

template <class Descriptor>
struct Rule {
  std::string_view name;
  Severity severity;
  std::string_view what;  // one line, for the table of rules
  bool (*applies)(const Descriptor&);
  Advice (*tell)(const Descriptor&);
  Source source;
};

// A rule without its functions, for the table that `swz arch lints` prints.
struct RuleSummary {
  std::string_view name;
  Severity severity;
  std::string_view what;
  Source source;
};

// In the order of the table.
template <class Descriptor>
std::vector<Finding> findings(std::span<const Rule<Descriptor>> rules, const Descriptor& descriptor) {
  std::vector<Finding> out;
  for (const Rule<Descriptor>& rule : rules)
    if (rule.applies(descriptor)) out.push_back({rule.severity, rule.name, rule.tell(descriptor), rule.source});
  return out;
}

template <class Descriptor>
std::vector<RuleSummary> summaries(std::span<const Rule<Descriptor>> rules) {
  std::vector<RuleSummary> out;
  for (const Rule<Descriptor>& rule : rules) out.push_back({rule.name, rule.severity, rule.what, rule.source});
  return out;
}

inline std::ptrdiff_t count(const std::vector<Finding>& findings, Severity severity) {
  return std::count_if(findings.begin(), findings.end(),
                       [severity](const Finding& finding) { return finding.severity == severity; });
}

inline bool has_lints(const std::vector<Finding>& findings) {
  return count(findings, Severity::note) != static_cast<std::ptrdiff_t>(findings.size());
}

}  // namespace swz

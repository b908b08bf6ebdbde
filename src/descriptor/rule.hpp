// A rule: when it applies to a descriptor, and what it then says. One row of a table: a new lint is a new row.
//
//   {"stride-zero", Severity::lint, "SBO is 0", applies, tell, source}
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"

namespace swz {

template <class Descriptor>
struct DescriptorRule {
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
std::vector<Finding> findings(std::span<const DescriptorRule<Descriptor>> rules, const Descriptor& descriptor) {
  std::vector<Finding> out;
  for (const DescriptorRule<Descriptor>& rule : rules) {
    if (!rule.applies(descriptor)) continue;
    Advice advice = rule.tell(descriptor);
    out.push_back({rule.severity, std::string(rule.name), std::move(advice.message), std::move(advice.hint),
                   to_string(rule.source)});
  }
  return out;
}

template <class Descriptor>
std::vector<RuleSummary> summaries(std::span<const DescriptorRule<Descriptor>> rules) {
  std::vector<RuleSummary> out;
  for (const DescriptorRule<Descriptor>& rule : rules)
    out.push_back({rule.name, rule.severity, rule.what, rule.source});
  return out;
}

}  // namespace swz

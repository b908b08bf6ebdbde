// Finding: a rule that applied, what it says of this case, the way out, and who says so.
//
//   lint("stride-in-bytes", "the SBO field holds 1024, …", "store 1024 >> 4 = 64", "PTX ISA 9.1 (documented)")
//
// Lints, refusals, violations, explanations and notes are all Findings; one that has more to say (the argument it
// names, the nearest legal choice) is a Finding and that. A `note` is something to know, a `lint` is likely wrong,
// `format` is a lint that the format of a word forbids: it also decides which reading of a word is possible.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/evidence.hpp"

namespace swz {

enum class Severity { note, lint, format };
std::string_view to_string(Severity severity);

// What a rule says of this case, without the rule.
struct Advice {
  std::string message;
  std::string hint;
};

struct Finding {
  Severity severity = Severity::note;
  std::string rule;
  std::string message;      // with the numbers of this case
  std::string hint = {};    // the way out; may be empty
  std::string source = {};  // who says so, and how far it can be trusted
};

Finding note(std::string_view rule, std::string message, std::string hint = {}, std::string source = {});
Finding lint(std::string_view rule, std::string message, std::string hint = {}, std::string source = {});

std::ptrdiff_t count(const std::vector<Finding>& findings, Severity severity);
bool has_lints(const std::vector<Finding>& findings);

}  // namespace swz

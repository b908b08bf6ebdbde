// SPDX-License-Identifier: Apache-2.0
// Finding: a rule that applied, its message for this case, how to fix it, and its source.
//
//   lint("stride-in-bytes", "the SBO field holds 1024, …", "store 1024 >> 4 = 64", "PTX ISA 9.1 (documented)")
//
// Lints, refusals, violations, explanations and notes are all Findings. One that carries more (the argument it names,
// the nearest legal choice) derives from Finding. A `note` is something to know, a `lint` is likely wrong, and `format`
// is a lint that the format of a word forbids: it also decides which reading of a word is possible.
//
// A row of a table has a Source: where it comes from, and how sure it is. When sources disagree the hardware wins, then
// the vendor's document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

// Kinds of evidence, strongest first.
enum class Evidence {
  measured,    // observed on a GPU, byte for byte
  reported,    // others ran it on a GPU and name the test or the sentence; a probe of swz has yet to decide
  documented,  // the vendor's document says so
  header,      // NVIDIA's own public headers do it this way
  derived,     // follows by arithmetic from rows above it
  claimed,     // public, unverified
};

constexpr std::string_view to_string(Evidence e) {
  constexpr std::string_view names[] = {"measured", "reported", "documented", "header", "derived", "claimed"};
  return names[static_cast<std::size_t>(e)];
}

// `where` is a section or file that a reader can find, for example "PTX ISA 9.1, 9.7.15.5.1.2.2".
struct Source {
  std::string_view where;
  Evidence evidence = Evidence::documented;
};
// "PTX ISA 9.1, 9.7.16 (documented)"
std::string to_string(const Source& source);

enum class Severity { note, lint, format };
std::string_view to_string(Severity severity);

// The message of a rule for one case, without the rule.
struct Advice {
  std::string message;
  std::string hint;
};

struct Finding {
  Severity severity = Severity::note;
  std::string rule;
  std::string message;      // with the numbers of this case
  std::string hint = {};    // the way out; may be empty
  std::string source = {};  // a document or an observation, and its evidence
};

Finding note(std::string_view rule, std::string message, std::string hint = {}, std::string source = {});
Finding lint(std::string_view rule, std::string message, std::string hint = {}, std::string source = {});

std::ptrdiff_t count(const std::vector<Finding>& findings, Severity severity);
bool has_lints(const std::vector<Finding>& findings);

}  // namespace swz

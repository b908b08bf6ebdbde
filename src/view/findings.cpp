#include "view/findings.hpp"

#include <fmt/format.h>

namespace swz {

Notes notes_of(const std::vector<Finding>& findings, Note::Kind kind) {
  const bool lints = kind == Note::Kind::lint;
  Notes notes{lints ? "lints" : "notes", {}};
  for (const Finding& finding : findings)
    if ((finding.severity != Severity::note) == lints)
      notes.notes.push_back({kind, std::string(finding.rule), finding.advice.message, finding.advice.hint,
                             fmt::format("{} ({})", finding.source.where, to_string(finding.source.evidence))});
  return notes;
}

}  // namespace swz

#include "view/findings.hpp"

namespace swz {

Json to_json(const Finding& finding) {
  Json json{{"rule", finding.rule}, {"message", finding.message}};
  if (!finding.hint.empty()) json["hint"] = finding.hint;
  if (!finding.source.empty()) json["source"] = finding.source;
  return json;
}

Notes lints_of(const std::vector<Finding>& findings) {
  Notes lints{"lints"};
  for (const Finding& finding : findings)
    if (finding.severity != Severity::note) lints.add(finding);
  return lints;
}

Notes notes_of(const std::vector<Finding>& findings) {
  Notes notes{"notes"};
  for (const Finding& finding : findings)
    if (finding.severity == Severity::note) notes.add(finding);
  return notes;
}

}  // namespace swz

#include "view/findings.hpp"

namespace swz {

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

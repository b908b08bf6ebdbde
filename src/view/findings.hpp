// Findings as notes and lints of a Document, and as JSON.
//
//   to_json(finding)      {rule, message}, with hint and source where there are such
//   lints_of(findings)    Notes{"lints", …}, those that are lints or break a format
//   notes_of(findings)    Notes{"notes", …}, the others
#pragma once

#include <vector>

#include "view/document.hpp"

namespace swz {

Json to_json(const Finding& finding);

Notes lints_of(const std::vector<Finding>& findings);
Notes notes_of(const std::vector<Finding>& findings);

}  // namespace swz

// Findings as notes and lints of a Document.
//
//   lints_of(findings)    Notes{"lints", …}, those that are lints or break a format
//   notes_of(findings)    Notes{"notes", …}, the others
#pragma once

#include <vector>

#include "view/document.hpp"

namespace swz {

Notes lints_of(const std::vector<Finding>& findings);
Notes notes_of(const std::vector<Finding>& findings);

}  // namespace swz

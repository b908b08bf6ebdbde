// Findings as notes and lints of a Document.
//
//   Notes{"lints", …} of the findings that are lints or break a format, Notes{"notes", …} of the others
#pragma once

#include <vector>

#include "descriptor/rule.hpp"
#include "view/document.hpp"

namespace swz {

Notes notes_of(const std::vector<Finding>& findings, Note::Kind kind);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Facts: every table of `swz arch` as one versioned document, whole or only the rows that contain some words.
//
//   view_facts({})                     40 tables with their numbers of rows; in JSON all rows
//   view_facts({"gather4", "sm_100"})  the rows that contain both words, from every table that has one
//
// Words are compared without case, with the cells of a row and the title and the name of its table.
#pragma once

#include <string>
#include <vector>

#include "view/document/document.hpp"

namespace swz {

// Raised when a key or a meaning changes; a new table or key does not raise it.
inline constexpr int facts_version = 1;

// Throws Error if no row contains all words.
Document view_facts(const std::vector<std::string>& words);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// View of the tables in src/arch and of the rules in src/descriptor: what `swz arch` prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/document/document.hpp"

namespace swz {

// The names of the topics, in the order in which they are printed.
std::vector<std::string> arch_topics();

// One topic, or all of them when the name is empty. JSON: one array per table, under its name; every row ends with
// source and evidence. Throws Error for an unknown topic.
Document view_arch(std::string_view topic);

}  // namespace swz

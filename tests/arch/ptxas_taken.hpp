// SPDX-License-Identifier: Apache-2.0
// What ptxas takes, as the scripts of tests/data recorded it, against what the tables say.
//
//   ldmatrix m8n8 b16 trans | 1 2 4 | sm_75 sm_80 …       read_taken: "ldmatrix m8n8 b16 trans 4" -> sm_75, sm_80, …
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace swz {

using Targets = std::set<std::string>;
using Taken = std::map<std::string, Targets>;

// Of the lines of a recording of tests/data that `accepts` takes.
template <class Accepts>
Taken read_taken(const std::string& recording, const Accepts& accepts) {
  Taken taken;
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/" + recording);
  for (std::string line; std::getline(file, line);) {
    if (!accepts(line)) continue;
    const std::size_t first = line.find(" | "), second = line.rfind(" | ");
    std::istringstream values(line.substr(first + 3, second - first - 3)), names(line.substr(second + 3));
    Targets targets;
    for (std::string name; names >> name;) targets.insert(name);
    for (std::string value; values >> value;) taken[line.substr(0, first) + " " + value] = targets;
  }
  return taken;
}

inline void check_same(const Taken& table, const Taken& ptxas) {
  for (const auto& [name, where] : ptxas) {
    const std::string& form = name;
    CAPTURE(form);
    const auto found = table.find(form);
    REQUIRE(found != table.end());
    CHECK(found->second == where);
  }
  CHECK(table.size() == ptxas.size());
}

}  // namespace swz

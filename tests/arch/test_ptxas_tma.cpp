// SPDX-License-Identifier: Apache-2.0
// src/arch/tma_form against what ptxas takes: tests/data/ptxas_tma.txt, written by the script beside it.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "arch/tma_form.hpp"

namespace swz {
namespace {

TEST_CASE("every form of TMA's instructions on the targets on which ptxas takes it, and on no other") {
  std::map<std::string, std::set<std::string>> ptxas;
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/ptxas_tma.txt");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(" | "), second = line.rfind(" | ");
    if (first == std::string::npos) continue;
    std::string name = line.substr(0, first);
    std::ranges::replace(name, '_', ' ');
    std::set<std::string> targets;
    std::istringstream names(line.substr(second + 3));
    for (std::string target; names >> target;) targets.insert(target);
    CAPTURE(name);
    CHECK(ptxas.emplace(name, targets).second);  // one set of targets for a form
  }
  CHECK(ptxas.size() == tma_forms().size());
  for (const TmaForm& form : tma_forms()) {
    std::string name(form.name);
    std::ranges::replace(name, '_', ' ');
    std::set<std::string> targets;
    for (const Target& target : swz::targets())
      if (runs_on(form.availability, target)) targets.insert(std::string(target.name));
    CAPTURE(name);
    CHECK(ptxas[name] == targets);
  }
}

}  // namespace
}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// src/arch/instruction against what ptxas takes: tests/data/ptxas_mma.txt and ptxas_matrix.txt, written by the scripts
// beside them.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "arch/instruction.hpp"

namespace swz {
namespace {

using Targets = std::set<std::string>;

// "mma m16 n8 k16 bf16 f32" -> targets
std::map<std::string, Targets> taken_by_ptxas(Targets& asked) {
  std::map<std::string, Targets> taken;
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/ptxas_mma.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string family, m, k, dtype, accumulator, word;
    words >> family >> m >> k >> dtype >> accumulator >> word;
    std::vector<std::string> columns;
    while (words >> word && word != "|") columns.push_back(word);
    Targets targets;
    while (words >> word) targets.insert(word);
    asked.insert(targets.begin(), targets.end());
    for (const std::string& n : columns)
      taken[family + " m" + m + " n" + n + " k" + k + " " + dtype + " " + accumulator].merge(Targets(targets));
  }
  return taken;
}

std::map<std::string, Targets> taken_by_table(const Targets& asked) {
  std::map<std::string, Targets> taken;
  for (const MmaInstruction& row : mma_instructions())
    for (int n = 1; n <= 300; ++n)
      for (const std::string_view dtype : row.types)
        for (const std::string_view accumulator : row.accumulators) {
          if (!row.takes(n) || dtype.empty() || accumulator.empty()) continue;
          Targets& targets =
              taken[std::string(to_string(row.family)) + " m" + std::to_string(row.m) + " n" + std::to_string(n) +
                    " k" + std::to_string(row.k) + " " + std::string(dtype) + " " + std::string(accumulator)];
          for (const std::string& name : asked)
            if (runs_on(row.availability, require_target(name))) targets.insert(name);
        }
  return taken;
}

TEST_CASE("every shape, type, accumulator and target that ptxas takes, and no other") {
  Targets asked;
  std::map<std::string, Targets> ptxas = taken_by_ptxas(asked);
  REQUIRE(asked.size() == targets().size());
  // ptxas takes it and PTX does not document it.
  REQUIRE(ptxas.erase("mma m8 n8 k4 bf16 f32") == 1);
  const std::map<std::string, Targets> table = taken_by_table(asked);
  CHECK(ptxas.size() > 350);
  for (const auto& [name, where] : ptxas) {
    const std::string& shape = name;
    CAPTURE(shape);
    const auto found = table.find(shape);
    REQUIRE(found != table.end());
    CHECK(found->second == where);
  }
  CHECK(table.size() == ptxas.size());
}

// "ldmatrix m8n8 b16 trans 4" -> targets
std::map<std::string, Targets> matrices_taken_by_ptxas() {
  std::map<std::string, Targets> taken;
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/ptxas_matrix.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("targets") || line.starts_with("asked")) continue;
    const std::size_t first = line.find(" | "), second = line.rfind(" | ");
    std::istringstream numbers(line.substr(first + 3, second - first - 3)), names(line.substr(second + 3));
    Targets targets;
    for (std::string name; names >> name;) targets.insert(name);
    for (std::string number; numbers >> number;) taken[line.substr(0, first) + " " + number] = targets;
  }
  return taken;
}

std::map<std::string, Targets> matrices_taken_by_table() {
  std::map<std::string, Targets> taken;
  for (const MatrixInstruction& row : matrix_instructions())
    for (const int number : row.numbers)
      for (const bool trans : {false, true}) {
        const bool is_taken = row.transpose == Transpose::optional || trans == (row.transpose == Transpose::yes);
        if (number == 0 || !is_taken) continue;
        Targets& targets = taken[std::string(to_string(row.family)) + " " + std::string(row.shape) + " " +
                                 std::string(row.type) + (trans ? " trans " : " - ") + std::to_string(number)];
        for (const Target& target : swz::targets())
          if (runs_on(row.availability, target)) targets.insert(std::string(target.name));
      }
  return taken;
}

TEST_CASE("every form of ldmatrix, stmatrix and movmatrix that ptxas takes, and no other") {
  std::map<std::string, Targets> ptxas = matrices_taken_by_ptxas();
  // New in PTX 9.4; where its elements lie in memory is in no table yet.
  for (const char* number : {"1", "2", "4"}) REQUIRE(ptxas.erase(std::string("ldmatrix m8n16 s8.s4 - ") + number) == 1);
  const std::map<std::string, Targets> table = matrices_taken_by_table();
  CHECK(ptxas.size() > 25);
  for (const auto& [name, where] : ptxas) {
    const std::string& form = name;
    CAPTURE(form);
    const auto found = table.find(form);
    REQUIRE(found != table.end());
    CHECK(found->second == where);
  }
  CHECK(table.size() == ptxas.size());
}

}  // namespace
}  // namespace swz

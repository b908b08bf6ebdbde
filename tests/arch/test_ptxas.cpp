// SPDX-License-Identifier: Apache-2.0
// src/arch/instruction against what ptxas takes: tests/data/ptxas_mma.txt and ptxas_matrix.txt, written by the scripts
// beside them.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "arch/instruction.hpp"
#include "arch/ptxas_taken.hpp"

namespace swz {
namespace {

// "mma m16 n8 k16 bf16 f32" -> targets
Taken taken_by_ptxas(Targets& asked) {
  Taken taken;
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

Taken taken_by_table(const Targets& asked) {
  Taken taken;
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
  Taken ptxas = taken_by_ptxas(asked);
  REQUIRE(asked.size() == targets().size());
  // ptxas takes it and PTX does not document it.
  REQUIRE(ptxas.erase("mma m8 n8 k4 bf16 f32") == 1);
  const Taken table = taken_by_table(asked);
  CHECK(ptxas.size() > 350);
  check_same(table, ptxas);
}

// "ldmatrix m8n8 b16 trans 4" -> targets
Taken matrices_taken_by_ptxas() {
  return read_taken("ptxas_matrix.txt", [](const std::string& line) {
    return !line.starts_with('#') && !line.starts_with("targets") && !line.starts_with("asked");
  });
}

Taken matrices_taken_by_table() {
  Taken taken;
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
  Taken ptxas = matrices_taken_by_ptxas();
  // New in PTX 9.4; where its elements lie in memory is in no table yet.
  for (const char* number : {"1", "2", "4"}) REQUIRE(ptxas.erase(std::string("ldmatrix m8n16 s8.s4 - ") + number) == 1);
  const Taken table = matrices_taken_by_table();
  CHECK(ptxas.size() > 25);
  check_same(table, ptxas);
}

}  // namespace
}  // namespace swz

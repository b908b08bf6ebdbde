// SPDX-License-Identifier: Apache-2.0
// src/arch/block_scaled_mma and sparse_mma against what ptxas takes: tests/data/ptxas_scaled.txt, written by the script
// beside it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "arch/block_scaled_mma.hpp"
#include "arch/ptxas_taken.hpp"
#include "arch/sparse_mma.hpp"
#include "fragment/block_scaled.hpp"

namespace swz {
namespace {

// "scaled - mxf4 64 2X ue8m0 f32 e2m1.e2m1" -> targets, of the forms of a family: the first word of a line.
Taken taken_by_ptxas(std::string_view family) {
  return read_taken("ptxas_scaled.txt",
                    [&](const std::string& line) { return line.starts_with(std::string(family) + " "); });
}

Targets targets_of(const Availability& availability) {
  Targets names;
  for (const Target& target : targets())
    if (runs_on(availability, target)) names.insert(std::string(target.name));
  return names;
}

TEST_CASE("every kind, shape, scale vector, type and target of block-scaled mma that ptxas takes, and no other") {
  Taken table;
  for (const BlockScaledMma& form : block_scaled_mmas())
    for (const std::string_view a : input_types(form.kind))
      for (const std::string_view b : input_types(form.kind))
        for (const std::string& vector : {fmt::format("{}X", form.scale_vec), std::string("-")})
          if (vector != "-" || form.is_default)
            table[fmt::format("scaled {} {} {} {} {} f32 {}.{}", form.is_sparse ? "sp::ordered_metadata" : "-",
                              row_of(form.kind).name, form.k, vector, form.scale_type, a, b)] =
                targets_of(form.availability);
  CHECK(table.size() > 100);
  check_same(table, taken_by_ptxas("scaled"));
}

TEST_CASE("every byte-id and thread-id that ptxas takes, and no other") {
  Taken table;
  for (const BlockScaledMma& form : block_scaled_mmas())
    for (const ScaleOperand operand : {ScaleOperand::a, ScaleOperand::b})
      for (const int byte : legal_byte_ids(form.scale_vec))
        for (const int thread : legal_thread_ids(operand))
          if (!form.is_sparse)
            table[fmt::format("ids {} {}X {} {}.{}", row_of(form.kind).name, form.scale_vec,
                              operand == ScaleOperand::a ? "a" : "b", byte, thread)] = targets_of(form.availability);
  check_same(table, taken_by_ptxas("ids"));
}

TEST_CASE("every shape, type, accumulator, selector and target of mma.sp that ptxas takes, and no other") {
  Taken table;
  for (const SparseMma& row : sparse_mmas())
    for (const std::string_view way : {"sp", "sp::ordered_metadata"})
      for (const std::string_view type : row.mma.types)
        for (const std::string_view accumulator : row.mma.accumulators)
          for (int selector = 0; selector < row.selectors(); ++selector) {
            const bool is_form = !type.empty() && !accumulator.empty() && (way != "sp" || !row.is_ordered_only);
            if (row.mma.family == InstructionFamily::mma && is_form)
              table[fmt::format("mma.sp {} {} {} {} {}", way, row.mma.k, type, accumulator, selector)] =
                  targets_of(row.mma.availability);
          }
  Taken ptxas = taken_by_ptxas("mma.sp");
  // PTX has selectors 0 and 1 here, as for the other types of this shape; ptxas does not look.
  for (const char* way : {"sp", "sp::ordered_metadata"})
    for (const int selector : {2, 3}) REQUIRE(ptxas.erase(fmt::format("mma.sp {} 32 f16 f32 {}", way, selector)) == 1);
  check_same(table, ptxas);
}

TEST_CASE("every shape, type and accumulator of wgmma.sp that ptxas takes, and no other") {
  Taken table;
  for (const SparseMma& row : sparse_mmas())
    for (int n = 1; n <= 300; ++n)
      for (const std::string_view type : row.mma.types)
        for (const std::string_view accumulator : row.mma.accumulators)
          if (row.mma.family == InstructionFamily::wgmma && row.mma.takes(n) && !type.empty() && !accumulator.empty())
            table[fmt::format("wgmma.sp {} {} {} {}", row.mma.k, type, accumulator, n)] =
                targets_of(row.mma.availability);
  CHECK(table.size() > 250);
  check_same(table, taken_by_ptxas("wgmma.sp"));
}

}  // namespace
}  // namespace swz

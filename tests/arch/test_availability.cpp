// SPDX-License-Identifier: Apache-2.0
// Which target has which instruction, typed in once more from PTX ISA 9.1 (9.7.14.5, ldmatrix, stmatrix, movmatrix)
// and what ptxas 13.5.37 took on each target. test_ptxas.cpp has mma and wgmma.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <tuple>

#include "arch/dtype.hpp"
#include "arch/instruction.hpp"

namespace swz {
namespace {

constexpr const char* all_of_75 =
    "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90a sm_100a sm_100f sm_103a sm_103f sm_107a sm_107f sm_110a sm_110f "
    "sm_120a "
    "sm_120f sm_121a sm_121f";
constexpr const char* all_of_90 =
    "sm_90a sm_100a sm_100f sm_103a sm_103f sm_107a sm_107f sm_110a sm_110f sm_120a sm_120f sm_121a sm_121f";
constexpr const char* blackwell =
    "sm_100a sm_100f sm_103a sm_103f sm_107a sm_107f sm_110a sm_110f sm_120a sm_120f sm_121a sm_121f";

std::string targets_with(const Availability& availability) {
  std::string names;
  for (const Target& target : targets())
    if (runs_on(availability, target)) names += (names.empty() ? "" : " ") + std::string(target.name);
  return names;
}

TEST_CASE("ldmatrix, stmatrix and movmatrix: number of matrices, rows, elements, bits and targets of every form") {
  using enum InstructionFamily;
  struct Form {
    InstructionFamily family;
    const char *shape, *type;
    std::array<int, 3> numbers;
    Transpose transpose;
    int memory_rows, row_elements, bits;
    const char* targets;
  };
  // A memory row of an 8 x 8 matrix has 8 elements of 16 bits, of the others 16 of 8 bits: 16 bytes in every case.
  const Form forms[] = {
      {ldmatrix, "m8n8", "b16", {1, 2, 4}, Transpose::optional, 8, 8, 16, all_of_75},
      {ldmatrix, "m16n16", "b8", {1, 2, 0}, Transpose::yes, 16, 16, 8, blackwell},
      {ldmatrix, "m16n16", "b8x16.b6x16_p32", {1, 2, 0}, Transpose::yes, 16, 16, 8, blackwell},
      {ldmatrix, "m16n16", "b8x16.b4x16_p64", {1, 2, 0}, Transpose::yes, 16, 16, 8, blackwell},
      {ldmatrix, "m8n16", "b8x16.b6x16_p32", {1, 2, 4}, Transpose::no, 8, 16, 8, blackwell},
      {ldmatrix, "m8n16", "b8x16.b4x16_p64", {1, 2, 4}, Transpose::no, 8, 16, 8, blackwell},
      {stmatrix, "m8n8", "b16", {1, 2, 4}, Transpose::optional, 8, 8, 16, all_of_90},
      {stmatrix, "m16n8", "b8", {1, 2, 4}, Transpose::yes, 8, 16, 8, blackwell},
      {movmatrix, "m8n8", "b16", {1, 0, 0}, Transpose::yes, 8, 8, 16, all_of_75},
  };
  REQUIRE(matrix_instructions().size() == std::size(forms));
  for (std::size_t i = 0; i < std::size(forms); ++i) {
    const MatrixInstruction& row = matrix_instructions()[i];
    const Form& form = forms[i];
    CAPTURE(to_string(form.family));
    CAPTURE(form.shape);
    CAPTURE(form.type);
    CHECK(row.family == form.family);
    CHECK(row.shape == form.shape);
    CHECK(row.type == form.type);
    CHECK(row.numbers == form.numbers);
    CHECK(row.transpose == form.transpose);
    CHECK(row.memory_rows == form.memory_rows);
    CHECK(row.row_elements == form.row_elements);
    CHECK(row.bits == form.bits);
    CHECK(targets_with(row.availability) == form.targets);
  }
}

TEST_CASE("an instruction exists from the capability that its row names on, not one below, not one above") {
  const auto first_with = [](int from) {
    const std::string names = targets_with({from, {}});
    return names.substr(0, names.find(' '));
  };
  for (const auto& [number, target] :
       {std::pair{1, "sm_75"}, {70, "sm_75"},    {75, "sm_75"},    {76, "sm_80"},    {80, "sm_80"},    {81, "sm_86"},
        {87, "sm_87"},         {88, "sm_88"},    {89, "sm_89"},    {90, "sm_90a"},   {91, "sm_100a"},  {100, "sm_100a"},
        {101, "sm_103a"},      {103, "sm_103a"}, {104, "sm_107a"}, {108, "sm_110a"}, {110, "sm_110a"}, {111, "sm_120a"},
        {120, "sm_120a"},      {121, "sm_121a"}, {122, ""}}) {
    const int from = number;
    CAPTURE(from);
    CHECK(first_with(from) == target);
  }
  CHECK(targets_with({0, {}}).empty());
  CHECK(targets_with({0, {"sm_103a", "sm_89"}}) == "sm_89 sm_103a");
}

TEST_CASE("availability as text: the lowest compute capability of each family of instructions") {
  CHECK(to_string(Availability{80, {}}) == "sm_80 and later");
  CHECK(to_string(Availability{1, {}}) == "sm_1 and later");
  CHECK(to_string(Availability{0, {"sm_120a", "sm_121a"}}) == "sm_120a and sm_121a");
  // PTX ISA 9.1, 9.7.14.5: the first architecture of each shape and type; ptxas 13 no longer compiles for sm_70.
  using Row = std::tuple<int, int, const char*, const char*>;
  const Row rows[] = {
      {8, 4, "f16", "sm_70"},   {8, 4, "f64", "sm_80"},    {8, 16, "s8", "sm_75"},    {8, 16, "u8", "sm_75"},
      {8, 32, "s4", "sm_75"},   {8, 32, "u4", "sm_75"},    {8, 128, "b1", "sm_75"},   {16, 4, "tf32", "sm_80"},
      {16, 4, "f64", "sm_90"},  {16, 8, "f16", "sm_75"},   {16, 8, "bf16", "sm_80"},  {16, 8, "tf32", "sm_80"},
      {16, 8, "f64", "sm_90"},  {16, 16, "f16", "sm_80"},  {16, 16, "bf16", "sm_80"}, {16, 16, "s8", "sm_80"},
      {16, 16, "u8", "sm_80"},  {16, 16, "e4m3", "sm_89"}, {16, 16, "e5m2", "sm_89"}, {16, 16, "f64", "sm_90"},
      {16, 32, "s8", "sm_80"},  {16, 32, "u8", "sm_80"},   {16, 32, "e4m3", "sm_89"}, {16, 32, "e5m2", "sm_89"},
      {16, 32, "s4", "sm_80"},  {16, 32, "u4", "sm_80"},   {16, 64, "s4", "sm_80"},   {16, 64, "u4", "sm_80"},
      {16, 128, "b1", "sm_80"}, {16, 256, "b1", "sm_80"}};
  int found = 0, named = 0;
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.availability.from == 0) {
      CHECK(to_string(row.availability) ==
            (row.family == InstructionFamily::wgmma ? "sm_90a" : "sm_120a, sm_120f, sm_121a and sm_121f"));
      continue;
    }
    for (const std::string_view type : row.types) named += !type.empty();
    for (const Row& wanted : rows) {
      const auto [m, k, dtype, from] = wanted;
      if (row.m == m && row.k == k && takes_type(row, dtype)) {
        CAPTURE(std::get<0>(wanted));
        CAPTURE(std::get<1>(wanted));
        CAPTURE(std::get<2>(wanted));
        CHECK(to_string(row.availability) == std::string(from) + " and later");
        ++found;
      }
    }
  }
  CHECK(found == named);
  CHECK(found == std::size(rows));
}

TEST_CASE("an element takes in a register what it takes in memory; fp6 and fp4 of kind::f8f6f4 take a byte") {
  for (const MmaInstruction& row : mma_instructions())
    for (const std::string_view name : row.types) {
      if (name.empty()) continue;
      CAPTURE(row.k);
      CAPTURE(name);
      const DType& dtype = require_dtype(name);
      CHECK(row.bits == (row.k == 32 && dtype.container_bits > 0 ? dtype.container_bits : dtype.memory_bits));
      CHECK(takes_type(row, name));
      CHECK_FALSE(accumulates_in(row, ""));
    }
  CHECK_FALSE(takes_type(mma_instructions()[0], ""));
  CHECK_FALSE(takes_type(mma_instructions()[0], "bf16"));
}

TEST_CASE("threads, the four MMAs of m8n8k4, and the columns that a row takes") {
  for (const MmaInstruction& row : mma_instructions()) {
    CAPTURE(row.m);
    CAPTURE(row.k);
    CHECK(row.threads() == (row.m == 64 ? 128 : 32));
    CHECK(row.is_quad_pair() == (row.m == 8 && row.k == 4 && row.types[0] == "f16"));
    for (const int n : {-8, 0, 4, 12, 264}) CHECK_FALSE(row.takes(n));
    CHECK(row.takes(8));
    CHECK(row.takes(16) == (row.m == 64));
    CHECK(row.takes(256) == (row.m == 64));
    CHECK(row.takes(40) == (row.m == 64 && row.accumulators[0] != "s32"));
  }
}

}  // namespace
}  // namespace swz

#include <doctest/doctest.h>

#include <set>

#include "arch/dtype.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

TEST_CASE("names and aliases are unique, bits are consistent, every row has a source") {
  std::set<std::string_view> seen;
  for (const DType& row : dtypes()) {
    CAPTURE(row.name);
    CHECK(seen.insert(row.name).second);
    for (const std::string_view alias : row.aliases)
      if (!alias.empty()) CHECK_MESSAGE(seen.insert(alias).second, alias);
    CHECK(row.value_bits <= row.memory_bits);
    CHECK(is_power_of_two(row.memory_bits));
    CHECK((row.container_bits == 0 || row.container_bits >= row.memory_bits));
    CHECK_FALSE(row.source.where.empty());
  }
}

TEST_CASE("every name and alias finds its row, in any case and with CUTLASS's namespaces") {
  for (const DType& row : dtypes()) {
    CHECK(find_dtype(row.name) == &row);
    for (const std::string_view alias : row.aliases)
      if (!alias.empty()) CHECK(find_dtype(alias) == &row);
  }
  CHECK(find_dtype("BF16")->name == "bf16");
  CHECK(find_dtype("cutlass::bfloat16_t")->name == "bf16");
  CHECK(find_dtype("cute::uint128_t")->name == "u128");
  CHECK(find_dtype("") == nullptr);
  CHECK(find_dtype("cutlass::") == nullptr);
  CHECK(find_dtype(std::string(100000, 'x')) == nullptr);
}

// PTX ISA: bits of a value, and what one takes in shared memory. 6-bit types sit in 8-bit containers, e2m1 is
// packed for mxf4 and in 8-bit containers for f8f6f4.
TEST_CASE("bits of the types") {
  struct Expected {
    const char* name;
    int value, memory, container;
  };
  const Expected expected[] = {{"f16", 16, 16, 0}, {"bf16", 16, 16, 0}, {"tf32", 19, 32, 0}, {"f32", 32, 32, 0},
                               {"f64", 64, 64, 0}, {"e4m3", 8, 8, 8},   {"e5m2", 8, 8, 8},   {"e2m3", 6, 8, 8},
                               {"e3m2", 6, 8, 8},  {"e2m1", 4, 4, 8},   {"ue8m0", 8, 8, 0},  {"ue4m3", 7, 8, 0},
                               {"s8", 8, 8, 0},    {"u8", 8, 8, 0},     {"s4", 4, 4, 0},     {"u4", 4, 4, 0},
                               {"b1", 1, 1, 0},    {"u16", 16, 16, 0},  {"s16", 16, 16, 0},  {"u32", 32, 32, 0},
                               {"s32", 32, 32, 0}, {"u64", 64, 64, 0},  {"s64", 64, 64, 0},  {"u128", 128, 128, 0}};
  CHECK(std::size(expected) == dtypes().size());
  for (const Expected& e : expected) {
    CAPTURE(e.name);
    const DType& row = require_dtype(e.name);
    CHECK(row.value_bits == e.value);
    CHECK(row.memory_bits == e.memory);
    CHECK(row.container_bits == e.container);
  }
}

TEST_CASE("an unknown type names itself, the nearest type and the list") {
  try {
    require_dtype("bfloat61");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "'bfloat61' is not an element type");
    CHECK(e.hint ==
          "did you mean 'bfloat16'? element types: f16, bf16, tf32, f32, f64, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, "
          "ue4m3, s8, u8, s4, u4, b1, u16, s16, u32, s32, u64, s64 and u128");
  }
  CHECK_THROWS_AS(require_dtype(std::string_view("f16\0", 4)), Error);
  CHECK_THROWS_AS(require_dtype(""), Error);
}

}  // namespace
}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Numbers that were negative: distinguished from sizes, in every way in which a program makes them.
#include <doctest/doctest.h>

#include <cstdint>

#include "tma/rule_parts.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;
using rule_parts::overflow_remark, rule_parts::widened_int32;

namespace {

bool tells(const std::string& remark) { return remark.find("32-bit product that overflowed") != std::string::npos; }

// As a program computes a stride in bytes from extents of type int.
std::uint64_t signed_bytes(int elements, std::int64_t size) { return static_cast<std::uint64_t>(elements * size); }
std::uint64_t bits_divided(int elements, std::uint64_t bits) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(elements)) * bits / 8;
}
std::uint64_t zero_extended(int elements, std::uint64_t size) { return static_cast<std::uint32_t>(elements) * size; }

}  // namespace

TEST_CASE("an int that overflowed is found, after any multiplication") {
  for (const int elements : {-1, -128, -65536, -1073741824, INT32_MIN})
    for (const int size : {1, 2, 4, 8}) {
      CAPTURE(elements);
      CAPTURE(size);
      CHECK(tells(overflow_remark(signed_bytes(elements, size), 8 * size)));
      CHECK(tells(overflow_remark(bits_divided(elements, static_cast<std::uint64_t>(8 * size)), 8 * size)));
    }
  // sglang issue 13775: 192 * 131072 * 128 elements of bf16.
  const int wrapped = static_cast<int>(static_cast<std::uint32_t>(192LL * 131072 * 128));
  CHECK(bits_divided(wrapped, 16) == 2305843007066210304);
  CHECK(overflow_remark(2305843007066210304, 16) ==
        " (2^61 - 2147483648: a 32-bit product that overflowed and was then widened, multiplied to bits and "
        "divided by 8 "
        "without its sign)");
  CHECK(overflow_remark(static_cast<std::uint64_t>(-4294967296), 16) ==
        " (-4294967296, -2147483648 elements as a signed number: a 32-bit product that overflowed and was then "
        "widened)");
}

TEST_CASE("what no int can have been") {
  CHECK(overflow_remark(1ULL << 40, 16).empty());
  CHECK(overflow_remark(1ULL << 61, 16).empty());
  CHECK(overflow_remark((1ULL << 61) - (1ULL << 40), 16).empty());
  CHECK(overflow_remark(1ULL << 63, 16) == " (-9223372036854775808 as a signed number)");
  CHECK(overflow_remark(~0ULL - 7 * (1ULL << 32), 0).find("product") == std::string::npos);
}

TEST_CASE("an int widened without its sign is within the bounds: the driver accepts it, a remark names it") {
  for (const int elements : {-1, -128, -65536})
    for (const int size : {1, 2, 4, 8}) {
      const std::uint64_t value = zero_extended(elements, static_cast<std::uint64_t>(size));
      CAPTURE(value);
      CHECK(widened_int32(value, 8 * size).has_value());
    }
  CHECK(widened_int32(4294967168, 16) == -128);
  for (const std::uint64_t size : {0ULL, 128ULL, 1ULL << 31, 3ULL << 30, 1ULL << 32, 1ULL << 33, 1ULL << 39})
    CHECK_FALSE(widened_int32(size, 16).has_value());

  TensorMap map{.data_type = TensorMapDataType::float16,
                .rank = 2,
                .global_address = 256,
                .dims = {64, 4294967295},
                .strides = {4294967168},
                .box = {64, 64}};
  const Target& target = require_target("sm_90a");
  CHECK(is_accepted(map, target));
  const std::vector<TensorMapViolation> found = remarks(map, target);
  REQUIRE(found.size() == 2);
  CHECK(found[0].rule == "dim-int32");
  CHECK(found[0].argument == "dims[1]");
  CHECK(found[1].message ==
        "globalStrides[0] = 4294967168 has the 32 bits of -128: accepted, but was it a negative number?");
  map.dims[1] = 1ULL << 32;
  map.strides[0] = 1ULL << 32;
  CHECK(remarks(map, target).empty());
}

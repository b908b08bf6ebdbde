// SPDX-License-Identifier: Apache-2.0
// Position codes: every digit of every type survives a product with 1 in every accumulator of the type, and nothing
// else is taken for a digit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "arch/dtype.hpp"
#include "base/error.hpp"
#include "probe/position_code.hpp"
#include "simulated.hpp"

using namespace swz;

namespace {

struct Coded {
  std::string_view dtype;
  int digit_bits;
  std::vector<std::string_view> accumulators;  // of the instructions that take the type
};

// PTX ISA 9.1, 9.7.14 to 9.7.16: what multiplies elements of the type accumulates in these.
std::vector<Coded> coded_types() {
  return {{"f16", 14, {"f16", "f32"}}, {"bf16", 14, {"f32"}},       {"tf32", 16, {"f32"}},
          {"f32", 16, {"f32"}},        {"f64", 16, {"f64"}},        {"e4m3", 6, {"f16", "f32"}},
          {"e5m2", 6, {"f16", "f32"}}, {"e2m3", 4, {"f16", "f32"}}, {"e3m2", 4, {"f16", "f32"}},
          {"e2m1", 2, {"f16", "f32"}}, {"s8", 8, {"s32"}},          {"u8", 8, {"s32"}},
          {"s4", 4, {"s32"}},          {"u4", 4, {"s32"}},          {"b1", 1, {"s32"}}};
}

// The value of a pattern, from the definition of IEEE 754 alone: the double whose fields are those of the pattern.
double ieee_value(std::uint64_t pattern, int exponent_bits, int mantissa_bits) {
  const std::uint64_t exponent = (pattern >> mantissa_bits) & ((1ULL << exponent_bits) - 1);
  const std::uint64_t mantissa = pattern & ((1ULL << mantissa_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double fraction = static_cast<double>(mantissa) / static_cast<double>(1ULL << mantissa_bits);
  if (exponent == 0) return fraction * std::pow(2.0, 1 - bias);
  return (1.0 + fraction) * std::pow(2.0, static_cast<double>(exponent) - bias);
}

}  // namespace

TEST_CASE("decode(encode(digit)) is the digit, for every digit of every type in every accumulator") {
  for (const Coded& type : coded_types()) {
    CAPTURE(type.dtype);
    const PositionCode code(type.dtype);
    const int memory_bits = require_dtype(type.dtype).memory_bits;
    std::set<std::uint64_t> patterns;
    int wrong = 0;
    for (std::int64_t digit = 0; digit < std::int64_t{1} << type.digit_bits; ++digit) {
      const std::uint64_t element = code.element(digit, 0);
      patterns.insert(element);
      if (memory_bits < 64 && element >> memory_bits != 0) ++wrong;
      const double product = number_of(element, type.dtype) * number_of(code.one(), type.dtype);
      for (const std::string_view accumulator : type.accumulators)
        if (code.digit(bits_of(product, accumulator), accumulator) != digit) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(patterns.size() == std::size_t{1} << type.digit_bits);
    CHECK(number_of(code.one(), type.dtype) == 1.0);
    CHECK(code.passes(std::int64_t{1} << type.digit_bits) == 1);
    CHECK(code.passes((std::int64_t{1} << type.digit_bits) + 1) == 2);
  }
}

TEST_CASE("positions in as many passes as they need, for every byte of shared memory") {
  for (const Coded& type : coded_types()) {
    CAPTURE(type.dtype);
    const PositionCode code(type.dtype);
    const std::int64_t count = std::int64_t{233472} * 8 / require_dtype(type.dtype).memory_bits;
    const int passes = code.passes(count);
    CHECK((std::int64_t{1} << std::min(62, passes * type.digit_bits)) >= count);
    CHECK((std::int64_t{1} << ((passes - 1) * type.digit_bits)) < count);
    int wrong = 0;
    for (std::int64_t position = 0; position < count; position += 1 + position % 97) {
      std::vector<std::optional<std::int64_t>> digits;
      for (int pass = 0; pass < passes; ++pass) {
        const double seen = number_of(code.element(position, pass), type.dtype);
        digits.push_back(code.digit(bits_of(seen, type.accumulators[0]), type.accumulators[0]));
      }
      if (code.position(digits) != position) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("floating codes are positive normal numbers, so that nothing is flushed to zero") {
  struct Format {
    std::string_view dtype;
    int exponent_bits, mantissa_bits, digit_bits;
  };
  for (const Format& f : {Format{"f16", 5, 10, 14}, Format{"bf16", 8, 7, 14}, Format{"tf32", 8, 23, 16},
                          Format{"f64", 11, 52, 16}, Format{"e4m3", 4, 3, 6}, Format{"e5m2", 5, 2, 6},
                          Format{"e2m3", 2, 3, 4}, Format{"e3m2", 3, 2, 4}, Format{"e2m1", 2, 1, 2}}) {
    CAPTURE(f.dtype);
    const PositionCode code(f.dtype);
    for (const std::int64_t digit : {std::int64_t{0}, std::int64_t{1}, (std::int64_t{1} << f.digit_bits) - 1}) {
      const std::uint64_t bits = code.element(digit, 0);
      CHECK(number_of(bits, f.dtype) == ieee_value(bits, f.exponent_bits, f.mantissa_bits));
      CHECK((bits >> f.mantissa_bits) != 0);                      // not subnormal
      CHECK((bits >> (f.mantissa_bits + f.exponent_bits)) == 0);  // not negative
      if (f.exponent_bits > 4)                                    // the types with infinities
        CHECK((bits >> f.mantissa_bits) < (1ULL << f.exponent_bits) - 1);
    }
  }
  // e4m3 has one NaN, 0x7f, and no infinity.
  CHECK(PositionCode("e4m3").element(63, 0) != 0x7f);
}

TEST_CASE("the example of the header") {
  const PositionCode f16("f16");
  CHECK(f16.passes(116736) == 2);
  CHECK(f16.element(40000, 0) == 0x3c40);
  CHECK(f16.element(40000, 1) == 0x2002);
  CHECK(number_of(0x3c40, "f16") == 1.0625);
  CHECK(f16.digit(bits_of(1.0625, "f32"), "f32") == 7232);
}

TEST_CASE("what is no element times 1 is no digit, and no position") {
  const PositionCode f16("f16");
  CHECK_FALSE(f16.digit(0, "f32").has_value());                                    // nothing was added
  CHECK_FALSE(f16.digit(bits_of(-1.0625, "f32"), "f32").has_value());              // a sign
  CHECK_FALSE(f16.digit(bits_of(1.0625 + 1.0 / 4096, "f32"), "f32").has_value());  // the sum of two
  CHECK_FALSE(f16.digit(0x7f800000, "f32").has_value());                           // infinity
  CHECK_FALSE(f16.digit(0x7fc00000, "f32").has_value());                           // NaN
  CHECK_FALSE(f16.digit(0x7c00, "f16").has_value());
  CHECK_FALSE(f16.digit(bits_of(65504.0, "f32"), "f32").has_value());  // an f16, but above the codes
  CHECK_FALSE(PositionCode("s8").digit(256, "s32").has_value());
  CHECK_FALSE(PositionCode("u8").digit(static_cast<std::uint32_t>(-1), "s32").has_value());
  CHECK(PositionCode("s8").digit(static_cast<std::uint32_t>(-1), "s32") == 255);

  const std::vector<std::optional<std::int64_t>> broken{7, std::nullopt};
  CHECK(f16.position(broken) == unreadable);
}

TEST_CASE("types without codes") {
  CHECK_THROWS_WITH_AS(PositionCode("ue8m0"), "no probe carries elements of type ue8m0", Error);
}

TEST_CASE("bits_of inverts number_of on every pattern of the small types") {
  const std::vector<std::pair<std::string_view, int>> widths{{"f16", 16}, {"bf16", 16}, {"e4m3", 8}, {"e5m2", 8},
                                                             {"e2m3", 6}, {"e3m2", 6},  {"e2m1", 4}, {"s8", 8},
                                                             {"u8", 8},   {"s4", 4},    {"u4", 4},   {"b1", 1}};
  for (const auto& [name, width] : widths) {
    const std::string_view dtype = name;
    CAPTURE(dtype);
    int wrong = 0;
    for (std::uint64_t bits = 0; bits < 1ULL << width; ++bits) {
      const double value = number_of(bits, dtype);
      if (value == 0.0) continue;  // -0 has the pattern of 0
      if (bits_of(value, dtype) != bits) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

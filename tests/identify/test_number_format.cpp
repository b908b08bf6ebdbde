// SPDX-License-Identifier: Apache-2.0
// Numbers of element types: every bit pattern comes back, and what is rounded is the nearest of all numbers that the type has.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "identify/number_format.hpp"

namespace swz {
namespace {

// Sign, exponent and mantissa as the formats are defined; patterns from `end` on are no numbers.
struct Defined {
  const char* name;
  int bits, mantissa, bias;
  std::uint64_t end;
};
// f16, bf16 and e5m2: exponent of ones is infinity or NaN. e4m3: 0x7f is NaN. e2m3, e3m2, e2m1: all are numbers.
constexpr Defined defined[] = {{"f16", 15, 10, 15, 0x7c00}, {"bf16", 15, 7, 127, 0x7f80}, {"e4m3", 7, 3, 7, 0x7f},
                               {"e5m2", 7, 2, 15, 0x7c},    {"e2m3", 5, 3, 1, 0x20},      {"e3m2", 5, 2, 3, 0x20},
                               {"e2m1", 3, 1, 1, 0x8},      {"ue4m3", 7, 3, 7, 0x7f},     {"ue5m3", 8, 3, 15, 0xff}};

double number_by_definition(const Defined& d, std::uint64_t bits) {
  const double mantissa = static_cast<double>(bits % (1U << d.mantissa)) / (1U << d.mantissa);
  const int exponent = static_cast<int>(bits >> d.mantissa);
  return exponent == 0 ? mantissa * std::pow(2.0, 1 - d.bias) : (1 + mantissa) * std::pow(2.0, exponent - d.bias);
}

TEST_CASE("numbers: every pattern of every narrow type is the number that its format says, and comes back") {
  for (const Defined& d : defined) {
    const DType& type = require_dtype(d.name);
    for (std::uint64_t bits = 0; bits < d.end; ++bits) {
      const double number = number_by_definition(d, bits);
      if (number_of_bits(type, bits) != number || number_bits(type, number) != bits) FAIL(d.name << " " << bits);
      if (d.name[0] != 'u' && number_bits(type, -number) != (bits | std::uint64_t{1} << d.bits))
        FAIL(d.name << " -" << bits);
    }
    CHECK(number_bits(type, 1e30, Beyond::largest) ==
          (d.name == std::string_view("bf16") ? number_bits(type, 1e30) : d.end - 1));
  }
  CHECK(number_bits(require_dtype("e4m3"), 500) == 0x7f);
  CHECK(number_bits(require_dtype("f16"), 70000) == 0x7c00);
  CHECK(number_bits(require_dtype("e2m1"), 100) == 0x7);
  CHECK(number_bits(require_dtype("s8"), -3) == 0xfd);
  CHECK(number_bits(require_dtype("s8"), 128) == std::nullopt);
  CHECK(number_bits(require_dtype("s8"), 0.5) == std::nullopt);
  CHECK(find_float_format("ue8m0") == nullptr);  // it has no 0
}

TEST_CASE("numbers: what a type does not have becomes the nearest number, of two the even one") {
  Random random(28);
  for (const Defined& d : defined) {
    const DType& type = require_dtype(d.name);
    for (int round = 0; round < 2000; ++round) {
      const std::uint64_t below = static_cast<std::uint64_t>(random.below(static_cast<std::int64_t>(d.end) - 1));
      const double low = number_by_definition(d, below), high = number_by_definition(d, below + 1);
      const std::int64_t part = random.below(9);  // 4: in the middle
      const double number = low + (high - low) * static_cast<double>(part) / 8;
      const std::uint64_t nearest = part < 4 || (part == 4 && below % 2 == 0) ? below : below + 1;
      if (number_bits(type, number) != nearest) FAIL(d.name << " " << number);
    }
  }
  for (int round = 0; round < 20000; ++round) {
    const double number = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random.below(120)) - 110);
    const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    CHECK(number_bits(require_dtype("f32"), number) == single);
    CHECK(number_bits(require_dtype("f64"), number) == std::bit_cast<std::uint64_t>(number));
    // tf32: half of what is cut, and one less where the last bit is 0.
    const auto tf32 = number_bits(require_dtype("tf32"), std::bit_cast<float>(single));
    CHECK(tf32 == ((single + 0xfff + (single >> 13 & 1)) & ~0x1fffU));
  }
}

}  // namespace
}  // namespace swz

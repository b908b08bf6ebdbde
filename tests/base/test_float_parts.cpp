// SPDX-License-Identifier: Apache-2.0
// The bits of a double against libm.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/float_parts.hpp"
#include "base/random.hpp"

namespace swz {
namespace {

TEST_CASE("exponents, products with powers of two and whole numbers are those of libm") {
  Random random(7);
  long compared = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double any = std::bit_cast<double>(random());
    // Bits at random are seldom numbers near 1.
    const double near =
        static_cast<double>(random.below(std::int64_t{1} << 40)) / static_cast<double>(1 << random.below(24));
    for (const double x : {any, near, -near, near + 0.5}) {
      if (!std::isfinite(x) || x == 0) continue;
      ++compared;
      CAPTURE(x);
      REQUIRE(exponent_of(x) == std::ilogb(x));
      REQUIRE(nearest_whole(x) == std::nearbyint(x));
      const int n = static_cast<int>(random.below(400)) - 200;
      if (std::fabs(x) < 0x1p300 && std::fabs(x) > 0x1p-300) REQUIRE(times_two_to(x, n) == std::ldexp(x, n));
    }
  }
  CHECK(compared > 600'000);
  for (int n = -1074; n <= 1023; ++n) REQUIRE(times_two_to(1, n) == std::ldexp(1, n));
  CHECK(nearest_whole(2.5) == 2);
  CHECK(nearest_whole(-3.5) == -4);
  CHECK(times_two_to(1.25, 3) == 10);
}

TEST_CASE("the power of ten below a number") {
  for (int n = -20; n <= 20; ++n)
    for (const double x : {1.0, 1.5, 9.99}) {
      CAPTURE(n);
      CAPTURE(x);
      CHECK(power_of_ten_up_to(x * std::pow(10.0, n)) == doctest::Approx(std::pow(10.0, n)));
    }
  CHECK(power_of_ten_up_to(0.001) == 0.001);
  CHECK(power_of_ten_up_to(1000) == 1000);
}

}  // namespace
}  // namespace swz

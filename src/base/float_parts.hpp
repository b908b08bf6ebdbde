// SPDX-License-Identifier: Apache-2.0
// The exponent and the whole part of a double, computed from its bits. libm has these functions too, but the command
// would then load libm at each start.
//
//   exponent_of(10.0) = 3        2^3 <= 10 < 2^4
//   times_two_to(1.25, 3) = 10
//   nearest_whole(2.5) = 2       a tie goes to the even number
//
// Invariant (tested): the results equal those of std::ilogb, std::ldexp and std::nearbyint.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace swz {

// 2^n, for -1022 <= n <= 1023.
inline double two_to(int n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }

// The n with 2^n <= |x| < 2^(n+1). x is finite and not 0.
inline int exponent_of(double x) {
  const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  return exponent == 0 ? exponent_of(x * two_to(54)) - 54 : exponent - 1023;
}

// x * 2^n. A result below the smallest normal number is rounded once.
inline double times_two_to(double x, int n) {
  for (; n > 1023; n -= 1023) x *= two_to(1023);
  for (; n < -1022; n += 969) x *= two_to(-969);
  return x * two_to(n);
}

inline double nearest_whole(double x) {
  if (!(std::fabs(x) < 0x1p52)) return x;
  const double beyond = std::signbit(x) ? -0x1p52 : 0x1p52;
  return (x + beyond) - beyond;
}

// The largest power of 10 that is not above x, which is positive and finite.
inline double power_of_ten_up_to(double x) {
  double unit = 1, parts = 1;
  while (unit * 10 <= x) unit *= 10;
  while (unit / parts > x && parts < 1e300) parts *= 10;
  return unit / parts;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Checked 64-bit arithmetic: every number that a user can influence is computed here.
//
//   checked_mul(1LL << 40, 1LL << 40)  throws Error "… does not fit in 64 bits"
//
// The predicates at the end are total: they answer for every input and never throw.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace swz {

[[noreturn]] inline void throw_overflow(std::int64_t a, const char* op, std::int64_t b) {
  throw Error(std::to_string(a) + op + std::to_string(b) + " does not fit in 64 bits",
              "sizes, strides and offsets must stay below 2^63");
}

inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) throw_overflow(a, " + ", b);
  return r;
}

inline std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) throw_overflow(a, " * ", b);
  return r;
}

inline std::int64_t checked_abs(std::int64_t a) {
  if (a == INT64_MIN) throw_overflow(0, " - ", a);
  return a < 0 ? -a : a;
}

// a / b rounded up, for a >= 0 and b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

constexpr bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

// The exponent of n, which must be a power of two.
constexpr int log2_exact(std::int64_t n) { return __builtin_ctzll(static_cast<unsigned long long>(n)); }

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// IndexExpression: a Python expression of the coordinates of an array, with which kernels write layouts.
//
//   i * 64 + (j ^ i % 8 * 8)                at (9, 10):  9 * 64 + (10 ^ 8) = 578
//   T.bitwise_xor(_j, _i % 8 * 8)           as TIR prints j ^ (i % 8) * 8
//
//   |   ^   &   << >>   + -   * // / %   unary -      loosest first, as in Python
//
// Division is floor division (also / of TIR), % has the sign of the divisor. Numbers have 64 bits.
// bounds() is the result of interval arithmetic, as TVM uses it for the extents of an output: for a bitwise operation
// it is the next power of two.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/cursor.hpp"

namespace swz {

struct Interval {
  std::int64_t least = 0, most = 0;
};

class IndexExpression {
 public:
  // Reads the expression that comes next. Throws Error with a span into the text of the cursor.
  IndexExpression(Cursor& cursor, std::span<const std::string> names);

  // The value, for one number per name. Throws Error for a division by 0 and for a number beyond 62 bits.
  std::int64_t operator()(std::span<const std::int64_t> values) const;
  // The bounds of the value over [0, extent) of each name.
  Interval bounds(std::span<const std::int64_t> extents) const;
  bool has_bitwise() const;

 private:
  enum class Code { constant, name, negate, bit_or, bit_xor, bit_and, left, right, plus, minus, times, divide, modulo };
  struct Step {
    Code code;
    std::int64_t value = 0;
    Span span = {};
  };
  friend class IndexParser;

  static std::int64_t applied(const Step& step, std::int64_t a, std::int64_t b);
  static Interval applied(Code code, Interval a, Interval b);

  std::vector<Step> steps_;  // of a stack machine
};

}  // namespace swz

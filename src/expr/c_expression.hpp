// SPDX-License-Identifier: Apache-2.0
// CExpression: a C expression of an address, as a kernel that swizzles by hand contains it.
//
//   CExpression f("addr ^ ((addr >> 3) & 0x70)");           f(0x2a8) == 0x2f8
//   CExpression g("row * 64 + ((col / 8 ^ row % 8) * 8 + col % 8)");   g(1, 8) == 64
//
// A whole function, lambda or body is also an expression (c_function.cpp).
//
// It consists of integers (decimal, 0x, 0b, C's suffixes, _ and ' between digits), the names addr or row and col,
// parentheses, casts, and C's operators with C's precedence. && || and ?: skip the operands that C skips:
//
//   ?:   ||   &&   |   ^   &   == !=   < <= > >=   << >>   + -   * / %   ~ - !      loosest first
//
// All arithmetic is unsigned with 64 bits: it wraps, -1 is 2^64 - 1, >> fills with zeros, comparisons are of unsigned
// numbers. Where types are written, an operand that is negative in C and whose sign matters is an Error.
//
// The limits on length and depth are in base/limits.hpp. A division by zero and a shift past 63 are Errors of the
// evaluation, with the place and the argument at which they occur.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "layout/swizzle.hpp"

namespace swz {

// One step of a stack machine. The steps are in the order in which C evaluates the text.
struct CStep {
  // clang-format off
  enum class Code {
    constant, first, second,  // push a number: value; addr or row; col
    complement, negate, logical_not,
    shift_left, shift_right, less_equal, greater_equal, equal, unequal, less, greater, bit_or, bit_xor, bit_and,
    add, subtract, multiply, divide, remainder,
    jump_if_zero, jump, as_bool,  // value is the number of the step to go to
  };
  // clang-format on
  Code code = Code::constant;
  std::uint64_t value = 0;
  Span span = {};
  bool needs_sign = false;  // / % >> < and the like of int: a negative operand has another value in C
};

// The reason why an operation has no value; null if it has one.
const char* refusal(CStep::Code code, std::uint64_t right);
// The value for two numbers for which refusal() is null.
std::uint64_t binary(CStep::Code code, std::uint64_t left, std::uint64_t right);
std::uint64_t unary(CStep::Code code, std::uint64_t value);
constexpr bool is_unary(CStep::Code code) {
  return code >= CStep::Code::complement && code <= CStep::Code::logical_not;
}
constexpr bool is_binary(CStep::Code code) { return code >= CStep::Code::shift_left && code <= CStep::Code::remainder; }

// The usual names of coordinates.
struct CoordinateNames {
  std::string_view row = "row", col = "col";
};
inline constexpr std::array coordinate_names{CoordinateNames{"row", "col"}, CoordinateNames{"r", "c"},
                                             CoordinateNames{"i", "j"}, CoordinateNames{"y", "x"}};

// The names of the arguments.
struct CNames {
  std::string address = "addr", row = "row", col = "col";
};

class CExpression {
 public:
  // For a function, its parameters replace the names. Throws Error with a span into `text`.
  explicit CExpression(std::string_view text, CNames names = {});
  CExpression(std::string_view text, std::string_view address)
      : CExpression(text, CNames{.address = std::string(address)}) {}

  const std::string& text() const { return text_; }
  const std::string& address() const { return names_.address; }
  const CNames& names() const { return names_; }
  bool is_function() const { return is_function_; }
  // True if it contains row or col; otherwise it is an expression of an address, or a constant.
  bool has_coordinates() const { return has_coordinates_; }
  const std::vector<CStep>& steps() const { return steps_; }
  // The widest address that it has a value for: 32 bits where uint32_t cuts bits off.
  int address_bits() const { return address_bits_; }

  // The value. `first` is addr or row. Throws Error if it has no value.
  std::uint64_t operator()(std::uint64_t first, std::uint64_t second = 0) const;

 private:
  [[noreturn]] void fail(const CStep& step, const std::string& why, std::uint64_t first, std::uint64_t second) const;

  std::string text_;
  CNames names_;
  std::vector<CStep> steps_;
  int address_bits_ = 64;
  bool has_coordinates_ = false, is_function_ = false;
};

// The expression as an affine map over GF(2), derived from its steps without evaluating it (c_linear.cpp). None means
// that the derivation does not show it: the expression may still be affine. The argument is an address of `bits` bits,
// or a coordinate whose lowest col_bits are col and the rest are row.
std::optional<AffineMap> affine_of(const CExpression& expression, int bits, int col_bits = 0);

}  // namespace swz

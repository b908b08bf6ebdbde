// SPDX-License-Identifier: Apache-2.0
// A C expression as an affine map over GF(2): every bit of its value is an XOR of bits of the argument and a constant.
// The map is derived from the steps of the expression, without evaluating it.
//
//   addr ^ ((addr >> 3) & 0x70)          columns 1, 2, ..., 0x40, 0x80 ^ 0x10, 0x100 ^ 0x20, ...; constant 0
//   row * 64 + ((col / 8 ^ row % 8) * 8 + col % 8)      with col < 64: no sum adds two bits of one place
//
// ^, ~, shifts by a constant, and & or | with a constant are always affine. + and | are if the two sides have no bit in
// common, - if the right side is a part of the left, and * / % by a constant if they reduce to these. None means that
// the derivation does not show it: the expression may still be affine.
//
// Invariant (tested): if there is a map, it agrees with the expression at every argument.
#include <array>
#include <bit>

#include "expr/c_expression.hpp"

namespace swz {

namespace {

using Code = CStep::Code;
using Columns = std::array<std::uint64_t, 65>;  // the last is the constant

struct Value {
  Columns columns{};
  std::uint64_t& constant() { return columns.back(); }
  std::uint64_t constant() const { return columns.back(); }
  std::uint64_t variable_bits() const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i + 1 < columns.size(); ++i) bits |= columns[i];
    return bits;
  }
  std::uint64_t bits() const { return variable_bits() | constant(); }
  bool is_constant() const { return variable_bits() == 0; }
};

using Answer = std::optional<Value>;

Value number(std::uint64_t n) {
  Value v;
  v.constant() = n;
  return v;
}

// The bits [low, low + count) of the argument.
Value argument(int low, int count) {
  Value v;
  for (int i = 0; i < count; ++i) v.columns[static_cast<std::size_t>(low + i)] = std::uint64_t{1} << i;
  return v;
}

template <class F>
Value each(const Value& a, const F& f) {
  Value v;
  for (std::size_t i = 0; i < v.columns.size(); ++i) v.columns[i] = f(a.columns[i]);
  return v;
}

Value sum(const Value& a, const Value& b) {
  Value v;
  for (std::size_t i = 0; i < v.columns.size(); ++i) v.columns[i] = a.columns[i] ^ b.columns[i];
  return v;
}

Value masked(const Value& a, std::uint64_t mask) {
  return each(a, [&](std::uint64_t column) { return column & mask; });
}

Value shifted_left(const Value& a, std::uint64_t by) {
  return each(a, [&](std::uint64_t column) { return column << by; });
}

Value shifted_right(const Value& a, std::uint64_t by) {
  return each(a, [&](std::uint64_t column) { return column >> by; });
}

Answer without_carry(const Value& a, const Value& b) {
  if ((a.bits() & b.bits()) != 0) return std::nullopt;
  return sum(a, b);
}

// a - b without a borrow: each bit of b is 0, or is the same bit of a.
Answer part_taken(const Value& a, const Value& b) {
  if ((b.bits() & sum(a, b).bits()) != 0) return std::nullopt;
  return sum(a, b);
}

Answer times(const Value& a, std::uint64_t factor) {
  Answer product = number(0);
  for (std::uint64_t rest = factor; rest != 0 && product; rest &= rest - 1)
    product = without_carry(*product, shifted_left(a, static_cast<std::uint64_t>(std::countr_zero(rest))));
  return product;
}

// The operations with a constant on the right.
Answer by_constant(Code code, const Value& a, std::uint64_t c) {
  switch (code) {
    case Code::shift_left: return shifted_left(a, c);
    case Code::shift_right: return shifted_right(a, c);
    case Code::bit_and: return masked(a, c);
    case Code::bit_or: return sum(masked(a, ~c), number(c));
    case Code::multiply: return times(a, c);
    default: break;
  }
  if (!std::has_single_bit(c)) return std::nullopt;
  if (code == Code::divide) return shifted_right(a, static_cast<std::uint64_t>(std::countr_zero(c)));
  if (code == Code::remainder) return masked(a, c - 1);
  return std::nullopt;
}

Answer combined(Code code, const Value& a, const Value& b) {
  if (a.is_constant() && b.is_constant()) {
    if (refusal(code, b.constant()) != nullptr) return std::nullopt;
    return number(binary(code, a.constant(), b.constant()));
  }
  if (code == Code::bit_xor) return sum(a, b);
  if (code == Code::add || code == Code::bit_or) {
    if (Answer simple = without_carry(a, b)) return simple;
  }
  if (code == Code::subtract) return part_taken(a, b);
  if (code == Code::bit_and && (a.bits() & b.bits()) == 0) return number(0);
  if (b.is_constant()) {
    if (refusal(code, b.constant()) != nullptr) return std::nullopt;
    return by_constant(code, a, b.constant());
  }
  const bool commutes = code == Code::bit_and || code == Code::bit_or || code == Code::multiply;
  if (a.is_constant() && commutes) return by_constant(code, b, a.constant());
  return std::nullopt;
}

}  // namespace

std::optional<AffineMap> affine_of(const CExpression& expression, int bits, int col_bits) {
  std::vector<Value> stack;
  for (const CStep& step : expression.steps()) {
    if (step.code == Code::constant) {
      stack.push_back(number(step.value));
    } else if (step.code == Code::first) {
      stack.push_back(argument(col_bits, bits - col_bits));
    } else if (step.code == Code::second) {
      stack.push_back(argument(0, col_bits));
    } else if (step.code == Code::complement) {
      stack.back().constant() = ~stack.back().constant();
    } else if (is_unary(step.code)) {
      if (!stack.back().is_constant()) return std::nullopt;
      stack.back() = number(unary(step.code, stack.back().constant()));
    } else if (is_binary(step.code)) {
      const Value right = stack.back();
      stack.pop_back();
      if (step.needs_sign && (stack.back().bits() | right.bits()) >> 63 != 0) return std::nullopt;
      const Answer answer = combined(step.code, stack.back(), right);
      if (!answer) return std::nullopt;
      stack.back() = *answer;
    } else {
      return std::nullopt;
    }
  }
  const Columns& columns = stack.back().columns;
  return AffineMap{LinearMap({columns.begin(), columns.begin() + bits}), stack.back().constant()};
}

}  // namespace swz

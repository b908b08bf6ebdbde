// SPDX-License-Identifier: Apache-2.0
#include "ptx/value_patterns.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "ptx/value_maker.hpp"

namespace swz {

namespace {

constexpr bool is_any_of(ValueOp op, std::initializer_list<ValueOp> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

class Simplifier : private ValueMaker {
 public:
  Simplifier(PtxValues& values, const PtxValue& value) : ValueMaker(values), value_(value), bits_(value.bits) {}

  std::optional<ValueId> find() const {
    const auto number = [&](ValueId id) { return id == no_value ? std::optional<std::uint64_t>(0) : number_of(id); };
    const auto a = number(value_.a), b = number(value_.b), c = number(value_.c);
    if (a && b && c)
      if (const auto result = evaluate(value_, *a, *b, *c)) return constant(*result, bits_);
    if (is_commutative(value_.op) && a && !b) {
      PtxValue exchanged = value_;
      std::swap(exchanged.a, exchanged.b);
      return v_.make(exchanged);
    }
    if (b)
      if (const auto id = with_number(*b)) return id;
    if (value_.op == ValueOp::shift_right && b) return of_shift(*b);
    if (value_.op == ValueOp::multiply && b) return of_product(*b);
    if (value_.op == ValueOp::add) return remainder();
    if (value_.op == ValueOp::select) return of_selection(a);
    return std::nullopt;
  }

 private:
  bool has(ValueId id, ValueOp op, int bits) const { return id != no_value && v_[id].op == op && v_[id].bits == bits; }

  // x + 0, x | 0, x ^ 0, x << 0, x >> 0 and x * 1 are x; x & 0 and x * 0 are 0; x + 1 + 2 is x + 3.
  std::optional<ValueId> with_number(std::uint64_t b) const {
    const PtxValue inner = v_[value_.a];
    if (inner.bits <= bits_) {
      const bool is_kept_by_zero = is_any_of(
          value_.op, {ValueOp::add, ValueOp::bit_or, ValueOp::bit_xor, ValueOp::shift_left, ValueOp::shift_right});
      if ((b == 0 && is_kept_by_zero) || (b == 1 && value_.op == ValueOp::multiply) ||
          (b == low_mask(bits_) && value_.op == ValueOp::bit_and))
        return value_.a;
      const auto inner_b = has(value_.a, value_.op, bits_) ? number_of(inner.b) : std::nullopt;
      if (inner_b && value_.op == ValueOp::add) return op(ValueOp::add, inner.a, constant(b + *inner_b, bits_), bits_);
      if (inner_b && value_.op == ValueOp::bit_xor)
        return op(ValueOp::bit_xor, inner.a, constant(b ^ *inner_b, bits_), bits_);
    }
    if (b == 0 && is_any_of(value_.op, {ValueOp::bit_and, ValueOp::multiply})) return constant(0, bits_);
    return std::nullopt;
  }

  // x >> n >> b is one shift; other shifts may end a division.
  std::optional<ValueId> of_shift(std::uint64_t b) const {
    const PtxValue inner = v_[value_.a];
    const auto inner_b = number_of(inner.b);
    if (inner.op == ValueOp::shift_right && inner_b && inner.bits - static_cast<int>(*inner_b) <= bits_ &&
        *inner_b + b < inner.bits)
      return op(ValueOp::shift_right, inner.a, constant(*inner_b + b, 32), inner.bits);
    // No product wraps.
    if (inner.op == ValueOp::multiply && inner_b &&
        *inner_b <= low_mask(inner.bits - std::min<int>(inner.bits, v_[inner.a].bits)))
      return quotient(inner.a, *inner_b, static_cast<int>(b));
    if (inner.op == ValueOp::add && inner.bits == 32 && bits_ == 32) return quotient_of_sum(inner, static_cast<int>(b));
    return std::nullopt;
  }

  // x * m >> shift is x / d for every x below 2^w if m * d = 2^shift + e and e <= 2^(shift - w).
  std::optional<ValueId> quotient(ValueId x, std::uint64_t m, int shift) const {
    const int width = v_[x].bits;
    if (width > 32 || m == 0 || shift < width || shift > 62) return std::nullopt;
    const std::uint64_t power = std::uint64_t{1} << shift, d = (power + m - 1) / m;
    if (d < 2 || d > low_mask(31) || m > ~std::uint64_t{0} / d || m * d - power > std::uint64_t{1} << (shift - width))
      return std::nullopt;
    return op(ValueOp::divide, x, constant(d, 32), width);
  }

  // If the factor has 33 bits, compilers write the division as
  //
  //   x * 613566757 >> 32 = t;  (((x - t) >> 1) + t) >> 2     x / 7:  (2^32 + 613566757) * 7 = 2^35 + 3, and 3 * x < 2^35
  std::optional<ValueId> quotient_of_sum(const PtxValue& sum, int shift) const {
    for (const auto& [half, t] : {std::pair(sum.a, sum.b), std::pair(sum.b, sum.a)}) {
      if (!has(half, ValueOp::shift_right, 32) || number_of(v_[half].b) != 1 || !has(t, ValueOp::shift_right, 64) ||
          number_of(v_[t].b) != 32)
        continue;
      const PtxValue difference = v_[v_[half].a], product = v_[v_[t].a];
      const auto m = number_of(product.b);
      if (difference.op != ValueOp::add || difference.bits != 32 || product.op != ValueOp::multiply || !m ||
          *m > low_mask(32))
        continue;
      const ValueId x = product.a, minus_t = negated(t, 32);
      const bool is_x_minus_t =
          (difference.a == x && difference.b == minus_t) || (difference.b == x && difference.a == minus_t);
      if (!is_x_minus_t) continue;
      if (const auto id = quotient(x, (std::uint64_t{1} << 32) + *m, 33 + shift)) return id;
    }
    return std::nullopt;
  }

  // x * n * b
  std::optional<ValueId> of_product(std::uint64_t b) const {
    if (!has(value_.a, ValueOp::multiply, bits_)) return std::nullopt;
    const ValueId x = v_[value_.a].a;
    const auto n = number_of(v_[value_.a].b);
    return n ? std::optional(op(ValueOp::multiply, x, constant(b * *n, bits_), bits_)) : std::nullopt;
  }

  // x - 7 * (x / 7)
  std::optional<ValueId> remainder() const {
    for (const auto& [x, product] : {std::pair(value_.a, value_.b), std::pair(value_.b, value_.a)}) {
      if (!has(product, ValueOp::multiply, bits_)) continue;
      const PtxValue quotient = v_[v_[product].a];
      const auto factor = number_of(v_[product].b), divisor = number_of(quotient.b);
      if (quotient.op == ValueOp::divide && quotient.a == x && factor && divisor &&
          ((*factor + *divisor) & low_mask(bits_)) == 0)
        return op(ValueOp::remainder, x, quotient.b, bits_);
    }
    return std::nullopt;
  }

  std::optional<ValueId> of_selection(const std::optional<std::uint64_t>& condition) const {
    if (const auto id = rounded_up()) return id;
    if (condition) return (*condition & 1) != 0 ? value_.b : value_.c;
    return value_.b == value_.c ? std::optional(value_.b) : std::nullopt;
  }

  // p & m == 0 ? p : p + (m + 1 - (p & m)), where m + 1 is a power of two: p rounded up, p + m & ~m.
  std::optional<ValueId> rounded_up() const {
    const PtxValue* test = &v_[value_.a];
    ValueId stays = value_.b, moves = value_.c;
    if (test->op == ValueOp::bit_xor && number_of(test->b) == 1) {
      test = &v_[test->a];
      std::swap(stays, moves);
    }
    if (test->op != ValueOp::equal || number_of(test->b) != 0) return std::nullopt;
    const PtxValue& rest = v_[test->a];
    const auto m = number_of(rest.b);
    if (rest.op != ValueOp::bit_and || rest.a != stays || !m) return std::nullopt;
    if ((*m & (*m + 1)) != 0 || *m >= low_mask(bits_) || !is_next_multiple(moves, stays, test->a, *m))
      return std::nullopt;
    const ValueId sum = op(ValueOp::add, stays, constant(*m, bits_), bits_);
    return op(ValueOp::bit_and, sum, constant(~*m, bits_), bits_);
  }

  // id = p - rest + m + 1, in any order.
  bool is_next_multiple(ValueId id, ValueId p, ValueId rest, std::uint64_t m) const {
    constexpr int most_steps = 8;
    std::uint64_t of_p = 0, of_rest = 0, sum = 0;
    std::vector<std::pair<ValueId, std::uint64_t>> open = {{id, 1}};
    for (int steps = 0; !open.empty(); ++steps) {
      const auto [term, factor] = open.back();
      open.pop_back();
      const PtxValue& value = v_[term];
      const auto number = number_of(value.b);
      if (term == p) of_p += factor;
      else if (term == rest) of_rest += factor;
      else if (value.op == ValueOp::constant) sum += factor * value.number;
      else if (steps > most_steps || value.bits != bits_) return false;
      else if (value.op == ValueOp::multiply && number) open.emplace_back(value.a, factor * *number);
      else if (value.op == ValueOp::add) open.insert(open.end(), {{value.a, factor}, {value.b, factor}});
      else return false;
    }
    const std::uint64_t mask = low_mask(bits_);
    return (of_p & mask) == 1 && (of_rest & mask) == mask && (sum & mask) == m + 1;
  }

  const PtxValue& value_;
  int bits_;
};

}  // namespace

std::optional<ValueId> simplified(PtxValues& values, const PtxValue& value) { return Simplifier(values, value).find(); }

}  // namespace swz

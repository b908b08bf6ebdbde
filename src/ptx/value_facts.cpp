// SPDX-License-Identifier: Apache-2.0
// What is known of each value is found from the constants up, and around loops until nothing changes:
//
//   i = phi(0, i + 1)     pass 1: {0}; pass 2: {0, 1}, bit 0 unknown; … after some passes: anything that the branch allows
//
// A phi holds what has reached it so far and only ever grows. So the first pass may ignore values that control has not
// reached yet. A phi that still changes after `patient_passes` is widened at once to everything that its low bits
// allow.
#include "ptx/value_facts.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace swz {

namespace {

constexpr int patient_passes = 24, last_pass = 256;

// Known bits narrow the bounds, and equal leading bits of the bounds are known bits.
KnownValue consistent(KnownValue k, int bits) {
  const std::uint64_t mask = low_mask(bits);
  k.zeros |= ~mask;
  k.high = std::min({k.high, mask, ~k.zeros});
  k.low = std::max(k.low, k.ones);
  if (k.low > k.high) return {~mask, 0, 0, mask};  // no execution reaches it
  // The bits above the highest in which the bounds differ.
  const std::uint64_t differ = k.low ^ k.high;
  const std::uint64_t same = differ == 0 ? ~std::uint64_t{0} : ~low_mask(64 - std::countl_zero(differ));
  k.zeros |= same & ~k.low;
  k.ones |= same & k.low;
  if ((k.zeros & k.ones) != 0) return {~mask, 0, 0, mask};
  return k;
}

KnownValue exactly(std::uint64_t value) { return {~value, value, value, value}; }

KnownValue anything(int bits) { return consistent({}, bits); }

KnownValue between(std::uint64_t low, std::uint64_t high, int bits) { return consistent({0, 0, low, high}, bits); }

KnownValue joined(const KnownValue& a, const KnownValue& b) {
  return {a.zeros & b.zeros, a.ones & b.ones, std::min(a.low, b.low), std::max(a.high, b.high)};
}

// A bit of a sum is known if both bits and the carry into it are. The carry is known if the smallest and the largest
// sum that the known bits allow agree on it.
KnownValue sum(const KnownValue& a, const KnownValue& b, int bits, std::uint64_t carry = 0) {
  const std::uint64_t smallest = a.ones + b.ones + carry, largest = ~a.zeros + ~b.zeros + carry;
  const std::uint64_t carry_small = smallest ^ a.ones ^ b.ones, carry_large = largest ^ ~a.zeros ^ ~b.zeros;
  const std::uint64_t known = a.known() & b.known() & ~(carry_small ^ carry_large) & low_mask(bits);
  KnownValue result{~smallest & known, smallest & known};
  // The bounds hold if no sum wraps, or every sum does.
  const std::uint64_t mask = low_mask(bits), low = a.low + b.low + carry, high = a.high + b.high + carry;
  const bool low_wraps = low < a.low || low > mask || (carry != 0 && low < b.low);
  const bool high_wraps = high < a.high || high > mask || (carry != 0 && high < b.high);
  if (low_wraps == high_wraps) {
    result.low = low & mask;
    result.high = high & mask;
  }
  return consistent(result, bits);
}

KnownValue inverted(const KnownValue& a, int bits) {
  const std::uint64_t mask = low_mask(bits);
  return consistent({a.ones, a.zeros & mask, mask - a.high, mask - a.low}, bits);
}

KnownValue product(const KnownValue& a, const KnownValue& b, int bits) {
  const std::uint64_t mask = low_mask(bits);
  if (b.is_constant() && b.low == mask) return sum(inverted(a, bits), exactly(0), bits, 1);  // -a
  const int zeros = std::min(a.trailing_zeros(), 64) + std::min(b.trailing_zeros(), 64);
  KnownValue result;
  result.zeros = low_mask(std::min(zeros, bits));
  // The low bits of a product are those of the low bits.
  const int both = std::min({std::countr_one(a.known()), std::countr_one(b.known()), bits});
  const std::uint64_t exact = a.ones * b.ones & low_mask(both);
  result.zeros |= ~exact & low_mask(both);
  result.ones |= exact;
  if (a.high == 0 || b.high <= mask / a.high) {
    result.low = a.low * b.low;
    result.high = a.high * b.high;
  }
  return consistent(result, bits);
}

KnownValue shifted(const PtxValue& value, const KnownValue& a, std::uint64_t by) {
  const int bits = value.bits;
  const std::uint64_t mask = low_mask(bits);
  KnownValue result;
  if (value.op == ValueOp::shift_left) {
    if (by >= static_cast<std::uint64_t>(bits)) return exactly(0);
    result.zeros = a.zeros << by | low_mask(static_cast<int>(by));
    result.ones = a.ones << by & mask;
    if (a.high <= mask >> by) {
      result.low = a.low << by;
      result.high = a.high << by;
    }
  } else if (value.op == ValueOp::shift_right) {
    if (by >= static_cast<std::uint64_t>(bits)) return exactly(0);
    result = {(a.zeros | ~mask) >> by | ~(~std::uint64_t{0} >> by), a.ones >> by, a.low >> by, a.high >> by};
  } else {
    const int from = std::min<int>(static_cast<int>(std::min<std::uint64_t>(by, 64)), bits - 1);
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1), above = mask & ~(mask >> from);
    result.zeros = (a.zeros & mask) >> from;
    result.ones = a.ones >> from;
    if (a.zeros & sign) result.zeros |= above;
    else result.zeros &= ~above;
    if (a.ones & sign) result.ones |= above;
  }
  return consistent(result, bits);
}

// By all distances from b.low to b.high.
KnownValue shifted_by_any(const PtxValue& value, const KnownValue& a, const KnownValue& b) {
  const auto most = static_cast<std::uint64_t>(value.bits);
  if (b.high > most && b.low < most) return anything(value.bits);
  KnownValue result = shifted(value, a, b.low);
  for (std::uint64_t by = b.low; by < std::min(b.high, most);) result = joined(result, shifted(value, a, ++by));
  return consistent(result, value.bits);
}

bool are_positive(const KnownValue& a, const KnownValue& b, int bits) {
  return ((a.zeros & b.zeros) >> (bits - 1) & 1) != 0;
}

KnownValue quotient(const KnownValue& a, const KnownValue& b, int bits) {
  return b.low == 0 ? anything(bits) : between(a.low / b.high, a.high / b.low, bits);
}

KnownValue remainder(const KnownValue& a, const KnownValue& b, int bits) {
  return b.low == 0 ? anything(bits) : between(0, std::min(a.high, b.high - 1), bits);
}

KnownValue exclusive_or(const KnownValue& a, const KnownValue& b, int bits) {
  if (b.is_constant() && b.low == low_mask(bits)) return inverted(a, bits);
  return consistent({(a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros)}, bits);
}

// A bit is known if all entries of the table agree that the known bits allow.
KnownValue any_bits(std::uint64_t table, const KnownValue& a, const KnownValue& b, const KnownValue& c, int bits) {
  std::uint64_t may_be[2] = {0, 0};
  for (unsigned entry = 0; entry < 8; ++entry) {
    const std::uint64_t possible =
        (entry & 4 ? ~a.zeros : ~a.ones) & (entry & 2 ? ~b.zeros : ~b.ones) & (entry & 1 ? ~c.zeros : ~c.ones);
    may_be[table >> entry & 1] |= possible;
  }
  return consistent({~may_be[1], ~may_be[0] & low_mask(bits)}, bits);
}

// The bytes move, and signs spread, in known zeros and in known ones as they do in the value.
KnownValue moved_bytes(const PtxValue& value, const KnownValue& a, const KnownValue& b) {
  return consistent({*evaluate(value, a.zeros, b.zeros, 0), *evaluate(value, a.ones, b.ones, 0)}, value.bits);
}

KnownValue count_of_ones(const KnownValue& a, int bits) {
  return between(static_cast<std::uint64_t>(std::popcount(a.ones)), static_cast<std::uint64_t>(std::popcount(~a.zeros)),
                 bits);
}

KnownValue count_of_leading_zeros(const PtxValue& value, const KnownValue& a) {
  const auto count = [&](std::uint64_t bound) { return *evaluate(value, bound, 0, 0); };
  return between(count(a.high), count(a.low), value.bits);
}

// The same low bits, in the window of shared memory or outside of it.
KnownValue below_window(const KnownValue& a, int bits) {
  const std::uint64_t mask = low_mask(shared_window_bits);
  return consistent({a.zeros & mask, a.ones & mask}, bits);
}

KnownValue sign_extended(const KnownValue& a, int from, int bits) {
  const std::uint64_t sign = std::uint64_t{1} << (from - 1), above = low_mask(bits) & ~low_mask(from);
  KnownValue result{a.zeros & low_mask(from), a.ones & low_mask(from)};
  if (a.zeros & sign) return consistent({result.zeros | above, result.ones, a.low, a.high}, bits);
  if (a.ones & sign) result.ones |= above;
  return consistent(result, bits);
}

// 1, 0, or not known.
KnownValue truth(bool is_true, bool is_false) { return is_true || is_false ? exactly(is_true ? 1 : 0) : anything(1); }

KnownValue compared(const PtxValue& value, KnownValue a, KnownValue b) {
  if (value.op == ValueOp::equal) {
    const bool differ = (a.ones & b.zeros) != 0 || (a.zeros & b.ones) != 0 || a.high < b.low || b.high < a.low;
    return truth(a.is_constant() && b.is_constant() && a.low == b.low, differ);
  }
  if (value.op == ValueOp::less_signed) {
    // With the signs inverted, if both are known, they compare as unsigned numbers.
    const std::uint64_t sign = std::uint64_t{1} << (static_cast<int>(value.number) - 1);
    if (((a.known() & b.known()) & sign) == 0) return anything(1);
    for (KnownValue* operand : {&a, &b}) {
      operand->low ^= sign;
      operand->high ^= sign;
    }
  }
  return truth(a.high < b.low, a.low >= b.high);
}

class KnownFinder {
 public:
  explicit KnownFinder(const PtxValues& values)
      : v_(values), known_(values.size()), is_reached_(values.size(), false) {}

  std::vector<KnownValue> find(std::span<const ValueId> order) {
    int pass = 0;
    while (improve(order, pass)) ++pass;
    for (ValueId id = 0; id < v_.size(); ++id)
      if (!is_reached_[id]) known_[id] = anything(v_[id].bits);
    return std::move(known_);
  }

 private:
  // False: nothing has changed.
  bool improve(std::span<const ValueId> order, int pass) {
    bool has_changed = false;
    for (const ValueId id : order) {
      if (!can_be_reached(v_[id])) continue;
      KnownValue now = of(id);
      if (is_reached_[id] && v_[id].op == ValueOp::phi && pass > patient_passes && now != known_[id])
        now = widened(id, now, pass);
      if (is_reached_[id] && now == known_[id]) continue;
      known_[id] = now;
      is_reached_[id] = true;
      has_changed = true;
    }
    return has_changed;
  }

  bool can_be_reached(const PtxValue& value) const {
    if (value.op != ValueOp::phi) {
      const auto is_reached = [&](ValueId id) { return id == no_value || is_reached_[id]; };
      return is_reached(value.a) && is_reached(value.b) && is_reached(value.c);
    }
    return std::ranges::any_of(v_.phi(value).from, [&](const PtxPhi::From& from) {
      return from.value == no_value || is_reached_[from.value];
    });
  }

  // The low bits that have not changed may never change.
  KnownValue widened(ValueId id, const KnownValue& now, int pass) const {
    const int bits = v_[id].bits;
    if (pass > last_pass) return anything(bits);
    const std::uint64_t same = low_mask(std::countr_one(now.known() & known_[id].known()));
    return consistent({now.zeros & same, now.ones & same}, bits);
  }

  KnownValue of(ValueId id) const {
    const PtxValue& value = v_[id];
    const int bits = value.bits;
    const auto known = [&](ValueId part) { return part == no_value ? KnownValue{} : known_[part]; };
    const KnownValue a = known(value.a), b = known(value.b), c = known(value.c);
    switch (value.op) {
      case ValueOp::constant: return exactly(value.number);
      case ValueOp::symbol: return of_symbol(value);
      case ValueOp::special: return of_special(value);
      case ValueOp::phi: return of_phi(id);
      case ValueOp::add: return sum(a, b, bits);
      case ValueOp::multiply: return product(a, b, bits);
      case ValueOp::bit_and: return consistent({a.zeros | b.zeros, a.ones & b.ones, 0, std::min(a.high, b.high)}, bits);
      case ValueOp::bit_or: return consistent({a.zeros & b.zeros, a.ones | b.ones, std::max(a.low, b.low)}, bits);
      case ValueOp::bit_xor: return exclusive_or(a, b, bits);
      case ValueOp::shift_left:
      case ValueOp::shift_right:
      case ValueOp::shift_right_signed: return shifted_by_any(value, a, b);
      case ValueOp::divide: return quotient(a, b, bits);
      case ValueOp::remainder: return b.low > a.high ? a : remainder(a, b, bits);
      // As unsigned numbers, if neither is negative.
      case ValueOp::divide_signed: return are_positive(a, b, bits) ? quotient(a, b, bits) : anything(bits);
      case ValueOp::remainder_signed: return are_positive(a, b, bits) ? remainder(a, b, bits) : anything(bits);
      case ValueOp::sign_extend: return sign_extended(a, static_cast<int>(value.number), bits);
      case ValueOp::select: return of_selection(value);
      case ValueOp::equal:
      case ValueOp::less:
      case ValueOp::less_signed: return compared(value, a, b);
      case ValueOp::any_bits: return any_bits(value.number, a, b, c, bits);
      case ValueOp::bytes: return moved_bytes(value, a, b);
      case ValueOp::count_ones: return count_of_ones(a, bits);
      case ValueOp::count_leading_zeros: return count_of_leading_zeros(value, a);
      case ValueOp::lane_of: return a;
      case ValueOp::generic_of_shared:
      case ValueOp::shared_of_generic: return below_window(a, bits);
      case ValueOp::param:
      case ValueOp::unknown:
      case ValueOp::reverse_bits: break;
    }
    return anything(bits);
  }

  KnownValue of_symbol(const PtxValue& value) const {
    const PtxSymbol& symbol = v_.module().symbols[value.number];
    if (const auto begin = v_.shared().begin_of(v_.module(), static_cast<std::uint32_t>(value.number)))
      return exactly(*begin);
    const int zeros = std::countr_zero(static_cast<std::uint64_t>(symbol.alignment));
    return consistent({low_mask(zeros), 0}, symbol.space == PtxSpace::shared ? v_.shared_address_bits() : value.bits);
  }

  KnownValue of_special(const PtxValue& value) const {
    struct Range {
      std::string_view prefix;
      std::uint64_t low, high;
    };
    static constexpr Range ranges[] = {{"%laneid", 0, 31},          {"%warpid", 0, 63},
                                       {"%cluster_ctarank", 0, 15}, {"%cluster_nctarank", 1, 16},
                                       {"%cluster_ctaid.", 0, 15},  {"%cluster_nctaid.", 1, 16}};
    const std::string_view name = v_.name_of(value);
    if (const auto axis = axis_of(name)) {
      const std::uint64_t most = most_threads(*axis);
      return name.starts_with("%tid") ? between(0, most - 1, value.bits) : between(1, most, value.bits);
    }
    for (const Range& range : ranges)
      if (name.starts_with(range.prefix)) return between(range.low, range.high, value.bits);
    return anything(value.bits);
  }

  std::uint64_t most_threads(std::size_t axis) const {
    const auto &launched = v_.launch().threads, &declared = v_.kernel().threads;
    std::int64_t most = std::array{1024, 1024, 64}[axis];
    if (launched) most = (*launched)[axis];
    else if (declared && !v_.kernel().threads_are_most) most = (*declared)[axis];
    // .maxntid bounds the product: __launch_bounds__(256) may be launched as 16 x 16.
    else if (declared) most = std::min(most, (*declared)[0] * (*declared)[1] * (*declared)[2]);
    if (v_.launch().count) most = std::min(most, *v_.launch().count);
    return static_cast<std::uint64_t>(most);
  }

  KnownValue of_selection(const PtxValue& value) const {
    const KnownValue& condition = known_[value.a];
    if (condition.is_constant()) return known_[condition.low != 0 ? value.b : value.c];
    return consistent(joined(assuming(value.b, value.a, true), assuming(value.c, value.a, false)), value.bits);
  }

  KnownValue of_phi(ValueId id) const {
    const auto is_never_taken = [&](const PtxPhi::From& from) {
      return from.condition != no_value && is_reached_[from.condition] && known_[from.condition].is_constant() &&
             (known_[from.condition].low != 0) == from.is_negated;
    };
    bool is_first = !is_reached_[id];
    KnownValue known = known_[id];
    for (const PtxPhi::From& from : v_.phi(v_[id]).from) {
      if (from.value == no_value) return anything(v_[id].bits);
      if (!is_reached_[from.value] || is_never_taken(from)) continue;
      const KnownValue entering = assuming(from.value, from.condition, !from.is_negated);
      known = is_first ? entering : joined(known, entering);
      is_first = false;
    }
    return is_first ? anything(v_[id].bits) : known;
  }

  // What is known of a value if a condition holds, or if it does not.
  KnownValue assuming(ValueId id, ValueId condition, bool is_true) const {
    if (condition == no_value) return known_[id];
    const PtxValue* test = &v_[condition];
    for (; test->op == ValueOp::bit_xor && test->bits == 1 && v_[test->b].op == ValueOp::constant; test = &v_[test->a])
      if (v_[test->b].number & 1) is_true = !is_true;
    const bool is_first = test->a == id;
    if ((test->op != ValueOp::equal && test->op != ValueOp::less) || (!is_first && test->b != id)) return known_[id];
    KnownValue narrowed = known_[id];
    const KnownValue& other = known_[is_first ? test->b : test->a];
    if (test->op == ValueOp::equal) {
      if (is_true) {
        narrowed.low = std::max(narrowed.low, other.low);
        narrowed.high = std::min(narrowed.high, other.high);
      } else if (other.is_constant() && narrowed.low < narrowed.high) {
        if (narrowed.low == other.low) ++narrowed.low;
        else if (narrowed.high == other.low) --narrowed.high;
      }
    } else if (is_first == is_true) {  // id < other, or id <= other
      narrowed.high = std::min(narrowed.high, is_first && other.high > 0 ? other.high - 1 : other.high);
    } else {
      narrowed.low = std::max(narrowed.low, is_first || other.low == ~std::uint64_t{0} ? other.low : other.low + 1);
    }
    return narrowed.low > narrowed.high ? known_[id] : consistent(narrowed, v_[id].bits);
  }

  const PtxValues& v_;
  std::vector<KnownValue> known_;
  std::vector<bool> is_reached_;
};

}  // namespace

std::vector<ValueId> values_in_order(const PtxValues& values) {
  std::vector<ValueId> ids(values.size());
  std::iota(ids.begin(), ids.end(), ValueId{0});
  std::ranges::stable_sort(ids, {}, [&](ValueId id) { return values.flow().position[values.block_of(id)]; });
  return ids;
}

std::vector<KnownValue> known_values(const PtxValues& values, std::span<const ValueId> order) {
  return KnownFinder(values).find(order);
}

// The operands of a value have smaller ids, except those of phis.
std::vector<bool> values_of_arrays(const PtxValues& values) {
  std::vector<bool> is_of_array(values.size(), false);
  for (ValueId id = 0; id < values.size(); ++id) {
    const PtxValue& value = values[id];
    if (!values.known(id).is_constant() || value.op == ValueOp::phi) continue;
    const bool is_array =
        value.op == ValueOp::symbol && values.module().symbols[value.number].space == PtxSpace::shared;
    const auto holds = [&](ValueId part) { return part != no_value && is_of_array[part]; };
    is_of_array[id] = is_array || holds(value.a) || holds(value.b) || holds(value.c);
  }
  return is_of_array;
}

}  // namespace swz

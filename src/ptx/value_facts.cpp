// SPDX-License-Identifier: Apache-2.0
// What is known of each value, from the constants up; around loops until nothing changes.
//
//   i = phi(0, i + 1)     pass 1: {0}; pass 2: {0, 1}, bit 0 unknown; … after some passes: anything that the branch allows
//
// A phi holds what reaches it so far and only ever grows, so that the first pass may take values that no way has reached yet for
// absent. One that still changes after `patient_passes` is widened at once to all that its low bits leave.
#include <algorithm>
#include <bit>
#include <numeric>

#include "ptx/values.hpp"

namespace swz {

namespace {

constexpr int patient_passes = 24, last_pass = 256;

// Bits and bounds tell each other what they can.
KnownValue consistent(KnownValue k, int bits) {
  const std::uint64_t mask = low_mask(bits);
  k.zeros |= ~mask;
  k.high = std::min({k.high, mask, ~k.zeros});
  k.low = std::max(k.low, k.ones);
  if (k.low > k.high) return {~mask, 0, 0, mask};  // no execution comes here
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

KnownValue joined(const KnownValue& a, const KnownValue& b) {
  return {a.zeros & b.zeros, a.ones & b.ones, std::min(a.low, b.low), std::max(a.high, b.high)};
}

// A bit of a sum is known where both bits are and the carry into it is: the carries of the smallest and the largest sum that
// the known bits allow agree.
KnownValue sum(const KnownValue& a, const KnownValue& b, int bits, std::uint64_t carry = 0) {
  const std::uint64_t smallest = a.ones + b.ones + carry, largest = ~a.zeros + ~b.zeros + carry;
  const std::uint64_t carry_small = smallest ^ a.ones ^ b.ones, carry_large = largest ^ ~a.zeros ^ ~b.zeros;
  const std::uint64_t known = a.known() & b.known() & ~(carry_small ^ carry_large) & low_mask(bits);
  KnownValue out{~smallest & known, smallest & known};
  // Bounds where no sum wraps, or every one does.
  const std::uint64_t mask = low_mask(bits), low = a.low + b.low + carry, high = a.high + b.high + carry;
  const bool low_wraps = low < a.low || low > mask || (carry != 0 && low < b.low);
  const bool high_wraps = high < a.high || high > mask || (carry != 0 && high < b.high);
  if (low_wraps == high_wraps) {
    out.low = low & mask;
    out.high = high & mask;
  }
  return consistent(out, bits);
}

KnownValue inverted(const KnownValue& a, int bits) {
  const std::uint64_t mask = low_mask(bits);
  return consistent({a.ones, a.zeros & mask, mask - a.high, mask - a.low}, bits);
}

KnownValue product(const KnownValue& a, const KnownValue& b, int bits) {
  const std::uint64_t mask = low_mask(bits);
  if (b.is_constant() && b.low == mask) return sum(inverted(a, bits), exactly(0), bits, 1);  // -a
  const int zeros = std::min(a.trailing_zeros(), 64) + std::min(b.trailing_zeros(), 64);
  KnownValue out;
  out.zeros = low_mask(std::min(zeros, bits));
  // The low bits of a product are those of the low bits.
  const int both = std::min({std::countr_one(a.known()), std::countr_one(b.known()), bits});
  const std::uint64_t exact = a.ones * b.ones & low_mask(both);
  out.zeros |= ~exact & low_mask(both);
  out.ones |= exact;
  if (a.high == 0 || b.high <= mask / a.high) {
    out.low = a.low * b.low;
    out.high = a.high * b.high;
  }
  return consistent(out, bits);
}

KnownValue shifted(const PtxValue& value, const KnownValue& a, std::uint64_t by) {
  const int bits = value.bits;
  const std::uint64_t mask = low_mask(bits);
  KnownValue out;
  if (value.op == ValueOp::shift_left) {
    if (by >= static_cast<std::uint64_t>(bits)) return exactly(0);
    out.zeros = a.zeros << by | low_mask(static_cast<int>(by));
    out.ones = a.ones << by & mask;
    if (a.high <= mask >> by) {
      out.low = a.low << by;
      out.high = a.high << by;
    }
  } else if (value.op == ValueOp::shift_right) {
    if (by >= static_cast<std::uint64_t>(bits)) return exactly(0);
    out = {(a.zeros | ~mask) >> by | ~(~std::uint64_t{0} >> by), a.ones >> by, a.low >> by, a.high >> by};
  } else {
    const int from = std::min<int>(static_cast<int>(std::min<std::uint64_t>(by, 64)), bits - 1);
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1), above = mask & ~(mask >> from);
    out.zeros = (a.zeros & mask) >> from;
    out.ones = a.ones >> from;
    if (a.zeros & sign) out.zeros |= above;
    else out.zeros &= ~above;
    if (a.ones & sign) out.ones |= above;
  }
  return consistent(out, bits);
}

KnownValue sign_extended(const KnownValue& a, int from, int bits) {
  const std::uint64_t sign = std::uint64_t{1} << (from - 1), above = low_mask(bits) & ~low_mask(from);
  KnownValue out{a.zeros & low_mask(from), a.ones & low_mask(from)};
  if (a.zeros & sign) return consistent({out.zeros | above, out.ones, a.low, a.high}, bits);
  if (a.ones & sign) out.ones |= above;
  return consistent(out, bits);
}

// 1, 0, or not known.
KnownValue truth(bool surely, bool surely_not) {
  if (surely || surely_not) return exactly(surely ? 1 : 0);
  return anything(1);
}

KnownValue compared(const PtxValue& value, KnownValue a, KnownValue b) {
  if (value.op == ValueOp::equal) {
    const bool differ = (a.ones & b.zeros) != 0 || (a.zeros & b.ones) != 0 || a.high < b.low || b.high < a.low;
    return truth(a.is_constant() && b.is_constant() && a.low == b.low, differ);
  }
  if (value.op == ValueOp::less_signed) {
    // As unsigned numbers with the sign turned over, where both signs are known.
    const std::uint64_t sign = std::uint64_t{1} << (static_cast<int>(value.number) - 1);
    if (((a.known() & b.known()) & sign) == 0) return anything(1);
    for (KnownValue* one : {&a, &b}) {
      one->low ^= sign;
      one->high ^= sign;
    }
  }
  return truth(a.high < b.low, a.low >= b.high);
}

}  // namespace

// What is known of a value where a condition holds, or does not.
KnownValue PtxValues::assuming(ValueId value, ValueId condition, bool is_true) const {
  KnownValue out = known_[value];
  if (condition == no_value) return out;
  for (const PtxValue* c = &values_[condition];; c = &values_[c->a]) {
    if (c->op == ValueOp::bit_xor && c->bits == 1 && values_[c->b].op == ValueOp::constant) {
      if (values_[c->b].number & 1) is_true = !is_true;
      continue;
    }
    if ((c->op != ValueOp::equal && c->op != ValueOp::less) || (c->a != value && c->b != value)) return out;
    const bool is_first = c->a == value;
    const KnownValue& other = known_[is_first ? c->b : c->a];
    if (c->op == ValueOp::equal) {
      if (is_true) {
        out.low = std::max(out.low, other.low);
        out.high = std::min(out.high, other.high);
      } else if (other.is_constant()) {
        if (out.low == other.low && out.low < out.high) ++out.low;
        else if (out.high == other.low && out.low < out.high) --out.high;
      }
    } else if (is_first == is_true) {  // value < other, or value <= other
      const std::uint64_t most = is_first ? other.high - (other.high > 0 ? 1 : 0) : other.high;
      out.high = std::min(out.high, most);
    } else {
      const std::uint64_t least = is_first ? other.low : other.low + (other.low < ~std::uint64_t{0} ? 1 : 0);
      out.low = std::max(out.low, least);
    }
    return out.low > out.high ? known_[value] : consistent(out, values_[value].bits);
  }
}

KnownValue PtxValues::known_of(ValueId id) const {
  const PtxValue& value = values_[id];
  const int bits = value.bits;
  const auto known = [&](ValueId of) { return of == no_value ? KnownValue{} : known_[of]; };
  const KnownValue a = known(value.a), b = known(value.b), c = known(value.c);
  switch (value.op) {
    case ValueOp::constant: return exactly(value.number);
    case ValueOp::symbol: {
      const PtxSymbol& symbol = module_->symbols[value.number];
      if (const auto begin = shared_.begin_of(*module_, static_cast<std::uint32_t>(value.number)))
        return exactly(*begin);
      const int zeros = std::countr_zero(static_cast<std::uint64_t>(symbol.alignment));
      return consistent({low_mask(zeros), 0}, symbol.space == PtxSpace::shared ? shared_address_bits : bits);
    }
    case ValueOp::special: {
      const std::string_view name = name_of(value);
      KnownValue out = anything(bits);
      const auto bounded = [&](std::uint64_t high) { return consistent({0, 0, 0, high}, bits); };
      if (const auto axis = axis_of(name)) {
        const auto all = launch_.threads ? launch_.threads : kernel_->threads;
        std::int64_t most = std::array{1024, 1024, 64}[*axis];
        // .maxntid bounds the product: __launch_bounds__(256) may be launched as 16 x 16.
        if (all)
          most = launch_.threads || !kernel_->threads_are_most ? (*all)[*axis]
                                                               : std::min(most, (*all)[0] * (*all)[1] * (*all)[2]);
        if (launch_.count) most = std::min(most, *launch_.count);
        const auto high = static_cast<std::uint64_t>(most);
        return name[1] == 't' ? bounded(high - 1) : consistent({0, 0, 1, high}, bits);
      }
      if (name == "%laneid") return bounded(31);
      if (name == "%warpid") return bounded(63);
      if (name == "%cluster_ctarank" || name.starts_with("%cluster_ctaid.")) return bounded(15);
      if (name == "%cluster_nctarank" || name.starts_with("%cluster_nctaid.")) return consistent({0, 0, 1, 16}, bits);
      return out;
    }
    case ValueOp::phi: return known_of_phi(id);
    case ValueOp::add: return sum(a, b, bits);
    case ValueOp::multiply: return product(a, b, bits);
    case ValueOp::bit_and: return consistent({a.zeros | b.zeros, a.ones & b.ones, 0, std::min(a.high, b.high)}, bits);
    case ValueOp::bit_or: return consistent({a.zeros & b.zeros, a.ones | b.ones, std::max(a.low, b.low)}, bits);
    case ValueOp::bit_xor:
      if (b.is_constant() && b.low == low_mask(bits)) return inverted(a, bits);
      return consistent({(a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros)}, bits);
    case ValueOp::shift_left:
    case ValueOp::shift_right:
    case ValueOp::shift_right_signed: {
      const auto most = static_cast<std::uint64_t>(bits);
      if (b.high > most && b.low < most) return anything(bits);
      KnownValue out = shifted(value, a, b.low);
      for (std::uint64_t by = b.low; by < std::min(b.high, most);) out = joined(out, shifted(value, a, ++by));
      return consistent(out, bits);
    }
    case ValueOp::divide:
      if (b.low == 0) return anything(bits);
      return consistent({0, 0, a.low / b.high, a.high / b.low}, bits);
    case ValueOp::remainder:
      if (b.low == 0) return anything(bits);
      if (a.high < b.low) return a;
      return consistent({0, 0, 0, std::min(a.high, b.high - 1)}, bits);
    case ValueOp::sign_extend: return sign_extended(a, static_cast<int>(value.number), bits);
    case ValueOp::select: {
      if (a.is_constant()) return a.low ? b : c;
      return consistent(joined(assuming(value.b, value.a, true), assuming(value.c, value.a, false)), bits);
    }
    case ValueOp::equal:
    case ValueOp::less:
    case ValueOp::less_signed: return compared(value, a, b);
    case ValueOp::any_bits: {
      KnownValue out;
      // A bit is known where all entries of the table agree that the known bits leave.
      std::uint64_t may_be[2] = {0, 0};
      for (unsigned entry = 0; entry < 8; ++entry) {
        const std::uint64_t possible =
            (entry & 4 ? ~a.zeros : ~a.ones) & (entry & 2 ? ~b.zeros : ~b.ones) & (entry & 1 ? ~c.zeros : ~c.ones);
        may_be[value.number >> entry & 1] |= possible;
      }
      out.zeros = ~may_be[1];
      out.ones = ~may_be[0] & low_mask(bits);
      return consistent(out, bits);
    }
    case ValueOp::bytes: {
      const auto pick = [&](std::uint64_t from_a, std::uint64_t from_b) {
        return from_b << 32 | (from_a & low_mask(32));
      };
      const std::uint64_t zeros = pick(a.zeros, b.zeros), ones = pick(a.ones, b.ones);
      KnownValue out;
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint64_t nibble = value.number >> (4 * i) & 15;
        std::uint64_t zero = zeros >> (8 * (nibble & 7)) & 255, one = ones >> (8 * (nibble & 7)) & 255;
        if (nibble & 8) {
          zero = zero & 128 ? 255 : 0;
          one = one & 128 ? 255 : 0;
        }
        out.zeros |= zero << (8 * i);
        out.ones |= one << (8 * i);
      }
      return consistent(out, bits);
    }
    case ValueOp::count_ones:
      return consistent({0, 0, static_cast<std::uint64_t>(std::popcount(a.ones)),
                         static_cast<std::uint64_t>(std::popcount(~a.zeros))},
                        bits);
    case ValueOp::count_leading_zeros: {
      const auto leading = [&](std::uint64_t of) {
        return static_cast<std::uint64_t>(std::countl_zero(of)) - (64 - value.number);
      };
      return consistent({0, 0, leading(a.high), leading(a.low)}, bits);
    }
    case ValueOp::lane_of: return a;
    case ValueOp::divide_signed:
    case ValueOp::remainder_signed:
      // As unsigned numbers where neither is negative.
      if (((a.zeros & b.zeros) >> (bits - 1) & 1) != 0 && b.low > 0) {
        if (value.op == ValueOp::divide_signed) return consistent({0, 0, a.low / b.high, a.high / b.low}, bits);
        return consistent({0, 0, 0, std::min(a.high, b.high - 1)}, bits);
      }
      return anything(bits);
    case ValueOp::param:
    case ValueOp::unknown:
    case ValueOp::reverse_bits: return anything(bits);
    case ValueOp::generic_of_shared:
    case ValueOp::shared_of_generic:
      return consistent({a.zeros & low_mask(shared_window_bits), a.ones & low_mask(shared_window_bits)}, bits);
  }
  return anything(bits);
}

KnownValue PtxValues::known_of_phi(ValueId id) const {
  const PtxPhi& phi = phis_[values_[id].number];
  const auto is_never_taken = [&](const PtxPhi::From& from) {
    return from.condition != no_value && reached_[from.condition] && known_[from.condition].is_constant() &&
           (known_[from.condition].low != 0) == from.is_negated;
  };
  bool is_first = !reached_[id];
  KnownValue out = known_[id];
  for (const PtxPhi::From& from : phi.from) {
    if (from.value == no_value) return anything(values_[id].bits);
    if (!reached_[from.value] || is_never_taken(from)) continue;
    const KnownValue more = assuming(from.value, from.condition, !from.is_negated);
    out = is_first ? more : joined(out, more);
    is_first = false;
  }
  return is_first ? anything(values_[id].bits) : out;
}

std::vector<ValueId> PtxValues::in_order() const {
  std::vector<ValueId> ids(values_.size());
  std::iota(ids.begin(), ids.end(), ValueId{0});
  std::ranges::stable_sort(ids, {}, [&](ValueId id) {
    const PtxValue& value = values_[id];
    return flow_.position[value.op == ValueOp::phi ? phis_[value.number].block : flow_.block_of[origin_[id]]];
  });
  return ids;
}

void PtxValues::find_known() {
  const std::vector<ValueId> ids = in_order();
  known_.assign(values_.size(), {});
  reached_.assign(values_.size(), false);
  const auto is_reached = [&](ValueId id) { return id == no_value || reached_[id]; };
  bool changed = true;
  for (int pass = 0; changed; ++pass) {
    changed = false;
    for (const ValueId id : ids) {
      const PtxValue& value = values_[id];
      if (value.op == ValueOp::phi) {
        const PtxPhi& phi = phis_[value.number];
        if (std::ranges::none_of(
                phi.from, [&](const PtxPhi::From& from) { return from.value == no_value || reached_[from.value]; }))
          continue;
      } else if (!is_reached(value.a) || !is_reached(value.b) || !is_reached(value.c)) {
        continue;
      }
      KnownValue now = known_of(id);
      if (reached_[id] && now == known_[id]) continue;
      if (value.op == ValueOp::phi && reached_[id] && pass > patient_passes) {
        // What still holds of the low bits may go on holding.
        const int same = std::countr_zero(~(now.known() & known_[id].known()));
        now = pass > last_pass ? anything(value.bits)
                               : consistent({now.zeros & low_mask(same), now.ones & low_mask(same)}, value.bits);
        if (now == known_[id]) continue;
      }
      known_[id] = now;
      reached_[id] = true;
      changed = true;
    }
  }
  for (ValueId id = 0; id < values_.size(); ++id)
    if (!reached_[id]) known_[id] = anything(values_[id].bits);
}

void PtxValues::find_of_array() {
  // What it is made of stands before a value, but for phis.
  of_array_.assign(values_.size(), false);
  for (ValueId id = 0; id < values_.size(); ++id) {
    const PtxValue& value = values_[id];
    if (!known_[id].is_constant() || value.op == ValueOp::phi) continue;
    const bool is_array = value.op == ValueOp::symbol && module_->symbols[value.number].space == PtxSpace::shared;
    const auto holds = [&](ValueId part) { return part != no_value && of_array_[part]; };
    of_array_[id] = is_array || holds(value.a) || holds(value.b) || holds(value.c);
  }
}

}  // namespace swz

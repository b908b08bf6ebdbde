// SPDX-License-Identifier: Apache-2.0
#include "ptx/lane_arithmetic.hpp"

#include <algorithm>
#include <bit>

namespace swz {

LaneValue unknown_because(ValueId why) {
  LaneValue unknown;
  unknown.why = why;
  return unknown;
}

LaneValue same_in_all(std::uint64_t value, int bits) {
  LaneValue exact{.kind = LaneKind::exact, .bits = bits};
  exact.value.fill(value);
  return exact;
}

bool has_one_value(const LaneValue& x) {
  return std::ranges::all_of(x.value, [&](std::uint64_t lane) { return lane == x.value[0]; });
}
bool is_same_in_all(const LaneValue& x) { return x.kind == LaneKind::exact && has_one_value(x); }

std::uint64_t bits_of_any(const LaneValue& x) {
  std::uint64_t bits = 0;
  for (const std::uint64_t lane : x.value) bits |= lane;
  return bits;
}

// For the operations that addresses are made of, one switch serves all lanes.
bool evaluate_lanes(const PtxValue& value, const LaneValue& a, const LaneValue& b, LaneNumbers& results) {
  const std::uint64_t mask = low_mask(value.bits);
  const auto each = [&](const auto& operation) {
    for (std::size_t l = 0; l < warp_lanes; ++l) results[l] = operation(a.value[l], b.value[l]) & mask;
    return true;
  };
  switch (value.op) {
    case ValueOp::add: return each([](std::uint64_t x, std::uint64_t y) { return x + y; });
    case ValueOp::multiply: return each([](std::uint64_t x, std::uint64_t y) { return x * y; });
    case ValueOp::bit_and: return each([](std::uint64_t x, std::uint64_t y) { return x & y; });
    case ValueOp::bit_or: return each([](std::uint64_t x, std::uint64_t y) { return x | y; });
    case ValueOp::bit_xor: return each([](std::uint64_t x, std::uint64_t y) { return x ^ y; });
    default: break;
  }
  for (std::size_t l = 0; l < warp_lanes; ++l) {
    const auto lane = evaluate(value, a.value[l], b.value[l], 0);
    if (!lane) return false;
    results[l] = *lane;
  }
  return true;
}

bool add_lanes(LaneValue& x, std::uint32_t lanes_of_x, const LaneValue& y, std::uint32_t added) {
  if (x.kind != LaneKind::exact || y.kind != LaneKind::exact || (lanes_of_x & added) != 0) return false;
  for (std::size_t l = 0; l < warp_lanes; ++l)
    if (added >> l & 1) x.value[l] = y.value[l];
  return true;
}

LaneValue as_sum(LaneValue x) {
  const std::uint64_t common = x.value[0] & x.flips;
  const bool is_apart = std::ranges::all_of(x.value, [&](std::uint64_t lane) { return (lane & x.flips) == common; });
  if (x.kind != LaneKind::flipped || !is_apart) return x;
  for (std::uint64_t& lane : x.value) lane &= ~x.flips;
  x.kind = LaneKind::shifted;
  x.zeros = std::countr_zero(x.flips);
  x.flips = 0;
  return x;
}

LaneValue moved(LaneValue x, int zeros) {
  x = as_sum(x);
  x.kind = x.kind == LaneKind::exact || x.kind == LaneKind::shifted ? LaneKind::shifted : LaneKind::relabelled;
  x.zeros = std::min(x.zeros, zeros);
  return x;
}

LaneValue flipped(LaneValue x, std::uint64_t ones, std::uint64_t flips) {
  const int zeros = std::countr_zero(flips);
  if (x.kind == LaneKind::exact || x.kind == LaneKind::flipped) {
    x.kind = LaneKind::flipped;
    x.flips |= flips;
    for (std::uint64_t& lane : x.value) lane ^= ones;
  } else {
    x.kind = LaneKind::relabelled;
  }
  x.zeros = std::min(x.zeros, zeros);
  return x;
}

std::optional<LaneValue> sum_with(const LaneValue& x, const LaneValue& exact, int bits) {
  LaneValue result = x;
  const std::uint64_t mask = low_mask(bits);
  const auto add = [&]() {
    for (std::size_t l = 0; l < warp_lanes; ++l) result.value[l] = (x.value[l] + exact.value[l]) & mask;
    return result;
  };
  if (x.kind == LaneKind::exact || x.kind == LaneKind::shifted) return add();
  if (x.kind == LaneKind::flipped) {
    // No carry may come into the bits that flip or leave them.
    const std::uint64_t below = low_mask(std::countr_zero(x.flips)), above = ~low_mask(64 - std::countl_zero(x.flips));
    bool is_apart = (bits_of_any(exact) & ~below & ~above) == 0;
    for (std::size_t l = 0; l < warp_lanes; ++l)
      is_apart = is_apart && (x.value[l] & below) + (exact.value[l] & below) <= below;
    if (is_apart) return add();
  }
  if (is_same_in_all(exact)) return moved(result, std::countr_zero(exact.value[0]));
  if (const LaneValue sum = as_sum(x); sum.kind == LaneKind::shifted) return sum_with(sum, exact, bits);
  return std::nullopt;
}

std::optional<LaneValue> sum_of_shifted(const LaneValue& a, const LaneValue& b, int bits) {
  if (a.kind != LaneKind::shifted || b.kind != LaneKind::shifted) return std::nullopt;
  auto sum = sum_with(a, b, bits);
  sum->zeros = std::min(a.zeros, b.zeros);
  sum->bits = std::min(a.bits, b.bits);
  return sum;
}

namespace {

std::optional<LaneValue> flipped_with(const LaneValue& x, const LaneValue& exact) {
  LaneValue result = x;
  const bool is_low = x.kind == LaneKind::shifted && bits_of_any(exact) <= low_mask(std::min(x.zeros, 63));
  if (x.kind == LaneKind::exact || x.kind == LaneKind::flipped || is_low) {
    for (std::size_t l = 0; l < warp_lanes; ++l) result.value[l] ^= exact.value[l];
    return result;
  }
  if (is_same_in_all(exact)) return flipped(result, 0, exact.value[0]);
  return std::nullopt;
}

// No bit can be 1 in both.
bool are_apart(const LaneValue& x, const LaneValue& exact) {
  const std::uint64_t common = bits_of_any(x) & bits_of_any(exact);
  if (x.kind == LaneKind::flipped) return common == 0 && (x.flips & bits_of_any(exact)) == 0;
  return x.kind == LaneKind::shifted && common == 0 && bits_of_any(exact) <= low_mask(std::min(x.zeros, 63));
}

}  // namespace

// An OR without common bits is an XOR.
std::optional<LaneValue> combined_with(ValueOp op, const LaneValue& x, const KnownValue& shared, int bits) {
  const std::uint64_t may_be_one = ~shared.zeros & low_mask(bits);
  const bool is_apart = x.kind == LaneKind::exact && (bits_of_any(x) & may_be_one) == 0;
  if (op == ValueOp::bit_or && !is_apart) return std::nullopt;
  return flipped(x, shared.ones, may_be_one & ~shared.ones);
}

std::optional<LaneValue> combined_with(ValueOp op, const LaneValue& x, const LaneValue& y) {
  const bool is_xor = op == ValueOp::bit_xor;
  if (y.kind == LaneKind::exact) return is_xor || are_apart(x, y) ? flipped_with(x, y) : std::nullopt;
  if (!is_xor || x.kind != LaneKind::flipped || y.kind != LaneKind::flipped) return std::nullopt;
  LaneValue lanes = y;
  lanes.kind = LaneKind::exact;
  LaneValue result = flipped(*flipped_with(x, lanes), 0, y.flips);
  result.bits = std::min(x.bits, y.bits);
  return result;
}

std::optional<LaneValue> masked(LaneValue x, std::uint64_t mask) {
  // Above x.bits nothing is known of x, and so nothing of what the mask keeps of it.
  const bool is_whole = (mask & ~low_mask(x.bits)) == 0;
  if (x.kind == LaneKind::flipped) {
    x.flips &= mask;
    if (x.flips == 0 && !is_whole) return std::nullopt;
    if (x.flips == 0) x.kind = LaneKind::exact;
    x.zeros = std::countr_zero(x.flips);
  } else if (x.kind == LaneKind::shifted) {
    const std::uint64_t fixed = low_mask(std::min(x.zeros, 64));
    const std::uint64_t moving = low_mask(x.bits) & ~fixed;
    if ((mask & moving) == 0 && is_whole) {
      x.kind = LaneKind::exact;
      x.zeros = 64;
    } else if ((mask & moving) == 0) {
      x.zeros = std::max(x.zeros, x.bits);
    }
    // The low half of a wide sum is a sum too.
    const auto kept = static_cast<int>(std::bit_width(mask & moving));
    if ((mask & moving) != (moving & low_mask(kept))) return std::nullopt;
    if ((mask & moving) != 0) x.bits = std::min(x.bits, kept);
  } else if (x.kind != LaneKind::exact) {
    return std::nullopt;
  }
  return changed(x, [&](std::uint64_t lane) { return lane & mask; });
}

std::optional<LaneValue> scaled(const LaneValue& x, std::uint64_t factor, int bits) {
  if (x.kind != LaneKind::shifted || factor == 0) return std::nullopt;
  LaneValue result = changed(x, [&](std::uint64_t lane) { return lane * factor & low_mask(bits); });
  result.zeros = std::min(64, x.zeros + std::countr_zero(factor));
  return result;
}

std::optional<LaneValue> shifted_left(const LaneValue& x, std::uint64_t by, int bits) {
  if (by >= static_cast<std::uint64_t>(bits) || (x.kind != LaneKind::shifted && x.kind != LaneKind::flipped))
    return std::nullopt;
  LaneValue result = changed(x, [&](std::uint64_t lane) { return lane << by & low_mask(bits); });
  result.flips = x.flips << by & low_mask(bits);
  result.zeros = std::min(64, x.zeros + static_cast<int>(by));
  result.bits = std::min(bits, x.bits + static_cast<int>(by));
  return result;
}

std::optional<LaneValue> shifted_right(const LaneValue& x, std::uint64_t by, int bits) {
  if (by >= static_cast<std::uint64_t>(bits)) return std::nullopt;
  const auto distance = static_cast<int>(by);
  const bool is_flipped = x.kind == LaneKind::flipped;
  if (!is_flipped && (x.kind != LaneKind::shifted || x.zeros < distance)) return std::nullopt;
  const int kept = std::min(x.bits, bits);
  LaneValue result = changed(x, [&](std::uint64_t lane) { return (lane & low_mask(kept)) >> by; });
  result.flips = (x.flips & low_mask(kept)) >> by;
  result.zeros = is_flipped ? std::countr_zero(result.flips) : x.zeros - distance;
  // Above all bits of the value there are zeros; above the bits that are known there may be anything.
  result.bits = is_flipped && x.bits >= bits ? kept : kept - distance;
  return result;
}

}  // namespace swz

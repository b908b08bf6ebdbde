// SPDX-License-Identifier: Apache-2.0
#include "ptx/lane_arithmetic.hpp"

#include <algorithm>
#include <bit>

namespace swz {

LaneValue unknown_because(ValueId why) {
  LaneValue out;
  out.why = why;
  return out;
}

LaneValue same_in_all(std::uint64_t value, int bits) {
  LaneValue out{.kind = LaneKind::exact, .bits = bits};
  out.value.fill(value);
  return out;
}

bool has_one_value(const LaneValue& one) {
  return std::ranges::all_of(one.value, [&](std::uint64_t lane) { return lane == one.value[0]; });
}
bool is_same_in_all(const LaneValue& one) { return one.kind == LaneKind::exact && has_one_value(one); }

std::uint64_t bits_of_any(const LaneValue& one) {
  std::uint64_t out = 0;
  for (const std::uint64_t lane : one.value) out |= lane;
  return out;
}

// The operations of addresses are told apart once for all lanes.
bool evaluate_lanes(const PtxValue& value, const LaneValue& a, const LaneValue& b, LaneNumbers& out) {
  const std::uint64_t mask = low_mask(value.bits);
  const auto each = [&](const auto& of) {
    for (std::size_t l = 0; l < warp_lanes; ++l) out[l] = of(a.value[l], b.value[l]) & mask;
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
    out[l] = *lane;
  }
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
  LaneValue out = x;
  const std::uint64_t mask = low_mask(bits);
  const auto add = [&]() {
    for (std::size_t l = 0; l < warp_lanes; ++l) out.value[l] = (x.value[l] + exact.value[l]) & mask;
    return out;
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
  if (is_same_in_all(exact)) return moved(out, std::countr_zero(exact.value[0]));
  if (const LaneValue sum = as_sum(x); sum.kind == LaneKind::shifted) return sum_with(sum, exact, bits);
  return std::nullopt;
}

std::optional<LaneValue> flipped_with(const LaneValue& x, const LaneValue& exact) {
  LaneValue out = x;
  const bool is_low = x.kind == LaneKind::shifted && bits_of_any(exact) <= low_mask(std::min(x.zeros, 63));
  if (x.kind == LaneKind::exact || x.kind == LaneKind::flipped || is_low) {
    for (std::size_t l = 0; l < warp_lanes; ++l) out.value[l] ^= exact.value[l];
    return out;
  }
  if (is_same_in_all(exact)) return flipped(out, 0, exact.value[0]);
  return std::nullopt;
}

std::optional<LaneValue> masked(LaneValue x, std::uint64_t mask) {
  if (x.kind == LaneKind::flipped) {
    x.flips &= mask;
    if (x.flips == 0) x.kind = LaneKind::exact;
    x.zeros = std::countr_zero(x.flips);
  } else if (x.kind == LaneKind::shifted) {
    const std::uint64_t fixed = low_mask(std::min(x.zeros, 64));
    const std::uint64_t moving = low_mask(x.bits) & ~fixed;
    if ((mask & moving) == 0) {
      x.kind = LaneKind::exact;
      x.zeros = 64;
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

}  // namespace swz

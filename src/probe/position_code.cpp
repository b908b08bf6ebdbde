// SPDX-License-Identifier: Apache-2.0
#include "probe/position_code.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

const ElementFormat& element_format(std::string_view dtype) {
  // tf32: an MMA ignores the low 13 bits of the 32. The fp6 and fp4 types are values in the low bits of a container;
  // their codes have few bits because they have few patterns. f32 is an addend; its codes begin at 1, because a tensor
  // core that aligns addends by exponent would lose smaller ones next to products of zeros.
  static constexpr ElementFormat formats[] = {
      {"f16", 16, 5, true, 0x2000, 14, 0},
      {"bf16", 16, 8, true, 0x2000, 14, 0},
      {"tf32", 32, 8, true, 0x08000, 16, 13},
      {"f32", 32, 8, true, 0x1fc00, 16, 13},
      {"f64", 64, 11, true, 0x3ff0000, 16, 36},
      {"e4m3", 8, 4, true, 0x08, 6, 0},
      {"e5m2", 8, 5, true, 0x08, 6, 0},
      {"e2m3", 6, 2, true, 0x08, 4, 0},
      {"e3m2", 6, 3, true, 0x08, 4, 0},
      {"e2m1", 4, 2, true, 0x02, 2, 0},
      {"s8", 8, 0, true, 0, 8, 0},
      {"u8", 8, 0, false, 0, 8, 0},
      {"s4", 4, 0, true, 0, 4, 0},
      {"u4", 4, 0, false, 0, 4, 0},
      {"b1", 1, 0, false, 0, 1, 0},
      {"s32", 32, 0, true, 0, 16, 0},
      {"u32", 32, 0, false, 0, 16, 0},
      {"u16", 16, 0, false, 0, 16, 0},
      {"u6", 6, 0, false, 0, 6, 0},
  };
  for (const ElementFormat& format : formats)
    if (format.name == dtype) return format;
  throw Error(
      fmt::format("no probe carries elements of type {}", dtype),
      "types that are probed: f16, bf16, tf32, f64, e4m3, e5m2, s8, u8, s4, u4, b1 and, on tcgen05, fp6 and fp4");
}

int PositionCode::passes(std::int64_t count) const {
  int passes = 1;
  for (std::int64_t seen = std::int64_t{1} << format_->digit_bits; seen < count; seen <<= format_->digit_bits) ++passes;
  return passes;
}

namespace {

std::uint64_t low_bits(int count) { return count == 64 ? ~0ULL : (1ULL << count) - 1; }

// The same number in another format, computed on its bits, because millions of elements are decoded. None if it is not
// a positive normal number in both, as every code is, or not exact.
std::optional<std::uint64_t> floating_pattern(std::uint64_t bits, const ElementFormat& from, const ElementFormat& to) {
  const int dropped = from.mantissa_bits() - to.mantissa_bits();
  const std::uint64_t mantissa = bits & low_bits(from.mantissa_bits());
  const auto exponent = static_cast<std::int64_t>(bits >> from.mantissa_bits());  // includes the sign above it
  const std::int64_t moved = exponent - from.bias() + to.bias();
  if (exponent <= 0 || exponent >= static_cast<std::int64_t>(low_bits(from.exponent_bits)) || moved <= 0 ||
      moved > static_cast<std::int64_t>(low_bits(to.exponent_bits)))
    return std::nullopt;
  if (dropped > 0 && (mantissa & low_bits(dropped)) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(moved) << to.mantissa_bits() |
         (dropped > 0 ? mantissa >> dropped : mantissa << -dropped);
}

std::optional<std::uint64_t> integer_pattern(std::uint64_t bits, const ElementFormat& from, const ElementFormat& to) {
  const auto extended = [](std::uint64_t pattern, const ElementFormat& f) {
    const std::uint64_t used = pattern & low_bits(f.width);
    const bool is_negative = f.is_signed && (used >> (f.width - 1)) != 0;
    return static_cast<std::int64_t>(is_negative ? used | ~low_bits(f.width) : used);
  };
  const std::int64_t value = extended(bits, from);
  if (extended(static_cast<std::uint64_t>(value), to) != value) return std::nullopt;
  return static_cast<std::uint64_t>(value) & low_bits(to.width);
}

}  // namespace

std::optional<std::int64_t> PositionCode::digit(std::uint64_t bits, const ElementFormat& accumulator) const {
  if (accumulator.is_floating() != format_->is_floating()) return std::nullopt;
  const std::optional<std::uint64_t> pattern = format_->is_floating() ? floating_pattern(bits, accumulator, *format_)
                                                                      : integer_pattern(bits, accumulator, *format_);
  if (!pattern) return std::nullopt;
  const std::uint64_t code = *pattern >> format_->shift;
  if (code << format_->shift != *pattern || code < format_->first) return std::nullopt;
  const std::uint64_t digit = code - format_->first;
  if (digit >> format_->digit_bits != 0) return std::nullopt;
  return static_cast<std::int64_t>(digit);
}

std::int64_t PositionCode::position(std::span<const std::optional<std::int64_t>> digits) const {
  std::int64_t position = 0;
  for (std::size_t pass = digits.size(); pass-- > 0;) {
    if (!digits[pass]) return unreadable;
    position = (position << format_->digit_bits) | *digits[pass];
  }
  return position;
}

}  // namespace swz

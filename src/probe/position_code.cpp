#include "probe/position_code.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/error.hpp"

namespace swz {

// One row a type. Floating: sign, exponent, mantissa from the top of `width` bits. A code is first + digit,
// shifted.
struct ElementFormat {
  std::string_view name;
  int width;          // of the pattern
  int exponent_bits;  // 0: an integer
  bool is_signed;
  std::uint64_t first;  // pattern of digit 0, before the shift
  int digit_bits;
  int shift;
};

namespace {

int mantissa_bits(int width, int exponent_bits) { return width - 1 - exponent_bits; }

const ElementFormat& format_of(std::string_view dtype) {
  // tf32: an MMA ignores the low 13 bits of the 32. The fp6 and fp4 types are the values in the low bits of a
  // container; their codes have few bits because all of their patterns are few. f32 is an addend: its codes begin
  // at 1, lest a tensor core that lines up addends by exponent loses them beside products of zeros.
  static constexpr std::array<ElementFormat, 18> formats{{
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
  }};
  for (const ElementFormat& format : formats)
    if (format.name == dtype) return format;
  throw Error(
      fmt::format("no probe carries elements of type {}", dtype),
      "types that are probed: f16, bf16, tf32, f64, e4m3, e5m2, s8, u8, s4, u4, b1 and, on tcgen05, fp6 and fp4");
}

}  // namespace

double number_of(std::uint64_t bits, std::string_view dtype) {
  const ElementFormat& f = format_of(dtype);
  if (f.exponent_bits == 0) {
    const std::uint64_t pattern = f.width == 64 ? bits : bits & ((1ULL << f.width) - 1);
    const bool is_negative = f.is_signed && ((pattern >> (f.width - 1)) & 1U) != 0;
    return static_cast<double>(pattern) - (is_negative ? std::ldexp(1.0, f.width) : 0.0);
  }
  const int mantissa_width = mantissa_bits(f.width, f.exponent_bits);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  // An MMA reads a tf32 without its low 13 bits.
  const std::uint64_t read = dtype == "tf32" ? bits & ~0x1fffULL : bits;
  const auto mantissa = static_cast<double>(read & ((1ULL << mantissa_width) - 1));
  const auto exponent = static_cast<int>((read >> mantissa_width) & ((1ULL << f.exponent_bits) - 1));
  const double sign = ((read >> (f.width - 1)) & 1U) != 0 ? -1.0 : 1.0;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_width);
  return sign * std::ldexp(1.0 + std::ldexp(mantissa, -mantissa_width), exponent - bias);
}

std::uint64_t bits_of(double value, std::string_view dtype) {
  const ElementFormat& f = format_of(dtype);
  const std::uint64_t width_mask = f.width == 64 ? ~0ULL : (1ULL << f.width) - 1;
  if (f.exponent_bits == 0) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) & width_mask;
  if (value == 0.0) return 0;
  const int mantissa_width = mantissa_bits(f.width, f.exponent_bits);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // in [0.5, 1)
  const std::uint64_t sign = value < 0 ? 1ULL << (f.width - 1) : 0;
  const int biased = exponent - 1 + bias;
  if (biased < 1)  // subnormal
    return sign | static_cast<std::uint64_t>(std::ldexp(std::fabs(value), bias - 1 + mantissa_width));
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(2.0 * fraction - 1.0, mantissa_width));
  return sign | (static_cast<std::uint64_t>(biased) << mantissa_width) | mantissa;
}

PositionCode::PositionCode(std::string_view dtype) : PositionCode(require_dtype(dtype)) {}

PositionCode::PositionCode(const DType& dtype)
    : format_(&format_of(dtype.name)), memory_bits_(dtype.memory_bits), one_(bits_of(1.0, dtype.name)) {}

int PositionCode::passes(std::int64_t count) const {
  int passes = 1;
  for (std::int64_t seen = std::int64_t{1} << format_->digit_bits; seen < count; seen <<= format_->digit_bits)
    ++passes;
  return passes;
}

std::uint64_t PositionCode::element(std::int64_t position, int pass) const {
  const std::uint64_t mask = (1ULL << format_->digit_bits) - 1;
  const auto digit = (static_cast<std::uint64_t>(position) >> (pass * format_->digit_bits)) & mask;
  return (format_->first + digit) << format_->shift;
}

std::optional<std::int64_t> PositionCode::digit(std::uint64_t bits, std::string_view accumulator) const {
  const double seen = number_of(bits, accumulator);
  if (!std::isfinite(seen) || std::fabs(seen) > 0x1p100) return std::nullopt;
  const std::uint64_t pattern = bits_of(seen, format_->name);
  if (number_of(pattern, format_->name) != seen) return std::nullopt;
  const std::uint64_t code = pattern >> format_->shift;
  if (code << format_->shift != pattern || code < format_->first) return std::nullopt;
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

double PositionCode::value(std::uint64_t bits) const { return number_of(bits, format_->name); }

}  // namespace swz

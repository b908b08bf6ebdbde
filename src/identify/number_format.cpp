// SPDX-License-Identifier: Apache-2.0
#include "identify/number_format.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/float_parts.hpp"

namespace swz {
namespace {

// clang-format off
constexpr FloatFormat formats[] = {
    {"f16", 5, 10, 15, 65504},
    {"bf16", 8, 7, 127, 0x1.FEp127},
    {"tf32", 8, 10, 127, 0x1.FFCp127, true, true, true, 13},
    {"f32", 8, 23, 127, 0x1.FFFFFEp127},
    {"f64", 11, 52, 1023, std::numeric_limits<double>::max()},
    {"e4m3", 4, 3, 7, 448, true, false},
    {"e5m2", 5, 2, 15, 57344},
    {"e2m3", 2, 3, 1, 7.5, true, false, false},
    {"e3m2", 3, 2, 3, 28, true, false, false},
    {"e2m1", 2, 1, 1, 6, true, false, false},
    {"ue4m3", 4, 3, 7, 448, false, false},
    {"ue5m3", 5, 3, 15, 114688, false, false},
};
// clang-format on

std::uint64_t low_bits(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

// The bits without the sign.
std::uint64_t magnitude_bits(const FloatFormat& f, double number, Beyond beyond) {
  const auto combined = [&](int exponent) { return static_cast<std::uint64_t>(exponent) << f.mantissa_bits; };
  const std::uint64_t all_exponents = combined((1 << f.exponent_bits) - 1), mantissa = low_bits(f.mantissa_bits);
  const std::uint64_t nan =
      f.has_infinity ? all_exponents | std::uint64_t{1} << (f.mantissa_bits - 1) : all_exponents | mantissa;
  const auto in_type = [&](double finite) {
    const int lowest = 1 - f.bias, exponent = finite == 0 ? lowest : std::max(exponent_of(finite), lowest);
    // Includes the leading bit, which adds 1 to the exponent of a normal number.
    const auto scaled = static_cast<std::uint64_t>(nearest_whole(times_two_to(finite, f.mantissa_bits - exponent)));
    return combined(exponent - lowest) + scaled;
  };
  if (std::isnan(number)) return f.has_nan ? nan : in_type(f.largest);
  const std::uint64_t largest = in_type(f.largest);
  if (!std::isinf(number)) {
    // Far beyond the range, the exponent itself would not fit.
    const std::uint64_t nearest = number > 4 * (f.largest / 2) ? largest + 1 : in_type(number);
    if (nearest <= largest) return nearest;
  }
  if (beyond == Beyond::largest || !f.has_nan) return largest;
  return f.has_infinity ? all_exponents : nan;
}

}  // namespace

double FloatFormat::exact_until() const { return std::min(largest, times_two_to(1.0, mantissa_bits + 1)); }

const FloatFormat* find_float_format(std::string_view dtype) {
  const auto found = std::ranges::find(formats, dtype, &FloatFormat::dtype);
  return found == std::end(formats) ? nullptr : &*found;
}

std::optional<std::uint64_t> number_bits(const DType& dtype, double number, Beyond beyond) {
  if (const FloatFormat* f = find_float_format(dtype.name)) {
    const bool is_negative = std::signbit(number);
    if (is_negative && !f->is_signed) return std::nullopt;
    const std::uint64_t sign = is_negative ? std::uint64_t{1} << (f->exponent_bits + f->mantissa_bits) : 0;
    return (sign | magnitude_bits(*f, std::fabs(number), beyond)) << f->shift;
  }
  if (dtype.is_floating || dtype.value_bits > 64 || number != nearest_whole(number)) return std::nullopt;
  const bool is_signed = dtype.name.starts_with('s');
  const double end = times_two_to(1.0, dtype.value_bits - (is_signed ? 1 : 0));
  if (number >= end || number < (is_signed ? -end : 0)) return std::nullopt;
  const auto magnitude = static_cast<std::uint64_t>(std::fabs(number));
  return (number < 0 ? ~magnitude + 1 : magnitude) & low_bits(dtype.value_bits);
}

std::optional<double> number_of_bits(const DType& dtype, std::uint64_t bits) {
  const FloatFormat* f = find_float_format(dtype.name);
  if (f == nullptr) {
    if (dtype.is_floating || dtype.value_bits > 64) return std::nullopt;
    const bool is_negative = dtype.name.starts_with('s') && (bits >> (dtype.value_bits - 1) & 1) != 0;
    return is_negative ? -static_cast<double>((~bits + 1) & low_bits(dtype.value_bits)) : static_cast<double>(bits);
  }
  bits >>= f->shift;
  const auto exponent = static_cast<int>(bits >> f->mantissa_bits & low_bits(f->exponent_bits));
  const auto mantissa = static_cast<double>(bits & low_bits(f->mantissa_bits));
  const double leading = exponent == 0 ? 0 : times_two_to(1.0, f->mantissa_bits);
  const double number = times_two_to(leading + mantissa, std::max(exponent, 1) - f->bias - f->mantissa_bits);
  if (number > f->largest) return std::nullopt;
  return (bits >> (f->exponent_bits + f->mantissa_bits) & 1) != 0 ? -number : number;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// NumberFormat: from a number to its bits in an element type, and the reverse.
//
//   number_bits("bf16", 257)    0x4380, which is 256: bf16 rounds numbers above 256
//   number_bits("e4m3", 500)    0x7e, 448, the largest (CUDA's satfinite); or 0x7f, NaN, if numbers beyond are special
//   number_bits("s8", -3)       0xfd; for 0.5 none
//
// Rounding is to the nearest number, ties to even. ue8m0 has no 0 and is not supported.
//
// Invariant (tested): every bit pattern that is a number is restored.
// Source: PTX ISA 9.1, 5.2; OCP MX specification 1.0, 5.3 for e2m1, e2m3, e3m2, e4m3 and e5m2;
// ue5m3: the settled question ue5m3-bias.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/dtype.hpp"

namespace swz {

enum class Beyond { largest, special };  // of a number beyond the largest; special: infinity, or NaN without it

struct FloatFormat {
  std::string_view dtype;
  int exponent_bits = 0, mantissa_bits = 0, bias = 0;
  double largest = 0;
  bool is_signed = true, has_infinity = true, has_nan = true;
  int shift = 0;  // zeros below the mantissa, for tf32

  // All whole numbers up to this one are in the type.
  double exact_until() const;
};

// Null if it is not a floating-point type, or has no 0.
const FloatFormat* find_float_format(std::string_view dtype);

// None if it is an integer type without this number.
std::optional<std::uint64_t> number_bits(const DType& dtype, double number, Beyond beyond = Beyond::special);
// None if the bits are not a number, or the type is not supported.
std::optional<double> number_of_bits(const DType& dtype, std::uint64_t bits);

}  // namespace swz

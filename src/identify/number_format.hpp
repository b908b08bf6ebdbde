// SPDX-License-Identifier: Apache-2.0
// NumberFormat: the bits that a number has in an element type, and back.
//
//   number_bits("bf16", 257)    0x4380, which is 256: bf16 rounds numbers above 256
//   number_bits("e4m3", 500)    0x7e, 448, the largest; or 0x7f, NaN: what is beyond is cut (CUDA's satfinite) or special
//   number_bits("s8", -3)       0xfd; of 0.5: none
//
// Rounding is to the nearest, of two equally near to the even one. ue8m0 has no 0 and is left out.
//
// Invariant (tested): every bit pattern that is a number comes back.
// Source: PTX ISA 9.1, 5.2; OCP MX specification 1.0, 5.3 for e2m1, e2m3, e3m2, e4m3 and e5m2.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/dtype.hpp"

namespace swz {

enum class Beyond { largest, special };  // what a number beyond the largest becomes; special: infinity, else NaN

struct FloatFormat {
  std::string_view dtype;
  int exponent_bits = 0, mantissa_bits = 0, bias = 0;
  double largest = 0;
  bool is_signed = true, has_infinity = true, has_nan = true;
  int shift = 0;  // zeros below the mantissa, of tf32

  // All whole numbers up to here are in the type.
  double exact_until() const;
};

// Null: no floating-point type, or one without 0.
const FloatFormat* find_float_format(std::string_view dtype);

// None: an integer type that does not have the number.
std::optional<std::uint64_t> number_bits(const DType& dtype, double number, Beyond beyond = Beyond::special);
// None: no number, or a type that this does not know.
std::optional<double> number_of_bits(const DType& dtype, std::uint64_t bits);

}  // namespace swz

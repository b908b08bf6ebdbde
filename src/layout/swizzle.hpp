// Swizzle<bits, base, shift>: CuTe's XOR of one group of address bits with another.
//
//   y = bits [base+shift, base+shift+bits) of x        are read
//   z = bits [base, base+bits) of x                    become z ^ y
//
//   Sw<3,4,3>(0x2a8) = 0x2a8 ^ (0x280 >> 3) = 0x2f8    on byte addresses: the 128-byte swizzle
//
// A negative shift reads below what it writes. y and z never overlap (|shift| >= bits), so a swizzle is its own
// inverse, and a bijection on every aligned block of period() numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace swz {

class Swizzle {
 public:
  Swizzle() = default;  // the identity, Sw<0,4,3> as CuTe prints it
  // Throws Error unless bits >= 0, base >= 0, |shift| >= bits and all bits lie below bit 62.
  Swizzle(int bits, int base, int shift);

  int bits() const { return bits_; }
  int base() const { return base_; }
  int shift() const { return shift_; }
  bool is_identity() const { return bits_ == 0; }

  std::int64_t read_mask() const { return mask_ << (base_ + (shift_ > 0 ? shift_ : 0)); }     // y
  std::int64_t written_mask() const { return mask_ << (base_ - (shift_ < 0 ? shift_ : 0)); }  // z
  // Smallest power of two after which the XOR pattern repeats; 1 for the identity.
  std::int64_t period() const;

  // x >= 0
  std::int64_t operator()(std::int64_t x) const {
    const std::int64_t y = x & read_mask();
    return x ^ (shift_ >= 0 ? y >> shift_ : y << -shift_);
  }

  bool operator==(const Swizzle&) const = default;

 private:
  int bits_ = 0;
  int base_ = 4;
  int shift_ = 3;
  std::int64_t mask_ = 0;  // bits() ones
};

// The same map on numbers counted in units 2^log2_unit times as large (smaller if negative):
//   in_units(Sw<3,4,3>, 1) = Sw<3,3,3>     bytes -> 16-bit elements
// None when a swizzled bit would fall below the unit, so that units do not stay whole.
std::optional<Swizzle> in_units(const Swizzle& s, int log2_unit);

std::string to_string(const Swizzle& s);  // Sw<3,4,3>

}  // namespace swz

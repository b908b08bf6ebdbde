// SPDX-License-Identifier: Apache-2.0
// Swizzle<bits, base, shift>: CuTe's XOR of one group of address bits with another.
//
//   y = bits [base+shift, base+shift+bits) of x        are read
//   z = bits [base, base+bits) of x                    become z ^ y
//
//   Sw<3,4,3>(0x2a8) = 0x2a8 ^ (0x280 >> 3) = 0x2f8    on byte addresses: the 128-byte swizzle
//
// With a negative shift it reads bits below those that it writes. y and z never overlap (|shift| >= bits), so a swizzle
// is its own inverse, and a bijection on every aligned block of period() numbers.
//
// LinearMap: a function of the bits of a number in which every bit of the result is an XOR of bits of the argument. It
// is a matrix over GF(2). Column i is the value at 1 << i.
//
//   Sw<3,4,3> on 10 bits: columns 1, 2, 4, ..., 0x40, 0x80 ^ 0x10, 0x100 ^ 0x20, 0x200 ^ 0x40
//   at 0x2a8 = 0x200 + 0x80 + 0x20 + 0x8:  0x240 ^ 0x90 ^ 0x20 ^ 0x8 = 0x2f8
//
// Such a map is a bijection exactly when 0 is the only argument that it maps to 0. Another such argument (a kernel
// vector k) is a witness against it: every x and x ^ k share a value. So one elimination answers for all 2^n arguments.
//
// Invariant: f(a ^ b) = f(a) ^ f(b), f(0) = 0. Arguments and values have at most 64 bits.
// Source: linear algebra; tested against enumeration over all small maps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace swz {

class Swizzle {
 public:
  Swizzle() = default;  // the identity, Sw<0,4,3> as CuTe prints it
  // Throws Error unless bits >= 0, base >= 0, |shift| >= bits and all bits are below bit 62.
  Swizzle(int bits, int base, int shift);

  int bits() const { return bits_; }
  int base() const { return base_; }
  int shift() const { return shift_; }
  bool is_identity() const { return bits_ == 0; }

  std::int64_t read_mask() const { return mask_ << (base_ + (shift_ > 0 ? shift_ : 0)); }     // y
  std::int64_t written_mask() const { return mask_ << (base_ - (shift_ < 0 ? shift_ : 0)); }  // z
  // Smallest power of two after which the XOR pattern repeats; 1 for the identity.
  std::int64_t period() const;

  // The swizzled number, for x >= 0.
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
// None if a swizzled bit would fall below the unit, so that units would not stay whole.
std::optional<Swizzle> in_units(const Swizzle& s, int log2_unit);

// The swizzle s after t. None if no swizzle does that: Sw<1,0,1> o Sw<1,1,1> moves bit 2 into 1 and into 0.
std::optional<Swizzle> composition(const Swizzle& s, const Swizzle& t);

// The swizzle that reads the bits of one mask and writes those of the other: (0x380, 0x70) is Sw<3,4,3>. Throws Error
// if the two are not runs of equally many bits.
Swizzle swizzle_of_masks(std::int64_t read, std::int64_t written);

std::string to_string(const Swizzle& s);  // Sw<3,4,3>

class LinearMap {
 public:
  LinearMap() = default;  // the map of 0 bits
  // At most 64 columns.
  explicit LinearMap(std::vector<std::uint64_t> columns);
  static LinearMap identity(int bits);
  // A swizzle as a map on numbers of `bits` bits, at most 62.
  static LinearMap of(const Swizzle& swizzle, int bits);

  int bits() const { return static_cast<int>(columns_.size()); }  // bits of the argument
  const std::vector<std::uint64_t>& columns() const { return columns_; }
  // The value at x. Bits of x at and above bits() are ignored.
  std::uint64_t operator()(std::uint64_t x) const;
  // The map on the lowest `bits` bits, for bits <= bits().
  LinearMap restricted(int bits) const;

  bool operator==(const LinearMap&) const = default;

 private:
  std::vector<std::uint64_t> columns_;
};

// The map f(x) ^ constant, which may send 0 to another number.
struct AffineMap {
  LinearMap linear;
  std::uint64_t constant = 0;
  std::uint64_t operator()(std::uint64_t x) const { return linear(x) ^ constant; }
  bool operator==(const AffineMap&) const = default;
};

// Numbers that are independent under XOR, brought into a form in which each has its own top bit.
class XorBasis {
 public:
  struct Sum {
    std::uint64_t value = 0;
    std::uint64_t from = 0;  // one bit for each number that is XORed into it
  };
  // x after XORs that remove all the top bits from it, with the numbers used in `from`. If value is 0, x depends on the
  // basis. The result is linear in x.
  Sum reduced(Sum x) const;
  // Adds what reduced() left of a number, which is not 0.
  void insert(Sum rest);

 private:
  std::vector<Sum> rows_;  // by descending value
};

// The map x -> f(x) ^ g(x), on as many bits as the shorter one has.
LinearMap sum(const LinearMap& f, const LinearMap& g);

// The rank: f has 2^rank different values.
int rank(const LinearMap& f);
// A basis of the arguments that f maps to 0, each with its own top bit, lowest first. The first vector has the lowest
// top bit of all of them.
std::vector<std::uint64_t> kernel(const LinearMap& f);

// Whether f maps some argument to `value`.
bool reaches(const LinearMap& f, std::uint64_t value);

// The swizzle that equals this map, if there is one; of several that are equal on bits(), the one with the smallest
// base and shift.
std::optional<Swizzle> as_swizzle(const LinearMap& f);

}  // namespace swz

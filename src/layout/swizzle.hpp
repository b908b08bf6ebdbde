// SPDX-License-Identifier: Apache-2.0
// Swizzle<bits, base, shift>: CuTe's XOR of one group of address bits with another.
//
//   y = bits [base+shift, base+shift+bits) of x        are read
//   z = bits [base, base+bits) of x                    become z ^ y
//
//   Sw<3,4,3>(0x2a8) = 0x2a8 ^ (0x280 >> 3) = 0x2f8    on byte addresses: the 128-byte swizzle
//
// A negative shift reads below what it writes. y and z never overlap (|shift| >= bits), so a swizzle is its own
// inverse, and a bijection on every aligned block of period() numbers.
//
// LinearMap: a function of the bits of a number in which every bit of the result is an XOR of bits of the argument,
// that is, a matrix over GF(2). Column i is the value at 1 << i.
//
//   Sw<3,4,3> on 10 bits: columns 1, 2, 4, ..., 0x40, 0x80 ^ 0x10, 0x100 ^ 0x20, 0x200 ^ 0x40
//   at 0x2a8 = 0x200 + 0x80 + 0x20 + 0x8:  0x240 ^ 0x90 ^ 0x20 ^ 0x8 = 0x2f8
//
// Such a map is a bijection exactly when no argument but 0 becomes 0. An argument that does (a kernel vector k) is
// a witness against it: every x and x ^ k share a value. So one elimination answers for all 2^n arguments.
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

// s after t. None when no swizzle does that: Sw<1,0,1> o Sw<1,1,1> moves bit 2 into 1 and into 0.
std::optional<Swizzle> composition(const Swizzle& s, const Swizzle& t);

// The swizzle that reads the bits of one mask and writes those of the other: (0x380, 0x70) is Sw<3,4,3>. Throws Error when
// the two are not runs of as many bits.
Swizzle swizzle_of_masks(std::int64_t read, std::int64_t written);

std::string to_string(const Swizzle& s);  // Sw<3,4,3>

class LinearMap {
 public:
  LinearMap() = default;  // of 0 bits
  // At most 64 columns.
  explicit LinearMap(std::vector<std::uint64_t> columns);
  static LinearMap identity(int bits);
  // A swizzle on numbers of `bits` bits, at most 62.
  static LinearMap of(const Swizzle& swizzle, int bits);

  int bits() const { return static_cast<int>(columns_.size()); }  // of the argument
  const std::vector<std::uint64_t>& columns() const { return columns_; }
  // Bits of x above bits() are not looked at.
  std::uint64_t operator()(std::uint64_t x) const;
  // The map on the lowest `bits` bits; bits <= bits().
  LinearMap restricted(int bits) const;

  bool operator==(const LinearMap&) const = default;

 private:
  std::vector<std::uint64_t> columns_;
};

// f(x) ^ constant: where 0 does not stay 0.
struct AffineMap {
  LinearMap linear;
  std::uint64_t constant = 0;
  std::uint64_t operator()(std::uint64_t x) const { return linear(x) ^ constant; }
  bool operator==(const AffineMap&) const = default;
};

// Numbers that are independent under XOR, brought into a form in which each has a top bit of its own.
class XorBasis {
 public:
  struct Sum {
    std::uint64_t value = 0;
    std::uint64_t from = 0;  // the numbers that were added to it, each by the bit it was given
  };
  // x and, in `from`, what is XORed into it so that it has none of the top bits. value 0: x depends on the basis.
  // What it does is linear in x.
  Sum reduced(Sum x) const;
  // Takes what reduced() left of a number, which is not 0.
  void insert(Sum rest);

 private:
  std::vector<Sum> rows_;  // with descending values
};

// x -> f(x) ^ g(x), of as many bits as the shorter
LinearMap sum(const LinearMap& f, const LinearMap& g);

// The values are 2^rank different ones.
int rank(const LinearMap& f);
// A basis of the arguments that become 0, each with a top bit of its own, lowest first. Its first vector has the
// lowest top bit of all of them.
std::vector<std::uint64_t> kernel(const LinearMap& f);

// True when some argument becomes `value`.
bool reaches(const LinearMap& f, std::uint64_t value);

// The swizzle that this map is, the one with the smallest base and shift of those that are equal on bits().
std::optional<Swizzle> as_swizzle(const LinearMap& f);

}  // namespace swz

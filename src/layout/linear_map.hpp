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
#include <vector>

#include "layout/swizzle.hpp"

namespace swz {

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
  // x < 2^bits(); bits above are not looked at
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

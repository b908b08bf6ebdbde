// SPDX-License-Identifier: Apache-2.0
// BasisLayout: a layout whose strides are basis elements, so that its values are coordinates and not offsets.
//
// s@m is s steps along mode m of the result, and s@n@m is s steps along mode n inside mode m. The value at a coordinate
// is the sum of coordinate times stride, a tuple:
//
//   (4,8):(1@0,1@1)        at (3,5)  =  (3,5)           the identity layout of (4,8)
//   ((2,2),8):((1@1,4@1),2@0)  at ((1,1),3)  =  (6,5)
//
// A stride of 0 repeats, as in a Layout. Other integers have no place in a tuple and are refused.
//
// The algebra is that of Layouts: the coordinates are packed into one integer, in which the basis element of each mode
// is a power of two above everything that the modes before it reach. (4,8):(1@0,1@1) packed is (4,8):(1,64).
//
// Invariants: shape and stride are congruent, extents are at least 1, no basis element is inside the mode of another.
// Source: cute/numeric/arithmetic_tuple.hpp (ScaledBasis), cute/layout.hpp (make_identity_layout).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/layout.hpp"

namespace swz {

class BasisLayout {
 public:
  // Throws Error when the invariants do not hold, or no stride is a basis element.
  BasisLayout(IntTuple shape, IntTuple stride);

  const IntTuple& shape() const { return shape_; }
  const IntTuple& stride() const { return stride_; }
  std::int64_t size() const { return product(shape_); }

  bool operator==(const BasisLayout&) const = default;

 private:
  IntTuple shape_;
  IntTuple stride_;
};

// The layout with L(c) == c for every coordinate of the shape: strides 1@0, 1@1, … with the nesting of the shape.
BasisLayout make_identity_layout(const IntTuple& shape);

// The value at a coordinate that fits the shape.
IntTuple coordinate_at(const BasisLayout& l, const IntTuple& coordinate);
// The smallest shape that contains every value: (4,8) in the first example.
IntTuple coshape(const BasisLayout& l);

std::string to_string(const BasisLayout& l);

// A BasisLayout as a Layout, and the way back.
class PackedBasis {
 public:
  // Leaves room for indices up to `beyond` along the last mode. Throws Error if 62 bits are too few.
  explicit PackedBasis(const BasisLayout& l, std::int64_t beyond = 1);

  const Layout& layout() const { return layout_; }
  // The strides of a layout that was made from layout(), as basis elements again; zeros stay. Throws Error if one of
  // them steps along several modes.
  IntTuple stride_of(const Layout& made) const;
  // The coordinate that an offset represents.
  IntTuple coordinate_of(std::int64_t offset) const;

 private:
  struct Digit {
    std::vector<std::int64_t> path;
    int shift = 0, bits = 0;
  };
  std::int64_t digit_of(std::int64_t& rest, const Digit& d) const;
  std::vector<Digit> digits_;
  Layout layout_;
};

// The coordinates of b as linear indices of a: (2,4):(1@0,1@1) in the shape (8,4) is (2,4):(1,8). Throws Error if b
// leaves the shape of a.
Layout indices_in(const Layout& a, const BasisLayout& b);

// The layout a at the coordinates that b names. Post: result(i) == a(b(i)). Throws Error as indices_in does, and if the
// composition is not a layout.
Layout composition(const Layout& a, const BasisLayout& b);

}  // namespace swz

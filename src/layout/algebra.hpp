// SPDX-License-Identifier: Apache-2.0
// The layout algebra: coalesce, composition, complement and inverses, with CuTe's names and CuTe's meaning.
//
//   composition((20,2):(16,4), (4,5):(1,4))  =  (4,5):(16,64)
//   complement(4:2, 24)                      =  (2,3):(1,8)
//   right_inverse((8,4):(4,1))               =  (4,8):(8,1)
//
// Every function states its post-condition, and the tests check it for every coordinate. If no layout has the property,
// CuTe may return a wrong one; these functions throw an Error that carries a witness.
//
// Source: CuTe's contracts (cute/layout.hpp, CUTLASS 4.2), and the public issues named beside the refusals in
// tests/layout/test_cute_refusals.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/layout.hpp"

namespace swz {

// A by-mode tiler: one layout for a whole mode, a tuple of tilers for its modes in order, or `_` (leave the mode as it
// is). An integer N means N:1. CuTe writes <4:1,8:2>.
class Tiler {
 public:
  Tiler(Layout layout) : layout_(std::move(layout)) {}                               // NOLINT: a layout is a tiler
  Tiler(std::vector<Tiler> modes) : kind_(Kind::modes), modes_(std::move(modes)) {}  // NOLINT
  // (8,16) means <8:1,16:1>, and `_` is kept.
  static Tiler from_shape(const IntTuple& shape);
  static Tiler underscore() {
    Tiler t{Layout()};
    t.kind_ = Kind::underscore;
    return t;
  }

  bool is_layout() const { return kind_ == Kind::layout; }
  bool is_underscore() const { return kind_ == Kind::underscore; }
  const Layout& layout() const { return layout_; }
  const std::vector<Tiler>& modes() const { return modes_; }

 private:
  enum class Kind : std::uint8_t { layout, modes, underscore };
  Kind kind_ = Kind::layout;
  Layout layout_;
  std::vector<Tiler> modes_;
};

std::string to_string(const Tiler& t);  // <4:1,8:2>
// The largest cosize of its layouts.
std::int64_t cosize(const Tiler& t);

// The layout with the fewest modes and the same values. Post: depth <= 1, and result(i) == l(i) for i in [0, size).
// Two layouts of one size are the same function exactly when they coalesce to the same layout.
// With a profile it coalesces inside each terminal of the profile and keeps the modes that the profile separates.
Layout coalesce(const Layout& l, const IntTuple& profile = 0);

// The layout without stride-0 and extent-1 modes, coalesced. Post: the same set of offsets, without stride-0 repeats.
Layout filter(const Layout& l, const IntTuple& profile = 0);

// The layout a o b. Post: result(i) == a(b(i)) for i in [0, size(b)); the shape of b is that of the result with some
// tuples replaced by their product (CuTe: compatible).
// b may reach beyond a's size: a's last mode then continues, as in CuTe.
// Throws Error with the values if a o b is not a layout.
Layout composition(const Layout& a, const Layout& b);
// Composes mode by mode. Modes of `a` beyond the tiler's are dropped, as in CuTe.
Layout composition(const Layout& a, const Tiler& b);

// The layout that is missing to cover [0, cotarget) with copies of l. Post: ascending offsets; l(i) + result(j) are all
// different for i over filter(l), and together they are exactly [0, n) for an n >= cotarget. Throws Error if no layout
// fills the gaps of l.
Layout complement(const Layout& l, std::int64_t cotarget);
Layout complement(const Layout& l);  // cotarget is cosize(l)

// CuTe's complement, which may leave holes: copies of (4,2):(1,10) at 4:4 … leave 8 and 9 free. Post: ascending offsets;
// l(i) + result(j) are all different for i over filter(l). Throws Error when copies of l overlap.
Layout complement_with_holes(const Layout& l, std::int64_t cotarget);

// The offsets at which `count` or more copies of l fit next to each other. Post: ascending offsets; l(i) + result(j)
// are all different for i over filter(l). Unlike complement it may leave holes, next to a padded tile such as
// (8,64):(72,1). Throws Error when copies of l overlap.
Layout free_offsets(const Layout& l, std::int64_t count);

// Post: l(result(i)) == i for i in [0, size(result)), and result is the longest such layout that CuTe's rule finds.
Layout right_inverse(const Layout& l);
// Post: result(l(i)) == i for i in [0, size(l)). Throws Error with a witness if there is no such layout: l is not
// injective, or no layout has these values.
Layout left_inverse(const Layout& l);

// The longest run of elements that are consecutive in both layouts. Post of the layout R: a(R(i)) == b(R(i)) == i, and
// R(i) is an index of both; the same with a and b exchanged.
Layout max_common_layout(const Layout& a, const Layout& b);
std::int64_t max_common_vector(const Layout& a, const Layout& b);

// The coordinates that l maps to 0. Post: l(result(i)) == 0, size == size(l) / size(filter(l)).
Layout nullspace(const Layout& l);

}  // namespace swz

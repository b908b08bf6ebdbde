// SPDX-License-Identifier: Apache-2.0
// Swizzled algebra: composition and inverses with a swizzle between two layouts.
//
//   composition((64,8):(8,1), Sw<2,0,3> o 0 o (8,8):(8,1))  =  Sw<2,3,3> o 0 o (8,8):(64,8)
//     A sends the bits that the swizzle reads, 24, to 192, and those that it writes, 3, to 24: bits 6-7 into bits 3-4
//   right_inverse(Sw<3,3,3> o 0 o (8,64):(64,1))            =  Sw<3,0,-6> o 0 o (64,8):(8,1)
//     a swizzle is its own inverse, so that (Sw o L)^-1 = L^-1 o Sw
//
// Invariants: every value is checked; a result that is not one swizzle after one layout is refused.
#pragma once

#include <optional>

#include "layout/composed_layout.hpp"

namespace swz {

// The swizzle s o t. Throws Error if that is not one swizzle.
Swizzle swizzle_product(const Swizzle& s, const Swizzle& t);

// The swizzle S' for which S' o a == a o s, computed only from where a sends the bits that s reads and writes. None if
// these overlap.
std::optional<Swizzle> swizzle_through(const Layout& a, const Swizzle& s);

// Post: result(i) == a(b(i)). b is in plain form. Throws Error if that is not a swizzle after a layout.
ComposedLayout composition(const Layout& a, const ComposedLayout& b);

// The inverse of l by f: right_inverse, with l(result(i)) == i, or left_inverse, with result(l(i)) == i. A swizzle that
// the offsets of l never reach does not count.
ComposedLayout inverse(const ComposedLayout& l, Layout (*f)(const Layout&), bool right);

}  // namespace swz

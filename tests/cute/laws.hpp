// SPDX-License-Identifier: Apache-2.0
// The laws of the algebra, decided by trying every coordinate. No algorithm of swz is used, and of CuTe's only the
// complement, if a law is about the complement that CuTe chose.
//
//   obeys_composition((4,6,8):(2,3,5), 6:3, (2,3):(6,3))   false: at 2 it is 3, and A(B(2)) is 7
//
// They judge an answer, whoever gave it.
#pragma once

#include <cstdint>

#include "layout/algebra.hpp"
#include "layout/composed_layout.hpp"

namespace swz::laws {

// result(i) == a(b(i)) for every i of b, and every coordinate of b is one of result.
bool obeys_composition(const Layout& a, const Layout& b, const Layout& result);
bool obeys_composition(const Layout& a, const Tiler& b, const Layout& result);
// Offsets ascend, no two sums l(i) + result(j) of different offsets are equal, and the sums fill [0, n), n >=
// cotarget.
bool obeys_complement(const Layout& l, std::int64_t cotarget, const Layout& result);
// Copies at these places, which ascend, do not collide; they may leave places free.
bool obeys_complement_with_holes(const Layout& l, std::int64_t cotarget, const Layout& result);
// l(result(i)) == i
bool obeys_right_inverse(const ComposedLayout& l, const ComposedLayout& result);
// l(result(l(i))) == l(i); result may be read beyond its size but l may not
bool obeys_left_inverse(const ComposedLayout& l, const ComposedLayout& result);
// a(result(i)) == b(result(i)) == i
bool obeys_max_common_layout(const Layout& a, const Layout& b, const Layout& result);
// Whether CuTe's common layout stays within both: of two sizes, CuTe reads the smaller layout beyond its end.
bool stays_within_both(const Layout& a, const Layout& b);
// Modes (tile, rest): l(tiler(i)), and l continued at the complement of tiler that CuTe chooses, which must be one.
bool obeys_divide(const Layout& l, const Tiler& tiler, const Layout& result);
// Modes (block, places): the places are those of tiler in the complement of block that CuTe chooses, which may have
// gaps; no two copies share an offset unless tiler repeats a place.
bool obeys_product(const Layout& block, const Tiler& tiler, const Layout& result);
// Unit u of the result has the n elements from u*n on, in this order.
bool obeys_upcast(const ComposedLayout& l, std::int64_t n, const ComposedLayout& result);
// n times the elements, at l(c)*n + k for every c and k in [0, n).
bool obeys_downcast(const ComposedLayout& l, std::int64_t n, const ComposedLayout& result);

}  // namespace swz::laws

// The laws of the algebra, decided by trying every coordinate. No algorithm of swz or CuTe is used.
//
//   obeys_composition((4,6,8):(2,3,5), 6:3, (2,3):(6,3))   false: at 2 it is 3, and A(B(2)) is 7
//
// They judge an answer, whoever gave it.
#pragma once

#include <cstdint>

#include "layout/algebra.hpp"

namespace swz::laws {

// result(i) == a(b(i)) for every i of b, and every coordinate of b is one of result.
bool obeys_composition(const Layout& a, const Layout& b, const Layout& result);
bool obeys_composition(const Layout& a, const Tiler& b, const Layout& result);
// Offsets ascend, no two sums l(i) + result(j) of different offsets are equal, and the sums fill [0, n), n >= cotarget.
bool obeys_complement(const Layout& l, std::int64_t cotarget, const Layout& result);
// l(result(i)) == i
bool obeys_right_inverse(const Layout& l, const Layout& result);
// l(result(l(i))) == l(i), where result may be read beyond its size
bool obeys_left_inverse(const Layout& l, const Layout& result);
// a(result(i)) == b(result(i)) == i
bool obeys_max_common_layout(const Layout& a, const Layout& b, const Layout& result);
// Mode (tile, rest): the tile is l(tiler(i)), and the two together reach every offset of l, once unless l repeats it.
bool obeys_divide(const Layout& l, const Tiler& tiler, const Layout& result);
// Mode 0 is block; mode 1 places as many copies as tiler has, in the order of its offsets, none on another.
bool obeys_product(const Layout& block, const Tiler& tiler, const Layout& result);
// Every element of unit u of the result is one of the n elements from u*n on.
bool obeys_upcast(const Layout& l, std::int64_t n, const Layout& result);
// n times the elements, at l(c)*n + k for every c and k in [0, n).
bool obeys_downcast(const Layout& l, std::int64_t n, const Layout& result);

}  // namespace swz::laws

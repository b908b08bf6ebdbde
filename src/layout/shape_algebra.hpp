// SPDX-License-Identifier: Apache-2.0
// Arithmetic of shapes: division, comparison, selection of modes and compact strides, with CuTe's names and meaning.
//
//   ceil_div((10,7), (4,2))          =  (3,4)
//   shape_div((4,5,6), 40)           =  (1,1,3)        40 = 4 * 5 * 2, and 6 / 2 is left
//   compatible(24, (4,6))            yes: a coordinate of 24 is one of (4,6) too
//   dice((2,_,3), (a,b,c))           =  (a,c)          the modes at the numbers; slice gives the modes at `_`
//   compact_row_major((2,4,8))       =  (32,8,1)
//
// Source: cute/int_tuple.hpp, cute/stride.hpp, cute/underscore.hpp.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"

namespace swz {

// Divides mode by mode, rounded up. An integer b divides the modes of a in order. Throws Error if the ranks do not fit.
IntTuple ceil_div(const IntTuple& a, const IntTuple& b);
// The same for numbers of which one divides the other. Throws Error if neither does.
IntTuple shape_div(const IntTuple& a, const IntTuple& b);
// The smallest multiples of b that are not below a, mode by mode.
IntTuple round_up(const IntTuple& a, const IntTuple& b);

// Whether b has the nesting of a, or more inside a's integers.
bool weakly_congruent(const IntTuple& a, const IntTuple& b);
// Weakly congruent, and of the same size at each integer of a: every coordinate of a is also one of b.
bool compatible(const IntTuple& a, const IntTuple& b);

// slice returns the modes of b at which a has `_`, dice those at which a has numbers, side by side whatever their
// depth. Throws Error if there are none, or if the ranks do not fit.
IntTuple slice(const IntTuple& a, const IntTuple& b);
IntTuple dice(const IntTuple& a, const IntTuple& b);

// `shape` with 1 wherever `profile`, which has its nesting or less, is 0.
IntTuple filter_zeros(const IntTuple& profile, const IntTuple& shape);

// The modes from the last to the first; each stays as it is inside.
IntTuple reverse(const IntTuple& t);

// Compact strides that start at `first`, with the first mode fastest or the last. A tuple `first` has one start for
// each mode. An extent of 1 gets stride 0.
IntTuple compact_col_major(const IntTuple& shape, const IntTuple& first = 1);
IntTuple compact_row_major(const IntTuple& shape, const IntTuple& first = 1);

}  // namespace swz

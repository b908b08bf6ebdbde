// SPDX-License-Identifier: Apache-2.0
// Arithmetic of shapes: division, comparison, selection of modes, compact strides. CuTe's names and CuTe's meaning.
//
//   ceil_div((10,7), (4,2))          =  (3,4)
//   shape_div((4,5,6), 40)           =  (1,1,3)        40 = 4 * 5 * 2, and 6 / 2 is left
//   compatible(24, (4,6))            yes: a coordinate of 24 is one of (4,6) too
//   dice((2,_,3), (a,b,c))           =  (a,c)          what stands at the numbers; slice is what stands at `_`
//   compact_row_major((2,4,8))       =  (32,8,1)
//
// Source: cute/int_tuple.hpp, cute/stride.hpp, cute/underscore.hpp.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"

namespace swz {

// Mode by mode; an integer b divides the modes of a one after the other. Throws Error when the ranks do not fit.
IntTuple ceil_div(const IntTuple& a, const IntTuple& b);
// The same where one number divides the other. Throws Error where neither does.
IntTuple shape_div(const IntTuple& a, const IntTuple& b);
// The smallest multiples of b that are not below a, mode by mode.
IntTuple round_up(const IntTuple& a, const IntTuple& b);

// b has the nesting of a, or more inside its integers.
bool weakly_congruent(const IntTuple& a, const IntTuple& b);
// Weakly congruent, and of the same size at each integer of a: every coordinate of a is one of b.
bool compatible(const IntTuple& a, const IntTuple& b);

// What of b stands at `_` in a, and what stands at the numbers, side by side whatever its depth. Throws Error when nothing
// does, or the ranks do not fit.
IntTuple slice(const IntTuple& a, const IntTuple& b);
IntTuple dice(const IntTuple& a, const IntTuple& b);

// `shape` with 1 where `profile`, of its nesting or less, is 0.
IntTuple filter_zeros(const IntTuple& profile, const IntTuple& shape);

// The modes from the last to the first; inside they stay.
IntTuple reverse(const IntTuple& t);

// Compact strides from `first` on, the first mode fastest or the last. A tuple `first` has one start for each mode. An
// extent of 1 gets stride 0.
IntTuple compact_col_major(const IntTuple& shape, const IntTuple& first = 1);
IntTuple compact_row_major(const IntTuple& shape, const IntTuple& first = 1);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// CuTe's layout algebra replayed on run-time numbers: what CuTe would answer, and what it would not compile.
//
//   composition((4,6,8):(2,3,5), 6:3)      (2,3):(6,3)     compiles, and is wrong
//   composition((10,2):(16,4), 4:3)        DoesNotCompile  "Stride Divisibility Condition"
//
// CuTe's functions over static integers have a value only if every static_assert on the way holds. The generator
// asks this model first, so that it emits only what compiles, and so that cases which compile but which swz refuses
// are found among hundreds of thousands of draws instead of hundreds. test_agreement.cpp checks the model's answers
// against those of CuTe itself.
//
// It shares no code with src/layout except the classes that hold the numbers.
//
// Source: cute/layout.hpp and cute/int_tuple.hpp of CUTLASS 4.2, step by step and with CuTe's own conditions.
#pragma once

#include <cstdint>
#include <string>

#include "layout/algebra.hpp"

namespace swz::cute_model {

struct DoesNotCompile {
  std::string assertion;
};

Layout coalesce(const Layout& l);
Layout composition(const Layout& a, const Layout& b);
Layout composition(const Layout& a, const Tiler& b);
// The cotarget is a shape: CuTe divides it mode by mode, which can give more than the division of its size.
Layout complement(const Layout& l, const IntTuple& cotarget);
Layout right_inverse(const Layout& l);
Layout left_inverse(const Layout& l);
Layout max_common_layout(const Layout& a, const Layout& b);
Layout logical_divide(const Layout& l, const Tiler& tiler);
Layout logical_product(const Layout& block, const Tiler& tiler);
Layout blocked_product(const Layout& block, const Layout& tiler);
Layout raked_product(const Layout& block, const Layout& tiler);
Layout tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple& order);
Layout upcast(const Layout& l, std::int64_t n);
Layout downcast(const Layout& l, std::int64_t n);

}  // namespace swz::cute_model

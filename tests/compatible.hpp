// CuTe's compatible: whether shape a is shape b with some tuples replaced by their product.
//
//   compatible((8,8), ((2,4),8))     every coordinate of (8,8) is one of ((2,4),8)
#pragma once

#include <algorithm>

#include "layout/layout.hpp"

namespace swz {

inline bool compatible(const IntTuple& a, const IntTuple& b) {
  if (!a.is_tuple()) return a.value() == product(b);
  if (!b.is_tuple()) return false;
  return std::ranges::equal(a.children(), b.children(), compatible);
}

}  // namespace swz

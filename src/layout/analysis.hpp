// SPDX-License-Identifier: Apache-2.0
// Analysis: the properties of a layout as a function, and the place where two layouts differ.
//
//   analyse((4,2):(1,4))   size 8, cosize 8, injective, contiguous, bijective
//   analyse((4,2):(1,2))   size 8, cosize 6, not injective: indices 2 and 4 both give 2
//   analyse(4:2)           size 4, cosize 7, injective, not contiguous: 1, 3 and 5 are never reached
//
// Answers come from the strides if these decide, and otherwise from the values. A question that the strides leave open
// stays unknown (nullopt) for a layout of more than limits::known_values coordinates; it is never guessed.
#pragma once

#include <cstdint>
#include <optional>

#include "layout/composed_layout.hpp"

namespace swz {

struct Collision {
  std::int64_t first = 0;  // linear indices, first < second
  std::int64_t second = 0;
  std::int64_t offset = 0;  // of both
};

struct LayoutAnalysis {
  std::int64_t size = 0;
  // Largest offset plus 1, swizzle included. With negative strides, the span from the smallest to the largest, plus 1.
  std::optional<std::int64_t> cosize;
  std::optional<bool> injective;       // no two coordinates share an offset
  std::optional<bool> contiguous;      // every offset from the smallest to the largest is reached
  std::optional<bool> bijective;       // both of these: the offsets are a permutation of size() consecutive numbers
  std::optional<Collision> collision;  // a witness if not injective, provided that the values were read
};

LayoutAnalysis analyse(const ComposedLayout& l);

// The comparison of two layouts as functions of the linear index.
struct LayoutDifference {
  bool same = false;
  bool same_size = false;
  std::optional<std::int64_t> index;  // the first index with different offsets; none if one is a prefix of the other
  std::int64_t a = 0, b = 0;          // the offsets there
};

// Throws Error if more than limits::known_values values agree and nothing else decides.
LayoutDifference difference(const ComposedLayout& a, const ComposedLayout& b);

}  // namespace swz

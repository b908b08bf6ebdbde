// SPDX-License-Identifier: Apache-2.0
// Analysis: what a layout is as a function, and where two layouts differ.
//
//   analyse((4,2):(1,4))   size 8, cosize 8, injective, contiguous, bijective
//   analyse((4,2):(1,2))   size 8, cosize 6, not injective: indices 2 and 4 both give 2
//   analyse(4:2)           size 4, cosize 7, injective, not contiguous: 1, 3 and 5 are never reached
//
// Answers come from the strides where these decide, else from the values. What the strides of a layout of more than
// limits::known_values coordinates leave open stays unknown (nullopt), never guessed.
#pragma once

#include <cstdint>
#include <optional>

#include "layout/composed_layout.hpp"

namespace swz {

struct Collision {
  std::int64_t first = 0;  // linear indices, first < second
  std::int64_t second = 0;
  std::int64_t offset = 0;  // that both give
};

struct LayoutAnalysis {
  std::int64_t size = 0;
  // Largest offset plus 1, the swizzle included. With negative strides the span from smallest to largest, plus 1.
  std::optional<std::int64_t> cosize;
  std::optional<bool> injective;       // no two coordinates share an offset
  std::optional<bool> contiguous;      // every offset from the smallest to the largest is reached
  std::optional<bool> bijective;       // both: the offsets are a permutation of size() neighbours
  std::optional<Collision> collision;  // a witness when not injective, where the values were looked at
};

LayoutAnalysis analyse(const ComposedLayout& l);

// As functions of the linear index.
struct LayoutDifference {
  bool same = false;
  bool same_size = false;
  std::optional<std::int64_t> index;  // the first index with different offsets; none when one is a prefix of the other
  std::int64_t a = 0, b = 0;          // the offsets there
};

// Throws Error when more than limits::known_values values agree and nothing else decides.
LayoutDifference difference(const ComposedLayout& a, const ComposedLayout& b);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Random layouts, shapes, tilers and coordinates, the same from the same seed on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "layout/algebra.hpp"

namespace swz {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  // In [low, high]. (The distributions of the standard library differ between its implementations.)
  std::int64_t number(std::int64_t low, std::int64_t high);
  bool chance(int percent) { return number(1, 100) <= percent; }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }
  std::vector<std::int64_t> permutation(std::size_t n);

  // Extents of a layout with at most max_size coordinates, and the same under a random nesting.
  std::vector<std::int64_t> extents(std::size_t max_modes, std::int64_t max_size);
  IntTuple nested(const std::vector<std::int64_t>& values);
  IntTuple shape(std::size_t max_modes, std::int64_t max_size) { return nested(extents(max_modes, max_size)); }

  // Any layout: compact, padded, with repeats (stride 0), or with arbitrary strides.
  Layout layout(std::size_t max_modes = 4, std::int64_t max_size = 256);
  // A layout without gaps and repeats, in random order.
  Layout compact_layout(std::size_t max_modes = 4, std::int64_t max_size = 256);
  // A compact layout whose extents are all powers of two.
  Layout binary_layout(std::size_t max_modes, int max_size_log2);
  // A layout that often composes: its strides and extents divide the extents of `a`.
  Layout right_hand_side(const Layout& a);
  // A tile of a mode of this size: compact, strided, or one that does not divide.
  Layout tile(std::int64_t size);
  // By mode, for some of the modes of l.
  Tiler tiler(const Layout& l, bool with_underscores);

 private:
  Layout with_strides(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides);
  IntTuple tree(const std::vector<std::int64_t>& values, std::size_t begin, std::size_t end);
  std::vector<std::int64_t> compact_strides(const std::vector<std::int64_t>& extents, int padding_percent);

  std::mt19937_64 engine_;
};

}  // namespace swz

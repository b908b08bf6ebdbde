// SPDX-License-Identifier: Apache-2.0
// Random layouts for the law tests. The seed is printed, and SWZ_TEST_SEED sets it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "layout/layout.hpp"

namespace swz::test {

inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* given = std::getenv("SWZ_TEST_SEED");
    const std::uint64_t s = given != nullptr ? std::strtoull(given, nullptr, 10) : 20261121;
    std::cout << "random layouts: SWZ_TEST_SEED=" << s << "\n";
    return s;
  }();
  return value;
}

class RandomLayouts {
 public:
  explicit RandomLayouts(std::uint64_t stream) : engine_(seed() * 1000003 + stream) {}

  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(items.size()) - 1))];
  }

  // A shape of `leaves` extents in random nesting.
  IntTuple shape(int leaves, const std::vector<std::int64_t>& extents = {1, 2, 2, 3, 4, 4, 5, 6, 8}) {
    if (leaves == 1)
      return number(0, 3) == 0 ? IntTuple(std::vector<IntTuple>{pick(extents)}) : IntTuple(pick(extents));
    std::vector<IntTuple> children;
    while (leaves > 0) {
      const int here = number(0, 2) == 0 ? static_cast<int>(number(1, leaves)) : 1;
      children.push_back(here == 1 ? IntTuple(pick(extents)) : shape(here, extents));
      leaves -= here;
    }
    return children;
  }

  IntTuple with_leaves(const IntTuple& profile, const std::vector<std::int64_t>& values) {
    std::vector<std::int64_t> leaves;
    for (std::size_t i = 0; i < flat_values(profile).size(); ++i) leaves.push_back(pick(values));
    return unflatten(leaves, profile);
  }

  // Arbitrary strides, including zeros and repeats.
  Layout any(int most_leaves) {
    const IntTuple s = shape(static_cast<int>(number(1, most_leaves)));
    return Layout(s, with_leaves(s, {0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32}));
  }

  // A permutation of compact strides, each possibly spread by a gap: what CuTe code mostly has.
  Layout compact(int most_leaves, bool gaps = false) {
    const IntTuple s = shape(static_cast<int>(number(1, most_leaves)));
    const std::vector<std::int64_t> extents = flat_values(s);
    std::vector<std::size_t> order(extents.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), engine_);
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t next = gaps ? number(1, 3) : 1;
    for (const std::size_t i : order) {
      strides[i] = next;
      next *= extents[i] * (gaps && number(0, 2) == 0 ? number(1, 3) : 1);
    }
    return Layout(s, unflatten(strides, s));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace swz::test

// SPDX-License-Identifier: Apache-2.0
#include "draw.hpp"

#include <algorithm>
#include <numeric>

namespace swz {

std::int64_t Draw::number(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
}

std::vector<std::int64_t> Draw::permutation(std::size_t n) {
  std::vector<std::int64_t> p(n);
  std::iota(p.begin(), p.end(), 0);
  for (std::size_t i = n; i > 1; --i)
    std::swap(p[i - 1], p[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(i) - 1))]);
  return p;
}

std::vector<std::int64_t> Draw::extents(std::size_t max_modes, std::int64_t max_size) {
  const auto count = static_cast<std::size_t>(number(1, static_cast<std::int64_t>(max_modes)));
  std::vector<std::int64_t> result;
  std::int64_t size = 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t extent = one_of<std::int64_t>({1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 8, 8, 12, 16});
    if (size * extent > max_size) extent = 1;
    size *= extent;
    result.push_back(extent);
  }
  return result;
}

// A tuple of some of the values as they are and some grouped; never a tuple of one inside.
IntTuple Draw::tree(const std::vector<std::int64_t>& values, std::size_t begin, std::size_t end) {
  std::vector<IntTuple> children;
  for (std::size_t i = begin; i < end;) {
    const std::size_t left = end - i;
    const bool whole = i == begin;
    const std::size_t most = whole ? left - 1 : left;
    if (most >= 2 && chance(35)) {
      const auto count = static_cast<std::size_t>(number(2, static_cast<std::int64_t>(most)));
      children.push_back(tree(values, i, i + count));
      i += count;
    } else {
      children.emplace_back(values[i++]);
    }
  }
  return children;
}

IntTuple Draw::nested(const std::vector<std::int64_t>& values) {
  return values.size() == 1 ? IntTuple(values[0]) : tree(values, 0, values.size());
}

Layout Draw::with_strides(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides) {
  const IntTuple shape = nested(extents);
  return Layout(shape, unflatten(strides, shape));
}

std::vector<std::int64_t> Draw::compact_strides(const std::vector<std::int64_t>& extents, int padding_percent) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t next = 1;
  for (const std::int64_t i : permutation(extents.size())) {
    const auto at = static_cast<std::size_t>(i);
    if (chance(padding_percent)) next = chance(50) ? next * number(2, 4) : next + number(1, 8);
    strides[at] = next;
    next *= extents[at];
  }
  return strides;
}

Layout Draw::layout(std::size_t max_modes, std::int64_t max_size) {
  const std::vector<std::int64_t> e = extents(max_modes, max_size);
  std::vector<std::int64_t> strides = compact_strides(e, chance(50) ? 0 : 40);
  if (chance(20))
    for (std::int64_t& s : strides)
      if (chance(40)) s = 0;
  if (chance(20))
    for (std::int64_t& s : strides) s = number(0, 24);
  return with_strides(e, strides);
}

Layout Draw::compact_layout(std::size_t max_modes, std::int64_t max_size) {
  const std::vector<std::int64_t> e = extents(max_modes, max_size);
  return with_strides(e, compact_strides(e, 0));
}

Layout Draw::binary_layout(std::size_t max_modes, int max_size_log2) {
  std::int64_t bits = number(2, max_size_log2);
  const auto count = static_cast<std::size_t>(number(1, static_cast<std::int64_t>(max_modes)));
  std::vector<std::int64_t> e;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t taken = i + 1 == count ? bits : number(0, bits);
    e.push_back(std::int64_t{1} << taken);
    bits -= taken;
  }
  return with_strides(e, compact_strides(e, 0));
}

Layout Draw::right_hand_side(const Layout& a) {
  if (chance(30)) return layout(3, 48);
  std::vector<std::int64_t> e;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> starts{1};
  for (const FlatMode& m : a.modes()) starts.push_back(starts.back() * m.extent);
  std::int64_t size = 1;
  for (std::int64_t i = number(1, 3); i > 0; --i) {
    const std::int64_t extent = one_of<std::int64_t>({1, 2, 2, 3, 4, 4, 6, 8});
    if (size * extent > 256) break;
    size *= extent;
    e.push_back(extent);
    strides.push_back(one_of(starts) * one_of<std::int64_t>({1, 1, 1, 2, 2, 3, 4}));
  }
  if (e.empty()) return Layout(IntTuple(2), IntTuple(1));
  return with_strides(e, strides);
}

Layout Draw::tile(std::int64_t size) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= size; ++d)
    if (size % d == 0) divisors.push_back(d);
  const std::int64_t extent = chance(85) ? one_of(divisors) : number(1, size + 2);
  if (chance(50)) return Layout(IntTuple(extent), IntTuple(1));
  if (chance(60)) return Layout(IntTuple(extent), IntTuple(one_of(divisors)));
  const Layout l = compact_layout(2, 16);
  return chance(50) ? l : Layout(l.shape(), unflatten(compact_strides(flat_values(l.shape()), 50), l.shape()));
}

Tiler Draw::tiler(const Layout& l, bool with_underscores) {
  std::vector<Tiler> modes;
  const auto count = number(1, static_cast<std::int64_t>(rank(l)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const Layout part = mode(l, i);
    if (with_underscores && chance(10)) modes.push_back(Tiler::underscore());
    else if (rank(part) > 1 && chance(20)) modes.push_back(tiler(part, with_underscores));
    else modes.emplace_back(tile(size(part)));
  }
  return modes;
}

}  // namespace swz

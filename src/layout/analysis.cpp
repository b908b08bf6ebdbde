// SPDX-License-Identifier: Apache-2.0
#include "layout/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "layout/algebra.hpp"
#include "layout/layout.hpp"

namespace swz {
namespace {

// Whether l is injective, by its strides: steps that never reach the next larger stride cannot collide, a stride of 0
// always does, and so do more coordinates than offsets. None if the strides do not decide.
std::optional<bool> injective_by_strides(const Layout& l) {
  std::int64_t reach = 0;
  std::optional<bool> decision = true;
  std::vector<FlatMode> modes(l.modes().begin(), l.modes().end());
  for (FlatMode& m : modes) m.stride = m.stride < 0 ? -m.stride : m.stride;
  for (const FlatMode& m : sorted_by_stride(modes)) {
    if (m.extent == 1) continue;
    if (m.stride == 0) return false;
    if (m.stride <= reach) decision = std::nullopt;
    reach += (m.extent - 1) * m.stride;
  }
  return size(l) > reach + 1 ? false : decision;
}

// The smallest offset, if nothing is swizzled.
std::int64_t lowest(const ComposedLayout& l) {
  std::int64_t offset = l.offset();
  for (const FlatMode& m : l.layout().modes()) offset += std::min<std::int64_t>(0, (m.extent - 1) * m.stride);
  return offset;
}

// The number of different offsets, if they are so dense that one bit for each costs less than sorting them.
std::optional<std::int64_t> count_dense(const std::vector<std::int64_t>& offsets, std::int64_t low, std::int64_t high) {
  constexpr std::uint64_t most_bits_each = 64;
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (span / most_bits_each >= offsets.size()) return std::nullopt;
  std::vector<bool> seen(span + 1);
  std::int64_t count = 0;
  for (const std::int64_t offset : offsets) {
    const auto bit = static_cast<std::size_t>(offset - low);
    count += seen[bit] ? 0 : 1;
    seen[bit] = true;
  }
  return count;
}

LayoutAnalysis by_values(const ComposedLayout& l) {
  LayoutAnalysis a;
  a.size = l.size();
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(l.size()));
  tabulate(l, offsets);
  const auto [low, high] = std::ranges::minmax(offsets);
  a.cosize = low < 0 ? high - low + 1 : high + 1;
  if (count_dense(offsets, low, high) == l.size()) {
    a.injective = true;
    a.bijective = a.contiguous = l.size() == high - low + 1;
    return a;
  }
  std::vector<std::int64_t> sorted = offsets;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  a.injective = twice == sorted.end();
  if (!*a.injective) {
    const auto first = std::ranges::find(offsets, *twice);
    const auto second = std::ranges::find(first + 1, offsets.end(), *twice);
    a.collision = Collision{first - offsets.begin(), second - offsets.begin(), *twice};
  }
  const auto distinct = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
  a.contiguous = distinct == sorted[static_cast<std::size_t>(distinct) - 1] - sorted.front() + 1;
  a.bijective = *a.injective && *a.contiguous;
  return a;
}

std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
  if (a == false || b == false) return false;
  return a && b ? std::optional(true) : std::nullopt;
}

LayoutAnalysis by_strides(const ComposedLayout& l) {
  const Layout once = filter(l.layout());  // the same offsets without the stride-0 repeats
  const bool distinct = injective_by_strides(once) == true;
  const bool filled = distinct && size(once) == cosize(once);
  LayoutAnalysis a;
  a.size = l.size();
  a.injective = injective_by_strides(l.layout());
  // A swizzle permutes aligned blocks, so it changes nothing for a layout that fills whole blocks.
  const bool whole_blocks = filled && l.offset() == 0 && size(once) % l.element_swizzle().period() == 0;
  if (l.swizzle().is_identity() || whole_blocks) {
    a.cosize = cosize(l.layout()) + (lowest(l) < 0 ? 0 : lowest(l));
    if (distinct) a.contiguous = filled;
  }
  a.bijective = both(a.injective, a.contiguous);
  return a;
}

// The first index at which two plain layouts differ. Coalesced, they are the same or differ from some mode on.
std::optional<std::int64_t> first_difference(const Layout& a, const Layout& b) {
  const std::vector<FlatMode> x = coalesce_modes(a.modes());
  const std::vector<FlatMode> y = coalesce_modes(b.modes());
  std::int64_t index = 1;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (x[i].stride != y[i].stride) return index;
    if (x[i].extent != y[i].extent) {
      // The shorter mode ends here, and its layout continues with another stride or ends altogether.
      const std::int64_t end = index * std::min(x[i].extent, y[i].extent);
      return end < std::min(a.size(), b.size()) ? std::optional(end) : std::nullopt;
    }
    index *= x[i].extent;
  }
  return index < std::min(a.size(), b.size()) ? std::optional(index) : std::nullopt;
}

}  // namespace

LayoutAnalysis analyse(const ComposedLayout& l) {
  const LayoutAnalysis decided = by_strides(l);
  const bool complete = decided.cosize && decided.injective == true && decided.contiguous;
  // The values also find the collision of a layout that is not injective.
  return complete || l.size() > limits::known_values.most ? decided : by_values(l);
}

LayoutDifference difference(const ComposedLayout& a, const ComposedLayout& b) {
  LayoutDifference d;
  d.same_size = a.size() == b.size();
  const bool same_swizzle = a.element_swizzle() == b.element_swizzle() ||
                            (a.element_swizzle().is_identity() && b.element_swizzle().is_identity());
  if (same_swizzle && a.offset() == b.offset()) {
    // Offsets differ before the swizzle exactly when they differ after it.
    d.index = first_difference(a.layout(), b.layout());
  } else {
    const std::int64_t common = std::min(a.size(), b.size());
    const auto modes = static_cast<std::int64_t>(a.layout().modes().size() + b.layout().modes().size());
    const std::int64_t most = std::min(limits::known_values.most, limits::composed_steps.most * 4 / modes);
    std::int64_t i = 0;
    while (i < std::min(common, most) && a(i) == b(i)) ++i;
    if (i < common && i == most)
      throw Error(fmt::format("cannot tell whether the two are the same: the first {} of {} values are, and no "
                              "more are tried one by one",
                              most, common),
                  "compare a part of them");
    if (i < common) d.index = i;
  }
  d.same = d.same_size && !d.index;
  if (d.index) {
    d.a = a(*d.index);
    d.b = b(*d.index);
  }
  return d;
}

}  // namespace swz

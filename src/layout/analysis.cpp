#include "layout/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "layout/algebra.hpp"
#include "layout/modes.hpp"

namespace swz {
namespace {

enum class Decision { no, yes, unknown };

// By strides: steps that never reach the next larger stride cannot collide, a stride of 0 always does, and so do
// more coordinates than offsets.
Decision injective_by_strides(const Layout& l) {
  std::int64_t reach = 0;
  Decision decision = Decision::yes;
  std::vector<FlatMode> modes(l.modes().begin(), l.modes().end());
  for (FlatMode& m : modes) m.stride = m.stride < 0 ? -m.stride : m.stride;
  for (const FlatMode& m : sorted_by_stride(modes)) {
    if (m.extent == 1) continue;
    if (m.stride == 0) return Decision::no;
    if (m.stride <= reach) decision = Decision::unknown;
    reach += (m.extent - 1) * m.stride;
  }
  return size(l) > reach + 1 ? Decision::no : decision;
}

LayoutAnalysis by_values(const ComposedLayout& l) {
  LayoutAnalysis a;
  a.size = l.size();
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(l.size()));
  tabulate(l, offsets);
  std::vector<std::int64_t> sorted = offsets;
  std::ranges::sort(sorted);
  a.cosize = sorted.front() < 0 ? sorted.back() - sorted.front() + 1 : sorted.back() + 1;
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
  const bool distinct = injective_by_strides(once) == Decision::yes;
  const bool filled = distinct && size(once) == cosize(once);
  const Decision injective = injective_by_strides(l.layout());
  LayoutAnalysis a;
  a.size = l.size();
  if (injective != Decision::unknown) a.injective = injective == Decision::yes;
  // A swizzle permutes aligned blocks, so it changes nothing more for a layout that fills whole blocks.
  const bool whole_blocks = filled && l.offset() == 0 && size(once) % l.element_swizzle().period() == 0;
  if (l.swizzle().is_identity() || whole_blocks) {
    a.cosize = l.offset() + cosize(l.layout());
    if (distinct) a.contiguous = filled;
  }
  a.bijective = both(a.injective, a.contiguous);
  return a;
}

// Two plain layouts: coalesced, they are the same or part at the first mode that differs.
std::optional<std::int64_t> first_difference(const Layout& a, const Layout& b) {
  const std::vector<FlatMode> x = coalesce_modes(a.modes());
  const std::vector<FlatMode> y = coalesce_modes(b.modes());
  std::int64_t index = 1;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (x[i].stride != y[i].stride) return index;
    if (x[i].extent != y[i].extent) {
      // The shorter mode ends here and its layout goes on with another stride, or ends altogether.
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
  return complete || l.size() > value_limit ? decided : by_values(l);
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
    std::int64_t i = 0;
    while (i < std::min(common, value_limit) && a(i) == b(i)) ++i;
    if (i < common && i == value_limit)
      throw Error(
          fmt::format("cannot tell whether the two are the same: the first {} of {} values are, and no more are "
                      "tried one by one",
                      value_limit, common),
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

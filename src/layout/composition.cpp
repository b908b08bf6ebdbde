// SPDX-License-Identifier: Apache-2.0
// composition(a, b): the one operation of the algebra whose result may not exist.
//
// For each leaf extent:stride of b, the indices 0, stride, 2*stride, … are read as digits in the mixed radix of a's
// shape. If the stride divides the radix (or the radix the stride) digit by digit, those digits are strided again, and
// the leaf of b becomes one mode per digit of a. The sum over b's leaves then composes by itself, provided that no
// digit overflows into the next one. Both conditions are checked here. If one of them fails, the values decide:
//
//   (4,6,8):(2,3,5) o 6:3      values 0,6,7,8,9,15: no layout has them
//   (6,2):(1,7) o (3,2):(2,3)  digit 0 reaches 2*2 + 1*3 = 7 > 5: values 0,2,4,3,5,8, no layout
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "layout/algebra.hpp"
#include "layout/layout.hpp"

namespace swz {
namespace {

// Sends one leaf of b through the digits of `radix`, which is the coalesced a whose last mode has no end. `reach[i]`
// collects the highest digit i over all leaves. Returns false if a digit is not strided.
bool compose_leaf(const std::vector<FlatMode>& radix, FlatMode leaf, std::vector<std::int64_t>& reach,
                  std::vector<FlatMode>& out) {
  std::int64_t extent = leaf.extent;
  std::int64_t stride = leaf.stride;
  const auto emit = [&](std::size_t digit, std::int64_t count) {
    reach[digit] = checked_add(reach[digit], checked_mul(count - 1, stride));
    out.push_back({count, checked_mul(stride, radix[digit].stride)});
    extent /= count;
  };
  for (std::size_t i = 0; i + 1 < radix.size(); ++i) {
    const std::int64_t digits = radix[i].extent;
    const std::int64_t steps = std::min(ceil_div(digits, stride), extent);
    if (stride < digits && extent > 1 && steps > 1) {
      if (extent % steps != 0) return false;
      const bool spills = extent > steps;
      emit(i, steps);
      if (spills && digits % stride != 0) return false;
    } else if (extent > 1 && stride % digits != 0) {
      return false;
    }
    stride = ceil_div(stride, digits);
  }
  if (extent > 1 || out.empty()) emit(radix.size() - 1, extent);
  return true;
}

// Shape and stride of a layout, before a Layout checks them.
struct Modes {
  IntTuple shape, stride;
};

// Replaces each leaf of shape:stride by f(leaf), in the nesting of shape. None if f returns none for a leaf.
template <class F>
std::optional<Modes> each_leaf(const IntTuple& shape, const IntTuple& stride, F& f) {
  if (!shape.is_tuple()) return f(FlatMode{shape.value(), stride.value()});
  std::vector<IntTuple> shapes, strides;
  for (std::size_t i = 0; i < rank(shape); ++i) {
    std::optional<Modes> modes = each_leaf(mode(shape, i), mode(stride, i), f);
    if (!modes) return std::nullopt;
    shapes.push_back(std::move(modes->shape));
    strides.push_back(std::move(modes->stride));
  }
  return Modes{std::move(shapes), std::move(strides)};
}

Modes modes_of(const std::vector<FlatMode>& flat) {
  const Layout l(flat);
  return {l.shape(), l.stride()};
}

struct Composer {
  std::vector<FlatMode> radix;
  std::vector<std::int64_t> reach = std::vector<std::int64_t>(radix.size(), 0);

  // The modes that replace a leaf of b, or none if the digits do not divide.
  std::optional<Modes> operator()(FlatMode leaf) {
    if (leaf.stride == 0 || radix.size() == 1)  // a constant, or a linear a
      return Modes{leaf.extent, checked_mul(leaf.stride, radix[0].stride)};
    std::vector<FlatMode> modes;
    if (!compose_leaf(radix, leaf, reach, modes)) return std::nullopt;
    return modes_of(modes);
  }

  bool has_carry() const {
    for (std::size_t i = 0; i + 1 < radix.size(); ++i)
      if (reach[i] >= radix[i].extent) return true;
    return false;
  }
};

std::string first_values(const Layout& a, const Layout& b) {
  constexpr std::int64_t shown = 16;
  std::string text;
  for (std::int64_t i = 0; i < std::min(b.size(), shown); ++i) text += fmt::format("{}{}", i > 0 ? "," : "", a(b(i)));
  return b.size() > shown ? text + ",…" : text;
}

[[noreturn]] void refuse(const Layout& a, const Layout& b, const std::string& why) {
  throw Error(
      fmt::format("{} o {} is not a layout: {} (values {})", to_string(a), to_string(b), why, first_values(a, b)),
      "choose a right-hand side whose strides and extents divide the extents of the left-hand side");
}

// The coalesced layout with these values, if there is one: the second value fixes the first stride, the end of that run
// fixes its extent, and so on.
std::optional<std::vector<FlatMode>> modes_of_values(std::vector<std::int64_t> values) {
  std::vector<FlatMode> modes;
  while (values.size() > 1) {
    const std::int64_t stride = values[1] - values[0];
    std::size_t run = 2;
    while (run < values.size() && values[run] - values[run - 1] == stride) ++run;
    if (values.size() % run != 0) return std::nullopt;
    std::vector<std::int64_t> starts;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % run == 0) starts.push_back(values[i]);
      if (values[i] != starts.back() + static_cast<std::int64_t>(i % run) * stride) return std::nullopt;
    }
    modes.push_back({static_cast<std::int64_t>(run), stride});
    values = std::move(starts);
  }
  return modes;
}

// The slow way: each leaf from its values, then a check of every coordinate.
Layout composition_of_values(const Layout& a, const Layout& b) {
  const auto modes = static_cast<std::int64_t>(a.modes().size() + b.modes().size());
  if (const std::int64_t most = limits::composed_steps.most / modes; b.size() > most)
    throw Error(fmt::format("cannot tell whether {} o {} is a layout: its strides do not divide, and {} values are "
                            "more than the {} that are tried one by one",
                            to_string(a), to_string(b), b.size(), most),
                "split the right-hand side into smaller modes");
  require_reach(a, cosize(b) - 1);
  const auto leaf = [&](FlatMode m) -> std::optional<Modes> {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < m.extent; ++i) values.push_back(a(i * m.stride));
    const auto found = modes_of_values(values);
    if (!found) refuse(a, b, fmt::format("the values along {}:{} have no strides", m.extent, m.stride));
    return modes_of(*found);
  };
  const std::optional<Modes> found = each_leaf(b.shape(), b.stride(), leaf);
  Layout candidate(found->shape, found->stride);
  for (std::int64_t i = 0; i < b.size(); ++i)
    if (candidate(i) != a(b(i)))
      refuse(a, b, fmt::format("the modes of the right-hand side carry into each other at index {}", i));
  return candidate;
}

}  // namespace

Layout composition(const Layout& a, const Layout& b) {
  std::vector<FlatMode> radix = coalesce_endless(a.modes());
  const bool negative = std::ranges::any_of(b.modes(), [](FlatMode m) { return m.stride < 0 && m.extent > 1; });
  if (negative && radix.size() > 1)
    throw Error(fmt::format("{} o {} reads negative indices", to_string(a), to_string(b)),
                "the right-hand side must have non-negative strides");
  Composer composer{std::move(radix)};
  const std::optional<Modes> modes = each_leaf(b.shape(), b.stride(), composer);
  return modes && !composer.has_carry() ? Layout(modes->shape, modes->stride) : composition_of_values(a, b);
}

Layout composition(const Layout& a, const Tiler& b) {
  if (b.is_underscore()) return a;
  if (b.is_layout()) return composition(a, b.layout());
  if (b.modes().size() > rank(a))
    throw Error(fmt::format("the tiler {} has more modes than {}", to_string(b), to_string(a)),
                fmt::format("give at most {}", rank(a)));
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < b.modes().size(); ++i) modes.push_back(composition(mode(a, i), b.modes()[i]));
  return make_layout(modes);
}

}  // namespace swz

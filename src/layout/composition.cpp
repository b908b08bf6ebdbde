// composition(a, b): the one operation of the algebra that can fail to have an answer.
//
// Per leaf extent:stride of b, the indices 0, stride, 2*stride, … are read as digits in the mixed radix of a's
// shape. When a stride divides the radix (or the radix the stride) digit by digit, those digits are again strided,
// and the leaf of b becomes one mode per digit of a. The sum over b's leaves then composes by itself, provided that
// no digit overflows into the next one. Both conditions are checked here; where one fails the values decide:
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
#include "layout/modes.hpp"

namespace swz {
namespace {

// One leaf of b through the digits of `radix`, the coalesced a whose last mode has no end. `reach[i]` collects the
// highest digit i over all leaves. Returns false when a digit is not strided.
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

IntTuple tuple_or_int(const std::vector<FlatMode>& modes, std::int64_t FlatMode::*field) {
  if (modes.size() == 1) return modes[0].*field;
  std::vector<IntTuple> children;
  for (const FlatMode& m : modes) children.emplace_back(m.*field);
  return children;
}

struct Composer {
  std::vector<FlatMode> radix;
  std::vector<std::int64_t> reach = std::vector<std::int64_t>(radix.size(), 0);

  // The shape and stride that the leaf or tuple of b becomes; false when the digits do not divide.
  bool compose(const IntTuple& shape, const IntTuple& stride, IntTuple& out_shape, IntTuple& out_stride) {
    if (shape.is_tuple()) {
      std::vector<IntTuple> shapes(rank(shape));
      std::vector<IntTuple> strides(rank(shape));
      for (std::size_t i = 0; i < rank(shape); ++i)
        if (!compose(mode(shape, i), mode(stride, i), shapes[i], strides[i])) return false;
      out_shape = std::move(shapes);
      out_stride = std::move(strides);
      return true;
    }
    if (stride.value() == 0 || radix.size() == 1) {  // a constant, or a linear a
      out_shape = shape;
      out_stride = checked_mul(stride.value(), radix[0].stride);
      return true;
    }
    std::vector<FlatMode> modes;
    if (!compose_leaf(radix, {shape.value(), stride.value()}, reach, modes)) return false;
    out_shape = tuple_or_int(modes, &FlatMode::extent);
    out_stride = tuple_or_int(modes, &FlatMode::stride);
    return true;
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
  for (std::int64_t i = 0; i < std::min(b.size(), shown); ++i)
    text += fmt::format("{}{}", i > 0 ? "," : "", a(b(i)));
  return b.size() > shown ? text + ",…" : text;
}

[[noreturn]] void refuse(const Layout& a, const Layout& b, const std::string& why) {
  throw Error(
      fmt::format("{} o {} is not a layout: {} (values {})", to_string(a), to_string(b), why, first_values(a, b)),
      "choose a right-hand side whose strides and extents divide the extents of the left-hand side");
}

// The coalesced layout with these values, if there is one: the first stride is forced by the second value, its
// extent by where the run ends, and so on.
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

// The slow path: leaf by leaf from the values, then every coordinate.
struct ByValues {
  const Layout& a;
  const Layout& b;

  void leaf(const IntTuple& shape, const IntTuple& stride, IntTuple& out_shape, IntTuple& out_stride) const {
    if (shape.is_tuple()) {
      std::vector<IntTuple> shapes(rank(shape));
      std::vector<IntTuple> strides(rank(shape));
      for (std::size_t i = 0; i < rank(shape); ++i) leaf(mode(shape, i), mode(stride, i), shapes[i], strides[i]);
      out_shape = std::move(shapes);
      out_stride = std::move(strides);
      return;
    }
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < shape.value(); ++i) values.push_back(a(i * stride.value()));
    const auto modes = modes_of_values(values);
    if (!modes) refuse(a, b, fmt::format("the values along {}:{} have no strides", shape.value(), stride.value()));
    const Layout l{std::span<const FlatMode>(*modes)};
    out_shape = l.shape();
    out_stride = l.stride();
  }

  Layout result() const {
    const auto modes = static_cast<std::int64_t>(a.modes().size() + b.modes().size());
    if (const std::int64_t most = limits::composed_steps.most / modes; b.size() > most)
      throw Error(
          fmt::format("cannot tell whether {} o {} is a layout: its strides do not divide, and {} values are "
                      "more than the {} that are tried one by one",
                      to_string(a), to_string(b), b.size(), most),
          "split the right-hand side into smaller modes");
    require_reach(a, cosize(b) - 1);
    IntTuple shape;
    IntTuple stride;
    leaf(b.shape(), b.stride(), shape, stride);
    const Layout candidate(shape, stride);
    for (std::int64_t i = 0; i < b.size(); ++i)
      if (candidate(i) != a(b(i)))
        refuse(a, b, fmt::format("the modes of the right-hand side carry into each other at index {}", i));
    return candidate;
  }
};

}  // namespace

Layout composition(const Layout& a, const Layout& b) {
  std::vector<FlatMode> radix = coalesce_endless(a.modes());
  const bool negative = std::ranges::any_of(b.modes(), [](FlatMode m) { return m.stride < 0 && m.extent > 1; });
  if (negative && radix.size() > 1)
    throw Error(fmt::format("{} o {} reads negative indices", to_string(a), to_string(b)),
                "the right-hand side must have non-negative strides");
  Composer composer{std::move(radix)};
  IntTuple shape;
  IntTuple stride;
  if (composer.compose(b.shape(), b.stride(), shape, stride) && !composer.has_carry())
    return Layout(std::move(shape), std::move(stride));
  return ByValues{a, b}.result();
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

// SPDX-License-Identifier: Apache-2.0
// The inverses, step by step: the modes in the order of their strides, each with the index that one of its steps has.
//
//   right_inverse((8,4):(4,1))  sort by stride   4:1, a step is index 8; 8:4, a step is index 1
//                               take             offsets [0, 4) are 4:8, offsets [0, 32) are (4,8):(8,1)
//   left_inverse((4,2):(1,8))   sort by stride   4:1, a step is index 1; 2:8, a step is index 4
//                               next mode        8 offsets make a step of 2:8: (8,2):(1,4)
//
// Before a swizzle: (Sw o L)^-1 = L^-1 o Sw, because a swizzle is its own inverse; then it is taken through L^-1.
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "layout/step_texts.hpp"
#include "layout/steps.hpp"
#include "layout/swizzled_algebra.hpp"

namespace swz {
namespace {

using InverseFunction = Layout (*)(const Layout&);

// A coalesced mode and the linear index at which its coordinate is 1.
struct PlacedMode {
  FlatMode mode;
  std::int64_t index = 1;
};

std::vector<PlacedMode> placed_by_stride(LayoutSteps& steps, const std::string& operation, const Layout& l) {
  const std::vector<FlatMode> modes = coalesce_modes(l.modes());
  const Layout merged(modes);
  if (!(merged == l))
    steps.append({operation, "coalesce", "the fewest modes with the same values", merged,
                  [l](const ComposedLayout& r, std::int64_t i) { return r(i) == l(i); }});
  std::vector<PlacedMode> placed;
  std::int64_t index = 1;
  for (const FlatMode& m : modes) {
    placed.push_back({m, index});
    index = checked_mul(index, m.extent);
  }
  std::ranges::stable_sort(placed, {}, [](const PlacedMode& p) { return p.mode.stride; });
  std::string text;
  std::vector<FlatMode> sorted;
  for (const PlacedMode& p : placed) {
    text += fmt::format("{}{} is at index {}", text.empty() ? "" : ", of ", mode_text(p.mode), p.index);
    sorted.push_back(p.mode);
  }
  steps.append(
      {operation, "sort by stride", text.empty() ? "nothing has a stride" : "coordinate 1 of " + text, Layout(sorted)});
  return placed;
}

}  // namespace

Layout right_inverse_steps(LayoutSteps& steps, const Layout& l) {
  const std::string operation = fmt::format("right_inverse({})", to_string(l));
  std::vector<FlatMode> taken;
  std::int64_t reached = 1;
  for (const auto& [m, index] : placed_by_stride(steps, operation, l)) {
    if (m.stride != reached) {
      steps.append({operation, "skip",
                    fmt::format("{}: the offset that is wanted next is {}, not {}", mode_text(m), reached, m.stride),
                    Layout(taken)});
      continue;
    }
    taken.push_back({m.extent, index});
    reached = checked_mul(m.extent, m.stride);
    steps.append({operation, "take",
                  fmt::format("{} goes on at offset {}: {} steps of index {}; offsets [0, {}) are reached",
                              mode_text(m), m.stride, m.extent, index, reached),
                  Layout(taken), [l](const ComposedLayout& r, std::int64_t i) { return l(r(i)) == i; }});
  }
  if (taken.empty()) {
    steps.append({operation, "nothing", "no mode has stride 1: offset 0 alone has an index", Layout()});
    return Layout();
  }
  return coalesced_steps(steps, operation, taken);
}

Layout left_inverse_steps(LayoutSteps& steps, const Layout& l) {
  const std::string operation = fmt::format("left_inverse({})", to_string(l));
  const auto answer = [&] { return left_inverse(l); };
  if (std::ranges::any_of(l.modes(), [](FlatMode m) { return m.stride < 0 && m.extent > 1; }))
    return steps.answer_or_refusal(operation, answer);
  std::vector<FlatMode> result, offsets, indices;  // the modes so far: the result, and their offsets and indices in l
  std::int64_t step = 1, open_index = 0, end = 1, extent = 1;
  for (const auto& [m, index] : placed_by_stride(steps, operation, l)) {
    if (m.stride == 0 || m.stride % step != 0 || m.stride < end) return steps.answer_or_refusal(operation, answer);
    const std::int64_t count = m.stride / step, before = step;
    result.push_back({count, open_index});
    step = m.stride;
    open_index = index;
    extent = m.extent;
    end = checked_mul(m.stride, m.extent);
    offsets.push_back(m);
    indices.push_back({m.extent, index});
    std::vector<FlatMode> shown = result;
    shown.push_back(indices.back());
    steps.append({operation, "next mode",
                  count == 1 ? fmt::format("{}: a step of {} is index {}", mode_text(m), m.stride, index)
                             : fmt::format("{}: {} / {} = {} steps of {} make one of {}, and that is index {}",
                                           mode_text(m), m.stride, before, count, before, m.stride, index),
                  Layout(shown), [at = Layout(offsets), is = Layout(indices)](const ComposedLayout& r, std::int64_t i) {
                    return i >= at.size() || r(at(i)) == is(i);
                  }});
  }
  result.push_back({extent, open_index});
  return coalesced_steps(steps, operation, result);
}

namespace {

ComposedLayout swizzled_inverse_steps(LayoutSteps& steps, const ComposedLayout& of, bool right) {
  const std::string operation = fmt::format("{}({})", right ? "right_inverse" : "left_inverse", to_string(of));
  const InverseFunction function = right ? InverseFunction(right_inverse) : InverseFunction(left_inverse);
  const auto answer = [&] { return inverse(of, function, right); };
  const ComposedLayout plain = of.plain(), l = without_idle_swizzle(plain);
  if (of.has_pointer() && !plain.swizzle().is_identity())
    steps.append({operation, "count elements",
                  fmt::format("{} on byte addresses is {} on elements of {} bits", to_string(of.swizzle()),
                              to_string(plain.swizzle()), of.element_bits()),
                  plain, [of](const ComposedLayout& r, std::int64_t i) { return r(i) == of(i); }});
  if (!(l == plain))
    steps.append({operation, "leave the swizzle out",
                  fmt::format("no offset has any of {}, which {} reads", bit_range(plain.swizzle().read_mask()),
                              to_string(plain.swizzle())),
                  l, [of](const ComposedLayout& r, std::int64_t i) { return r(i) == of(i); }});
  if (l.offset() != 0) return steps.answer_or_refusal(operation, answer);
  const Layout inverted = right ? right_inverse_steps(steps, l.layout()) : left_inverse_steps(steps, l.layout());
  if (l.swizzle().is_identity()) return inverted;
  const ComposedLayout swizzled(l.swizzle(), 0, Layout(IntTuple(size(inverted))));
  steps.append(
      {operation, "the swizzle first",
       fmt::format("it undoes itself: the inverse is {} after {}", to_string(inverted), to_string(l.swizzle())),
       swizzled});
  bits_through_steps(steps, operation, inverted, l.swizzle());
  ComposedLayout result = steps.answer_or_refusal(operation, answer);
  steps.append({operation, "together",
                right ? "tried at every offset: L is there at the index that this gives"
                      : "tried at every index: it gives back where L came from",
                result, [l, right](const ComposedLayout& r, std::int64_t i) {
                  if (right) return l(r(i)) == i;
                  return i >= l.size() || r(l(i)) == i;
                }});
  return result;
}

}  // namespace

ComposedLayout right_inverse_steps(LayoutSteps& steps, const ComposedLayout& l) {
  return l.is_layout() ? right_inverse_steps(steps, l.layout()) : swizzled_inverse_steps(steps, l, true);
}

ComposedLayout left_inverse_steps(LayoutSteps& steps, const ComposedLayout& l) {
  return l.is_layout() ? left_inverse_steps(steps, l.layout()) : swizzled_inverse_steps(steps, l, false);
}

}  // namespace swz

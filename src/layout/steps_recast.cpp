// SPDX-License-Identifier: Apache-2.0
// Recast, step by step: leaf by leaf, then the swizzle.
//
//   upcast((8,64):(64,1), 8)     divide a mode   8:64 becomes 8:8: a step is 64 / 8 units
//                                divide a mode   64:1 becomes 8:1: 8 / 1 of its elements are a unit
//   upcast((8,64):(65,1), 8)     divide a mode   8:65: 65 is not a multiple of 8 and does not divide it, refused
#include <fmt/format.h>

#include <numeric>

#include "base/checked.hpp"
#include "layout/step_texts.hpp"
#include "layout/steps.hpp"

namespace swz {
namespace {

// Appends one step per leaf, until a leaf does not divide.
void upcast_leaves(LayoutSteps& steps, const std::string& operation, const Layout& l, std::int64_t n) {
  for (const FlatMode& m : l.modes()) {
    const std::int64_t stride = checked_abs(m.stride);
    if (stride != 0 && stride % n != 0 && n % stride != 0) {
      steps.append({operation, "divide a mode",
                    fmt::format("{}: {} is not a multiple of {} and does not divide it", mode_text(m), m.stride, n)});
      return;
    }
    const Layout leaf = upcast(Layout(IntTuple(m.extent), IntTuple(m.stride)), n);
    std::string why;
    if (stride == 0) why = "stride 0 stays";
    else if (stride % n == 0) why = fmt::format("a step is {} / {} units", m.stride, n);
    else why = fmt::format("{} / {} = {} of its elements are a unit", n, stride, n / stride);
    steps.append(
        {operation, "divide a mode", fmt::format("{} becomes {}: {}", mode_text(m), to_string(leaf), why), leaf});
  }
}

void downcast_leaves(LayoutSteps& steps, const std::string& operation, const Layout& l, const Layout& result,
                     std::int64_t n) {
  for (std::size_t i = 0; i < l.modes().size(); ++i) {
    const FlatMode m = l.modes()[i], to = result.modes()[i];
    steps.append({operation, "multiply a mode",
                  fmt::format("{} becomes {}: {}", mode_text(m), mode_text(to),
                              to.extent != m.extent ? fmt::format("its neighbours touch: {} * {} parts", m.extent, n)
                                                    : fmt::format("a step is {} * {} parts", m.stride, n)),
                  Layout(IntTuple(to.extent), IntTuple(to.stride))});
  }
}

ComposedLayout swizzle_and_all(LayoutSteps& steps, const std::string& operation, const ComposedLayout& l,
                               const ComposedLayout& result, const std::string& message) {
  if (l.swizzle() != result.swizzle())
    steps.append({operation, "swizzle in the new unit",
                  fmt::format("{}; counted in the new unit {}", moved_bits(l.swizzle()), moved_bits(result.swizzle())),
                  result.swizzle()});
  else if (l.has_pointer() && !l.swizzle().is_identity())
    steps.append({operation, "swizzle stays", fmt::format("{} counts bytes", to_string(l.swizzle())), l.swizzle()});
  steps.append({operation, "together", message, result});
  return result;
}

}  // namespace

ComposedLayout upcast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t n) {
  const std::string operation = fmt::format("upcast({}, {})", to_string(l), n);
  if (n > 1) upcast_leaves(steps, operation, l.layout(), n);
  const ComposedLayout result = steps.answer_or_refusal(operation, [&] { return upcast(l, n); });
  return swizzle_and_all(steps, operation, l, result,
                         n == 1 ? "nothing changes" : fmt::format("{} elements are one", n));
}

ComposedLayout downcast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t n) {
  const std::string operation = fmt::format("downcast({}, {})", to_string(l), n);
  const ComposedLayout result = steps.answer_or_refusal(operation, [&] { return downcast(l, n); });
  if (n > 1) downcast_leaves(steps, operation, l.layout(), result.layout(), n);
  return swizzle_and_all(steps, operation, l, result, n == 1 ? "nothing changes" : fmt::format("one element is {}", n));
}

ComposedLayout recast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t from_bits, std::int64_t to_bits) {
  const std::string operation = fmt::format("recast({}, {}, {})", to_string(l), from_bits, to_bits);
  if (from_bits < 1 || to_bits < 1 || (l.has_pointer() && l.element_bits() != from_bits))  // throws
    return steps.answer_or_refusal(operation, [&] { return recast(l, from_bits, to_bits); });
  const std::int64_t common = std::gcd(from_bits, to_bits), up = to_bits / common, down = from_bits / common;
  if (up == 1 && down == 1) {
    steps.append({operation, "same width", fmt::format("both have {} bits", from_bits), l});
    return l;
  }
  steps.append({operation, "ratio of the widths",
                fmt::format("{} / {} bits = {} / {}{}", to_bits, from_bits, up, down,
                            up > 1 && down > 1 ? fmt::format(": {} elements become one, which becomes {}", up, down)
                            : up > 1           ? fmt::format(": {} elements become one", up)
                                               : fmt::format(": one element becomes {}", down))});
  const ComposedLayout wide = up == 1 ? l : upcast_steps(steps, l, up);
  return down == 1 ? wide : downcast_steps(steps, wide, down);
}

}  // namespace swz

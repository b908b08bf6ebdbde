// SPDX-License-Identifier: Apache-2.0
// Composition of values, including swizzles, offsets and coordinates. See evaluate.hpp.
//
//   Sw<3,4,3> o Sw<2,4,3>                           Sw<1,6,3>
//   (8,64):(64,1) o (4,8):(2@0,1@1)                 (4,8):(128,1)
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "layout/swizzled_algebra.hpp"

namespace swz {
namespace {

Value compose_layouts(const ComposedLayout& a, const Value& right) {
  if (const auto* b = std::get_if<BasisLayout>(&right)) return a.with(composition(a.layout(), *b));
  if (const auto* b = std::get_if<ComposedLayout>(&right); b && !b->is_layout()) {
    if (const ComposedLayout idle = without_idle_swizzle(*b); idle.is_layout())
      return a.with(composition(a.layout(), idle.layout()));
    if (!a.is_layout())
      throw Error(fmt::format("two swizzled layouts in a row: {} o {}", to_string(a), to_string(*b)),
                  "only one of them may be swizzled");
    return composition(a.layout(), b->plain());
  }
  if (const auto* s = std::get_if<Swizzle>(&right))
    return compose_layouts(a, ComposedLayout(*s, 0, Layout(IntTuple(std::max(s->period(), a.size())))));
  return a.with(composition(a.layout(), as_tiler(right)));
}

}  // namespace

Value compose(const Value& left, const Value& right) {
  if (const auto* s = std::get_if<Swizzle>(&left)) {
    if (const auto* t = std::get_if<Swizzle>(&right)) return swizzle_product(*s, *t);
    const ComposedLayout l = as_composed(right);
    const Swizzle both = l.swizzle().is_identity() ? *s : swizzle_product(*s, l.swizzle());
    if (l.has_pointer()) return ComposedLayout::smem_ptr(both, l.element_bits(), l.layout());
    return ComposedLayout(both, l.offset(), l.layout());
  }
  if (const auto* b = std::get_if<BasisLayout>(&left)) {
    const Tiler tiler = as_tiler(right);
    const PackedBasis packed(*b, cosize(tiler));
    const Layout result = composition(packed.layout(), tiler);
    return layout_of(result.shape(), packed.stride_of(result));
  }
  if (std::holds_alternative<IntTuple>(left) && std::holds_alternative<BasisLayout>(right))
    return right;  // (0,0) o (4,8):(1@0,1@1), as a tensor of coordinates prints: the parser reports where it starts
  if (const auto* t = std::get_if<IntTuple>(&left); t && t->is_int()) {
    const ComposedLayout l = as_composed(right);
    if (!l.is_layout())
      throw Error(fmt::format("the offset {} comes before {}", t->value(), to_string(l)),
                  "an offset belongs between a swizzle and a layout: Sw<3,3,3> o 0 o L");
    return ComposedLayout(Swizzle(), t->value(), l.layout());
  }
  if (std::holds_alternative<Tiler>(left))
    throw Error(fmt::format("{} cannot be composed", describe(left)), "a tiler goes on the right: L o <4:1,8:2>");
  return compose_layouts(as_composed(left), right);
}

}  // namespace swz

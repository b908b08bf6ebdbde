// SPDX-License-Identifier: Apache-2.0
// Swizzles, step by step: the bits that they move, one coordinate worked through, two swizzles in a row.
//
//   Sw<3,3,3> o 0 o (8,64):(64,1)           bits that move    bits 6-8 into bits 3-5
//                                           one coordinate    (1,8) is at 72: 72 ^ 8 = 64
//   composition(Sw<3,4,3>, Sw<2,4,3>)       what both move cancels: Sw<1,6,3>
//   (64,8):(8,1) o Sw<2,0,3> o 0 o (8,8)    A takes bits 3-4 to bits 6-7, and bits 0-1 to bits 3-4: Sw<2,3,3> after A
#include <fmt/format.h>

#include <algorithm>

#include "base/limits.hpp"
#include "layout/step_texts.hpp"
#include "layout/steps.hpp"
#include "layout/swizzled_algebra.hpp"

namespace swz {

void swizzled_layout_steps(LayoutSteps& steps, const ComposedLayout& l) {
  const std::string operation = to_string(l);
  const ComposedLayout p = l.plain();
  const Swizzle& s = p.swizzle();
  steps.append({operation, "the layout alone", "offsets before the swizzle", ComposedLayout(p.layout())});
  if (p.offset() != 0)
    steps.append({operation, "the offset", fmt::format("{} is added to every offset", p.offset()),
                  ComposedLayout(Swizzle(), p.offset(), p.layout())});
  if (l.has_pointer())
    steps.append({operation, "unit of the swizzle",
                  fmt::format("{} on byte addresses; on elements of {} bits {}", moved_bits(l.swizzle()),
                              l.element_bits(), to_string(s)),
                  s});
  else steps.append({operation, "bits that move", moved_bits(s), s});
  const auto is_swizzled = [p](const ComposedLayout& r, std::int64_t i) {
    return r(i) == p.swizzle()(p.offset() + p.layout()(i));
  };
  if (l.size() > limits::known_values.most) {
    steps.append({operation, "swizzled", "the swizzle after the layout", l, is_swizzled});
    return;
  }
  const auto offset = [&](std::int64_t i) { return p.offset() + p.layout()(i); };
  std::int64_t index = 0;
  while (index < p.size() && (offset(index) & s.read_mask()) == 0) ++index;
  if (index == p.size()) {
    steps.append({operation, "no coordinate moves", fmt::format("no offset has any of {}", bit_range(s.read_mask())), l,
                  is_swizzled});
    return;
  }
  // A better example is an offset that has a bit set where the swizzle writes.
  for (std::int64_t i = index; i < std::min(p.size(), index + 4096); ++i)
    if ((offset(i) & s.read_mask()) != 0 && (offset(i) & s.written_mask()) != 0) {
      index = i;
      break;
    }
  steps.append({operation, "one coordinate",
                fmt::format("{} is at {}; {}", to_string(idx2crd(index, p.layout().shape())), offset(index),
                            xor_text(s, offset(index))),
                l, is_swizzled});
}

Swizzle swizzle_product_steps(LayoutSteps& steps, const Swizzle& s, const Swizzle& t) {
  const std::string operation = fmt::format("composition({}, {})", to_string(s), to_string(t));
  steps.append({operation, "the right one first", moved_bits(t), t});
  steps.append({operation, "then the left one", moved_bits(s), s});
  const Swizzle both = steps.answer_or_refusal(operation, [&] { return swizzle_product(s, t); });
  steps.append({operation, "bits that move in one of them",
                both.is_identity() ? "what both move is XORed twice and cancels: nothing is left"
                                   : fmt::format("what both move cancels: {} remain{}", bit_range(both.read_mask()),
                                                 both.bits() == 1 ? "s" : ""),
                both});
  return both;
}

void bits_through_steps(LayoutSteps& steps, const std::string& operation, const Layout& a, const Swizzle& s) {
  if (s.is_identity()) return;
  const auto through = steps.answer_or_refusal(operation, [&] { return swizzle_through(a, s); });
  const auto taken = [&](std::int64_t mask) {
    return fmt::format("{} (0x{:x}) to 0x{:x}", bit_range(mask), mask, a(mask));
  };
  const std::string bits =
      fmt::format("{} takes {} and {}: ", to_string(a), taken(s.read_mask()), taken(s.written_mask()));
  if (through) steps.append({operation, "where the bits go", bits + moved_bits(*through), *through});
  else steps.append({operation, "where the bits go", bits + "these are not two runs of bits that stay apart"});
}

ComposedLayout composition_steps(LayoutSteps& steps, const Layout& a, const ComposedLayout& b) {
  const std::string operation = fmt::format("composition({}, {})", to_string(a), to_string(b));
  const auto answer = [&] { return composition(a, b.plain()); };
  if (b.offset() != 0) return steps.answer_or_refusal(operation, answer);
  bits_through_steps(steps, operation, a, b.element_swizzle());
  if (!swizzle_through(a, b.element_swizzle())) return steps.answer_or_refusal(operation, answer);
  composition_steps(steps, a, b.layout());
  const ComposedLayout result = steps.answer_or_refusal(operation, answer);
  steps.append({operation, "together", "the new swizzle after the composition of the layouts; every value is the same",
                result, [a, b](const ComposedLayout& r, std::int64_t i) { return r(i) == a(b(i)); }});
  return result;
}

}  // namespace swz

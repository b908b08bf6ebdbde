// Composition and inverses of values: swizzles, offsets and coordinates among them. See evaluate.hpp.
//
//   Sw<3,4,3> o Sw<2,4,3>                           Sw<1,6,3>
//   (8,64):(64,1) o (4,8):(2@0,1@1)                 (4,8):(128,1)
//   right_inverse(Sw<3,3,3> o 0 o (8,64):(64,1))    Sw<3,3,3> is its own inverse: (64,8):(8,1) after it, as one layout
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

ComposedLayout layout_after_swizzle(const Layout& a, const ComposedLayout& b) {
  // a o Sw o L is Sw' o (a o L) when a sends the swizzled bits to bits; every value decides.
  const auto modes = static_cast<std::int64_t>(a.modes().size() + b.layout().modes().size());
  const Swizzle& s = b.element_swizzle();
  require_reach(a, std::max(s.read_mask(), s.written_mask()));
  const std::int64_t read = a(s.read_mask());
  const std::int64_t written = a(s.written_mask());
  const auto low = [](std::int64_t mask) {
    return mask == 0 ? 0 : __builtin_ctzll(static_cast<unsigned long long>(mask));
  };
  const Error refusal(
      fmt::format("{} o ({}) is neither a layout nor a swizzled layout", to_string(a), to_string(b)),
      "compose with the layout alone, or without the swizzle");
  if (b.offset() != 0 || read < 0 || written < 0 || b.size() > limits::composed_steps.most / modes) throw refusal;
  const int shift = low(read) - low(written);
  if (std::abs(shift) < s.bits()) throw refusal;
  const ComposedLayout candidate(Swizzle(s.bits(), std::min(low(read), low(written)), shift), 0,
                                 composition(a, b.layout()));
  for (std::int64_t i = 0; i < b.size(); ++i)
    if (candidate(i) != a(b(i))) throw refusal;
  return candidate;
}

// A o B where B gives coordinates: A at these.
Value at_coordinates(const ComposedLayout& a, const BasisLayout& b) { return a.with(composition(a.layout(), b)); }

// s o t as one swizzle, or why there is none.
Swizzle swizzle_product(const Swizzle& s, const Swizzle& t) {
  if (const auto both = composition(s, t)) return *both;
  const char* const why = s.shift() != t.shift() ? "their shifts differ"
                          : (s.read_mask() & t.written_mask()) != 0
                              ? "the left one reads bits that the right one writes"
                              : "the bits that they move are not one run";
  throw Error(fmt::format("{} o {} is not a swizzle: {}", to_string(s), to_string(t), why),
              "a Swizzle moves one run of bits by one shift; equal ones cancel");
}

Value compose_layouts(const ComposedLayout& a, const Value& right) {
  if (const auto* b = std::get_if<BasisLayout>(&right)) return at_coordinates(a, *b);
  if (const auto* b = std::get_if<ComposedLayout>(&right); b && !b->is_layout()) {
    if (const ComposedLayout idle = without_idle_swizzle(*b); idle.is_layout())
      return a.with(composition(a.layout(), idle.layout()));
    if (!a.is_layout())
      throw Error(fmt::format("two swizzled layouts in a row: {} o {}", to_string(a), to_string(*b)),
                  "only one of them may be swizzled");
    return layout_after_swizzle(a.layout(), b->plain());
  }
  if (const auto* s = std::get_if<Swizzle>(&right))
    return compose_layouts(a, ComposedLayout(*s, 0, Layout(IntTuple(std::max(s->period(), a.size())))));
  return a.with(composition(a.layout(), as_tiler(right)));
}

}  // namespace

Value inverse(const Value& v, Layout (*f)(const Layout&), bool right) {
  const ComposedLayout l = without_idle_swizzle(as_composed(v).plain());
  const Layout inverted = f(l.layout());
  if (l.swizzle().is_identity() && l.offset() == 0) return ComposedLayout(inverted);
  // (Sw o L)^-1 is L^-1 o Sw, because a swizzle is its own inverse; it must stay inside the domain of L^-1.
  const char* const hint = "invert the layout alone: layout_b(L)";
  if (l.offset() != 0)
    throw Error(fmt::format("the inverse of {} is not a layout: it starts at {}", to_string(l), l.offset()), hint);
  const ComposedLayout result =
      layout_after_swizzle(inverted, ComposedLayout(l.swizzle(), 0, Layout(IntTuple(size(inverted)))));
  const auto modes = static_cast<std::int64_t>(l.layout().modes().size() + inverted.modes().size());
  if (const std::int64_t most = limits::composed_steps.most / modes; l.size() > most)
    throw Error(fmt::format("the inverse of {}: {} coordinates are more than the {} that are tried one by one",
                            to_string(l), l.size(), most),
                hint);
  for (std::int64_t i = 0; i < (right ? result.size() : l.size()); ++i) {
    const std::int64_t offset = right ? i : l(i);
    if (result(offset) >= l.size() || l(result(offset)) != offset)
      throw Error(
          fmt::format("the inverse of {} is not a layout: its swizzle takes offset {} out of what L fills without "
                      "gaps",
                      to_string(l), offset),
          hint);
  }
  return result;
}

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
    return right;  // (0,0) o (4,8):(1@0,1@1), as a tensor of coordinates prints: the parser says where it starts
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

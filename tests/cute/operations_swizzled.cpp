// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "cute_model.hpp"
#include "laws.hpp"
#include "operation.hpp"
#include "source.hpp"

namespace swz {
namespace {

namespace model = cute_model;
using source::call;

// Offsets and layouts in powers of two, so that CuTe can distinguish the swizzled bits.
ComposedLayout plain_swizzled(Draw& draw, bool with_offset) {
  const int bits = static_cast<int>(draw.number(1, 3));
  const int base = static_cast<int>(draw.number(0, 3));
  const int shift = static_cast<int>(draw.number(bits, 4)) * (draw.chance(15) ? -1 : 1);
  const std::int64_t offset = with_offset && draw.chance(40) ? draw.number(0, 300) : 0;
  return ComposedLayout(Swizzle(bits, base, shift), offset, draw.binary_layout(3, 9));
}

// A tile of whole atoms, or of any power of two, of elements of 4 to 64 bits.
ComposedLayout smem_tile(Draw& draw) {
  const int bits = static_cast<int>(draw.one_of<std::int64_t>({4, 8, 16, 16, 32, 64}));
  const Swizzle swizzle(static_cast<int>(draw.number(0, 3)), 4, 3);
  if (draw.chance(30)) return ComposedLayout::smem_ptr(swizzle, bits, draw.binary_layout(3, 9));
  const std::int64_t line = (std::int64_t{128} << swizzle.bits()) / bits;
  const bool k_major = draw.chance(50);
  const IntTuple shape(k_major ? std::vector<IntTuple>{8, line} : std::vector<IntTuple>{line, 8});
  const IntTuple stride(k_major ? std::vector<IntTuple>{line, 1} : std::vector<IntTuple>{1, line});
  return ComposedLayout::smem_ptr(swizzle, bits, Layout(shape, stride));
}

ComposedLayout swizzled(Draw& draw) { return draw.chance(50) ? plain_swizzled(draw, true) : smem_tile(draw); }

std::string text_of(const ComposedLayout& l) { return "(" + to_string(l) + ")"; }

Case values_case(Draw& draw) {
  const ComposedLayout l = swizzled(draw);
  return {to_string(l), source::layout(l)};
}

Case apply_case(Draw& draw) {
  const Swizzle s = plain_swizzled(draw, false).swizzle();
  const std::int64_t x = draw.number(0, 4095);
  return {fmt::format("{}({})", to_string(s), x),
          fmt::format("Swizzle<{},{},{}>{{}}({})", s.bits(), s.base(), s.shift(), source::number(x))};
}

// Swizzle<B,M,S> in units of 2^k as CuTe counts them: bits that fall below the unit are dropped.
Swizzle in_units_of(const Swizzle& s, int log2_unit) {
  const int base = s.base() - log2_unit;
  return base >= 0 ? Swizzle(s.bits(), base, s.shift()) : Swizzle(std::max(s.bits() + base, 0), 0, s.shift());
}

// n elements to one for n > 0, one to -n for n < 0; the answer in plain form.
ComposedLayout cast_model(const ComposedLayout& l, std::int64_t n) {
  const Layout layout = n > 0 ? model::upcast(l.layout(), n) : model::downcast(l.layout(), -n);
  const int log2_n =
      n > 0 ? std::countr_zero(static_cast<std::uint64_t>(n)) : -std::countr_zero(static_cast<std::uint64_t>(-n));
  if (!l.has_pointer()) return ComposedLayout(in_units_of(l.swizzle(), log2_n), 0, layout);
  if (n < 0 && l.element_bits() % -n != 0) throw model::DoesNotCompile{"smem_ptr_flag_bits<0>"};
  const int log2_bytes = std::countr_zero(static_cast<unsigned>(l.element_bits())) - 3;
  return ComposedLayout(in_units_of(l.swizzle(), log2_bytes + log2_n), 0, layout);
}

void set_cast(Case& c, const ComposedLayout& l, std::int64_t n) {
  c.model = [=] { return cast_model(l, n); };
  c.law = [=](const ComposedLayout& r) { return n > 0 ? laws::obeys_upcast(l, n, r) : laws::obeys_downcast(l, -n, r); };
}

Case recast_case(Draw& draw) {
  const ComposedLayout l = smem_tile(draw);
  const int from = l.element_bits();
  const auto to = static_cast<int>(draw.one_of<std::int64_t>({4, 8, 16, 32, 64, 128}));
  Case c{fmt::format("recast({},{},{})", text_of(l), from, to),
         fmt::format("recast_layout<uint_bit_t<{}>,uint_bit_t<{}>>({})", from, to, source::layout(l))};
  if (from != to) set_cast(c, l, to > from ? to / from : -(from / to));
  return c;
}

Case cast_case(Draw& draw, bool up) {
  const ComposedLayout l = draw.chance(50) ? plain_swizzled(draw, false) : smem_tile(draw);
  std::int64_t n = draw.one_of<std::int64_t>({2, 4, 8});
  while (up && l.element_bits() * n > 256) n /= 2;  // CuTe has no wider type
  const char* const name = up ? "upcast" : "downcast";
  Case c{fmt::format("{}({},{})", name, text_of(l), n), fmt::format("{}<{}>({})", name, n, source::layout(l))};
  set_cast(c, l, up ? n : -n);
  return c;
}

Case composition_case(Draw& draw) {
  const ComposedLayout a = swizzled(draw);
  const Layout b = draw.right_hand_side(a.layout());
  return {fmt::format("{} o {}", to_string(a), to_string(b)),
          call("composition", {source::layout(a), source::layout(b)}),
          [=] { return a.with(model::composition(a.layout(), b)); },
          on_layout([=](const Layout& r) { return laws::obeys_composition(a.layout(), b, r); })};
}

Case divide_case(Draw& draw) {
  const ComposedLayout l = swizzled(draw);
  const char* const name = draw.one_of<const char*>({"logical_divide", "zipped_divide", "tiled_divide", "flat_divide"});
  const Tiler t = draw.tiler(l.layout(), false);
  return {fmt::format("{}({},{})", name, text_of(l), to_string(t)), call(name, {source::layout(l), source::tiler(t)}),
          [=] { return l.with(model::logical_divide(l.layout(), t)); },
          on_layout([=](const Layout& r) { return laws::obeys_divide(l.layout(), t, r); }), true};
}

Case tile_to_shape_case(Draw& draw) {
  const ComposedLayout block = swizzled(draw);
  std::vector<IntTuple> target;
  std::vector<IntTuple> order;
  for (std::size_t i = 0; i < rank(block.layout()); ++i)
    target.emplace_back(size(mode(block.layout(), i)) * draw.one_of<std::int64_t>({1, 2, 3}));
  for (const std::int64_t i : draw.permutation(target.size())) order.emplace_back(i + 1);
  return {
      fmt::format("tile_to_shape({},{},{})", text_of(block), to_string(IntTuple(target)), to_string(IntTuple(order))),
      call("tile_to_shape", {source::layout(block), source::tuple(target), source::tuple(order)}),
      [=] { return block.with(model::tile_to_shape(block.layout(), target, order)); }};
}

Case slice_case(Draw& draw) {
  ComposedLayout l = plain_swizzled(draw, false);
  while (!l.layout().shape().is_tuple()) l = plain_swizzled(draw, false);
  std::vector<IntTuple> c;
  for (const IntTuple& extent : l.layout().shape().children())
    c.push_back(draw.chance(50) ? IntTuple::underscore() : IntTuple(draw.number(0, product(extent) - 1)));
  if (!has_underscore(c)) c[0] = IntTuple::underscore();
  return {text_of(l) + to_string(IntTuple(c)), call("slice_and_offset", {source::coordinate(c), source::layout(l)})};
}

// make_swizzle: both masks must have as many bits, and be those of a swizzle.
Swizzle swizzle_of_masks(std::int64_t y, std::int64_t z) {
  const auto uy = static_cast<std::uint64_t>(y);
  const auto uz = static_cast<std::uint64_t>(z);
  if (y == 0 && z == 0) return Swizzle();
  const int bits = std::popcount(uy);
  const int shift = std::countr_zero(uy) - std::countr_zero(uz);
  if (bits != std::popcount(uz) || std::abs(shift) < bits) throw model::DoesNotCompile{"make_swizzle"};
  const Swizzle s(bits, std::min(std::countr_zero(uy), std::countr_zero(uz)), shift);
  if ((s.read_mask() | s.written_mask()) != (y | z)) throw model::DoesNotCompile{"make_swizzle"};
  return s;
}

Case inverse_case(Draw& draw, bool right) {
  const ComposedLayout l = plain_swizzled(draw, false);
  const char* const name = right ? "right_inverse" : "left_inverse";
  return {fmt::format("{}({})", name, text_of(l)), call(name, {source::layout(l)}),
          [=] {
            const Layout inverse = right ? model::right_inverse(l.layout()) : model::left_inverse(l.layout());
            const Swizzle s = swizzle_of_masks(inverse(l.swizzle().read_mask()), inverse(l.swizzle().written_mask()));
            return ComposedLayout(s, 0, inverse);
          },
          [=](const ComposedLayout& r) {
            return right ? laws::obeys_right_inverse(l, r) : laws::obeys_left_inverse(l, r);
          }};
}

Case max_common_vector_case(Draw& draw) {
  const ComposedLayout a = plain_swizzled(draw, false);
  ComposedLayout b = a;
  do b = draw.chance(50) ? ComposedLayout(draw.binary_layout(3, 8)) : plain_swizzled(draw, false);
  while (!laws::stays_within_both(a.layout(), b.layout()));
  return {fmt::format("max_common_vector({},{})", text_of(a), text_of(b)),
          call("max_common_vector", {source::layout(a), source::layout(b)}),
          [=] { return model::max_common_layout(a.layout(), b.layout()); }, nullptr, true};
}

Case reshape_case(Draw& draw) {
  const ComposedLayout l = swizzled(draw);
  switch (draw.number(0, 2)) {
    case 0: return {fmt::format("coalesce({})", text_of(l)), call("coalesce", {source::layout(l)})};
    case 1: return {fmt::format("flatten({})", text_of(l)), call("flatten", {source::layout(l)})};
    default:
      return {fmt::format("append({},4)", text_of(l)),
              fmt::format("append<4>({},Layout<_1,_0>{{}})", source::layout(l))};
  }
}

}  // namespace

std::vector<Operation> swizzled_operations() {
  constexpr const char* idle_swizzle = "swz leaves out a swizzle that does nothing on the values of the layout";
  return {
      {"swizzled values", 4, values_case},
      {"swizzle of a number", 1, apply_case},
      {"swizzled recast", 4, recast_case},
      {"swizzled upcast", 2, [](Draw& d) { return cast_case(d, true); }},
      {"swizzled downcast", 2, [](Draw& d) { return cast_case(d, false); }},
      {"swizzled composition", 3, composition_case},
      {"swizzled divide", 2, divide_case},
      {"swizzled tile_to_shape", 3, tile_to_shape_case},
      {"swizzled slice", 3, slice_case,
       "CuTe drops the swizzle where the slice does not need it, with strides that depend on the coordinate, and "
       "keeps "
       "part of the offset apart; swz keeps both inside"},
      {"swizzled right_inverse", 1, [](Draw& d) { return inverse_case(d, true); }, idle_swizzle},
      {"swizzled left_inverse", 1, [](Draw& d) { return inverse_case(d, false); }, idle_swizzle},
      {"swizzled max_common_vector", 1, max_common_vector_case},
      {"swizzled coalesce, flatten, append", 1, reshape_case},
  };
}

}  // namespace swz

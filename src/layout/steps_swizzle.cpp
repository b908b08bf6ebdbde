// Recast and swizzles, step by step.
//
//   upcast((8,64):(64,1), 8)    mode 64:1 has 8 elements of a unit side by side: 8:1; mode 8:64 steps over 8 units: 8:8
//   Sw<3,4,3> at 0x288          reads bits 7-9, 101, into bits 4-6: 0x288 ^ 0x50 = 0x2d8
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "layout/steps.hpp"

namespace swz {
namespace {

std::string leaf_text(FlatMode m) { return fmt::format("{}:{}", m.extent, m.stride); }

// "bits 7-9", "bit 3"
std::string bit_range(std::int64_t mask) {
  const auto bits = static_cast<std::uint64_t>(mask);
  const int low = std::countr_zero(bits), high = 63 - std::countl_zero(bits);
  return low == high ? fmt::format("bit {}", low) : fmt::format("bits {}-{}", low, high);
}

std::string moved_bits(const Swizzle& s) {
  if (s.is_identity()) return fmt::format("{} leaves every offset as it is", to_string(s));
  return fmt::format("{} XORs {} into {}", to_string(s), bit_range(s.read_mask()), bit_range(s.written_mask()));
}

// One step a leaf, then the whole, which the algebra answered.
ComposedLayout leaf_by_leaf(LayoutSteps& steps, const std::string& operation, const ComposedLayout& l,
                            const ComposedLayout& result, std::int64_t n, bool is_up) {
  const auto before = l.layout().modes(), after = result.layout().modes();
  for (std::size_t i = 0; i < before.size(); ++i) {
    const FlatMode m = before[i], to = after[i];
    const std::string change = fmt::format("{} becomes {}: ", leaf_text(m), leaf_text(to));
    const std::int64_t stride = checked_abs(m.stride);
    std::string why;
    if (m.stride == 0) why = "stride 0 stays";
    else if (is_up && stride % n == 0) why = fmt::format("its stride is {} / {} units", m.stride, n);
    else if (is_up) why = fmt::format("{} / {} = {} of its elements lie in a unit", n, stride, n / stride);
    else if (to.extent != m.extent)
      why = fmt::format("its neighbours lie side by side: {} * {} parts", m.extent, n);
    else why = fmt::format("its stride is {} * {} parts", m.stride, n);
    steps.append(
        {operation, is_up ? "divide a mode" : "multiply a mode", change + why, Layout(to.extent, to.stride)});
  }
  if (l.swizzle() != result.swizzle())
    steps.append(
        {operation, "swizzle in the new unit",
         fmt::format("{}; counted in the new unit {}", moved_bits(l.swizzle()), moved_bits(result.swizzle())),
         result.swizzle()});
  else if (l.has_pointer() && !l.swizzle().is_identity())
    steps.append({operation, "swizzle stays", fmt::format("{} counts bytes", to_string(l.swizzle())), l.swizzle()});
  steps.append({operation, "together",
                is_up ? fmt::format("{} elements are one", n) : fmt::format("one element is {}", n), result});
  return result;
}

std::string binary(std::int64_t x, int width) { return fmt::format("0b{:0{}b}", x, width); }

}  // namespace

ComposedLayout upcast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t n) {
  const std::string operation = fmt::format("upcast({}, {})", to_string(l), n);
  const ComposedLayout result = steps.answer_or_refusal(operation, [&] { return upcast(l, n); });
  return leaf_by_leaf(steps, operation, l, result, n, true);
}

ComposedLayout downcast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t n) {
  const std::string operation = fmt::format("downcast({}, {})", to_string(l), n);
  const ComposedLayout result = steps.answer_or_refusal(operation, [&] { return downcast(l, n); });
  return leaf_by_leaf(steps, operation, l, result, n, false);
}

ComposedLayout recast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t from_bits,
                            std::int64_t to_bits) {
  const std::string operation = fmt::format("recast({}, {}, {})", to_string(l), from_bits, to_bits);
  const ComposedLayout answer = steps.answer_or_refusal(operation, [&] { return recast(l, from_bits, to_bits); });
  const std::int64_t common = std::gcd(from_bits, to_bits), up = to_bits / common, down = from_bits / common;
  if (up == 1 && down == 1) {
    steps.append({operation, "same width", fmt::format("both have {} bits", from_bits), l});
    return l;
  }
  steps.append(
      {operation, "ratio of the widths",
       fmt::format("{} / {} bits = {} / {}{}", to_bits, from_bits, up, down,
                   up > 1 && down > 1 ? fmt::format(": {} elements become one, then that becomes {}", up, down)
                   : up > 1           ? fmt::format(": {} elements become one", up)
                                      : fmt::format(": one element becomes {}", down)),
       l});
  const ComposedLayout wide = up == 1 ? l : upcast_steps(steps, l, up);
  return down == 1 ? wide : downcast_steps(steps, wide, down);
}

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
  if (s.is_identity() || l.size() > limits::known_values.most) {
    steps.append({operation, "swizzled", "the swizzle after the layout", l});
    return;
  }
  std::int64_t index = 0;
  while (index < p.size() && ((p.offset() + p.layout()(index)) & s.read_mask()) == 0) ++index;
  if (index == p.size()) {
    steps.append(
        {operation, "no coordinate moves", fmt::format("no offset has a bit of {}", bit_range(s.read_mask())), l});
    return;
  }
  // A better example: more than one bit that is read, and something where it is written.
  for (std::int64_t i = index; i < std::min(p.size(), index + 4096); ++i) {
    const auto x = static_cast<std::uint64_t>(p.offset() + p.layout()(i));
    const auto read = static_cast<std::uint64_t>(s.read_mask()),
               written = static_cast<std::uint64_t>(s.written_mask());
    if ((x & read) != 0 && (x & written) != 0) {
      index = i;
      break;
    }
  }
  const std::int64_t x = p.offset() + p.layout()(index), y = s(x);
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max(x, y))));
  steps.append(
      {operation, "one coordinate",
       fmt::format("{} is at {} = {}; {} are {}, moved {} by {} that is {}; {} ^ {} = {} = {}",
                   to_string(idx2crd(index, p.layout().shape())), x, binary(x, width), bit_range(s.read_mask()),
                   binary(x & s.read_mask(), width), s.shift() > 0 ? "right" : "left", std::abs(s.shift()),
                   binary(x ^ y, width), binary(x, width), binary(x ^ y, width), binary(y, width), y),
       l, [p](const Layout&, std::int64_t i) { return p(i) == p.swizzle()(p.offset() + p.layout()(i)); }});
}

Swizzle swizzle_product_steps(LayoutSteps& steps, const Swizzle& s, const Swizzle& t) {
  const std::string operation = fmt::format("composition({}, {})", to_string(s), to_string(t));
  steps.append({operation, "the right one first", moved_bits(t), t});
  steps.append({operation, "then the left one", moved_bits(s), s});
  const auto both = composition(s, t);
  if (!both) {
    const char* const why = s.shift() != t.shift() ? "their shifts differ"
                            : (s.read_mask() & t.written_mask()) != 0
                                ? "the left one reads bits that the right one writes"
                                : "the bits that they move are not one run";
    steps.append({operation, "refused", fmt::format("not a swizzle: {}", why)});
    throw Error(fmt::format("{} o {} is not a swizzle: {}", to_string(s), to_string(t), why));
  }
  steps.append({operation, "bits that move in one of them",
                both->is_identity() ? "what both move is XORed twice and cancels: nothing is left"
                                    : fmt::format("what both move cancels: {} remain{}",
                                                  bit_range(both->read_mask()), both->bits() == 1 ? "s" : ""),
                *both});
  return *both;
}

}  // namespace swz

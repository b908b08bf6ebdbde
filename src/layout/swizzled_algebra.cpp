// SPDX-License-Identifier: Apache-2.0
#include "layout/swizzled_algebra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "layout/algebra.hpp"

namespace swz {

Swizzle swizzle_product(const Swizzle& s, const Swizzle& t) {
  if (const auto both = composition(s, t)) return *both;
  const char* const why = s.shift() != t.shift() ? "their shifts differ"
                          : (s.read_mask() & t.written_mask()) != 0
                              ? "the left one reads bits that the right one writes"
                              : "the bits that they move are not one run";
  throw Error(fmt::format("{} o {} is not a swizzle: {}", to_string(s), to_string(t), why),
              "a Swizzle moves one run of bits by one shift; equal ones cancel");
}

std::optional<Swizzle> swizzle_through(const Layout& a, const Swizzle& s) {
  require_reach(a, std::max(s.read_mask(), s.written_mask()));
  const std::int64_t read = a(s.read_mask()), written = a(s.written_mask());
  const auto low = [](std::int64_t mask) {
    return mask == 0 ? 0 : __builtin_ctzll(static_cast<unsigned long long>(mask));
  };
  const int shift = low(read) - low(written);
  if (read < 0 || written < 0 || std::abs(shift) < s.bits()) return std::nullopt;
  return Swizzle(s.bits(), std::min(low(read), low(written)), shift);
}

ComposedLayout composition(const Layout& a, const ComposedLayout& b) {
  const auto modes = static_cast<std::int64_t>(a.modes().size() + b.layout().modes().size());
  const std::optional<Swizzle> swizzle = swizzle_through(a, b.element_swizzle());
  const Error refusal(fmt::format("{} o ({}) is neither a layout nor a swizzled layout", to_string(a), to_string(b)),
                      "compose with the layout alone, or without the swizzle");
  if (!swizzle || b.offset() != 0 || b.size() > limits::composed_steps.most / modes) throw refusal;
  const ComposedLayout candidate(*swizzle, 0, composition(a, b.layout()));
  for (std::int64_t i = 0; i < b.size(); ++i)
    if (candidate(i) != a(b(i))) throw refusal;
  return candidate;
}

ComposedLayout inverse(const ComposedLayout& of, Layout (*f)(const Layout&), bool right) {
  const ComposedLayout l = without_idle_swizzle(of.plain());
  const Layout inverted = f(l.layout());
  if (l.swizzle().is_identity() && l.offset() == 0) return inverted;
  // (Sw o L)^-1 is L^-1 o Sw, because a swizzle is its own inverse; it must stay inside the domain of L^-1.
  const char* const hint = "invert the layout alone: layout_b(L)";
  if (l.offset() != 0)
    throw Error(fmt::format("the inverse of {} is not a layout: it starts at {}", to_string(l), l.offset()), hint);
  const ComposedLayout result = composition(inverted, ComposedLayout(l.swizzle(), 0, Layout(IntTuple(size(inverted)))));
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

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "layout/composed_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "layout/algebra.hpp"

namespace swz {

namespace {

void require_positive(const char* operation, std::int64_t n) {
  if (n < 1) throw Error(fmt::format("{}: the factor {} is not positive", operation, n), "give 1 or more");
}

int log2_of_factor(const Swizzle& s, std::int64_t n) {
  if (!is_power_of_two(n))
    throw Error(fmt::format("{} cannot be counted in units of {}", to_string(s), n), "a swizzle needs a power of two");
  return log2_exact(n);
}

Layout map_leaves(const Layout& l, auto&& f) {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
  for (const FlatMode& m : l.modes()) {
    const FlatMode mapped = f(m);
    extents.push_back(mapped.extent);
    strides.push_back(mapped.stride);
  }
  return Layout(unflatten(extents, l.shape()), unflatten(strides, l.stride()));
}

// Offsets below one unit must not add up to a unit; otherwise the unit of a sum is not the sum of the units.
void require_units_apart(const Layout& l, std::int64_t n) {
  std::int64_t within = 0;
  for (const FlatMode& m : l.modes()) {
    const std::int64_t stride = checked_abs(m.stride);
    if (stride == 0 || stride % n == 0) continue;
    within = checked_add(within, (std::min(m.extent, ceil_div(n, stride)) - 1) * stride);
  }
  if (within >= n)
    throw Error(fmt::format("upcast({}, {}): the modes inside a unit of {} reach offset {}, so units overlap",
                            to_string(l), n, n, within),
                "no two modes may fill the same unit");
}

}  // namespace

ComposedLayout::ComposedLayout(Swizzle swizzle, std::int64_t offset, Layout layout)
    : swizzle_(swizzle), element_swizzle_(swizzle), offset_(offset), layout_(std::move(layout)) {
  // "just a layout" has only this form.
  if (swizzle.is_identity() && offset == 0) swizzle_ = element_swizzle_ = Swizzle();
  std::int64_t lowest = offset;
  std::int64_t highest = offset;
  for (const FlatMode& m : layout_.modes()) {
    const std::int64_t reach = (m.extent - 1) * m.stride;
    (reach < 0 ? lowest : highest) = checked_add(reach < 0 ? lowest : highest, reach);
  }
  if (lowest < 0 && !swizzle_.is_identity())
    throw Error(fmt::format("{} would act on the negative offset {}", to_string(swizzle_), lowest),
                "a swizzle permutes offsets from 0 on");
  if (highest >= std::int64_t{1} << 62 && !swizzle_.is_identity())
    throw Error(fmt::format("offset {} is beyond 2^62", highest), "a swizzle needs smaller offsets");
  checked_add(checked_add(highest, lowest < 0 ? -lowest : 0), 1);  // the span fits as well
}

ComposedLayout ComposedLayout::smem_ptr(Swizzle byte_swizzle, int element_bits, Layout layout) {
  if (!is_power_of_two(element_bits) || element_bits > 1 << 20)
    throw Error(
        fmt::format("smem_ptr[{}b]: an element of {} bits has no address of its own", element_bits, element_bits),
        "use a power of two; 6-bit types sit in 8-bit containers in shared memory");
  const auto in_elements = in_units(byte_swizzle, log2_exact(element_bits) - 3);
  if (!in_elements)
    throw Error(fmt::format("{} moves {}-byte pieces and would tear elements of {} bits apart", to_string(byte_swizzle),
                            1 << byte_swizzle.base(), element_bits),
                fmt::format("the widest element it keeps whole is {} bits", 8 << byte_swizzle.base()));
  ComposedLayout result(*in_elements, 0, std::move(layout));
  result.swizzle_ = byte_swizzle;
  result.element_bits_ = element_bits;
  return result;
}

ComposedLayout ComposedLayout::with(Layout layout) const {
  ComposedLayout result(element_swizzle_, offset_, std::move(layout));
  result.swizzle_ = swizzle_;
  result.element_bits_ = element_bits_;
  return result;
}

std::int64_t offset_at(const ComposedLayout& l, const IntTuple& coordinate) {
  return l.element_swizzle()(l.offset() + offset_at(l.layout(), coordinate));
}

void tabulate(const ComposedLayout& l, std::span<std::int64_t> out) {
  tabulate(l.layout(), out);
  if (l.is_layout()) return;
  const Swizzle swizzle = l.element_swizzle();  // a copy, so that the loop reads no memory except `out`
  const std::int64_t offset = l.offset();
  for (std::int64_t& x : out) x = swizzle(x + offset);
}

ComposedLayout slice(const ComposedLayout& l, const IntTuple& coordinate) {
  Slice rest = slice(l.layout(), coordinate);
  if (rest.offset == 0) return l.with(std::move(rest.layout));
  return ComposedLayout(l.element_swizzle(), l.offset() + rest.offset, std::move(rest.layout));
}

std::string to_string(const ComposedLayout& l) {
  if (l.is_layout()) return to_string(l.layout());
  const std::string middle =
      l.has_pointer() ? fmt::format("smem_ptr[{}b](unset)", l.element_bits()) : fmt::format("{}", l.offset());
  return fmt::format("{} o {} o {}", to_string(l.swizzle()), middle, to_string(l.layout()));
}

Layout upcast(const Layout& l, std::int64_t n) {
  require_positive("upcast", n);
  Layout result = map_leaves(l, [&](FlatMode m) {
    if (m.stride == 0) return m;
    const std::int64_t stride = checked_abs(m.stride);
    const std::int64_t sign = m.stride < 0 ? -1 : 1;
    if (stride % n != 0 && n % stride != 0)
      throw Error(fmt::format("upcast({}, {}): stride {} neither divides {} nor is divided by it", to_string(l), n,
                              m.stride, n),
                  fmt::format("the largest factor for this stride below {} is {}", n, std::gcd(stride, n)));
    return FlatMode{ceil_div(m.extent, ceil_div(n, stride)), sign * ceil_div(stride, n)};
  });
  require_units_apart(l, n);
  return result;
}

ComposedLayout upcast(const ComposedLayout& l, std::int64_t n) {
  require_positive("upcast", n);
  if (l.has_pointer()) {
    const std::int64_t bits = checked_mul(l.element_bits(), n);
    return ComposedLayout::smem_ptr(l.swizzle(), static_cast<int>(std::min<std::int64_t>(bits, INT32_MAX)),
                                    upcast(l.layout(), n));
  }
  if (l.is_layout()) return upcast(l.layout(), n);
  if (l.offset() % n != 0)
    throw Error(fmt::format("upcast: offset {} is not a multiple of {}", l.offset(), n), "units must start whole");
  const auto swizzle = in_units(l.swizzle(), log2_of_factor(l.swizzle(), n));
  if (!swizzle)
    throw Error(fmt::format("{} does not keep units of {} whole", to_string(l.swizzle()), n),
                fmt::format("the largest unit it keeps is {}", std::int64_t{1} << l.swizzle().base()));
  return ComposedLayout(*swizzle, l.offset() / n, upcast(l.layout(), n));
}

Layout downcast(const Layout& l, std::int64_t n) {
  require_positive("downcast", n);
  if (n == 1) return l;
  // A mode of extent 1 is divided into the new elements only if no other mode steps by one.
  const auto steps_by_one = [](FlatMode m) { return m.stride == 1 || m.stride == -1; };
  const auto contiguous = std::ranges::count_if(l.modes(), [&](FlatMode m) { return steps_by_one(m) && m.extent > 1; });
  if (contiguous > 1 || std::ranges::none_of(l.modes(), steps_by_one))
    throw Error(fmt::format("downcast({}, {}): {} modes have stride 1", to_string(l), n, contiguous),
                "exactly one mode can take the new elements");
  bool taken = false;
  return map_leaves(l, [&](FlatMode m) {
    if (taken || !steps_by_one(m) || (m.extent == 1 && contiguous == 1))
      return FlatMode{m.extent, checked_mul(m.stride, n)};
    taken = true;
    return FlatMode{checked_mul(m.extent, n), m.stride};
  });
}

ComposedLayout downcast(const ComposedLayout& l, std::int64_t n) {
  require_positive("downcast", n);
  if (l.has_pointer()) {
    if (l.element_bits() % n != 0)
      throw Error(fmt::format("downcast: {} bits cannot be split into {} elements", l.element_bits(), n),
                  "the factor must divide the element's bits");
    return ComposedLayout::smem_ptr(l.swizzle(), static_cast<int>(l.element_bits() / n), downcast(l.layout(), n));
  }
  if (l.is_layout()) return downcast(l.layout(), n);
  return ComposedLayout(*in_units(l.swizzle(), -log2_of_factor(l.swizzle(), n)), checked_mul(l.offset(), n),
                        downcast(l.layout(), n));
}

ComposedLayout recast(const ComposedLayout& l, std::int64_t from_bits, std::int64_t to_bits) {
  if (from_bits < 1 || to_bits < 1)
    throw Error(fmt::format("recast: {} to {} bits", from_bits, to_bits), "element widths are at least 1 bit");
  if (l.has_pointer() && l.element_bits() != from_bits)
    throw Error(fmt::format("recast: the layout has {}-bit elements, not {}-bit", l.element_bits(), from_bits),
                fmt::format("recast(L, {}, {})", l.element_bits(), to_bits));
  const std::int64_t common = std::gcd(from_bits, to_bits);
  const ComposedLayout wide = to_bits == common ? l : upcast(l, to_bits / common);
  return from_bits == common ? wide : downcast(wide, from_bits / common);
}

ComposedLayout without_idle_swizzle(const ComposedLayout& l) {
  const ComposedLayout p = l.plain();
  const Swizzle& s = p.swizzle();
  if (s.is_identity()) return l;
  std::int64_t highest = p.offset();
  for (const FlatMode& m : p.layout().modes()) highest += m.stride > 0 ? (m.extent - 1) * m.stride : 0;
  bool idle = highest < (s.read_mask() & -s.read_mask());
  if (!idle && p.size() <= limits::known_values.most) {
    idle = true;
    for (std::int64_t i = 0; idle && i < p.size(); ++i) idle = ((p.offset() + p.layout()(i)) & s.read_mask()) == 0;
  }
  return idle ? ComposedLayout(Swizzle(), p.offset(), p.layout()) : l;
}

std::int64_t max_common_vector(const ComposedLayout& a, const ComposedLayout& b) {
  // Below its base a swizzle leaves offsets as they are.
  std::int64_t limit = INT64_MAX;
  for (const ComposedLayout* l : {&a, &b}) {
    if (l->offset() != 0) return 1;
    if (!l->swizzle().is_identity()) limit = std::min(limit, std::int64_t{1} << l->element_swizzle().base());
  }
  if (a.swizzle() == b.swizzle() && a.element_bits() == b.element_bits()) limit = INT64_MAX;
  return std::min(limit, max_common_vector(a.layout(), b.layout()));
}

}  // namespace swz

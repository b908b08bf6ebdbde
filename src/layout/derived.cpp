// SPDX-License-Identifier: Apache-2.0
#include "layout/derived.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "layout/algebra.hpp"
#include "layout/shape_algebra.hpp"
#include "layout/tiling.hpp"

namespace swz {
namespace {

enum class ZeroStride { stays, is_smallest };

// Compact strides of the modes, the mode of the smallest stride fastest. An extent of 1 gives 0. With is_smallest, all
// modes of stride 0 get stride 1, as in CuTe, so that they overlap.
Layout in_order_of_strides(const IntTuple& shape, const IntTuple& stride, ZeroStride zero) {
  const std::vector<std::int64_t> extents = flat_values(shape), keys = flat_values(stride);
  std::vector<std::size_t> order;
  std::vector<std::int64_t> strides(extents.size(), 0);
  std::int64_t next = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] > 1 && keys[i] != 0) order.push_back(i);
    if (extents[i] == 1 || keys[i] != 0 || zero == ZeroStride::stays) continue;
    strides[i] = 1;
    next = checked_mul(next, extents[i]);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return keys[i]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && keys[order[i]] == keys[order[i - 1]])
      throw Error(fmt::format("two modes of {}:{} have the stride {}, so nothing orders them", to_string(shape),
                              to_string(stride), keys[order[i]]),
                  "give an order: make_ordered_layout(shape, order)");
    strides[order[i]] = next;
    next = checked_mul(next, extents[order[i]]);
  }
  return {shape, unflatten(strides, shape)};
}

// What CuTe computes. It is right for layouts whose strides divide each other; the caller checks the result.
std::int64_t index_by_strides(const Layout& l, std::int64_t offset) {
  std::int64_t index = 0, scale = 1;
  for (const FlatMode& m : l.modes()) {
    if (m.extent > 1 && m.stride != 0) {
      const std::int64_t digit = offset / m.stride % m.extent;
      index += scale * (digit < 0 ? 0 : digit);
    }
    scale *= m.extent;
  }
  return index;
}

}  // namespace

Layout make_layout_like(const Layout& l) { return in_order_of_strides(l.shape(), l.stride(), ZeroStride::stays); }

Layout make_fragment_like(const Layout& l) {
  if (rank(l) < 2) return Layout(l.shape());
  const Layout first = mode(l, 0), rest = take(l, 1, rank(l));
  const IntTuple shape = filter_zeros(first.stride(), first.shape());
  const Layout block(first.shape(), compact_col_major(shape));
  return tiled_product(block, in_order_of_strides(rest.shape(), rest.stride(), ZeroStride::is_smallest));
}

std::int64_t max_alignment(const ComposedLayout& l) {
  std::int64_t contiguous = 1, rest = 0;
  for (const FlatMode& m : sorted_by_stride(coalesce_modes(l.layout().modes()))) {
    if (m.stride == contiguous) contiguous = checked_mul(contiguous, m.extent);
    else rest = std::gcd(rest, m.stride);
  }
  const ComposedLayout p = l.plain();
  const std::int64_t whole = std::gcd(contiguous, std::gcd(rest, p.offset()));
  return p.swizzle().is_identity() ? whole : std::gcd(whole, std::int64_t{1} << p.swizzle().base());
}

std::optional<std::int64_t> index_of_offset(const ComposedLayout& l, std::int64_t offset) {
  const ComposedLayout p = l.plain();
  if (!p.swizzle().is_identity() && offset < 0) return std::nullopt;
  const std::int64_t inside = p.swizzle()(offset) - p.offset();  // a swizzle is its own inverse
  if (p.size() <= limits::known_values.most) {
    for (std::int64_t i = 0; i < p.size(); ++i)
      if (p.layout()(i) == inside) return i;
    return std::nullopt;
  }
  if (const std::int64_t i = index_by_strides(p.layout(), inside); p.layout()(i) == inside) return i;
  throw Error(fmt::format("the coordinate of offset {} in {}: {} coordinates are too many to try", offset, to_string(l),
                          p.size()),
              std::string(limits::known_values.way_out));
}

Layout domain_distribute(const IntTuple& shape, std::int64_t n) {
  if (n < 1) throw Error(fmt::format("domain_distribute: {} elements", n), "give 1 or more");
  const Layout whole(flatten(shape), flatten(compact_col_major(shape)));
  std::vector<FlatMode> modes(whole.modes().begin(), whole.modes().end());
  for (FlatMode& m : modes) {
    m.extent = std::gcd(m.extent, n);
    n /= m.extent;
  }
  return Layout(coalesce_modes(modes));
}

}  // namespace swz

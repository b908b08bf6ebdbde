// SPDX-License-Identifier: Apache-2.0
#include "cute_model.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/tiling.hpp"

namespace swz::cute_model {
namespace {

using Modes = std::vector<FlatMode>;

void require(bool condition, const char* assertion) {
  if (!condition) throw DoesNotCompile{assertion};
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t sign(std::int64_t x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

// bw_coalesce: from the last mode to the first.
Modes coalesce_before(const Modes& modes, FlatMode last) {
  Modes backwards{last};
  for (auto m = modes.rbegin(); m != modes.rend(); ++m) {
    FlatMode& front = backwards.back();
    if (m->extent == 1) continue;
    if (backwards.size() == 1 && front.extent == 1) front = *m;
    else if (m->extent * m->stride == front.stride) front = {m->extent * front.extent, m->stride};
    else backwards.push_back(*m);
  }
  std::reverse(backwards.begin(), backwards.end());
  if (backwards.size() == 1 && backwards[0].extent == 1) backwards[0] = {1, 0};
  return backwards;
}

Modes coalesce(Modes modes) {
  const FlatMode last = modes.back();
  modes.pop_back();
  return coalesce_before(modes, last);
}

Modes modes_of(const Layout& l) { return {l.modes().begin(), l.modes().end()}; }
Layout layout_of(const Modes& modes) { return Layout(std::span<const FlatMode>(modes)); }

// coalesce_x: the same function beyond the size too.
Modes coalesce_endless(const Layout& l) {
  Modes modes = modes_of(l);
  FlatMode last = modes.back();
  modes.pop_back();
  if (last.extent == 1) last.extent = 2;
  return coalesce_before(modes, last);
}

Layout compose_leaf(const Modes& lhs, FlatMode rhs) {
  if (rhs.stride == 0) return Layout(rhs.extent, rhs.stride);
  if (lhs.size() == 1) return Layout(rhs.extent, rhs.stride * lhs[0].stride);
  Modes result;
  std::int64_t rest = rhs.extent;
  std::int64_t stride = rhs.stride;
  for (std::size_t i = 0; i + 1 < lhs.size(); ++i) {
    const std::int64_t extent = lhs[i].extent;
    require(stride % extent == 0 || stride < extent, "Stride Divisibility Condition");
    const std::int64_t next_extent = divide_up(extent, std::abs(stride));
    const std::int64_t next_stride = divide_up(std::abs(stride), extent) * sign(stride);
    if (next_extent != 1 && rest != 1) {
      const std::int64_t taken = std::min(next_extent, rest);
      require(rest % taken == 0, "Shape Divisibility Condition");
      result.push_back({taken, stride * lhs[i].stride});
      rest /= taken;
    }
    stride = next_stride;
  }
  if (result.empty() || rest != 1) result.push_back({rest, stride * lhs.back().stride});
  return layout_of(result);
}

Layout compose(const Modes& lhs, const Layout& rhs) {
  if (!rhs.shape().is_tuple()) return compose_leaf(lhs, {rhs.shape().value(), rhs.stride().value()});
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(rhs); ++i) modes.push_back(compose(lhs, mode(rhs, i)));
  return make_layout(modes);
}

// The product of ceil_div(shape, n) in CuTe's sense: mode by mode, what is left of n goes on to the next.
std::int64_t divide_shape_up(const IntTuple& shape, std::int64_t n) {
  std::int64_t result = 1;
  for (const std::int64_t extent : flat_values(shape)) {
    result *= divide_up(extent, n);
    n = divide_up(n, extent);
  }
  return result;
}

template <class F>
Layout by_tiler(const Layout& l, const Tiler& tiler, bool keep_rest, const F& f) {
  if (tiler.is_underscore()) return l;
  if (tiler.is_layout()) return f(l, tiler.layout());
  require(tiler.modes().size() <= rank(l), "Too many modes in tiler.");
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(l); ++i) {
    if (i < tiler.modes().size()) modes.push_back(by_tiler(mode(l, i), tiler.modes()[i], keep_rest, f));
    else if (keep_rest) modes.push_back(mode(l, i));
  }
  return make_layout(modes);
}

Modes sorted_coalesced(const Layout& l, std::vector<std::int64_t>& index) {
  const Modes modes = coalesce(modes_of(l));
  std::vector<std::size_t> order;
  std::vector<std::int64_t> prefix{1};
  for (std::size_t i = 0; i < modes.size(); ++i) {
    order.push_back(i);
    prefix.push_back(prefix.back() * modes[i].extent);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return modes[i].stride; });
  Modes sorted;
  for (const std::size_t i : order) {
    sorted.push_back(modes[i]);
    index.push_back(prefix[i]);
  }
  return sorted;
}

}  // namespace

Layout coalesce(const Layout& l) { return layout_of(coalesce(modes_of(l))); }

Layout composition(const Layout& a, const Layout& b) { return compose(coalesce_endless(a), b); }

Layout composition(const Layout& a, const Tiler& b) {
  return by_tiler(a, b, false, [](const Layout& l, const Layout& t) { return cute_model::composition(l, t); });
}

Layout complement(const Layout& l, const IntTuple& cotarget) {
  Modes modes = modes_of(l);
  for (FlatMode& m : modes)
    if (m.stride == 0) m.extent = 1;
  modes = coalesce(modes);
  if (modes.size() == 1 && modes[0].stride == 0) return Layout(product(cotarget));
  Modes result;
  std::int64_t covered = 1;
  while (!modes.empty()) {
    const auto smallest = std::ranges::min_element(modes, {}, &FlatMode::stride);
    require(smallest->stride / covered != 0, "Non-injective Layout detected in complement.");
    result.push_back({smallest->stride / covered, covered});
    covered = smallest->stride * smallest->extent;
    modes.erase(smallest);
  }
  result.push_back({divide_shape_up(cotarget, covered), covered});
  return layout_of(coalesce(result));
}

Layout right_inverse(const Layout& l) {
  std::vector<std::int64_t> index;
  const Modes modes = sorted_coalesced(l, index);
  Modes result{{1, 0}};
  std::int64_t reached = 1;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i].stride != reached) continue;
    result.push_back({modes[i].extent, index[i]});
    reached = modes[i].extent * modes[i].stride;
  }
  return layout_of(coalesce(result));
}

Layout left_inverse(const Layout& l) {
  std::vector<std::int64_t> index;
  const Modes modes = sorted_coalesced(l, index);
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides{0};
  std::int64_t digits = 1;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i].stride == 0) continue;
    require(modes[i].stride % digits == 0, "Left inverse divisibility condition");
    extents.push_back(modes[i].stride / digits);
    strides.push_back(index[i]);
    digits = modes[i].stride;
  }
  extents.push_back(modes.back().extent);
  Modes result;
  for (std::size_t i = 0; i < extents.size(); ++i) result.push_back({extents[i], strides[i]});
  return layout_of(coalesce(result));
}

Layout max_common_layout(const Layout& a, const Layout& b) {
  const Layout inverse = cute_model::right_inverse(b);
  const Modes common = coalesce(modes_of(cute_model::composition(a, inverse)));
  return common[0].stride == 1 ? cute_model::composition(inverse, layout_of({common[0]})) : Layout();
}

Layout logical_divide(const Layout& l, const Tiler& tiler) {
  return by_tiler(l, tiler, true, [](const Layout& part, const Layout& tile) {
    const Layout rest = cute_model::complement(tile, cute_model::coalesce(part).shape());
    return cute_model::composition(part, make_layout(std::vector{tile, rest}));
  });
}

Layout logical_product(const Layout& block, const Tiler& tiler) {
  return by_tiler(block, tiler, true, [](const Layout& part, const Layout& copies) {
    const Layout places = cute_model::complement(part, size(part) * cosize(copies));
    return make_layout(std::vector{part, cute_model::composition(places, copies)});
  });
}

Layout blocked_product(const Layout& block, const Layout& tiler) {
  const std::size_t r = std::max(rank(block), rank(tiler));
  const Layout product = cute_model::logical_product(append_to_rank(block, r), Tiler(append_to_rank(tiler, r)));
  // zip: two tuples of one rank. An integer of rank 1 is not a tuple.
  require(mode(product, 0).shape().is_tuple() && mode(product, 1).shape().is_tuple(), "Mismatched Ranks");
  require(rank(mode(product, 0)) == rank(mode(product, 1)), "Mismatched Ranks");
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < r; ++i)
    modes.push_back(make_layout(std::vector{mode(mode(product, 0), i), mode(mode(product, 1), i)}));
  return make_layout(modes);
}

Layout raked_product(const Layout& block, const Layout& tiler) {
  const Layout blocked = cute_model::blocked_product(block, tiler);
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(blocked); ++i)
    modes.push_back(make_layout(std::vector{mode(mode(blocked, i), 1), mode(mode(blocked, i), 0)}));
  return make_layout(modes);
}

Layout tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple& order) {
  require(rank(block) <= rank(shape), "Rank of layout must be <= rank of target shape.");
  const Layout padded = append_to_rank(block, rank(shape));
  std::vector<IntTuple> copies;
  for (std::size_t i = 0; i < rank(shape); ++i) {
    const std::int64_t extent = size(mode(padded, i));
    const std::int64_t target = product(mode(shape, i));
    require(target == extent * divide_up(target, extent), "block shape does not divide the target shape.");
    copies.emplace_back(target / extent);
  }
  return cute_model::blocked_product(padded, make_ordered_layout(copies, order));
}

Layout upcast(const Layout& l, std::int64_t n) {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
  for (const FlatMode& m : l.modes()) {
    const std::int64_t stride = std::abs(m.stride);
    require(stride == 0 || stride % n == 0 || n % stride == 0, "Divisibility condition");
    extents.push_back(stride == 0 ? m.extent : divide_up(m.extent, divide_up(n, stride)));
    strides.push_back(sign(m.stride) * divide_up(stride, n));
  }
  return Layout(unflatten(extents, l.shape()), unflatten(strides, l.shape()));
}

Layout downcast(const Layout& l, std::int64_t n) {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
  bool contiguous = false;
  for (const FlatMode& m : l.modes()) {
    const bool unit = std::abs(m.stride) == 1;
    contiguous = contiguous || m.stride == 1;
    extents.push_back(unit ? m.extent * n : m.extent);
    strides.push_back(unit ? m.stride : m.stride * n);
  }
  require(contiguous, "Downcast requires adjacent elements");
  return Layout(unflatten(extents, l.shape()), unflatten(strides, l.shape()));
}

}  // namespace swz::cute_model

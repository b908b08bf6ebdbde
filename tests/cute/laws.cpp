// SPDX-License-Identifier: Apache-2.0
#include "laws.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "cute_model.hpp"
#include "layout/shape_algebra.hpp"

namespace swz::laws {
namespace {

std::vector<std::int64_t> values(const ComposedLayout& l) {
  std::vector<std::int64_t> v;
  for (std::int64_t i = 0; i < l.size(); ++i) v.push_back(l(i));
  return v;
}

std::set<std::int64_t> offsets(const Layout& l) {
  const std::vector<std::int64_t> v = values(l);
  return {v.begin(), v.end()};
}

// f(part of l, part of tiler, part of result) at the terminals of the tiler.
template <class F>
bool at_terminals(const Layout& l, const Tiler& tiler, const Layout& result, bool keep_rest, const F& f) {
  if (tiler.is_underscore()) return l == result;
  if (tiler.is_layout()) return f(l, tiler.layout(), result);
  const std::size_t modes = tiler.modes().size();
  if (rank(result) != (keep_rest ? rank(l) : modes)) return false;
  for (std::size_t i = 0; i < rank(result); ++i) {
    if (i >= modes) {
      if (!(mode(l, i) == mode(result, i))) return false;
    } else if (!at_terminals(mode(l, i), tiler.modes()[i], mode(result, i), keep_rest, f)) {
      return false;
    }
  }
  return true;
}

// The offsets of l moved by each value of `places`. None: the values do not ascend, or two copies of l meet.
std::optional<std::set<std::int64_t>> disjoint_copies(const Layout& l, const Layout& places) {
  const std::vector<std::int64_t> moves = values(places);
  if (std::ranges::adjacent_find(moves, std::ranges::greater_equal{}) != moves.end()) return std::nullopt;
  std::set<std::int64_t> sums;
  const std::set<std::int64_t> own = offsets(l);
  for (const std::int64_t x : own)
    for (const std::int64_t y : moves) sums.insert(x + y);
  if (sums.size() != own.size() * moves.size()) return std::nullopt;
  return sums;
}

}  // namespace

bool obeys_composition(const Layout& a, const Layout& b, const Layout& result) {
  if (!compatible(b.shape(), result.shape())) return false;
  for (std::int64_t i = 0; i < size(b); ++i)
    if (result(i) != a(b(i))) return false;
  return true;
}

bool obeys_composition(const Layout& a, const Tiler& b, const Layout& result) {
  return at_terminals(a, b, result, false, [](const Layout& part, const Layout& tile, const Layout& r) {
    return obeys_composition(part, tile, r);
  });
}

bool obeys_complement(const Layout& l, std::int64_t cotarget, const Layout& result) {
  const auto sums = disjoint_copies(l, result);
  const auto n = sums ? static_cast<std::int64_t>(sums->size()) : 0;
  return sums && n >= cotarget && *sums->begin() == 0 && *sums->rbegin() == n - 1;
}

bool obeys_complement_with_holes(const Layout& l, std::int64_t cotarget, const Layout& result) {
  const auto sums = disjoint_copies(l, result);
  return sums && *sums->rbegin() + 1 >= std::min(cotarget, cosize(l));
}

bool obeys_right_inverse(const ComposedLayout& l, const ComposedLayout& result) {
  for (std::int64_t i = 0; i < result.size(); ++i)
    if (result(i) >= l.size() || l(result(i)) != i) return false;
  return true;
}

bool obeys_left_inverse(const ComposedLayout& l, const ComposedLayout& result) {
  for (std::int64_t i = 0; i < l.size(); ++i)
    if (result(l(i)) != i) return false;
  return true;
}

bool obeys_max_common_layout(const Layout& a, const Layout& b, const Layout& result) {
  const std::int64_t end = std::min(size(a), size(b));
  for (std::int64_t i = 0; i < size(result); ++i)
    if (result(i) >= end || a(result(i)) != i || b(result(i)) != i) return false;
  return true;
}

bool stays_within_both(const Layout& a, const Layout& b) {
  try {
    return obeys_max_common_layout(a, b, cute_model::max_common_layout(a, b));
  } catch (const cute_model::DoesNotCompile&) {
    return true;
  }
}

bool obeys_divide(const Layout& l, const Tiler& tiler, const Layout& result) {
  return at_terminals(l, tiler, result, true, [](const Layout& part, const Layout& tile, const Layout& r) {
    if (rank(r) != 2) return false;
    const Layout rest = cute_model::complement(tile, cute_model::coalesce(part).shape());
    return obeys_complement(tile, size(part), rest) && obeys_composition(part, make_layout(std::vector{tile, rest}), r);
  });
}

bool obeys_product(const Layout& block, const Tiler& tiler, const Layout& result) {
  return at_terminals(block, tiler, result, true, [](const Layout& part, const Layout& copies, const Layout& r) {
    if (rank(r) != 2 || !(mode(r, 0) == part)) return false;
    const Layout free = cute_model::complement(part, cosize(part) * cosize(copies));
    const Layout places = mode(r, 1);
    if (size(places) != size(copies)) return false;
    for (std::int64_t i = 0; i < size(copies); ++i)
      if (places(i) != free(copies(i))) return false;
    return offsets(r).size() == offsets(part).size() * offsets(copies).size();
  });
}

bool obeys_upcast(const ComposedLayout& l, std::int64_t n, const ComposedLayout& result) {
  const auto from = l.layout().modes();
  const auto to = result.layout().modes();
  if (from.size() != to.size()) return false;
  for (std::int64_t i = 0; i < l.size(); ++i) {
    std::int64_t rest = i;
    std::int64_t unit = 0;
    std::int64_t scale = 1;
    for (std::size_t m = 0; m < from.size(); ++m) {
      const auto [extent, stride] = from[m];
      const std::int64_t per_unit = stride == 0 ? 1 : (n + std::abs(stride) - 1) / std::abs(stride);
      unit += rest % extent / per_unit * scale;
      rest /= extent;
      scale *= to[m].extent;
    }
    const std::int64_t place_in_unit = (l.offset() + l.layout()(i)) % n;
    if (l(i) != result(unit) * n + place_in_unit) return false;
  }
  return true;
}

bool obeys_downcast(const ComposedLayout& l, std::int64_t n, const ComposedLayout& result) {
  std::vector<std::int64_t> parts;
  for (const std::int64_t v : values(l))
    for (std::int64_t k = 0; k < n; ++k) parts.push_back(v * n + k);
  std::vector<std::int64_t> found = values(result);
  std::ranges::sort(parts);
  std::ranges::sort(found);
  return parts == found;
}

}  // namespace swz::laws

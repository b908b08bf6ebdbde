// SPDX-License-Identifier: Apache-2.0
#include "layout/tiling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

std::vector<Layout> modes_of(const Layout& l) {
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(l); ++i) modes.push_back(mode(l, i));
  return modes;
}

void require_range(const char* operation, const Layout& l, std::size_t begin, std::size_t end) {
  if (begin >= end || end > rank(l))
    throw Error(fmt::format("{}: modes [{}, {}) are not in {}", operation, begin, end, to_string(l)),
                fmt::format("it has modes 0 to {}; the end is one past the last", rank(l) - 1));
}

// Applies f(part of l, part of tiler) at the terminals of the tiler. Modes beyond the tiler's are unchanged.
template <class F>
Layout by_tiler(const Layout& l, const Tiler& tiler, const char* operation, const F& f) {
  if (tiler.is_underscore()) return l;
  if (tiler.is_layout()) return f(l, tiler.layout());
  if (tiler.modes().size() > rank(l))
    throw Error(fmt::format("{}: the tiler {} has more modes than {}", operation, to_string(tiler), to_string(l)),
                fmt::format("give at most {}", rank(l)));
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(l); ++i)
    modes.push_back(i < tiler.modes().size() ? by_tiler(mode(l, i), tiler.modes()[i], operation, f) : mode(l, i));
  return make_layout(modes);
}

// The pair (tile, rest) of a divided or multiplied layout, collected from the terminals of the tiler. A mode that `_`
// left whole is a tile with nothing to repeat.
std::pair<Layout, Layout> unzip(const Layout& l, const Tiler& tiler) {
  if (tiler.is_underscore()) return {l, Layout()};
  if (tiler.is_layout()) return {mode(l, 0), mode(l, 1)};
  std::vector<Layout> tiles;
  std::vector<Layout> rests;
  for (std::size_t i = 0; i < rank(l); ++i) {
    if (i >= tiler.modes().size()) {
      rests.push_back(mode(l, i));
      continue;
    }
    auto [tile, rest] = unzip(mode(l, i), tiler.modes()[i]);
    tiles.push_back(std::move(tile));
    rests.push_back(std::move(rest));
  }
  return {make_layout(tiles), make_layout(rests)};
}

// Appends the modes of l. A mode of rank 1 stays as it is, also ((2)), as in CuTe.
void append_modes(std::vector<Layout>& out, const Layout& l) {
  if (rank(l) == 1) return out.push_back(l);
  for (std::size_t i = 0; i < rank(l); ++i) out.push_back(mode(l, i));
}

enum class Profile { zipped, tiled, flat };

Layout gathered(const Layout& l, const Tiler& tiler, Profile profile) {
  const auto [tile, rest] = unzip(l, tiler);
  std::vector<Layout> modes;
  if (profile == Profile::flat) append_modes(modes, tile);
  else modes.push_back(tile);
  if (profile == Profile::zipped) modes.push_back(rest);
  else append_modes(modes, rest);
  return make_layout(modes);
}

// Turns ((a0,a1,…),(b0,b1,…)) into ((a0,b0),(a1,b1),…).
Layout zip(const Layout& a, const Layout& b) {
  // An integer of rank 1 may have become several modes; they stay together.
  if (std::min(rank(a), rank(b)) == 1)
    return make_layout(
        std::vector{make_layout(std::vector{rank(a) == 1 ? mode(a, 0) : a, rank(b) == 1 ? mode(b, 0) : b})});
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(a); ++i) modes.push_back(make_layout(std::vector{mode(a, i), mode(b, i)}));
  return make_layout(modes);
}

// The product of the two, both padded to the same rank.
std::pair<Layout, Layout> ranked_product(const Layout& block, const Layout& tiler) {
  const std::size_t r = std::max(rank(block), rank(tiler));
  const Layout product = logical_product(append_to_rank(block, r), Tiler(append_to_rank(tiler, r)));
  return {mode(product, 0), mode(product, 1)};
}

}  // namespace

Layout flatten(const Layout& l) { return Layout(flatten(l.shape()), flatten(l.stride())); }

Layout group(const Layout& l, std::size_t begin, std::size_t end) {
  require_range("group", l, begin, end);
  const std::vector<Layout> modes = modes_of(l);
  std::vector<Layout> result(modes.begin(), modes.begin() + static_cast<std::ptrdiff_t>(begin));
  result.push_back(make_layout(std::span(modes).subspan(begin, end - begin)));
  result.insert(result.end(), modes.begin() + static_cast<std::ptrdiff_t>(end), modes.end());
  return make_layout(result);
}

Layout take(const Layout& l, std::size_t begin, std::size_t end) {
  require_range("take", l, begin, end);
  const std::vector<Layout> modes = modes_of(l);
  return make_layout(std::span(modes).subspan(begin, end - begin));
}

Layout select(const Layout& l, std::span<const std::int64_t> wanted) {
  std::vector<Layout> modes;
  for (const std::int64_t i : wanted) {
    if (i < 0) throw Error(fmt::format("select: mode {} does not exist", i), "modes are numbered from 0");
    modes.push_back(mode(l, static_cast<std::size_t>(i)));
  }
  return make_layout(modes);
}

Layout append(const Layout& l, const Layout& x) {
  std::vector<Layout> modes = modes_of(l);
  modes.push_back(x);
  return make_layout(modes);
}

Layout prepend(const Layout& l, const Layout& x) {
  std::vector<Layout> modes = modes_of(l);
  modes.insert(modes.begin(), x);
  return make_layout(modes);
}

Layout replace(const Layout& l, std::size_t i, const Layout& x) {
  require_range("replace", l, i, i + 1);
  std::vector<Layout> modes = modes_of(l);
  modes[i] = x;
  return make_layout(modes);
}

Layout append_to_rank(const Layout& l, std::size_t wanted, const Layout& x) {
  Layout result = l;
  while (rank(result) < wanted) result = append(result, x);
  return result;
}

Layout logical_divide(const Layout& l, const Tiler& tiler) {
  return by_tiler(l, tiler, "logical_divide", [](const Layout& part, const Layout& tile) {
    return composition(part, make_layout(std::vector{tile, complement(tile, size(part))}));
  });
}

Layout zipped_divide(const Layout& l, const Tiler& t) { return gathered(logical_divide(l, t), t, Profile::zipped); }
Layout tiled_divide(const Layout& l, const Tiler& t) { return gathered(logical_divide(l, t), t, Profile::tiled); }
Layout flat_divide(const Layout& l, const Tiler& t) { return gathered(logical_divide(l, t), t, Profile::flat); }

Layout logical_product(const Layout& block, const Tiler& tiler) {
  return by_tiler(block, tiler, "logical_product", [](const Layout& part, const Layout& copies) {
    const Layout places = free_offsets(part, cosize(copies));
    return make_layout(std::vector{part, composition(places, copies)});
  });
}

Layout zipped_product(const Layout& b, const Tiler& t) { return gathered(logical_product(b, t), t, Profile::zipped); }
Layout tiled_product(const Layout& b, const Tiler& t) { return gathered(logical_product(b, t), t, Profile::tiled); }
Layout flat_product(const Layout& b, const Tiler& t) { return gathered(logical_product(b, t), t, Profile::flat); }

Layout blocked_product(const Layout& block, const Layout& tiler) {
  const auto [tile, places] = ranked_product(block, tiler);
  return zip(tile, places);
}

Layout raked_product(const Layout& block, const Layout& tiler) {
  const auto [tile, places] = ranked_product(block, tiler);
  return zip(places, tile);
}

Layout tile_to_shape(const Layout& block, const IntTuple& shape, const IntTuple& order) {
  if (rank(block) > rank(shape))
    throw Error(
        fmt::format("tile_to_shape: {} has more modes than the target shape {}", to_string(block), to_string(shape)),
        "the target shape needs at least one extent per mode");
  const Layout padded = append_to_rank(block, rank(shape));
  std::vector<IntTuple> copies;
  for (std::size_t i = 0; i < rank(shape); ++i) {
    const std::int64_t target = product(mode(shape, i));
    const std::int64_t extent = size(mode(padded, i));
    if (target % extent != 0)
      throw Error(fmt::format("tile_to_shape: extent {} of mode {} of {} does not divide {}", extent, i,
                              to_string(block), target),
                  fmt::format("the nearest extents that fit are {} and {}", target / extent * extent,
                              checked_mul(target / extent + 1, extent)));
    copies.emplace_back(target / extent);
  }
  return blocked_product(padded, make_ordered_layout(shape.is_tuple() ? IntTuple(copies) : copies[0], order));
}

}  // namespace swz

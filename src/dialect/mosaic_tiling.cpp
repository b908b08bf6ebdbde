// SPDX-License-Identifier: Apache-2.0
#include "dialect/mosaic_tiling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/checked.hpp"
#include "base/limits.hpp"

namespace swz {
namespace {

// The dimensions that the tiles make from the first tile, without those that count tiles: the trailing dimensions of
// every array. The dimensions of a TiledLayout are counted from the end.
TiledDims tiled_suffix(const std::vector<MosaicTile>& tiles) {
  TiledDims dims = whole_dims(tiles[0]);
  for (const MosaicTile& tile : tiles) dims = split_by(dims, tile);
  dims.erase(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(tiles[0].size()));
  return dims;
}

const TiledDim& tiled_dim_at(const TiledDims& dims, std::int64_t from_the_end) {
  return dims[static_cast<std::size_t>(static_cast<std::int64_t>(dims.size()) + from_the_end)];
}

std::vector<std::int64_t> split_dims(const TiledLayout& l) {
  std::vector<std::int64_t> numbers;
  for (const auto* dims : {&l.warps, &l.lanes})
    for (const ThreadDim& d : *dims)
      if (!d.is_copy) numbers.push_back(d.number);
  return numbers;
}

void require_product(const std::vector<ThreadDim>& threads, const TiledDims& dims, std::int64_t wanted,
                     std::string_view what) {
  std::int64_t product = 1;
  for (const ThreadDim& d : threads) {
    if (d.number == 0 || (d.is_copy && d.number < 1)) product = 0;
    else product = checked_mul(product, d.is_copy ? d.number : tiled_dim_at(dims, d.number).extent);
  }
  if (product != wanted)
    throw Error(fmt::format("the {} dimensions number {}, not {}", what, product, wanted),
                fmt::format("a warpgroup has {} warps of {} lanes; Replicated(n) stands for n copies", mosaic_warps,
                            mosaic_lanes));
}

std::vector<MosaicTile> canonical_tiles(const std::vector<MosaicTile>& tiles) {
  std::vector<MosaicTile> result{tiles[0]};
  for (std::size_t i = 1; i < tiles.size(); ++i) {
    const auto first = std::ranges::find_if(tiles[i], [](std::int64_t d) { return d != 1; });
    const MosaicTile tile = first == tiles[i].end() ? MosaicTile{1} : MosaicTile(first, tiles[i].end());
    const MosaicTile& last = result.back();
    if (!std::equal(tile.begin(), tile.end(), last.end() - static_cast<std::ptrdiff_t>(tile.size())))
      result.push_back(tile);
  }
  return result;
}

void require_dims(const TiledLayout& l, const TiledDims& dims) {
  std::vector<std::int64_t> numbers = split_dims(l);
  numbers.push_back(l.vector);
  if (std::set(numbers.begin(), numbers.end()).size() != numbers.size())
    throw Error("a dimension is given twice to warps, lanes and the vector", "each tiled dimension has one use");
  for (const std::int64_t d : numbers) {
    if (d >= 0)
      throw Error(fmt::format("dimension {} is not counted from the end", d),
                  "dimensions are negative: -1 is the last");
    if (d < -static_cast<std::int64_t>(dims.size()))
      throw Error(fmt::format("dimension {} does not lie inside the tiles, which make {} of them", d, dims.size()),
                  fmt::format("dimensions go from -1 to -{}", dims.size()));
  }
  require_product(l.warps, dims, mosaic_warps, "warp");
  require_product(l.lanes, dims, mosaic_lanes, "lane");
}

// The column-major steps of the dimensions of an array.
std::vector<std::int64_t> index_steps(const ArrayShape& shape) {
  std::vector<std::int64_t> steps{1};
  for (const std::int64_t extent : shape) steps.push_back(checked_mul(steps.back(), extent));
  return steps;
}

std::vector<FlatMode> coalesced_mode(const Layout& l, std::size_t m) { return coalesce_modes(mode(l, m).modes()); }

std::string dims_text(const std::vector<ThreadDim>& dims) {
  std::vector<std::string> items;
  for (const ThreadDim& d : dims)
    items.push_back(fmt::format(fmt::runtime(d.is_copy ? "Replicated(times={})" : "{}"), d.number));
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

}  // namespace

std::string to_string(const TiledLayout& l) {
  std::vector<std::string> tiles;
  for (const MosaicTile& tile : l.tiles) tiles.push_back(tuple_text(tile));
  return fmt::format("TiledLayout(tiling=Tiling(tiles=({}{})), warp_dims={}, lane_dims={}, vector_dim={})",
                     fmt::join(tiles, ", "), tiles.size() == 1 ? "," : "", dims_text(l.warps), dims_text(l.lanes),
                     l.vector);
}

std::string tuple_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("({}{})", fmt::join(numbers, ", "), numbers.size() == 1 ? "," : "");
}

TiledDims whole_dims(const ArrayShape& shape) {
  TiledDims dims;
  for (std::size_t d = 0; d < shape.size(); ++d) dims.push_back({d, shape[d], 1});
  return dims;
}

TiledDims split_by(const TiledDims& dims, const MosaicTile& tile) {
  if (tile.size() > dims.size())
    throw Error(
        fmt::format("the tile {} has more dimensions than the array, which has {}", tuple_text(tile), dims.size()),
        "a tile splits the trailing dimensions");
  const std::size_t first = dims.size() - tile.size();
  TiledDims result(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(first)), rest;
  require_within(limits::layout_extents, static_cast<std::int64_t>(dims.size() + tile.size()));
  for (std::size_t i = 0; i < tile.size(); ++i) {
    const TiledDim& d = dims[first + i];
    if (tile[i] < 1)
      throw Error(fmt::format("the tile {} has the size {}", tuple_text(tile), tile[i]), "sizes start at 1");
    if (d.extent % tile[i] != 0)
      throw Error(fmt::format("the tile {} does not divide the array: {} is not a multiple of {}", tuple_text(tile),
                              d.extent, tile[i]),
                  "each extent must be a multiple of its tile");
    result.push_back({d.dimension, d.extent / tile[i], d.step * tile[i]});
    rest.push_back({d.dimension, tile[i], d.step});
  }
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

void require_valid_tiles(const std::vector<MosaicTile>& tiles) {
  if (tiles.empty()) throw Error("a Tiling without a tile", "for example Tiling(((64, 8), (16, 8), (8, 8), (2,)))");
  std::size_t last = tiles[0].size();
  for (const MosaicTile& tile : tiles) {
    if (tile.size() > last)
      throw Error(fmt::format("the tile {} has more dimensions than the one before it", tuple_text(tile)),
                  "tiles have a decreasing rank");
    if (tile.empty()) throw Error("a tile is empty", "tiles have at least one dimension");
    if (const auto bad = std::ranges::find_if(tile, [](std::int64_t d) { return d < 1; }); bad != tile.end())
      throw Error(fmt::format("the tile {} has the size {}", tuple_text(tile), *bad), "sizes start at 1");
    last = tile.size();
  }
}

TiledLayout canonical(const TiledLayout& l) {
  const TiledDims dims = tiled_suffix(l.tiles);
  TiledLayout result{canonical_tiles(l.tiles), {}, {}, l.vector};
  const TiledDims kept = tiled_suffix(result.tiles);
  // The number of dimensions left out from each one on. Matching goes from the end: a dimension is left out if its
  // extent is not the next kept one.
  std::vector<std::int64_t> left_out(dims.size() + 1);
  std::size_t next = kept.size();
  for (std::size_t i = dims.size(); i-- > 0;) {
    const bool is_kept = next > 0 && dims[i].extent == kept[next - 1].extent;
    if (is_kept) --next;
    left_out[i] = left_out[i + 1] + (is_kept ? 0 : 1);
  }
  const auto moved = [&](std::int64_t d) {
    return d + left_out[static_cast<std::size_t>(static_cast<std::int64_t>(dims.size()) + d)];
  };
  const auto all_moved = [&](const std::vector<ThreadDim>& from) {
    std::vector<ThreadDim> to;
    for (const ThreadDim& d : from)
      if (d.is_copy) to.push_back(d);
      else if (tiled_dim_at(dims, d.number).extent != 1) to.push_back({false, moved(d.number)});
    return to;
  };
  result.warps = all_moved(l.warps);
  result.lanes = all_moved(l.lanes);
  result.vector = moved(l.vector);
  require_dims(result, kept);
  return result;
}

void require_valid(const TiledLayout& l) {
  require_valid_tiles(l.tiles);
  require_dims(l, tiled_suffix(l.tiles));
  if (const TiledLayout shorter = canonical(l); !(shorter == l))
    throw Error(
        "the TiledLayout is not canonical: a tile splits nothing or begins with 1, or threads are spread over a "
        "dimension of extent 1",
        fmt::format("Mosaic takes {}", to_string(shorter)));
}

TiledLayout without_dimension(const TiledLayout& l, std::int64_t dimension) {
  const auto rank_of_base = static_cast<std::int64_t>(l.tiles[0].size());
  if (dimension < 0 || dimension >= rank_of_base)
    throw Error(fmt::format("dimension {} to reduce, of {}", dimension, rank_of_base),
                fmt::format("dimensions go from 0 to {}", rank_of_base - 1));
  const TiledDims dims = tiled_suffix(l.tiles);
  const auto is_removed = [&](const TiledDim& d) { return d.dimension == static_cast<std::size_t>(dimension); };
  TiledLayout result;
  for (const MosaicTile& tile : l.tiles) {
    const std::int64_t at = dimension - (rank_of_base - static_cast<std::int64_t>(tile.size()));
    MosaicTile rest = tile;
    if (at >= 0) rest.erase(rest.begin() + at);
    if (rest.empty()) break;
    result.tiles.push_back(rest);
  }
  if (result.tiles.empty()) throw Error("nothing is left to reduce", "reduce fewer dimensions");
  const bool is_vector_removed = is_removed(tiled_dim_at(dims, l.vector));
  if (is_vector_removed) result.tiles.push_back({1});
  const auto moved = [&](std::int64_t d) {
    return d + std::ranges::count_if(dims.end() + d, dims.end(), is_removed) - (is_vector_removed ? 1 : 0);
  };
  const auto all_moved = [&](const std::vector<ThreadDim>& from) {
    std::vector<ThreadDim> to;
    for (const ThreadDim& d : from) {
      if (d.is_copy) to.push_back(d);
      else if (is_removed(tiled_dim_at(dims, d.number))) to.push_back({true, tiled_dim_at(dims, d.number).extent});
      else to.push_back({false, moved(d.number)});
    }
    return to;
  };
  result.warps = all_moved(l.warps);
  result.lanes = all_moved(l.lanes);
  result.vector = is_vector_removed ? -1 : moved(l.vector);
  require_dims(result, tiled_suffix(result.tiles));
  return canonical(result);
}

std::int64_t vector_length(const TiledLayout& l) { return tiled_dim_at(tiled_suffix(l.tiles), l.vector).extent; }

RegisterForm layout_of(const TiledLayout& l, const ArrayShape& shape, ElementWidth element) {
  element_count(shape);
  TiledDims dims = whole_dims(shape);
  for (const MosaicTile& tile : l.tiles) dims = split_by(dims, tile);
  const std::vector<std::int64_t> steps = index_steps(shape);
  const auto leaf = [&](const TiledDim& d) { return FlatMode{d.extent, d.step * steps[d.dimension]}; };
  std::vector<FlatMode> threads, values{leaf(tiled_dim_at(dims, l.vector))};
  for (const auto* part : {&l.lanes, &l.warps})
    for (std::size_t i = part->size(); i-- > 0;) {
      const ThreadDim& d = (*part)[i];
      threads.push_back(d.is_copy ? FlatMode{d.number, 0} : leaf(tiled_dim_at(dims, d.number)));
    }
  std::vector<std::int64_t> used = split_dims(l);
  used.push_back(l.vector);
  for (std::int64_t d = -1; d >= -static_cast<std::int64_t>(dims.size()); --d)
    if (std::ranges::find(used, d) == used.end()) values.push_back(leaf(tiled_dim_at(dims, d)));
  return {shape, element, make_layout(std::vector{Layout(coalesce_modes(threads)), Layout(coalesce_modes(values))})};
}

bool is_same_layout(const RegisterForm& a, const RegisterForm& b) {
  return a.shape == b.shape && rank(a.layout) == 2 && rank(b.layout) == 2 &&
         coalesced_mode(a.layout, 0) == coalesced_mode(b.layout, 0) &&
         coalesced_mode(a.layout, 1) == coalesced_mode(b.layout, 1);
}

namespace {

enum class PartRole { warp, lane, value, vector };
struct RegisterPart {
  TiledDim dim;
  PartRole role = PartRole::value;
  bool is_copy = false;
};

// Splits the leaves of a mode into parts of single dimensions, fastest first. Returns why it cannot; empty if it can.
std::string parts_of(const std::vector<FlatMode>& leaves, const ArrayShape& shape, PartRole role,
                     std::vector<RegisterPart>& parts) {
  const std::vector<std::int64_t> steps = index_steps(shape);
  for (FlatMode leaf : leaves) {
    if (leaf.stride == 0) parts.push_back({{0, leaf.extent, 0}, role, true});
    while (leaf.stride != 0 && leaf.extent > 1) {
      std::size_t d = shape.size();
      while (d-- > 0 && steps[d] > leaf.stride) {
      }
      if (leaf.stride < 0 || leaf.stride % steps[d] != 0 || shape[d] % (leaf.stride / steps[d]) != 0)
        return fmt::format("the step {} does not stay in one dimension of {}", leaf.stride, shape_text(shape));
      const std::int64_t step = leaf.stride / steps[d], room = shape[d] / step;
      const std::int64_t extent = std::min(room, leaf.extent);
      if (extent < 2 || leaf.extent % extent != 0)
        return fmt::format("{} steps of {} do not stay inside {}", leaf.extent, leaf.stride, shape_text(shape));
      parts.push_back({{d, extent, step}, role});
      leaf = {leaf.extent / extent, steps[d + 1]};
    }
  }
  return "";
}

// Splits the threads into lanes and warps.
std::string split_threads(const RegisterForm& form, std::vector<FlatMode>& lanes, std::vector<FlatMode>& warps) {
  std::int64_t left = mosaic_lanes;
  for (const FlatMode& leaf : coalesced_mode(form.layout, 0)) {
    const std::int64_t taken = std::gcd(left, leaf.extent);
    if (taken != std::min(left, leaf.extent)) return "its threads do not split into warps of 32 lanes";
    if (taken > 1) lanes.push_back({taken, leaf.stride});
    if (leaf.extent > taken) warps.push_back({leaf.extent / taken, leaf.stride * taken});
    left /= taken;
  }
  return "";
}

// The order in which dimensions are split: registers in the order of their numbers; inside a dimension the largest step
// first.
std::string splitting_order(std::vector<RegisterPart> parts, const ArrayShape& shape,
                            std::vector<RegisterPart>& order) {
  std::erase_if(parts, [](const RegisterPart& p) { return p.is_copy; });
  std::vector<std::vector<RegisterPart>> left(shape.size());  // of each dimension, the largest step last
  for (const RegisterPart& p : parts) left[p.dim.dimension].push_back(p);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::ranges::sort(left[d], {}, [](const RegisterPart& p) { return p.dim.step; });
    std::int64_t covered = 1;
    for (const RegisterPart& p : left[d]) {
      if (p.dim.step != covered) return "its threads do not hold every element once";
      covered *= p.dim.extent;
    }
    if (covered != shape[d]) return "its threads do not hold every element";
  }
  const auto take = [&](std::size_t d) {
    order.push_back(left[d].back());
    left[d].pop_back();
  };
  for (std::size_t i = parts.size(); i-- > 0;) {
    if (parts[i].role != PartRole::value) continue;
    const std::size_t d = parts[i].dim.dimension;
    for (; !(left[d].back().dim == parts[i].dim); take(d))
      if (left[d].back().role == PartRole::value)
        return "its values run through a dimension out of order: Mosaic numbers registers by tiles, outer tiles "
               "first";
    take(d);
  }
  for (std::size_t d = 0; d < shape.size(); ++d)
    while (!left[d].empty() && !(left[d].size() == 1 && left[d][0].role == PartRole::vector)) take(d);
  return "";
}

// The tiles that split in this order: one tile for as long as the dimensions ascend.
std::vector<MosaicTile> tiles_of(const ArrayShape& shape, const std::vector<RegisterPart>& order) {
  MosaicTile tile = shape;
  std::size_t i = 0;
  const auto ascends = [&] {
    return i < order.size() && (i == 0 || order[i - 1].dim.dimension < order[i].dim.dimension);
  };
  for (; ascends() && order[i].role == PartRole::value; ++i) tile[order[i].dim.dimension] /= order[i].dim.extent;
  std::vector<MosaicTile> tiles{tile};
  while (i < order.size()) {
    do tile[order[i].dim.dimension] /= order[i].dim.extent;
    while (++i, ascends());
    tiles.push_back(tile);
  }
  return canonical_tiles(tiles);
}

}  // namespace

TiledLayoutOf tiled_layout_of(const RegisterForm& form) {
  if (rank(form.layout) > 2 && size(mode(form.layout, 2)) > 1) return {{}, "its values lie in several CTAs"};
  if (thread_count(form) != mosaic_threads)
    return {{},
            fmt::format("Mosaic's registers are those of a warpgroup, 128 threads; this layout has {}",
                        thread_count(form))};
  std::vector<FlatMode> lane_leaves, warp_leaves, value_leaves = coalesced_mode(form.layout, 1);
  if (std::string why = split_threads(form, lane_leaves, warp_leaves); !why.empty()) return {{}, why};
  std::vector<RegisterPart> values, lanes, warps, order;
  for (const auto& [leaves, role, parts] :
       {std::tuple{&value_leaves, PartRole::value, &values}, std::tuple{&lane_leaves, PartRole::lane, &lanes},
        std::tuple{&warp_leaves, PartRole::warp, &warps}})
    if (std::string why = parts_of(*leaves, form.shape, role, *parts); !why.empty()) return {{}, why};
  if (std::ranges::any_of(values, &RegisterPart::is_copy))
    return {{}, "a thread holds an element twice: Mosaic has copies in other threads only, Replicated(n)"};
  if (!values.empty()) values[0].role = PartRole::vector;
  std::vector<RegisterPart> all = values;
  all.insert(all.end(), lanes.begin(), lanes.end());
  all.insert(all.end(), warps.begin(), warps.end());
  if (std::string why = splitting_order(all, form.shape, order); !why.empty()) return {{}, why};

  TiledLayout l{tiles_of(form.shape, order), {}, {}, -1};
  const TiledDims dims = tiled_suffix(l.tiles);
  const auto number_of_dim = [&](const RegisterPart& p) { return std::ranges::find(dims, p.dim) - dims.end(); };
  for (const auto& [parts, to] : {std::pair{&lanes, &l.lanes}, std::pair{&warps, &l.warps}})
    for (std::size_t i = parts->size(); i-- > 0;) {
      const RegisterPart& p = (*parts)[i];
      to->push_back(p.is_copy ? ThreadDim{true, p.dim.extent} : ThreadDim{false, number_of_dim(p)});
    }
  if (!values.empty()) l.vector = number_of_dim(values[0]);
  try {
    l = canonical(l);
    require_valid(l);
    if (is_same_layout(layout_of(l, form.shape, form.element), form)) return {l};
  } catch (const Error&) {
    // A part that no tile makes: see below.
  }
  return {{}, "no TiledLayout has this order of values"};
}

}  // namespace swz

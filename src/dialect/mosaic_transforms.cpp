// SPDX-License-Identifier: Apache-2.0
// Transforms of Mosaic: what they do to an array, and those that make a given layout.
//
//   TileTransform((8, 64)) of 64x128: dimensions 64 128 -> 8 2 8 64, row-major strides 1024 512 64 1
//   Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096)) of bf16, CuTe's default order, has the columns' blocks outermost:
//     gmem_transform=(mgpu.TileTransform((8, 64)), mgpu.TransposeTransform((1, 0, 2, 3))), swizzle=128
//
// A dense layout always has transforms: split each dimension where its leaves meet, then transpose. Those of the
// hardware's tiles (8, s) and (s, 8) are tried first, because users write these.
//
// Source: jax 0.10.2, launch_context.py (transforms), fragmented_array.py (transfer_tiled: the XOR) (run).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "base/checked.hpp"
#include "dialect/mosaic.hpp"

namespace swz {

TiledDims transformed(TiledDims dims, const MosaicStep& step) {
  if (!step.is_transpose) return split_by(dims, step.numbers);
  std::vector<std::int64_t> all(dims.size()), sorted = step.numbers;
  std::iota(all.begin(), all.end(), 0);
  std::ranges::sort(sorted);
  if (sorted != all)
    throw Error(fmt::format("{} is not a permutation of {} dimensions", tuple_text(step.numbers), dims.size()),
                fmt::format("it names each of 0 to {} once", static_cast<std::int64_t>(dims.size()) - 1));
  TiledDims result;
  for (const std::int64_t p : step.numbers) result.push_back(dims[static_cast<std::size_t>(p)]);
  return result;
}

std::vector<Layout> row_major_modes(const TiledDims& dims, const ArrayShape& shape) {
  std::vector<std::vector<std::pair<std::int64_t, FlatMode>>> leaves(shape.size());  // step, leaf
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i].extent)
    if (dims[i].extent > 1) leaves[dims[i].dimension].push_back({dims[i].step, {dims[i].extent, stride}});
  std::vector<Layout> modes;
  for (auto& of : leaves) {
    std::ranges::sort(of, {}, [](const auto& leaf) { return leaf.first; });
    std::vector<FlatMode> flat;
    for (const auto& [step, leaf] : of) flat.push_back(leaf);
    modes.emplace_back(coalesce_modes(flat));
  }
  return modes;
}

Swizzle swizzle_of_bytes(std::int64_t bytes, int bits) {
  if (bytes <= 16) return {};
  return *in_units(Swizzle(log2_exact(bytes / 16), 4, 3), log2_exact(bits) - 3);
}

std::vector<Finding> notes_of_blocks(const std::vector<MosaicStep>& steps, const ArrayShape& shape, int bits,
                                     std::int64_t swizzle) {
  if (shape.size() != 2 || steps.empty() || steps[0].is_transpose || steps[0].numbers.size() != 2) return {};
  const MosaicTile& tile = steps[0].numbers;
  const std::int64_t blocks = shape[1] / tile[1], bytes = tile[0] * tile[1] * bits / 8;
  if (blocks == 1 || shape[0] == tile[0]) return {};
  const MosaicStep outermost{true, {1, 0, 2, 3}};
  const bool is_own = steps.size() == 1;
  if (!is_own && (steps.size() != 2 || !(steps[1] == outermost))) return {};
  const std::string strides = swizzle > 16 && tile[0] == 8
                                  ? fmt::format(" (SBO {} B in Mosaic, {} B in the others)", bytes * blocks, bytes)
                                  : "";
  return {note("mosaic-blocks",
               is_own ? fmt::format("Mosaic sets the {} column blocks inside each row block; Triton, TileLang, "
                                    "ThunderKittens and CuTe's default order set all row blocks inside a column block, "
                                    "which is another layout{}",
                                    blocks, strides)
                      : fmt::format("the {} column blocks are outermost, as in Triton, TileLang, ThunderKittens and "
                                    "CuTe's default order; Mosaic's tile alone, without the TransposeTransform, sets "
                                    "them inside each row block, which is another layout{}",
                                    blocks, strides),
               is_own ? "in CuTe it is tile_to_shape of the atom with the order (2,1)" : "", "jax 0.10.2 (run)")};
}

namespace {

// The layouts that the transforms make of an array; none if they do not fit it.
std::optional<std::vector<Layout>> made_by(const std::vector<MosaicStep>& steps, const ArrayShape& shape,
                                           std::int64_t row) {
  try {
    TiledDims dims = whole_dims(shape);
    for (const MosaicStep& step : steps) dims = transformed(std::move(dims), step);
    if (row != 0 && dims.back().extent != row) return std::nullopt;
    return row_major_modes(dims, shape);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Splits every dimension where its leaves meet, level by level, and then sorts the parts by stride. A dimension with
// fewer leaves than others is split by the last tiles, or by the first.
std::vector<MosaicStep> split_and_transpose(const std::vector<Layout>& modes, const ArrayShape& shape, std::int64_t row,
                                            bool by_first) {
  std::vector<std::vector<FlatMode>> leaves;
  std::size_t levels = 1;
  for (const Layout& mode : modes) {
    std::vector<FlatMode> of(mode.modes().begin(), mode.modes().end());
    const auto run = std::ranges::find_if(of, [&](const FlatMode& m) { return m.stride == 1 && m.extent > row; });
    if (row != 0 && run != of.end() && run->extent % row == 0) {
      const FlatMode rest{run->extent / row, row};
      run->extent = row;
      of.insert(run + 1, rest);
    }
    levels = std::max(levels, of.size());
    leaves.push_back(std::move(of));
  }
  std::vector<MosaicStep> steps;
  for (std::size_t level = levels; --level > 0;) {
    MosaicTile tile;
    for (const auto& of : leaves) {
      const std::size_t left_out = levels - of.size();
      const std::size_t kept = by_first ? level - std::min(level, left_out) : std::min(level, of.size());
      tile.push_back(std::accumulate(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(kept), std::int64_t{1},
                                     [](std::int64_t n, const FlatMode& m) { return n * m.extent; }));
    }
    steps.push_back({false, tile});
  }
  TiledDims dims = whole_dims(shape);
  for (const MosaicStep& step : steps) dims = transformed(std::move(dims), step);
  const auto stride_of = [&](const TiledDim& d) {
    std::int64_t step = 1;
    for (const FlatMode& m : leaves[d.dimension]) {
      if (step == d.step) return m.stride;
      step *= m.extent;
    }
    return std::int64_t{0};
  };
  // Dimensions of extent 1 stay in place, unless a swizzle requires another one last.
  const bool moves_all = row != 0 && dims.back().extent == 1;
  std::vector<std::int64_t> order(dims.size()), places, split;
  std::iota(order.begin(), order.end(), 0);
  const auto dim = [&](std::int64_t i) { return dims[static_cast<std::size_t>(i)]; };
  for (const std::int64_t i : order)
    if (moves_all || dim(i).extent > 1) places.push_back(i);
  split = places;
  std::ranges::stable_sort(split, std::greater(), [&](std::int64_t i) {
    return dim(i).extent > 1 ? stride_of(dim(i)) : std::numeric_limits<std::int64_t>::max();
  });
  for (std::size_t i = 0; i < places.size(); ++i) order[static_cast<std::size_t>(places[i])] = split[i];
  if (split != places) steps.push_back({true, order});
  return steps;
}

std::string mosaic_text(const std::vector<MosaicStep>& steps, std::int64_t swizzle) {
  const bool is_pallas = std::ranges::none_of(steps, &MosaicStep::is_transpose);
  std::vector<std::string> items;
  for (const MosaicStep& s : steps)
    items.push_back(fmt::format("{}({})",
                                is_pallas        ? "plgpu.TilingTransform"
                                : s.is_transpose ? "mgpu.TransposeTransform"
                                                 : "mgpu.TileTransform",
                                tuple_text(s.numbers)));
  if (is_pallas && swizzle != 0) items.push_back(fmt::format("plgpu.SwizzleTransform({})", swizzle));
  const std::string list = fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
  if (is_pallas) return "transforms=" + list;
  return "gmem_transform=" + list + (swizzle != 0 ? fmt::format(", swizzle={}", swizzle) : "");
}

}  // namespace

Written write_mosaic_shared(const SharedForm& form) {
  if (std::string why = why_not_composed(form); !why.empty())
    return refused(why + "; nearest: TilingTransform with SwizzleTransform(128), the hardware's mode");
  const ComposedLayout composed = *as_composed(form);
  if (composed.offset() != 0) return refused("an offset: a Mosaic array begins at 0");
  std::int64_t bytes = 0, row = 0;
  if (!composed.element_swizzle().is_identity()) {
    if (form.element.bits == 0)
      return refused("Mosaic's swizzles count bytes: the element type decides, for example --dtype bf16");
    if (!is_power_of_two(form.element.bits) || form.element.bits > 128)
      return refused(fmt::format("Mosaic has no elements of {} bits", form.element.bits));
    const int bits = composed.element_swizzle().bits();
    bytes = std::int64_t{16} << bits;
    if (bits > 3 || swizzle_of_bytes(bytes, form.element.bits) != composed.element_swizzle())
      return refused(fmt::format("{} on elements of {} bits is none of the swizzles 32, 64 and 128: nearest is {}",
                                 to_string(composed.element_swizzle()), form.element.bits,
                                 to_string(swizzle_of_bytes(std::min<std::int64_t>(bytes, 128), form.element.bits))));
    row = 8 * bytes / form.element.bits;
  }
  std::vector<Layout> modes;
  for (std::size_t d = 0; d < form.shape.size(); ++d)
    modes.emplace_back(coalesce_modes(mode(composed.layout(), d).modes()));
  // Every offset occurs once: the strides ascend, and each is the product of the extents before it.
  std::vector<FlatMode> all;
  for (const Layout& m : modes)
    for (const FlatMode& leaf : m.modes())
      if (leaf.extent > 1) all.push_back(leaf);
  std::ranges::sort(all, {}, &FlatMode::stride);
  std::int64_t covered = 1;
  for (const FlatMode& leaf : all) {
    if (leaf.stride != covered)
      return refused(
          "padding, or elements that share an offset: a Mosaic array has every offset once; nearest: a swizzle "
          "instead of padding");
    covered *= leaf.extent;
  }
  std::vector<std::vector<MosaicStep>> choices;
  if (row != 0 && form.shape.size() == 2) {
    const MosaicStep k_major{false, {8, row}}, mn_major{false, {row, 8}};
    choices = {
        {k_major}, {k_major, {true, {1, 0, 2, 3}}}, {mn_major, {true, {0, 1, 3, 2}}}, {mn_major, {true, {1, 0, 3, 2}}}};
  }
  std::vector<MosaicStep> last = split_and_transpose(modes, form.shape, row, false);
  std::vector<MosaicStep> first = split_and_transpose(modes, form.shape, row, true);
  if (std::ranges::any_of(last, &MosaicStep::is_transpose)) std::swap(first, last);
  choices.push_back(std::move(last));
  choices.push_back(std::move(first));
  for (const std::vector<MosaicStep>& steps : choices)
    if (made_by(steps, form.shape, row) == modes)
      return {mosaic_text(steps, bytes), {}, notes_of_blocks(steps, form.shape, form.element.bits, bytes)};
  return refused(fmt::format("a swizzle of {} bytes takes runs of {} elements: nearest is TilingTransform((8, {}))",
                             bytes, row, row));
}

}  // namespace swz

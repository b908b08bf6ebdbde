// SPDX-License-Identifier: Apache-2.0
// Register layouts of JAX Mosaic GPU as text: names, TiledLayout, WGStridedFragLayout and their attributes.
//
//   WGMMA_LAYOUT, plgpu.Layout.WGMMA of 64x8
//   TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8), (8, 8), (2,))), warp_dims=(-7,), lane_dims=(-3, -2), vector_dim=-1)
//   #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>
//     all three ((4,8,4),(2,2)):((128,1,16),(64,8))
//   WGStridedFragLayout(shape=(64, 64), vec_size=8)   value i * 8 + k of thread t is element i * 1024 + t * 8 + k
//
// Source: jax 0.10.2, fragmented_array.py, layouts.py, tcgen05.py and Pallas' core.py (run).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "base/checked.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "dialect/mosaic.hpp"
#include "dialect/mosaic_tiling.hpp"
#include "layout/algebra.hpp"

namespace swz {
namespace {

struct NamedLayout {
  std::string_view name;     // in fragmented_array
  std::string_view pallas;   // plgpu.Layout.…; empty if Pallas has no name
  std::string_view tcgen05;  // tcgen05.…
  TiledLayout layout;
};

ThreadDim replicated(std::int64_t n) { return {true, n}; }
ThreadDim tiled_dim(std::int64_t d) { return {false, d}; }

// The layout of rows in a warpgroup: a warp has 16 (wgmma) or 32 (tcgen05) of them, and of every 8 rows each of 8
// groups of lanes has one.
TiledLayout fragment_layout(std::int64_t rows, std::int64_t columns, std::int64_t vector) {
  return {{{rows, columns}, {rows / 4, columns}, {8, columns}, {vector}},
          {tiled_dim(-7)},
          {tiled_dim(-3), tiled_dim(-2)},
          -1};
}
TiledLayout transposed_layout(std::int64_t rows) {
  return {{{rows, 8}, {rows / 4, 8}, {8, 8}, {2, 2}, {2, 1}},
          {tiled_dim(-10)},
          {tiled_dim(-6), tiled_dim(-3), tiled_dim(-5)},
          -2};
}
TiledLayout row_layout(std::int64_t rows) {
  return {{{rows}, {rows / 4}, {8}, {1}}, {tiled_dim(-4)}, {tiled_dim(-2), replicated(4)}, -1};
}

// Of two names for the same layout, the first is written.
const auto& named_layouts() {
  const TiledLayout column{{{8}, {2}}, {replicated(4)}, {replicated(8), tiled_dim(-2)}, -1};
  static const std::array rows{
      NamedLayout{"WGMMA_LAYOUT", "WGMMA", "", fragment_layout(64, 8, 2)},
      NamedLayout{"TCGEN05_LAYOUT", "TCGEN05", "LAYOUT", fragment_layout(128, 8, 2)},
      NamedLayout{"TMEM_NATIVE_LAYOUT", "TCGEN05_TMEM_NATIVE", "TMEM_NATIVE_LAYOUT", native_layout(2)},
      NamedLayout{"WGMMA_ROW_LAYOUT", "", "", row_layout(64)},
      NamedLayout{"WGMMA_COL_LAYOUT", "", "", column},
      NamedLayout{"WGMMA_LAYOUT_8BIT", "WGMMA_8BIT", "", fragment_layout(64, 16, 4)},
      NamedLayout{"WGMMA_LAYOUT_UPCAST_2X",
                  "WGMMA_UPCAST_2X",
                  "",
                  {{{64, 16}, {16, 16}, {8, 16}, {8}, {4}},
                   {tiled_dim(-8)},
                   {tiled_dim(-4), tiled_dim(-2), tiled_dim(-3)},
                   -1}},
      NamedLayout{"WGMMA_LAYOUT_UPCAST_4X", "WGMMA_UPCAST_4X", "", fragment_layout(64, 32, 8)},
      NamedLayout{"WGMMA_LAYOUT_ACC_32BIT",
                  "_WGMMA_ACC_32BIT",
                  "",
                  {{{64, 8}, {16, 8}, {8, 8}, {2}, {1}}, {tiled_dim(-8)}, {tiled_dim(-4), tiled_dim(-3)}, -1}},
      NamedLayout{"WGMMA_TRANSPOSED_LAYOUT", "WGMMA_TRANSPOSED", "", transposed_layout(64)},
      NamedLayout{"TCGEN05_TRANSPOSED_LAYOUT", "TCGEN05_TRANSPOSED", "TRANSPOSED_LAYOUT", transposed_layout(128)},
      NamedLayout{"TCGEN05_ROW_LAYOUT", "", "ROW_LAYOUT", row_layout(128)},
      NamedLayout{"TCGEN05_COL_LAYOUT", "", "COL_LAYOUT", column},
      NamedLayout{"TMA_INDICES_LAYOUT", "TMA_INDICES", "", {{{16}, {4}}, {tiled_dim(-2)}, {replicated(32)}, -1}},
      NamedLayout{"TMA_INDICES_4_LAYOUT", "TMA_INDICES_4", "", {{{4}}, {replicated(4)}, {replicated(32)}, -1}}};
  return rows;
}

const NamedLayout* find_named(std::string_view name) {
  const std::string_view last = last_name(name);
  const bool is_pallas = name.starts_with("Layout.") || name.find(".Layout.") != std::string_view::npos;
  const bool is_tcgen05 = name.starts_with("tcgen05.") || name.find(".tcgen05.") != std::string_view::npos;
  for (const NamedLayout& n : named_layouts())
    if (is_pallas ? last == n.pallas : last == n.name || (is_tcgen05 && last == n.tcgen05)) return &n;
  return nullptr;
}

// ---- TiledLayout

std::vector<ThreadDim> thread_dims(const Literal& list) {
  if (list.kind != Literal::Kind::list) throw Error("expected a list of dimensions", "for example (-3, -2)", list.span);
  std::vector<ThreadDim> dims;
  for (const Literal& item : list.items) {
    const bool is_copies = item.kind == Literal::Kind::call && item.text.ends_with("Replicated");
    dims.push_back(is_copies ? replicated(item.require("times", 0).integer()) : tiled_dim(item.integer()));
  }
  return dims;
}

// ---- layouts that Mosaic makes from arguments

// The layout of a copy between global and shared memory of tiles (8, swizzle): lanes run along a tile's row first, so
// that no two lanes of a phase share a bank.
TiledLayout copy_layout(const Literal& call) {
  const std::vector<std::int64_t> shape = call.require("shape", 0).integers();
  const std::int64_t bits = dtype_of(call.require("dtype", 1)).memory_bits;
  const std::int64_t swizzle = call.require("swizzle", 2).integer();
  if (swizzle != 16 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    throw Error(fmt::format("a swizzle of {} bytes", swizzle), "swizzles are 16, 32, 64 and 128", call.span);
  const std::int64_t width = 8 * swizzle / bits;
  const TiledDims tiled = split_by(whole_dims(shape), {8, width});
  std::int64_t rows = tiled[tiled.size() - 4].extent, columns = tiled[tiled.size() - 3].extent;
  const std::int64_t warp_rows = rows % 4 == 0 ? 4 : rows % 2 == 0 ? 2 : 1, warp_columns = 4 / warp_rows;
  if (columns % warp_columns != 0)
    throw Error(fmt::format("{} rows and {} columns of tiles do not spread over 4 warps", rows, columns),
                "the number of tiles must be a multiple of 4", call.span);
  rows /= warp_rows;
  columns /= warp_columns;
  std::int64_t bytes = std::min<std::int64_t>(16, 8 * swizzle / mosaic_lanes), lane_rows = 1, lane_columns = 1;
  for (std::int64_t left = 16 / bytes; left > 1 && columns % 2 == 0; left /= 2, columns /= 2) lane_columns *= 2;
  for (std::int64_t left = 16 / bytes / lane_columns; left > 1 && rows % 2 == 0; left /= 2, rows /= 2) lane_rows *= 2;
  bytes *= lane_rows * lane_columns;
  if (8 * bytes < bits)
    throw Error(fmt::format("a thread copies {} bytes, less than an element of {} bits", bytes, bits),
                "take a wider swizzle", call.span);
  const std::int64_t vector = 8 * bytes / bits;
  const std::int64_t steps = std::max<std::int64_t>(1, 8 * width / (vector * mosaic_lanes));
  return canonical({{{warp_rows * lane_rows * 8, warp_columns * lane_columns * width},
                     {lane_rows * 8, lane_columns * width},
                     {8, width},
                     {8 / steps, width},
                     {vector}},
                    {tiled_dim(-9), tiled_dim(-8)},
                    {tiled_dim(-7), tiled_dim(-6), tiled_dim(-3), tiled_dim(-2)},
                    -1});
}

std::optional<TiledLayout> made_layout(const Literal& call) {
  const std::string_view name = last_name(call.text);
  if (name == "TiledLayout" || name == "TILED") return read_tiled_layout(call);
  if (name == "tmem_native_layout" || name == "TCGEN05_TMEM_NATIVE") {
    TiledLayout layout = native_layout(call.require("vector_length", 0).integer());
    require_valid(layout);
    return layout;
  }
  if (name == "fa_m64_collective_layout" || name == "TCGEN05_M64_COLLECTIVE") {
    const std::int64_t columns = multiple_of_16(call);
    return TiledLayout{{{64, columns}, {32, columns / 2}, {8, 8}, {2}},
                       {tiled_dim(-6), tiled_dim(-7)},
                       {tiled_dim(-3), tiled_dim(-2)},
                       -1};
  }
  if (name == "TCGEN05_M64_COLLECTIVE_NATIVE") return collective_native_layout(call);
  if (name == "SMEM_GMEM_COPY") return copy_layout(call);
  return std::nullopt;
}

TiledLayout tiled_layout(const Literal& value) {
  const bool is_call = value.kind == Literal::Kind::call;
  if (is_call && value.text.ends_with(".reduce")) {
    const std::string_view of = std::string_view(value.text).substr(0, value.text.size() - 7);
    const NamedLayout* named = find_named(of);
    if (named == nullptr)
      throw Error(fmt::format("{} is not a layout that swz can reduce", quoted(of)), {}, value.span);
    const Literal& axes = value.require("axes", 0);
    std::vector<std::int64_t> dims = axes.kind == Literal::Kind::integer ? std::vector{axes.number} : axes.integers();
    std::ranges::sort(dims, std::greater());
    TiledLayout layout = named->layout;
    for (const std::int64_t d : dims) layout = without_dimension(layout, d);
    return layout;
  }
  if (is_call)
    if (auto made = made_layout(value)) return *made;
  if (const NamedLayout* named = find_named(value.text); named != nullptr && (!is_call || value.items.empty()))
    return named->layout;
  std::vector<std::string> names;
  for (const NamedLayout& n : named_layouts()) names.emplace_back(n.name);
  throw Error(fmt::format("{} is not a layout of Mosaic", quoted(value.text)),
              did_you_mean(last_name(value.text), names, fmt::format("names: {}", fmt::join(names, ", "))), value.span);
}

// ---- WGStridedFragLayout

// None if threads step across rows so that no (thread, value) layout describes them.
std::optional<RegisterForm> strided_form(const ArrayShape& shape, std::int64_t vector, ElementWidth element) {
  std::vector<FlatMode> modes;  // number, row by row -> column-major index
  std::int64_t step = element_count(shape);
  const std::int64_t values = step / mosaic_threads;
  for (std::size_t d = shape.size(); d-- > 0;) modes.push_back({shape[d], step /= shape[d]});
  const auto part = [&](std::vector<FlatMode> of) {
    return Layout(coalesce_modes(composition(Layout(modes), Layout(of)).modes()));
  };
  try {
    return RegisterForm{shape, element,
                        make_layout(std::vector{part({{mosaic_threads, vector}}),
                                                part({{vector, 1}, {values / vector, mosaic_threads * vector}})})};
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The vec_size for which it is a WGStridedFragLayout: the number of the first element of thread 1. 0 if there is none.
std::int64_t vector_of_strided(const RegisterForm& form) {
  if (rank(form.layout) != 2 || thread_count(form) != mosaic_threads ||
      element_count(form.shape) != mosaic_threads * value_count(form))
    return 0;
  std::int64_t index = form.layout(1), vector = 0;
  for (const std::int64_t extent : form.shape) {
    vector = vector * extent + index % extent;
    index /= extent;
  }
  if (vector < 1 || value_count(form) % vector != 0) return 0;
  const auto strided = strided_form(form.shape, vector, form.element);
  return strided && is_same_layout(*strided, form) ? vector : 0;
}

Reading read_strided(const Literal& call, const Given& given) {
  const ArrayShape shape = call.require("shape", 0).integers();
  const Literal* short_name = call.find("vec_size", 1);
  const std::int64_t vector = (short_name != nullptr ? *short_name : call.require("vector_size", 1)).integer();
  const std::int64_t count = element_count(shape);
  if (vector < 1 || vector > count || count % (vector * mosaic_threads) != 0)
    throw Error(fmt::format("{} elements do not spread over 128 threads in vectors of {}", count, vector),
                fmt::format("their number must be a multiple of 128 * {}", vector), call.span);
  if (!given.shape.empty() && given.shape != shape)
    throw Error(fmt::format("the layout is of {}, not of {}", shape_text(shape), shape_text(given.shape)),
                "leave --shape out", call.span);
  auto form = strided_form(shape, vector, element_width(given));
  if (!form)
    throw Error(
        fmt::format("of {} in vectors of {} the elements of a thread have no strides: not a (thread, value) "
                    "layout",
                    shape_text(shape), vector),
        fmt::format("element number i * {} + t * {} + k is value i * {} + k of thread t", 128 * vector, vector, vector),
        call.span);
  return {*form};
}

}  // namespace

TiledLayout native_layout(std::int64_t vector) {
  return {{{128, vector}, {32, vector}}, {tiled_dim(-4)}, {tiled_dim(-2)}, -1};
}

TiledLayout read_tiled_layout(const Literal& call) {
  static constexpr std::array<std::string_view, 4> keys{"tiling", "warp_dims", "lane_dims", "vector_dim"};
  call.require_keys(keys);
  const Literal& tiling = call.require("tiling", 0);
  TiledLayout layout{tiling.kind == Literal::Kind::call ? tiles_of_tiling(tiling) : tiling.integer_lists(),
                     thread_dims(call.require("warp_dims", 1)), thread_dims(call.require("lane_dims", 2)),
                     call.require("vector_dim", 3).integer()};
  require_valid(layout);
  return layout;
}

std::int64_t multiple_of_16(const Literal& call) {
  const std::int64_t columns = call.require("columns", 0).integer();
  if (columns % 16 != 0 || columns < 16)
    throw Error(fmt::format("{} columns", columns), "columns must be a multiple of 16", call.span);
  return columns;
}

TiledLayout collective_native_layout(const Literal& call) {
  const std::int64_t columns = multiple_of_16(call);
  const std::int64_t packing = call.integer_or(1, "packing", 1);
  if (packing > 8 || !is_power_of_two(packing))
    throw Error(fmt::format("a packing of {}", packing), "packing is 1, 2, 4 or 8", call.span);
  TiledLayout layout{
      {{64, columns}, {32, columns / 2}, {packing}}, {tiled_dim(-4), tiled_dim(-5)}, {tiled_dim(-3)}, -1};
  require_valid(layout);
  return layout;
}

bool names_mosaic_registers(const Literal& value) {
  const std::string_view name = last_name(value.text);
  if (value.kind != Literal::Kind::name && value.kind != Literal::Kind::call) return false;
  return name.ends_with("FragLayout") || name == "TiledLayout" || name == "tmem_native_layout" ||
         name == "fa_m64_collective_layout" || name.ends_with("_LAYOUT") ||
         name.find("_LAYOUT_") != std::string_view::npos || value.text.starts_with("Layout.") ||
         value.text.find(".Layout.") != std::string::npos || find_named(value.text) != nullptr;
}

Reading read_mosaic_registers(const Literal& value, const Given& given) {
  const std::string_view name = last_name(value.text);
  if (name == "WGSplatFragLayout" || name == "WG_SPLAT")
    throw Error("a splat has one value in every thread, which stands for all elements: no thread holds one of them",
                "give the layout that it is broadcast to, for example WGMMA_LAYOUT", value.span);
  if (name == "WGStridedFragLayout" || name == "WG_STRIDED") return read_strided(value, given);
  try {
    const TiledLayout layout = tiled_layout(value);
    if (given.shape.empty())
      throw usage_error("this text does not say the shape of the array",
                        fmt::format("add it: --shape {}, or multiples of it", shape_text(layout.tiles[0])));
    return {layout_of(layout, given.shape, element_width(given))};
  } catch (const Error& e) {
    throw e.kind == ErrorKind::usage ? e : e.at(value.span);
  }
}

Written write_mosaic_registers(const RegisterForm& form) {
  for (const NamedLayout& named : named_layouts()) {
    const MosaicTile& base = named.layout.tiles[0];
    if (base.size() > form.shape.size() ||
        !std::equal(base.rbegin(), base.rend(), form.shape.rbegin(),
                    [](std::int64_t t, std::int64_t extent) { return extent % t == 0; }))
      continue;
    if (is_same_layout(layout_of(named.layout, form.shape, form.element), form)) return {std::string(named.name)};
  }
  const TiledLayoutOf tiled = tiled_layout_of(form);
  if (const std::int64_t vector = vector_of_strided(form); vector != 0)
    return {fmt::format("WGStridedFragLayout(shape={}, vec_size={})", tuple_text(form.shape), vector)};
  if (!tiled.why.empty())
    return refused(fmt::format("{}; WGMMA_LAYOUT and TCGEN05_LAYOUT are what wgmma and tcgen05 take", tiled.why));
  return {to_string(tiled.layout)};
}

}  // namespace swz

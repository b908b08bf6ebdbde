// SPDX-License-Identifier: Apache-2.0
// Layouts of tensor memory of JAX Mosaic GPU: TMEMLayout, the functions that make one, and the names in Pallas.
//
//   tmem_default_layout(packing)               128 rows: row r in lane r
//   tmem_half_lane_layout(columns, packing)     64 rows: row r in lane r mod 16 + 32 (r / 16), the right half of the
//                                               columns 16 lanes further
//   tmem_m64_collective_layout(columns, packing)  64 rows: row r in lane r, the right half of the columns 64 lanes further
//   scales_layout(), b_scales_m64_collective_layout()   scale factors, copied into other quarters
//   TMEMLayout(tiling=Tiling(tiles=((128, 2), (32, 2))), warp_dims=(-4,), lane_dims=(-2,), vector_dim=-1)
//
// A TMEMLayout is a TiledLayout in which thread 32 w + l is lane 32 w + l. Its registers are columns, each vector
// padded to 32 bits. So the vector has one element, or as many as fill a column.
//
//   tmem_half_lane_layout(64, packing=1) of 64x64 f32: (20, 40) is 4 of row group 1, column 8 of the right half:
//   lane 4 + 32 + 16 = 52, column 8
//
// Of several copies the form has the lowest lane. Invariant (tested): the written text reads back as the same
// addresses.
// Source: jax 0.10.2, jax/experimental/mosaic/gpu/tcgen05.py and Pallas' core.py (run, tests/dialect/golden_mosaic.py).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "arch/tensor_memory.hpp"
#include "base/checked.hpp"
#include "dialect/mosaic.hpp"

namespace swz {
namespace {

constexpr std::string_view maker_names[] = {
    "TMEMLayout",         "tmem_default_layout",    "tmem_half_lane_layout",          "tmem_m64_collective_layout",
    "scales_layout",      "SCALES_LAYOUT",          "b_scales_m64_collective_layout", "SCALES_M64_COLLECTIVE_LAYOUT",
    "sparse_meta_layout", "SPARSE_METADATA_LAYOUT", "M64_COLLECTIVE_LAYOUT"};

ThreadDim dim(std::int64_t d) { return {false, d}; }
ThreadDim copies(std::int64_t n) { return {true, n}; }

// The rows and columns of one CTA. 16 rows of each half of the columns share a quarter.
TiledLayout half_lane_layout(std::int64_t columns, std::int64_t packing) {
  return {{{64, columns}, {16, columns / 2}, {packing}}, {dim(-5)}, {dim(-4), dim(-3)}, -1};
}
TiledLayout scales_layout() { return {{{128, 4}, {32, 1}}, {copies(4)}, {dim(-2)}, -3}; }
TiledLayout b_scales_layout() { return {{{256, 4}, {128, 4}, {32, 4}}, {copies(2), dim(-6)}, {dim(-2)}, -1}; }

std::int64_t packing_of(const Literal& call, std::size_t position, std::int64_t most) {
  const std::int64_t packing = call.integer_or(1, "packing", position);
  if (!is_power_of_two(packing) || packing > most)
    throw Error(fmt::format("a packing of {}", packing), fmt::format("a power of two, at most {}", most), call.span);
  return packing;
}

TiledLayout tensor_tiles(const Literal& value) {
  const std::string_view name = last_name(value.text);
  if (name == "TMEMLayout") return read_tiled_layout(value);
  if (name == "tmem_default_layout") return native_layout(packing_of(value, 0, 32));
  if (name == "tmem_half_lane_layout") {
    const std::int64_t columns = multiple_of_16(value);
    return half_lane_layout(columns, packing_of(value, 1, columns / 2));
  }
  if (name == "tmem_m64_collective_layout" || name == "M64_COLLECTIVE_LAYOUT") return collective_native_layout(value);
  if (name == "scales_layout" || name == "SCALES_LAYOUT") return scales_layout();
  if (name == "b_scales_m64_collective_layout" || name == "SCALES_M64_COLLECTIVE_LAYOUT") return b_scales_layout();
  throw Error(fmt::format("{} does not say where the metadata lies: Mosaic compares it, and nothing else", value.text),
              "swz tmem shows the metadata of a sparse MMA", value.span);
}

// Throws Error by the rules of TMEMLayout.check_type.
TensorForm tensor_form(const TiledLayout& tiles, const ArrayShape& shape, ElementWidth element) {
  require_valid(tiles);
  if (shape.size() != 2)
    throw usage_error(fmt::format("an array of {} dimensions: tensor memory has rows and columns", shape.size()),
                      "for example --shape 128x64");
  if (element.bits == 0)
    throw usage_error("this text does not say the element type", "add it, for example --dtype f32");
  const std::int64_t vector = vector_length(tiles);
  const int per_column = std::max(32 / element.bits, 1);
  if (element.bits > 32 || (vector != 1 && vector != per_column))
    throw usage_error(fmt::format("a vector of {} elements of {} bits", vector, element.bits),
                      fmt::format("a column has 32 bits: the packing of this type is {}",
                                  per_column == 1 ? "1" : fmt::format("1 or {}", per_column)));
  const RegisterForm held = layout_of(tiles, shape, element);
  const std::int64_t values = value_count(held);
  if (values / vector > tmem_columns)
    throw usage_error(fmt::format("{} columns are more than the {} of tensor memory", values / vector, tmem_columns),
                      "take a smaller array, or pack its elements");
  std::vector<std::int64_t> address(static_cast<std::size_t>(element_count(shape)), -1);
  const std::vector<std::int64_t> numbers = numbers_of(held);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto lane = static_cast<std::int64_t>(i) / values, value = static_cast<std::int64_t>(i) % values;
    std::int64_t& at = address[static_cast<std::size_t>(numbers[i])];
    if (at < 0) at = (tmem_address(1, 0) * lane + value / vector) * per_column + value % vector;
  }
  return {shape, element, as_composed(shared_form(shape, {}, std::move(address)))->layout(), per_column};
}

bool has_copies(const TiledLayout& tiles) {
  return std::ranges::any_of(tiles.warps, &ThreadDim::is_copy) || std::ranges::any_of(tiles.lanes, &ThreadDim::is_copy);
}

}  // namespace

bool names_mosaic_tensor(const Literal& value) {
  return std::ranges::find(maker_names, last_name(value.text)) != std::end(maker_names);
}

Reading read_mosaic_tensor(const Literal& value, const Given& given) {
  try {
    const TiledLayout tiles = tensor_tiles(value);
    Reading reading{tensor_form(tiles, required_shape(given), element_width(given))};
    if (has_copies(tiles))
      reading.notes.push_back(note("tmem-copies",
                                   "other quarters of tensor memory hold copies: the layout is that of "
                                   "the lowest lanes"));
    return reading;
  } catch (const Error& e) {
    throw e.kind == ErrorKind::usage ? e : e.at(value.span);
  }
}

Written write_mosaic_tensor(const TensorForm& form) {
  if (form.shape.size() != 2) return refused("Mosaic's tensor memory has rows and columns");
  const std::int64_t columns = form.shape[1];
  std::vector<std::string> texts;
  for (const int packing : {1, form.elements_per_column}) {
    texts.push_back(fmt::format("tcgen05.tmem_default_layout(packing={})", packing));
    for (std::int64_t n = columns; n >= 16 && n % 16 == 0; n /= 2) {
      texts.push_back(fmt::format("tcgen05.tmem_half_lane_layout({}, packing={})", n, packing));
      texts.push_back(fmt::format("tcgen05.tmem_m64_collective_layout({}, packing={})", n, packing));
    }
  }
  texts.insert(texts.end(), {"tcgen05.scales_layout()", "tcgen05.b_scales_m64_collective_layout()"});
  for (const std::string& text : texts) {
    try {
      const TensorForm read = tensor_form(tensor_tiles(parse_literal(text)), form.shape, form.element);
      if (read.layout == form.layout && read.elements_per_column == form.elements_per_column) return {text};
    } catch (const Error&) {  // the layout does not accept the shape or type
    }
  }
  return refused(
      "neither an accumulator of 128 or 64 rows as Mosaic has it nor scale factors; nearest: "
      "tcgen05.tmem_default_layout, row r in lane r");
}

}  // namespace swz

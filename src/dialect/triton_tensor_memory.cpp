// SPDX-License-Identifier: Apache-2.0
// Triton's encodings of tensor memory: the lane and column of each element.
//
//   tensor_memory_encoding<blockM, blockN, colStride>   blocks of blockM rows: 128 are lanes 0 to 127; 64 are lanes
//       r mod 16 + 32 (r / 16) (data path F), lane bit 4 is the next block: of M, otherwise of N, otherwise unused.
//       Columns: colStride, N up to blockN, then the blocks of M, then those of N
//   tensor_memory_scales_encoding<>   lanes r mod 32, four copies; columns: 4 of K, rows 32, 64, …, then K
//
//   <blockM = 64, blockN = 64, colStride = 1> of 128x64 f32: row 80 = 64 + 16 is in lane 16 + 32 = 48
//
// A column of Triton is as wide as an element; columns of 32 bits together are one column of tensor memory.
// Source: triton 3.9.0 parser and get_tensor_memory_layout (run); the data paths are those of arch/tensor_memory.hpp.
// Not measured: no Blackwell GPU was available.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/tensor_memory.hpp"
#include "base/checked.hpp"
#include "dialect/triton_encoding.hpp"

namespace swz {
namespace {

int elements_in_a_column(ElementWidth element, std::string_view what) {
  if (element.bits == 0)
    throw usage_error(fmt::format("{} does not say the element type", what), "add it, for example --dtype f32");
  if (element.bits > 32)
    throw Error(fmt::format("elements of {} bits are wider than a column of tensor memory", element.bits),
                "at most 32 bits");
  return 32 / element.bits;
}

// The map (row, column) -> address, from where each bit of both goes.
TensorForm form_of_bits(const ArrayShape& shape, ElementWidth element, int per_column, const TritonBases& lanes,
                        const TritonBases& columns) {
  std::vector<std::vector<FlatMode>> leaves(2);
  for (std::size_t d = 0; d < 2; ++d)
    for (std::int64_t bit = 1; bit < shape[d]; bit *= 2) {
      std::int64_t stride = 0;
      for (std::size_t k = 0; k < lanes.size(); ++k)
        if (lanes[k][d] == bit) stride = (std::int64_t{tmem_address(1, 0)} * per_column) << k;
      for (std::size_t k = 0; k < columns.size(); ++k)
        if (columns[k][d] == bit) stride = std::int64_t{1} << k;
      leaves[d].push_back({2, stride});
    }
  const std::vector<Layout> modes{Layout(coalesce_modes(leaves[0])), Layout(coalesce_modes(leaves[1]))};
  if ((std::int64_t{1} << columns.size()) > std::int64_t{tmem_columns} * per_column)
    throw Error(fmt::format("{} columns of {} bits are more than the {} of tensor memory", 1LL << columns.size(),
                            element.bits, tmem_columns),
                "take a smaller array");
  return {shape, element, make_layout(modes), per_column};
}

}  // namespace

TensorForm tensor_of(const TensorMemory& e, const ArrayShape& shape, ElementWidth element) {
  require_rank(2, shape);
  const int per_column = elements_in_a_column(element, "tensor_memory_encoding");
  if (e.block_m != 64 && e.block_m != 128)
    throw Error(fmt::format("blockM = {}: must be 64 or 128", e.block_m), "the rows of an accumulator of one CTA");
  if (!is_power_of_two(e.block_n) || e.block_n > tmem_columns)
    throw Error(fmt::format("blockN = {}: must be a power of two, at most 512", e.block_n), "for example 64");
  if (e.column_stride != 1 && e.column_stride != 2 && e.column_stride != 4)
    throw Error(fmt::format("colStride = {}: must be 1, 2, or 4", e.column_stride), "1 is packed");
  if (e.column_stride > per_column)
    throw Error(fmt::format("colStride = {} with elements of {} bits: their product is at most 32", e.column_stride,
                            element.bits),
                "a column of tensor memory has 32 bits");
  if (shape[0] < e.block_m)
    throw Error(fmt::format("{} is smaller than the block of {} rows", shape_text(shape), e.block_m),
                "Triton wants at least one block");
  const std::int64_t block_n = std::min(e.block_n, shape[1]);
  TritonBases lanes, columns;
  std::int64_t m = e.block_m, n = block_n;  // extents that are laid out so far
  append_bits(lanes, 2, 0, 1, e.block_m == 64 ? 16 : 128);
  if (e.block_m == 64) {
    lanes.emplace_back(2);
    if (shape[0] > m) lanes.back()[0] = std::exchange(m, 2 * m);
    else if (shape[1] > n) lanes.back()[1] = std::exchange(n, 2 * n);
    append_bits(lanes, 2, 0, 16, 64);
  }
  for (std::int64_t skipped = 1; skipped < e.column_stride * (e.is_fp4_padded ? 2 : 1); skipped *= 2)
    columns.emplace_back(2);
  append_bits(columns, 2, 1, 1, block_n);
  append_bits(columns, 2, 0, m, shape[0]);
  append_bits(columns, 2, 1, n, shape[1]);
  return form_of_bits(shape, element, per_column, lanes, columns);
}

TensorForm tensor_of(const TensorMemoryScales&, const ArrayShape& shape, ElementWidth element) {
  require_rank(2, shape);
  const int per_column = elements_in_a_column(element, "tensor_memory_scales_encoding");
  if (element.bits != 8) throw Error("scale factors have 8 bits", "--dtype ue8m0, or e4m3");
  TritonBases lanes, columns;
  append_bits(lanes, 2, 0, 1, std::min<std::int64_t>(shape[0], 32));
  append_bits(columns, 2, 1, 1, std::min<std::int64_t>(shape[1], 4));
  while (columns.size() < 2) columns.emplace_back(2);
  append_bits(columns, 2, 0, 32, shape[0]);
  append_bits(columns, 2, 1, 4, shape[1]);
  return form_of_bits(shape, element, per_column, lanes, columns);
}

TritonChoice tensor_encoding_of(const TensorForm& form) {
  const auto is_it = [&](const auto& e) {
    try {
      return tensor_of(e, form.shape, form.element).layout == form.layout;
    } catch (const Error&) {
      return false;  // the block does not fit the array
    }
  };
  for (const std::int64_t m : {128, 64})
    for (std::int64_t n = form.shape.size() == 2 ? form.shape[1] : 0; n >= 1; n /= 2)
      for (const std::int64_t stride : {1, 2, 4})
        if (const TensorMemory e{m, n, stride}; is_it(e)) return {{{e}}};
  if (is_it(TensorMemoryScales{})) return {{{TensorMemoryScales{}}}};
  return {{}, "neither an accumulator of 64 or 128 rows nor scale factors; nearest: tensor_memory_encoding"};
}

}  // namespace swz

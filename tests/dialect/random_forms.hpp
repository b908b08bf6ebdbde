// SPDX-License-Identifier: Apache-2.0
// Random layouts of shared memory: tiles of the hardware modes, strides, swizzles, general maps, padding, rotations.
#pragma once

#include <algorithm>
#include <random>

#include "dialect/column_blocks.hpp"
#include "dialect/dialect.hpp"

namespace swz {

class RandomForms {
 public:
  explicit RandomForms(std::uint64_t seed) : random_(seed) {}

  SharedForm operator()() {
    const int row_bits = pick(6), column_bits = 1 + pick(5);
    const ArrayShape shape{std::int64_t{1} << row_bits, std::int64_t{1} << column_bits};
    const DType& dtype = require_dtype(types_[pick(5)]);
    switch (pick(6)) {
      case 0: return tile(dtype);
      case 1: return swizzled_rows(shape, dtype);
      case 2: return shared_form(shape, width_of(dtype), permutation(row_bits + column_bits, true));
      case 3: return padded(shape, dtype);
      case 4: return strided(dtype);
      default: return shared_form(shape, width_of(dtype), permutation(row_bits + column_bits, false));
    }
  }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

 private:
  // A tile as projects for tensor cores have it.
  SharedForm tile(const DType& dtype) {
    const SwizzleMode& mode = swizzle_modes()[static_cast<std::size_t>(pick(4))];
    const std::int64_t w = span_elements(mode, dtype.memory_bits), rows = 16 << pick(2), columns = w << pick(2);
    ColumnBlocks blocks = blocks_in_mode(mode, dtype.memory_bits, rows, columns);
    if (pick(3) == 0) blocks.order = BlockOrder::dense_pages;
    const bool is_transposed = pick(3) == 0;
    const ComposedLayout layout = blocked_layout(blocks);
    return shared_form(is_transposed ? ArrayShape{columns, rows} : ArrayShape{rows, columns}, width_of(dtype),
                       is_transposed ? transposed(layout) : layout);
  }

  SharedForm swizzled_rows(const ArrayShape& shape, const DType& dtype) {
    const int bits = 1 + pick(3), shift = bits + pick(3);
    const std::vector<FlatMode> modes{{shape[0], shape[1]}, {shape[1], 1}};
    return shared_form(shape, width_of(dtype), ComposedLayout(Swizzle(bits, pick(4), shift), 0, Layout(modes)));
  }

  LinearMap permutation(int bits, bool is_swizzled) {
    std::vector<std::uint64_t> columns;
    for (int i = 0; i < bits; ++i) columns.push_back(std::uint64_t{1} << i);
    std::shuffle(columns.begin(), columns.end(), random_);
    for (std::uint64_t& c : columns)
      if (is_swizzled && pick(2) == 0) c ^= std::uint64_t{1} << pick(bits);  // perhaps not injective
    return LinearMap(columns);
  }

  SharedForm padded(const ArrayShape& shape, const DType& dtype) {
    SharedForm form = swizzled_rows(shape, dtype);
    if (pick(2) == 0) form.map = ComposedLayout(std::get<ComposedLayout>(form.map).layout());
    form.padding = {{std::int64_t{2} << pick(4), 1 + pick(8)}};
    return form;
  }

  SharedForm strided(const DType& dtype) {
    const std::int64_t rows = 1 + pick(12), columns = 2 + pick(12), pitch = columns + pick(4);
    const std::vector<FlatMode> modes{{rows, pitch}, {columns, 1}}, other{{rows, 1}, {columns, rows + pick(3)}};
    return shared_form({rows, columns}, width_of(dtype), Layout(pick(2) == 0 ? modes : other));
  }

  std::mt19937_64 random_;
  static constexpr std::array<const char*, 5> types_{"bf16", "f16", "f32", "e4m3", "u8"};
};

// Whether both have the map of the whole, which a reader must give back.
inline bool is_same_map(const SharedForm& a, const SharedForm& b) {
  return a.shape == b.shape && offsets_of(a) == offsets_of(b);
}

}  // namespace swz

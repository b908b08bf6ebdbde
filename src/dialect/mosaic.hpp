// SPDX-License-Identifier: Apache-2.0
// Between the files of JAX Mosaic: mosaic.cpp reads transforms and has the row of the table, mosaic_transforms.cpp says
// what they mean and finds those of a layout, mosaic_registers.cpp has the layouts of registers, mosaic_tensor.cpp those
// of tensor memory.
#pragma once

#include <string_view>
#include <vector>

#include "dialect/dialect.hpp"
#include "dialect/literal.hpp"
#include "dialect/mosaic_tiling.hpp"

namespace swz {

// jnp.bfloat16, "f16"; throws Error at its place.
const DType& dtype_of(const Literal& value);
// Tiling(((64, 8), (8,))), Tiling(tiles=…) and Tiling((64, 8)(8,)).
std::vector<std::vector<std::int64_t>> tiles_of_tiling(const Literal& tiling);

// ---- shared memory

struct MosaicStep {
  bool is_transpose = false;
  std::vector<std::int64_t> numbers;  // a tile, or the permutation of the dimensions
  Span span = {};
  bool operator==(const MosaicStep& other) const {
    return is_transpose == other.is_transpose && numbers == other.numbers;
  }
};

// The dimensions after a transform. Throws Error when it does not fit them.
TiledDims transformed(TiledDims dims, const MosaicStep& step);
// The dimensions row-major, as a coalesced layout for each dimension of the array.
std::vector<Layout> row_major_modes(const TiledDims& dims, const ArrayShape& shape);
// Of elements of `bits`: bytes y ^ (y >> 7 & (s / 16 - 1)) << 4. The identity for 16.
Swizzle swizzle_of_bytes(std::int64_t bytes, int bits);
// Column blocks inside row blocks or outside: what users of other projects mistake.
std::vector<Finding> notes_of_blocks(const std::vector<MosaicStep>& steps, const ArrayShape& shape, int bits,
                                     std::int64_t swizzle);
Written write_mosaic_shared(const SharedForm& form);

// ---- registers

bool names_mosaic_registers(const Literal& value);
Reading read_mosaic_registers(const Literal& value, const Given& given);
Written write_mosaic_registers(const RegisterForm& form);

// ---- tensor memory

bool names_mosaic_tensor(const Literal& value);
Reading read_mosaic_tensor(const Literal& value, const Given& given);
Written write_mosaic_tensor(const TensorForm& form);

// ---- what both make

TiledLayout read_tiled_layout(const Literal& call);         // TiledLayout(…), TMEMLayout(…)
TiledLayout native_layout(std::int64_t vector);             // row r is lane r
TiledLayout collective_native_layout(const Literal& call);  // of 64 rows, half of the columns 64 lanes further
std::int64_t multiple_of_16(const Literal& call);           // its columns

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// The parts of JAX Mosaic: mosaic.cpp reads transforms and has the row of the table, mosaic_transforms.cpp gives their
// meaning and finds those of a layout, mosaic_registers.cpp has the layouts of registers, mosaic_tensor.cpp those of
// tensor memory.
#pragma once

#include <string_view>
#include <vector>

#include "dialect/dialect.hpp"
#include "dialect/literal.hpp"
#include "dialect/mosaic_tiling.hpp"

namespace swz {

// The type in jnp.bfloat16 or "f16". Throws Error at its place.
const DType& dtype_of(const Literal& value);
// Reads Tiling(((64, 8), (8,))), Tiling(tiles=…) and Tiling((64, 8)(8,)).
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

// The dimensions after a transform. Throws Error if it does not fit them.
TiledDims transformed(TiledDims dims, const MosaicStep& step);
// The row-major dimensions, as one coalesced layout per dimension of the array.
std::vector<Layout> row_major_modes(const TiledDims& dims, const ArrayShape& shape);
// The swizzle for elements of `bits`: bytes y ^ (y >> 7 & (s / 16 - 1)) << 4. The identity for 16.
Swizzle swizzle_of_bytes(std::int64_t bytes, int bits);
// Notes on whether column blocks are inside row blocks or outside, which users of other projects confuse.
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

// ---- shared by registers and tensor memory

TiledLayout read_tiled_layout(const Literal& call);         // TiledLayout(…), TMEMLayout(…)
TiledLayout native_layout(std::int64_t vector);             // row r is lane r
TiledLayout collective_native_layout(const Literal& call);  // 64 rows, the second half of the columns 64 lanes further
std::int64_t multiple_of_16(const Literal& call);           // number of its columns

}  // namespace swz

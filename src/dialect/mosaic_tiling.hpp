// SPDX-License-Identifier: Apache-2.0
// Tiling and TiledLayout of JAX's Mosaic GPU, independent of their notation.
//
//   Tiling((64, 8)(16, 8)(8, 8)(2,)) of 64x8: each tile splits the trailing dimensions into quotients and remainders and
//   moves the remainders last:  64 8  ->  1 1 64 8  ->  1 1 4 1 16 8  ->  1 1 4 1 2 1 8 8  ->  1 1 4 1 2 1 8 4 2
//   with warp_dims=(-7,), lane_dims=(-3, -2), vector_dim=-1
//     warp w has 16 rows, lane l has row l / 4 of 8 and the pair l % 4; a register is 2 elements; the registers are the
//     other dimensions, row-major: here 2. That is ((4,8,4),(2,2)):((128,1,16),(64,8)), the D fragment of wgmma.
//
// Invariants (tested): tiled dimensions number every coordinate once; layout_of(tiled_layout_of(form)) is the form.
// Source: jax 0.10.2, jax/experimental/mosaic/gpu/fragmented_array.py (run, tests/dialect/golden_mosaic.py).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialect/layout_form.hpp"

namespace swz {

using MosaicTile = std::vector<std::int64_t>;

// A part of one dimension of the array: its index i moves the coordinate by i * step.
struct TiledDim {
  std::size_t dimension = 0;
  std::int64_t extent = 1, step = 1;
  bool operator==(const TiledDim&) const = default;
};
using TiledDims = std::vector<TiledDim>;

TiledDims whole_dims(const ArrayShape& shape);
// Splits the trailing dimensions. Throws Error if the tile does not fit.
TiledDims split_by(const TiledDims& dims, const MosaicTile& tile);
// The numbers as "(64, 8)" or "(2,)".
std::string tuple_text(const std::vector<std::int64_t>& numbers);

// A tiled dimension (counted from the end, negative), or a number of copies.
struct ThreadDim {
  bool is_copy = false;
  std::int64_t number = 1;
  bool operator==(const ThreadDim&) const = default;
};

struct TiledLayout {
  std::vector<MosaicTile> tiles;
  std::vector<ThreadDim> warps, lanes;  // slowest first
  std::int64_t vector = -1;
  bool operator==(const TiledLayout&) const = default;
};

// TiledLayout(tiling=Tiling(tiles=((64, 8), …)), warp_dims=(-7,), lane_dims=(-3, -2), vector_dim=-1)
std::string to_string(const TiledLayout& layout);

inline constexpr std::int64_t mosaic_threads = 128, mosaic_warps = 4, mosaic_lanes = 32;

// Throws Error by the rules of TiledLayout itself.
void require_valid_tiles(const std::vector<MosaicTile>& tiles);
void require_valid(const TiledLayout& layout);
// The layout without tiles that split nothing and without leading 1s, which is the only form that Mosaic accepts.
// Throws Error as require_valid.
TiledLayout canonical(const TiledLayout& layout);
// The layout for an array without this dimension (Layout.reduce): elements that were spread over threads become copies.
TiledLayout without_dimension(const TiledLayout& layout, std::int64_t dimension);

std::int64_t vector_length(const TiledLayout& layout);
// The map (thread, value) for an array of this shape. Throws Error if the first tile does not divide it.
RegisterForm layout_of(const TiledLayout& layout, const ArrayShape& shape, ElementWidth element);

// The reverse. `why` gives the reason if there is no such layout.
struct TiledLayoutOf {
  TiledLayout layout;
  std::string why = {};
};
TiledLayoutOf tiled_layout_of(const RegisterForm& form);

// Whether the two are the same function. Both modes are compared coalesced, which needs no enumeration.
bool is_same_layout(const RegisterForm& a, const RegisterForm& b);

}  // namespace swz

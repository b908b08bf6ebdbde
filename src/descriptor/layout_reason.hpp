// SPDX-License-Identifier: Apache-2.0
// Layout reasons: why no word of a mode reads a layout, in terms of the atom. They explain an answer that operand_map
// gave, and never decide it.
//
//   (64,128):(128,1) of f16 in mode 128B      "rows are 256 B apart; mode 128B needs 128 B"
//
// An empty text means that this is not the reason.
#pragma once

#include <string>
#include <vector>

#include "descriptor/tile_descriptor.hpp"

namespace swz {

inline constexpr std::int64_t chunk_bits = chunk.count * 8;

// The bit of each element before the swizzle, as a shared-memory address times 8.
struct LinearPlacement {
  TileExtents extents;
  std::vector<std::int64_t> bits;  // rows fastest, as CuTe counts coordinates

  std::int64_t operator()(std::int64_t row, std::int64_t k) const {
    return bits[static_cast<std::size_t>(row + k * extents.mn)];
  }
};

// "256 B", "4 bits"
std::string distance_text(std::int64_t bits);

// The largest value that a stride field can contain.
Bytes most_stride(const Target& target);

// What is wrong inside the first atom, whose lines are contiguous elements: rows if K-major, k if MN-major. Empty if
// nothing is.
std::string atom_reason(const LinearPlacement& linear, const OperandShape& shape, TileExtents mma);
// Why a stride or a start does not fit into a word; empty if all do.
std::string encoding_reason(const LinearPlacement& linear, const DescriptorStrides& strides, TileExtents mma,
                            const Target& target);
// The first element that a word reads from another place than that of the layout; empty if there is none.
std::string reading_reason(const LinearPlacement& linear, const OperandShape& shape, const TileDescriptors& words);

}  // namespace swz

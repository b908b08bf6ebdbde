// SPDX-License-Identifier: Apache-2.0
// Layout reasons: why no word of a mode reads a layout, in the words of the atom. They explain an answer that operand_map
// gave, and never decide.
//
//   (64,128):(128,1) of f16 in mode 128B      "rows are 256 B apart; mode 128B needs 128 B"
//
// An empty text: this is not the reason.
#pragma once

#include <string>
#include <vector>

#include "descriptor/tile_descriptor.hpp"

namespace swz {

inline constexpr std::int64_t chunk_bits = chunk.count * 8;

// The bit where each element lies, before the swizzle, as shared-memory addresses times 8.
struct LinearPlacement {
  TileExtents extents;
  std::vector<std::int64_t> bits;  // rows fastest, as CuTe counts coordinates

  std::int64_t operator()(std::int64_t row, std::int64_t k) const {
    return bits[static_cast<std::size_t>(row + k * extents.mn)];
  }
};

// "256 B", "4 bits"
std::string distance_text(std::int64_t bits);

// The most that a field for a stride holds.
Bytes most_stride(const Target& target);

// What is wrong inside the first atom, which has lines of contiguous elements: K-major rows, MN-major k. Empty: nothing.
std::string atom_reason(const LinearPlacement& linear, const OperandShape& shape, TileExtents mma);
// Why a stride or a start has no place in a word; empty: nothing.
std::string encoding_reason(const LinearPlacement& linear, const DescriptorStrides& strides, TileExtents mma,
                            const Target& target);
// The first element that a word reads from another place than the layout puts it at; empty: none.
std::string reading_reason(const LinearPlacement& linear, const OperandShape& shape, const TileDescriptors& words);

}  // namespace swz

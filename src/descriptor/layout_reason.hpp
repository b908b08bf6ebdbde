// Reasons: why no descriptor of a swizzle mode reads a layout, in the words of its atom.
//
//   (64,128):(128,1) of f16, K-major, mode 128B     rows are 256 B apart; mode 128B needs 128 B
//   (24,64):(1,24) of f16, MN-major, mode none      k are 48 B apart; mode none needs 16 B
//
// A reason explains an answer that operand_map gave; it never decides.
#pragma once

#include "descriptor/tile_descriptor.hpp"

namespace swz {

// The bit where each element lies, before the swizzle, as shared-memory addresses times 8.
struct LinearPlacement {
  TileExtents extents;
  int element_bits = 0;
  std::vector<std::int64_t> bits;  // rows fastest, as CuTe counts coordinates

  std::int64_t operator()(std::int64_t row, std::int64_t k) const {
    return bits[static_cast<std::size_t>(row + k * extents.mn)];
  }
};

// "256 B", "4 bits"
std::string distance_text(std::int64_t bits);

// What is wrong inside the first atom. Empty: nothing.
std::string atom_reason(const LinearPlacement& placement, const OperandShape& shape, TileExtents mma);

// The swizzle of the layout on bytes. None: it moves pieces smaller than a byte.
std::optional<Swizzle> byte_form(const ComposedLayout& layout, int element_bits);
// The hardware mode that the swizzle of the layout is; none is one. Null: the swizzle is that of no mode.
const SwizzleMode* stated_mode(const ComposedLayout& layout, int element_bits);
// Why stated_mode is null.
std::string swizzle_reason(const ComposedLayout& layout, int element_bits);

}  // namespace swz

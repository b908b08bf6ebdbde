// View of descriptors: what `swz desc` says of a tile, and of a layout.
#pragma once

#include <string>
#include <vector>

#include "descriptor/layout_descriptor.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "view/document.hpp"

namespace swz {

struct DescViewOptions {
  std::string source = {};          // that was asked for; empty: none
  std::vector<Finding> notes = {};  // on how the operand was given
};

// "f16 128x64, K-major, mode 128B, mn-first"
std::string describe_operand(const SmemTile& tile);
// "f16 (16,64):(1,16), MN-major"
std::string describe_operand(const LayoutOperand& operand);

// JSON: lbo, sbo (numbers of bytes), swizzle, leading, stride (what the two step over, in words), arch, kind,
// dtype, major, tile [MN, K], order (null for a layout), base, layout, atom [MN, K], mma [MN, K], default_of
// (the operand whose default the MMA is: "a", "b" or null), m_blocks, k_steps, legal_swizzles, descriptors [{m,
// k, byte_offset, advance, next_atom, word}] (k outer, m inner), notes, source (left out when empty).
Document view_tile_descriptors(const SmemTile& tile, const TileDescriptors& words, const DescViewOptions& options);

// The same where the layout has descriptors. Else: layout, arch, dtype, major, reason, hint, modes [{swizzle,
// layout, lbo, sbo, word, reason}] (word null: there is none, reason null: there is one), nearest {layout, swizzle,
// order, lbo, sbo, word, agreeing, elements} or null.
Document view_layout_descriptors(const LayoutOperand& operand, const LayoutDescriptors& answer,
                                 const DescViewOptions& options);

}  // namespace swz

// View of descriptors: what `swz desc` says of a tile, and of a layout.
#pragma once

#include <string>
#include <vector>

#include "descriptor/layout_descriptor.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "layout/layout.hpp"
#include "view/document.hpp"

namespace swz {

// "64x16, the default for A (M 64)"; "64x16" when the MMA was named.
std::string mma_text(const TileDescriptors& words);
// "a", "b" or null: the operand whose default the MMA is.
Json default_of_json(const TileDescriptors& words);

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

// The MMAs of a tile with their words, and the swizzle atoms that they read:
//
//   f16 128x64 K-major, mode 128B, mn-first, MMAs of 64x16
//     MMAs    2 x 4 cells: byte offset and word
//     atoms  16 x 1 cells, 0 to 15 down; a heavier line after the 8 that one row of MMAs reads
//
// Both panels have one colour for each atom along K, or for each step where an MMA is wider than an atom.
// `layout`: the tile before its swizzle, rank 2 (MN, K), in elements.
Figure desc_figure(const OperandShape& shape, const Layout& layout, const TileDescriptors& words,
                   const std::string& title);

}  // namespace swz

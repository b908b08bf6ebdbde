// Figure of descriptors: the MMAs of a tile with their words, and the swizzle atoms that they read.
//
//   f16 128x64 K-major, mode 128B, mn-first, MMAs of 64x16
//     MMAs    2 x 4 cells: byte offset and word
//     atoms  16 x 1 cells, 0 to 15 down; a heavier line after the 8 that one row of MMAs reads
//
// Both panels have one colour for each atom along K, or for each step where an MMA is wider than an atom.
#pragma once

#include <string>

#include "descriptor/tile_descriptor.hpp"
#include "layout/layout.hpp"
#include "view/document.hpp"

namespace swz {

// `layout`: the tile before its swizzle, rank 2 (MN, K), in elements.
Figure figure_of(const OperandShape& shape, const Layout& layout, const TileDescriptors& words,
                 const std::string& title);

}  // namespace swz

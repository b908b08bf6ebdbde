// Placed operands: a tile by the tile options, or any layout of rank 2, as commands place them in shared memory.
//
//   --dtype bf16 --tile 8x16 --swizzle 32B          a SmemTile, "mode 32B"
//   --dtype bf16 --layout '(8,16):(16,1)'           the same bytes one after the other
//   placed_beside("linear", …)                      what it stands beside, line after line without a swizzle
#pragma once

#include <string>

#include "command.hpp"
#include "tile_options.hpp"
#include "view/place.hpp"

namespace swz {

struct OperandOptions {
  TileOptions tile;
  std::string layout;  // empty: the tile
};

// The tile options and --layout.
void add_operand_options(CLI::App& app, OperandOptions& options);

// The tile, or the layout. Of a layout in smem_ptr form without --dtype, options.tile.dtype becomes the type its
// pointer has. Throws Error when both are given, or neither.
PlacedOperand placed_operand(const CLI::App& app, OperandOptions& options, const Common& common);

// A layout with the element size, the base and the major of `first`, under a name. Throws Error when it has other
// extents.
PlacedOperand placed_layout(const std::string& name, const ComposedLayout& layout, const PlacedOperand& first);

// Line after line without a swizzle, `padding` elements between two lines.
Layout linear_layout(TileExtents extents, Major major, std::int64_t padding = 0);
inline Layout linear_layout(const Placement& like, std::int64_t padding = 0) {
  return linear_layout(like.extents(), like.major(), padding);
}

// A swizzle mode, "linear", or a layout, with the extents, the base and the major of `first`.
PlacedOperand placed_beside(const std::string& text, const PlacedOperand& first, const TileOptions& options);

}  // namespace swz

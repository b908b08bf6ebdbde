// The options by which a command names an operand: a tile, or any layout of rank 2, as it lies in shared memory.
//
//   --dtype bf16 --tile 8x16 --swizzle 32B          a SmemTile, "mode 32B"
//   --dtype bf16 --layout '(8,16):(16,1)'           the same bytes one after the other
//   placed_beside("linear", …)                      what it stands beside, line after line without a swizzle
#pragma once

#include <string>

#include "command.hpp"
#include "layout/composed_layout.hpp"
#include "smem/walk.hpp"
#include "tile_request.hpp"
#include "view/place.hpp"

namespace swz {

// A layout as it was written, in CuTe's notation, or an expression over layouts.
struct LayoutText {
  std::string text;
  ComposedLayout layout{Layout()};
};
void read_value(const std::string& text, LayoutText& to);
void read_value(const std::string& text, Layout& to);  // without a swizzle

struct OperandRequest {
  TileRequest tile;
  std::optional<LayoutText> layout;  // none: the tile
};
// The tile options and --layout.
Options operand_options(OperandRequest& operand);

// --dtype; of a layout in smem_ptr form without it, the type that its pointer has.
const DType& dtype_of(const OperandRequest& operand);
int element_bits(const OperandRequest& operand);
// --major, where it was given.
std::optional<Major> major_of(const TileRequest& tile);

// The tile, or the layout. Throws Error when neither is given.
PlacedOperand placed_operand(const OperandRequest& operand, const Target& target);

// A layout with the element size, the base and the major of `first`, under a name. Throws Error when it has other
// extents.
PlacedOperand placed_layout(const std::string& name, const ComposedLayout& layout, const PlacedOperand& first);

// Line after line without a swizzle, `padding` elements between two lines.
Layout linear_layout(TileExtents extents, Major major, std::int64_t padding = 0);
inline Layout linear_layout(const Placement& like, std::int64_t padding = 0) {
  return linear_layout(like.extents(), like.major(), padding);
}

// A swizzle mode, "linear", or a layout, with the extents, the base and the major of `first`.
PlacedOperand placed_beside(const std::string& text, const PlacedOperand& first, const TileRequest& tile);

// "st.shared.b128 rows": the accesses that the text stands for, "transpose" for two.
struct AccessText {
  std::string text;
  std::vector<Access> accesses;

  bool has_order() const { return text.find_first_of(" \t") != std::string::npos; }
};
void read_value(const std::string& text, AccessText& to);

}  // namespace swz

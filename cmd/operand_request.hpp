// SPDX-License-Identifier: Apache-2.0
// The options by which a command names an operand, and what one MMA reads of it: a tile, or any layout of rank 2, as it
// is in shared memory.
//
//   --dtype bf16 --tile 8x16 --swizzle 32B --order mn-first --base 0x400      a SmemTile, "mode 32B"
//   --dtype bf16 --layout '(8,16):(16,1)'           the same bytes in order
//   placed_beside("linear", …)                      the same operand, line after line without a swizzle
//
//   struct Request { TileRequest tile; };
//   Options options_of(Request& r) { return tile_options(r.tile); }
//   tile_of(r.tile, context.target())    the SmemTile
#pragma once

#include "command.hpp"
#include "layout/composed_layout.hpp"
#include "layout_text.hpp"
#include "smem/choose.hpp"
#include "smem/walk.hpp"
#include "view/tile/place.hpp"
#include "view/tile/tile_form.hpp"

namespace swz {

struct TileRequest {
  const DType* dtype = nullptr;
  std::optional<TileExtents> extents;
  Major major = Major::K;
  const SwizzleMode* swizzle = nullptr;  // null, auto: what smem/choose.hpp chooses for the target
  StackingOrder order = StackingOrder::mn_first;
  Bytes base;
  Packing stated = Packing::packed;           // by --slots
  const MmaKindRow* kind = nullptr;           // null: any kind that reads the type
  int cta_group = 1, cta = 0;                 // 2: the extents are those of both CTAs, and `cta` holds half of the rows
  bool has_dtype = false, has_major = false;  // were given

  // Throws Error if the kind does not accept the type.
  Packing packing() const { return kind != nullptr ? packing_of(*kind, *dtype) : stated; }
  int bits() const { return element_bits(*dtype, packing()); }
  const NarrowForm* form() const { return narrow_form(*dtype, packing()); }
  MmaFilter mma() const { return {kind, cta_group == 2 ? 2 : 0}; }
};

Options tile_options(TileRequest& tile, std::string default_base = "0");
// Only the options that do not concern the place of the tile: --dtype, --tile, --major, --slots, --kind.
Options tile_shape_options(TileRequest& tile);
// --cta-group and --cta.
Options pair_options(TileRequest& tile);
Option dtype_option(const DType*& dtype, std::string help = "element type");
Option major_option(Major& major, std::string help = "contiguous dimension");
Option slots_option(Packing& packing);
Option base_option(Bytes& base, std::string help, std::string initial = "0");

// --arch; without it a target that has what the tile needs: a kind, a pair and elements narrower than a byte need
// tcgen05. Throws Error if the target does not have it.
const Target& target_of(const TileRequest& tile, const Context& context);
// The answer with its notes on narrow elements and pairs. `is_copied`: the answer is about TMA.
Document with_form(Document d, const TileRequest& tile, const DType& dtype, const Context& context,
                   bool is_copied = false);

// The tile without the swizzle; for a pair that of one CTA. Throws Error if no tile was given.
SmemTileValues shape_of(const TileRequest& tile);

// The tile, whether or not the target can read it: smem/mma_operand.hpp decides that. Throws Error if no such tile
// exists.
SmemTile tile_of(const TileRequest& tile, const Target& target);

// The tile with other options, which one quoted argument of `option` holds. Throws Error, which names the option.
SmemTile other_tile(TileRequest tile, const Words& options, const Target& target, const std::string& option,
                    const std::string& command);

// --- what an MMA reads

Option mma_option(std::optional<MmaShapeText>& shape);
template <class Role>  // OperandRole, or an optional one
Option role_option(Role& role, std::string help) {
  return one_of<OperandRole>("--operand", "OPERAND", role, {{"a", OperandRole::a}, {"b", OperandRole::b}},
                             std::move(help));
}
Option kind_option(const MmaKindRow*& kind, std::string help);

// The rows and K that one MMA reads; adds a note if they are half of the operand. A whole instruction must be one that
// reads such operands. Throws Error with the nearest.
TileExtents mma_extents(const MmaShapeText& shape, OperandRole role, const OperandChoice& choice,
                        std::vector<Finding>& notes);

// Takes what the name of an instruction gives of the operand besides its shape: type, major and kind, if no option
// gives them. Without a role the name must give the same for both. Throws Error if an option contradicts it, and for
// an operand that is not in shared memory.
void take_named(const std::optional<MmaShapeText>& mma, std::optional<OperandRole> role, TileRequest& tile,
                std::vector<Finding>& notes);

// Takes only the type; true if no option had given it.
bool take_type(const InstructionText& said, OperandRole role, TileRequest& tile);

// --- a tile or a layout

void read_value(const std::string& text, Layout& to);          // without a swizzle
void read_value(const std::string& text, TileCoordinate& to);  // "64,16", a row and a k

struct OperandRequest {
  TileRequest tile;
  std::optional<LayoutText> layout;  // none: the tile
  std::optional<ShapeText> shape;    // of the array of --layout, if its text does not give it
};
// The tile options, --layout with --shape, and those of a pair.
Options operand_options(OperandRequest& operand);
Option layout_option(std::string name, std::optional<LayoutText>& layout, std::string help);
Option shape_option(std::optional<ShapeText>& shape, const char* layout_option = "--layout");
// What was given for the layout: --shape, and --dtype if it was given.
Given given_of(const TileRequest& tile, const std::optional<ShapeText>& shape);
// Reads a layout in a notation other than CuTe's; the type in its text is that of the operand.
void read_layout_of(std::optional<LayoutText>& layout, TileRequest& tile, const std::optional<ShapeText>& shape);
// The request with its layout read.
template <class Request>
Request with_layout(Request request, OperandRequest Request::*operand) {
  OperandRequest& of = request.*operand;
  read_layout_of(of.layout, of.tile, of.shape);
  return request;
}

// As with_form of a tile, with the notes of a layout in a notation other than CuTe's.
Document with_form(Document d, const OperandRequest& operand, const DType& dtype, const Context& context,
                   bool is_copied = false);

// --dtype; for a layout in smem_ptr form without it, the type of its pointer.
const DType& dtype_of(const OperandRequest& operand);
int element_bits(const OperandRequest& operand);
// --major, if it was given.
std::optional<Major> major_of(const TileRequest& tile);

// The tile, or the layout. Throws Error if neither is given.
PlacedOperand placed_operand(const OperandRequest& operand, const Target& target);

// A layout with the element size, the base and the major of `first`, under a name. Throws Error if its extents differ.
PlacedOperand placed_layout(const std::string& name, const ComposedLayout& layout, const PlacedOperand& first);

// A swizzle mode, "linear", or a layout, with the extents, the base and the major of `first`.
PlacedOperand placed_beside(const std::string& text, const PlacedOperand& first, const OperandRequest& operand);

// "st.shared.b128 rows": the accesses that the text means, two for "transpose".
struct AccessText {
  std::string text;
  std::vector<Access> accesses;

  bool has_order() const { return text.find_first_of(" \t") != std::string::npos; }
};
void read_value(const std::string& text, AccessText& to);

}  // namespace swz

// The options by which every command names one operand tile.
//
//   --dtype bf16 --tile 128x64 --major k --swizzle 128B --order mn-first --base 0x400
//
//   struct Request { TileRequest tile; };
//   Options options_of(Request& r) { return tile_options(r.tile); }
//   tile_of(r.tile, context.target())    the SmemTile
#pragma once

#include <optional>

#include "command.hpp"
#include "smem/choose.hpp"
#include "smem/tile.hpp"

namespace swz {

// A swizzle mode, or auto: what smem/choose.hpp takes for the target.
struct ModeOrAuto {
  const SwizzleMode* mode = nullptr;  // null: auto
};
void read_value(const std::string& text, ModeOrAuto& to);

struct TileRequest {
  const DType* dtype = nullptr;
  std::optional<TileExtents> extents;
  Major major = Major::K;
  ModeOrAuto swizzle;
  StackingOrder order = StackingOrder::mn_first;
  SmemAddress base;
  bool slots = false;                         // fp4 and fp6 in 8-bit slots
  bool has_dtype = false, has_major = false;  // were given

  Packing packing() const { return slots ? Packing::slots : Packing::packed; }
  int bits() const { return element_bits(*dtype, packing()); }
};

Options tile_options(TileRequest& tile, std::string default_base = "0");
// Only those that do not say where the tile lies: --dtype, --tile, --major, --slots.
Options tile_shape_options(TileRequest& tile);
Option dtype_option(const DType*& dtype, std::string help = "element type");
Option major_option(Major& major, std::string help = "contiguous dimension");
Option slots_option(bool& slots);
Option role_option(OperandRole& role, std::string help);
Option role_option(std::optional<OperandRole>& role, std::string help);

// Without swizzle, order and base. Throws Error when no tile was given.
TileShape shape_of(const TileRequest& tile);

// The tile, which the target can read or not: smem/legality.hpp says. Throws Error when no such tile exists.
SmemTile tile_of(const TileRequest& tile, const Target& target);

}  // namespace swz

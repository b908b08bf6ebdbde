// Tile options: the options by which every command names one operand tile.
//
//   --dtype bf16 --tile 128x64 --major k --swizzle 128B --order mn-first --base 0x400
//
//   auto tile = std::make_shared<TileOptions>();
//   add_tile_options(app, *tile);
//   return [tile, &common] { … tile_of(*tile, target_of(common)) … };
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "arch/mma_form.hpp"
#include "command.hpp"
#include "descriptor/mma_operand.hpp"
#include "smem/choose.hpp"
#include "smem/tile.hpp"

namespace swz {

struct TileOptions {
  std::string dtype = "f16";
  std::string tile;  // "128x64", MN x K in elements; empty: not given
  std::string major = "k";
  std::string swizzle = "128B";  // or "auto"
  std::string order = "mn-first";
  std::string base = "0";
  bool slots = false;  // fp4 and fp6 in 8-bit slots
};

void add_tile_options(CLI::App& app, TileOptions& options);
// Only those that do not say where the tile lies: --dtype, --tile, --major, --slots.
void add_tile_shape_options(CLI::App& app, TileOptions& options);

// Without swizzle, order and base. Throws Error when an option cannot be read.
TileShape tile_shape_of(const TileOptions& options);

// The tile, which the target can read or not: smem/legality.hpp says. Swizzle mode auto is what smem/choose.hpp
// takes for the target. Throws Error when an option cannot be read, or no such tile exists.
SmemTile tile_of(const TileOptions& options, const Target& target);

// --arch, or sm_90a.
const Target& target_of(const Common& common);

// "128x64", "(128,64)" or "128,64". Throws Error naming `what`.
TileExtents parse_extents(const std::string& text, std::string_view what);
Major parse_major(const std::string& text);  // k, mn, m, n, in any case; also K-major and MN-major
Bytes parse_base(const std::string& text);

// "m64n256k16", "64x256x16", "(64,256,16)". None: not of this form.
std::optional<MmaExtents> parse_instruction(const std::string& text);
// As parse_instruction; throws Error naming `what`.
MmaExtents parse_mnk(const std::string& text, std::string_view what);

// What one MMA reads of operand "a" or "b", from "64x16" (rows x k of the operand itself), "m64n256k16" or
// "64x256x16" (of the instruction). Throws Error.
TileExtents parse_mma_extents(const std::string& text, std::string_view operand);

// As parse_mma_extents; a whole instruction must be one that reads such operands. Throws Error with the nearest.
MmaOperand parse_mma_operand(const std::string& text, std::string_view operand, const OperandChoice& choice);

}  // namespace swz

#include "tile_request.hpp"

#include "base/error.hpp"

namespace swz {
namespace {

Words mode_names() {
  Words names{"auto"};
  for (const SwizzleMode& mode : swizzle_modes()) names.emplace_back(mode.name);
  return names;
}

template <class Member>
Option role_row(Member& role, std::string help) {
  return one_of<OperandRole>("--operand", "OPERAND", role, {{"a", OperandRole::a}, {"b", OperandRole::b}},
                             std::move(help));
}

}  // namespace

void read_value(const std::string& text, ModeOrAuto& to) {
  if (text == "auto") to.mode = nullptr;
  else read_value(text, to.mode);
}

Option dtype_option(const DType*& dtype, std::string help) {
  return option("--dtype", "TYPE", dtype, std::move(help)).offering(dtype_names());
}

Option major_option(Major& major, std::string help) {
  return option("--major", "MAJOR", major, std::move(help)).offering({"k", "mn"}).by_default("k");
}

Option slots_option(bool& slots) {
  return flag("--slots", slots, "4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them");
}

Option role_option(OperandRole& role, std::string help) { return role_row(role, std::move(help)).by_default("a"); }
Option role_option(std::optional<OperandRole>& role, std::string help) { return role_row(role, std::move(help)); }

Options tile_shape_options(TileRequest& tile) {
  return {dtype_option(tile.dtype).by_default("f16").noting(tile.has_dtype),
          option("--tile", "MNxK", tile.extents, "extents in elements, rows of M or N first, then K: 128x64")
              .in("elements"),
          major_option(tile.major).noting(tile.has_major), slots_option(tile.slots)};
}

Options tile_options(TileRequest& tile, std::string default_base) {
  return tile_shape_options(tile) +
         Options{option("--swizzle", "MODE", tile.swizzle, "swizzle mode by any of its names, or auto")
                     .offering(mode_names())
                     .by_default("128B"),
                 one_of<StackingOrder>("--order", "ORDER", tile.order,
                                       {{"mn-first", StackingOrder::mn_first}, {"k-first", StackingOrder::k_first}},
                                       "the direction in which the atoms follow each other")
                     .by_default("mn-first"),
                 option("--base", "ADDRESS", tile.base, "shared-memory address of the tile")
                     .in("bytes")
                     .by_default(std::move(default_base))};
}

TileShape shape_of(const TileRequest& tile) {
  if (!tile.extents)
    throw usage_error("no tile given", "its rows of M or N and its K in elements, for example --tile 128x64");
  return {tile.dtype, tile.packing(), tile.major, *tile.extents};
}

SmemTile tile_of(const TileRequest& tile, const Target& target) {
  const TileShape shape = shape_of(tile);
  const SwizzleMode* mode = tile.swizzle.mode != nullptr ? tile.swizzle.mode : choose_swizzle(shape, target).mode;
  return SmemTile({.dtype = *shape.dtype,
                   .packing = shape.packing,
                   .major = shape.major,
                   .mn = shape.extents.mn,
                   .k = shape.extents.k,
                   .swizzle = *mode,
                   .order = tile.order,
                   .base = tile.base.bytes});
}

}  // namespace swz

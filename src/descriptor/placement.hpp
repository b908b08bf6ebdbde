// Placement: the bytes where a tile or a layout put its elements, whoever reads them.
//
//   placement_of(bf16 128x64 K-major, 128B, at 0x400)                        element (9, 8) at 0x490
//   placement_of((64,64):(64,1), 16 bits, at 0x400)                          element (9, 8) at 0x890
//   placement_of(Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1), 0x480)    the XOR acts on the address
//   placement_of(Sw<3,3,3> o 0 o (8,64):(64,1), 16 bits, 0x480)              it acts on the index, before base
//
// Places are bit addresses, so that two 4-bit elements of one byte are two places. The linear place is the one
// before the XOR.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "descriptor/operand_map.hpp"
#include "layout/composed_layout.hpp"
#include "smem/tile.hpp"

namespace swz {

// The most elements a layout may have here; a tile of 1-bit elements that fills shared memory has fewer.
inline constexpr std::int64_t placement_limit = std::int64_t{1} << 21;

struct Placement {
  TileExtents extents;
  int element_bits = 0;
  Bytes base;
  std::vector<std::int64_t> places;  // row by row
  std::vector<std::int64_t> linear;
  std::optional<SmemTile> tile;          // what it is the placement of: a tile ...
  std::optional<ComposedLayout> layout;  // ... or a layout

  std::int64_t place(std::int64_t row, std::int64_t k) const {
    return places[static_cast<std::size_t>(row * extents.k + k)];
  }
  std::int64_t linear_place(std::int64_t row, std::int64_t k) const {
    return linear[static_cast<std::size_t>(row * extents.k + k)];
  }
  // The first element at a place, row by row. None: no element lies there.
  std::optional<TileCoordinate> at(std::int64_t place) const;
  std::optional<TileCoordinate> at_linear(std::int64_t place) const;
};

Placement placement_of(const SmemTile& tile);
// Mode 0 are the rows (M or N), mode 1 is K. Throws Error when the layout has not two modes, counts elements of
// another size, is larger than placement_limit, or leaves the addresses that have 32 bits.
Placement placement_of(const ComposedLayout& layout, int element_bits, Bytes base);

// "f16 128x64 K-major, mode 128B, mn-first, at 0x400", or the layout with its base.
std::string to_string(const Placement& placement);

// The places that an operand map reads, row by row.
std::vector<std::int64_t> places_of(const OperandMap& map);

}  // namespace swz

// Stored operand: what explain.hpp compares a word with. Where a tile or a layout put each element, and where it
// would lie before the swizzle.
//
//   stored_operand(f16 128x64 K-major, 128B, at 0x400)                       element (9, 8): linear 0x890, at 0x880
//   stored_operand((64,64):(64,1), 16 bits, at 0x400)                        element (9, 8): 0x890 both times
//   stored_operand(Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1), 0x480)  the XOR acts on the address
//   stored_operand(Sw<3,3,3> o 0 o (8,64):(64,1), 16 bits, 0x480)            it acts on the index, before base
//
// Places are bit addresses, so that two 4-bit elements of one byte are two places (smem/placement.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "descriptor/operand_map.hpp"
#include "layout/composed_layout.hpp"
#include "smem/placement.hpp"

namespace swz {

struct StoredOperand {
  TileExtents extents;
  int element_bits = 0;
  Bytes base;
  std::vector<std::int64_t> places;  // row by row
  std::vector<std::int64_t> linear;
  std::optional<SmemTile> tile;          // what was stored: a tile ...
  std::optional<ComposedLayout> layout;  // ... or a layout

  std::int64_t place(std::int64_t row, std::int64_t k) const {
    return places[static_cast<std::size_t>(row * extents.k + k)];
  }
  // The first element at a place, row by row. None: no element lies there.
  std::optional<TileCoordinate> at(std::int64_t place) const;
  std::optional<TileCoordinate> at_linear(std::int64_t place) const;
};

StoredOperand stored_operand(const SmemTile& tile);
// Mode 0 are the rows (M or N), mode 1 is K. Throws Error as Placement does, and when base is not a multiple of 16.
StoredOperand stored_operand(const ComposedLayout& layout, int element_bits, Bytes base);

// "f16 128x64 K-major, mode 128B, mn-first, at 0x400", or the layout with its base.
std::string to_string(const StoredOperand& operand);

// The places that an operand map reads, row by row.
std::vector<std::int64_t> places_of(const OperandMap& map);

}  // namespace swz

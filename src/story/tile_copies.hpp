// SPDX-License-Identifier: Apache-2.0
// TileCopies: the copies that bring a tile into shared memory, and the place that they give each element.
//
//   bf16 128x128 of 8192x4096, K-major, mode 128B, at 0; sm_100a
//     2 tensor copies of a box (64, 128): (0, 0) -> 0, (64, 0) -> 16384; requests of 128 B, 32768 B on the barrier
//     element (37, 84): entry (20, 37) of box 1, written to byte 16384 + 37 * 128 + 40, with the XOR 16384 + 4856
//   the same on sm_80: 2048 cp.async of 16 B; their addresses are those of the tile
//
// A kernel may cut the tile into other boxes (`box`): they follow each other in shared memory in the order in which the
// tile's atoms are stacked, and then they need not be the tile.
//
// Invariants (tested): without a box the places are those of SmemTile; element_of(copy_of(x)) is x for every element.
// Source: tma/plan.hpp, tma/placement.hpp; for cp.async PTX ISA 9.1, 9.7.9.25.3 (16 B from and to multiples of 16).
#pragma once

#include <optional>
#include <vector>

#include "tma/plan.hpp"

namespace swz {

// An entry of a box: the number of the copy, the place along dimension 0 in entries of the map, and the line.
struct BoxEntry {
  std::int64_t copy = 0, along = 0, line = 0;
  bool operator==(const BoxEntry&) const = default;
};

class TileCopies {
 public:
  // `box`, in elements, divides the tile; none: as few copies of a map of rank 2 as the tile needs. Throws Error for a
  // box that does not divide it.
  TileCopies(const SmemTile& tile, const GmemOperand& from, const Target& target, std::optional<TileExtents> box = {});

  const SmemTile& tile() const { return tile_; }
  const GmemOperand& from() const { return from_; }
  // None: the target has no TMA, or the copies are refused.
  const std::optional<TilePlan>& plan() const { return plan_; }
  // Why the copies fault or are refused; the places are then those of the tile, as intended.
  const std::vector<Finding>& refusals() const { return refusals_; }
  bool is_tensor_copy() const { return is_tensor_copy_; }
  // "cp.async.bulk.tensor", "cp.async", or what does the same before sm_80: "st.shared.v4"
  std::string_view instruction() const { return instruction_; }
  std::int64_t count() const;
  Bytes expect_bytes() const;  // of the barrier; for cp.async the bytes of the tile
  Bytes request() const;       // contiguous bytes of global memory
  TileExtents box() const;     // of one copy, in elements of the tile

  // The bit of the element's slot in shared memory, row by row; -1 for an element that no copy brings.
  const std::vector<std::int64_t>& places() const { return places_; }
  std::int64_t place(TileCoordinate at) const {
    return places_[static_cast<std::size_t>(at.row * tile_.extents().k + at.k)];
  }

  // The element in global memory, counted from the beginning of the operand, and the element of the tile that begins
  // there.
  Bits global_bit(TileCoordinate at) const;
  std::optional<TileCoordinate> at_global(Bits bit) const;
  // The entry of a box that holds the element's first bit, and the first element of the tile in an entry. Nothing for
  // cp.async.
  std::optional<BoxEntry> copy_of(TileCoordinate at) const;
  std::optional<TileCoordinate> element_of(const BoxEntry& entry) const;
  // The first element whose bits begin there.
  std::optional<TileCoordinate> at_place(Bits bit) const;

 private:
  void plan_boxes(const Target& target, std::optional<TileExtents> box);
  void place_boxes(const Target& target);
  std::optional<TilePlan> plan_of_box(const Target& target, TileExtents box);

  SmemTile tile_;
  GmemOperand from_;
  bool is_tensor_copy_ = false;
  std::string_view instruction_;
  std::optional<TilePlan> plan_;
  std::vector<Finding> refusals_;
  std::vector<std::int64_t> places_;
};

// The bit of an element's slot in a tile: with gaps, of its 8 bits.
Bits slot_bit(const SmemTile& tile, TileCoordinate at);

}  // namespace swz

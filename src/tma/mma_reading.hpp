// MmaReading: whether an MMA reads by descriptor what tensor copies put into shared memory; if not, the tile that
// it would read and how TMA makes that one.
//
//   box (32, 8) of bf16 without a swizzle: (8,32):(32,1)
//     not read: rows are 64 B apart; mode none needs 16 B
//     instead   mode none: 4 copies of a box (8, 8); mode 64B: one of a box (32, 8)
//
// TMA "none" is not MMA "none": a box without a swizzle is as wide as it likes, a core matrix of mode none has rows
// of 16 B. With a swizzle the two agree as long as no row is wider than the span, and the driver sees to that.
//
// Source: PTX ISA 9.1, 9.7.15.5.1; as tma/plan and descriptor/layout_descriptor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/target.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "tma/plan.hpp"

namespace swz {

// A tile of the same extents that is read, and its copies by a map of rank 2.
struct ReadableTile {
  SmemTile tile;
  TilePlan plan;
};

struct MmaReading {
  const Target* target = nullptr;
  const SwizzleMode* mode = nullptr;  // of the descriptors that read it; null: none do
  std::optional<TileDescriptors> descriptors;
  std::string reason;  // why none do
  std::string hint;
  // Where none do: the tile of the same mode, then the one that agrees with the layout in most elements.
  std::vector<ReadableTile> instead;

  bool is_read() const { return descriptors.has_value(); }
};

// Throws Error for a layout larger than shared memory.
MmaReading mma_reading(const SmemDestination& to, const Target& target);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// TilePlan: the tensor map and the copies that make a tile of shared memory from an operand in global memory.
//
//   bf16 64x32 (64 B of K), K-major, 32B, MN first; the operand is the tile
//     rank 2: dims (32, 64), box (16, 64): 2 copies, (0,0) -> 0 B and (16,0) -> 2048 B
//     rank 3: dims (16, 64, 2), strides (64, 32), box (16, 64, 2): 1 copy
//   the same, K first
//     rank 2: box (16, 8): 16 copies;    rank 4: dims (16, 8, 2, 8), strides (64, 32, 512): 1 copy
//
// Shared memory is a nest of loops around rows, and a box is a nest over its dimensions. A map has a dimension for as
// many loops as its rank allows, in their order and as long as no gap is between them; the remaining loops become
// single copies. A map that folds one direction of the operand into several dimensions needs an operand whose extent
// is a multiple of the fold: at the edge a box would continue in the next line instead of being filled.
//
// Invariant (tested): replaying the copies through BoxPlacement writes every byte where the tile or the layout has it,
// each once; no map of this rank, with boxes of equal size that stay inside the tile, needs fewer copies than there
// are iterations of the remaining loops. Source: PTX ISA 9.1, 9.7.15.5.1; the placement of boxes (tma/placement.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/finding.hpp"
#include "descriptor/layout_descriptor.hpp"
#include "tma/placement.hpp"

namespace swz {

inline constexpr std::int64_t most_entries = 256;  // of one dimension of a box
inline constexpr std::int64_t padded_box = 128;    // entries of dimension 0, for the ALIGN16B types

// Where a plan writes the elements of an operand tile.
struct SmemDestination {
  SmemDestination(const SmemTile& tile);  // NOLINT: a tile is one
  // `layout` maps (MN,K) to elements from the base. `major` is the contiguous direction in global memory. Throws Error
  // if the layout has another rank than 2, or another element size than the type.
  SmemDestination(ComposedLayout layout, const DType& dtype, Packing packing, Major major, Bytes base);

  ComposedLayout layout;
  const DType* dtype;
  Packing packing;
  Major major;
  Bytes base;

  TileExtents extents() const;
  int element_bits() const { return swz::element_bits(*dtype, packing); }
};

// One loop of the nest.
struct Loop {
  Major direction = Major::K;
  std::int64_t step = 1;  // entries of the map along the major, lines across it
  std::int64_t count = 1;
  Bytes smem_step;
};

// The elements of shared memory as nested loops around the rows that a tensor copy writes.
//
//   bf16 64x32, K-major, mode 32B, K first: ((8,8),(16,2)):((16,256),(1,128)) after Sw<1,4,3> on bytes
//     row       16 elements of K, 32 B
//     loops     8 lines 32 B apart, 2 steps of 16 along K 256 B apart, 8 steps of 8 lines 512 B apart
//
// A row is what is contiguous both in global and in shared memory, up to the width of one row of a box: the span of the
// swizzle, or 256 entries without one. The loops are in the order of shared memory, fastest first. Each loop begins
// after everything that the loops before it cover, so that no two elements share a place.
//
// Invariant (tested with the plan): the nest visits every element of the layout once, at the place in the layout.
struct Nest {
  Major major = Major::K;
  const TensorMapSwizzleRow* swizzle = nullptr;
  Bytes begin;             // offset of the first element from the base
  std::int64_t width = 0;  // of a row, in entries of the map
  Bytes row;               // the same in bytes of shared memory
  std::vector<Loop> loops;

  // The distance from one row of a box to the next.
  Bytes pitch() const { return std::max(row, swizzle->span); }
};

// The nest for a map of this type. Throws Error if an element would be outside of the shared memory of every target.
std::variant<Nest, Finding> nest_of(const SmemDestination& to, const TensorMapDataTypeRow& type,
                                    const Target* target = nullptr);

// An operand in global memory, contiguous along the tile's major.
struct GmemOperand {
  TileExtents extents;  // elements
  Bytes line_stride;    // from one row to the next if K-major, from one k to the next if MN-major
  std::uint64_t address = 0;
  TileExtents tile_at = {};  // first row and k of the tile; for the second CTA of a pair it begins at half of M
};

// The map's data type that copies the elements of a tile bit for bit: 16U4_ALIGN8B for packed fp4, on Hopper UINT8. An
// element of the map may be half of the tile's, or contain several.
TensorMapDataType tensor_map_type(const SmemDestination& to, const Target& target);
// An operand of these extents whose lines follow each other without a gap.
GmemOperand packed_operand(const SmemDestination& to, const Target& target, TileExtents extents);

// One dimension of the map: its coordinate i begins at element i * step along the direction.
struct PlanDimension {
  Major direction = Major::K;
  std::int64_t step = 1;  // in elements of the map along the major, in lines across it
  std::int64_t box = 1;   // entries
};

struct TileCopy {
  TensorCoordinate coordinate = {};  // for a tile that begins at GmemOperand::tile_at
  Bytes smem_offset;                 // from the base of the tile
};

struct TilePlan {
  TensorMap map;
  std::vector<PlanDimension> dimensions;
  std::vector<TileCopy> copies;  // in the order of shared memory
  Bytes request;                 // contiguous bytes of global memory that one line of a box requests
  std::string limit;             // why there are not fewer copies; empty for one copy

  // For all copies together: the shared memory that they fill, gaps included, and the bytes that the mbarrier counts
  // (BoxPlacement).
  Bytes smem_bytes() const;
  Bytes expect_bytes() const;
};

// Why a tensor copy cannot write there; nothing if it can.
std::optional<Finding> smem_base_refusal(Bytes base);

// The plan with the fewest copies whose map has at most this rank, and no higher rank than that needs. 2 <= max_rank
// <= 5.
std::variant<TilePlan, Finding> plan_tile(const SmemDestination& to, const GmemOperand& operand, const Target& target,
                                          int max_rank);

// ---- whether an MMA reads by descriptor what tensor copies write to shared memory; if not, the tile that it would
// read, and how TMA makes that tile
//
//   box (32, 8) of bf16 without a swizzle: (8,32):(32,1)
//     not read: rows are 64 B apart, but mode none needs 16 B
//     instead   mode none: 4 copies of a box (8, 8); mode 64B: one of a box (32, 8)
//
// TMA "none" is not MMA "none": a box without a swizzle may have any width, but a core matrix of mode none has rows of
// 16 B. With a swizzle the two agree as long as no row is wider than the span, and the driver ensures that.

// A tile of the same extents that can be read, and its copies by a map of rank 2.
struct ReadableTile {
  SmemTile tile;
  TilePlan plan;
};

// For the layout as given: the mode and the descriptors that read it, or the reason why none do.
struct MmaReading : LayoutDescriptors {
  const Target* target = nullptr;
  // If none do: the tile of the same mode, then the one that agrees with the layout in most elements.
  std::vector<ReadableTile> instead = {};

  bool is_read() const { return descriptors.has_value(); }
};

// Throws Error for a layout larger than shared memory.
MmaReading mma_reading(const SmemDestination& to, const Target& target);

}  // namespace swz

// Nest: elements of shared memory as nested loops around the rows that a tensor copy writes.
//
//   bf16 64x32, K-major, mode 32B, K first: ((8,8),(16,2)):((16,256),(1,128)) after Sw<1,4,3> on bytes
//     row       16 elements of K, 32 B
//     loops     8 lines 32 B apart, 2 steps of 16 along K 256 B apart, 8 steps of 8 lines 512 B apart
//
// Shared memory is given by a layout (MN,K) -> elements: that of a tile, or any other. A row is what lies together
// in global and in shared memory, as far as one row of a box reaches: the span of the swizzle, 256 entries without
// one. The loops stand in the order of shared memory, fastest first; each begins after all that the loops before it
// cover, so that no two elements share a place.
//
// Invariant (tested with the plan): the nest visits every element of the layout once, where the layout puts it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/target.hpp"
#include "arch/tensor_map_enum.hpp"
#include "base/finding.hpp"
#include "layout/composed_layout.hpp"
#include "smem/tile.hpp"

namespace swz {

inline constexpr std::int64_t most_entries = 256;  // of one dimension of a box
inline constexpr std::int64_t padded_box = 128;    // entries of dimension 0, of the ALIGN16B types

// Where a plan puts the elements of an operand tile.
struct SmemDestination {
  SmemDestination(const SmemTile& tile);  // NOLINT: a tile is one
  // layout: (MN,K) -> elements from the base. major: what is contiguous in global memory. Throws Error when the
  // layout has another rank, or another element size than the type.
  SmemDestination(ComposedLayout layout, const DType& dtype, Packing packing, Major major, Bytes base);

  ComposedLayout layout;
  const DType* dtype;
  Packing packing;
  Major major;
  Bytes base;

  TileExtents extents() const;
  int element_bits() const { return swz::element_bits(*dtype, packing); }
};

// Why no tensor map makes the tile.
// "K" or "MN"
constexpr std::string_view direction_name(Major direction) { return direction == Major::K ? "K" : "MN"; }

// One loop of the nest.
struct Loop {
  bool is_contiguous = false;  // steps along the major
  std::int64_t step = 1;       // entries of the map along the major, lines across it
  std::int64_t count = 1;
  Bytes smem_step;
};

struct Nest {
  Major major = Major::K;
  const TensorMapSwizzleRow* swizzle = nullptr;
  Bytes begin;             // of the first element, from the base
  std::int64_t width = 0;  // of a row, in entries of the map
  Bytes row;               // the same in shared memory
  std::vector<Loop> loops;

  // From one row of a box to the next.
  Bytes pitch() const { return std::max(row, swizzle->span); }
  // Of steps along the major, or across it.
  Major direction(bool is_contiguous) const { return is_contiguous == (major == Major::K) ? Major::K : Major::MN; }
};

// For a map of this type. Throws Error when an element would lie outside of the shared memory of every target.
std::variant<Nest, Finding> nest_of(const SmemDestination& to, const TensorMapDataTypeRow& type);

}  // namespace swz

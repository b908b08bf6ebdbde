// Views of TMA copies: what `swz tma place` says of a box in shared memory, and `swz tma plan` of a tile.
//
//   bf16, box (16, 4), 64B, at 0x400: rows of 32 B at a pitch of 64 B: allocate 256 B, expect 128 B on the mbarrier
//
// The figure of a box: the box as the tensor numbers its chunks, and the lines of shared memory where the copy puts
// them. The figure of a plan: the tile in global memory beside the lines of shared memory, each chunk in the colour
// of the copy that brings it.
#pragma once

#include <optional>
#include <variant>

#include "arch/dtype.hpp"
#include "tma/placement.hpp"
#include "tma/plan.hpp"
#include "view/document.hpp"
#include "view/place.hpp"

namespace swz {

// What an MMA reads of the copied bytes. JSON: mma {read, mode, lbo, sbo, mma [MN, K], default_of, reason, instead
// [{swizzle, order, box, copies, request_bytes}]}. is_tma_none: it is copies without a swizzle that make what is
// read.
void add_mma_reading(Document& d, const MmaReading& reading, bool is_tma_none);

struct BoxPlaceReport {
  BoxPlacement box;
  TensorCoordinate start = {};  // the coordinates of the copy
  // As an operand whose contiguous dimension this is. None: no MMA has the type of the map.
  Major major = Major::K;
  std::optional<MmaReading> mma;
};

// A box as an operand of (rows, entries of dimension 0), or the transpose of it when MN-major, of its own elements.
SmemDestination box_destination(const BoxPlacement& box, const DType& dtype, Major major);

// JSON: dtype, box, swizzle, base, start, pitch, rows, row_bytes, allocate, expect_bytes, alignment, pattern,
// addresses (of every element, dimension 0 fastest), filled (how many lie outside of the tensor), mma, notes.
// Throws Error for a start that faults.
Document view_box_place(const BoxPlaceReport& report);

// first: of the rank that was asked for; folded: of any rank, when it takes fewer copies.
struct TilePlanReport {
  PlacedOperand placed;  // what is planned for
  const DType* dtype = nullptr;
  GmemOperand operand;
  std::variant<TilePlan, Finding> first;
  std::optional<TilePlan> folded;
  MmaReading mma;
};

// JSON: rank, dtype, dims, strides, box, swizzle, copies [{coordinate, smem_offset}], request_bytes, copy_bytes,
// limit, folded (the same keys, or null), refusal ({rule, message, hint} or null; then the others are null), mma.
Document view_tile_plan(const TilePlanReport& report);

}  // namespace swz

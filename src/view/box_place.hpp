// View of a box in shared memory: what `swz tma place` says. One figure: the box as the tensor numbers its chunks,
// and the lines of shared memory where the copy puts them.
//
//   bf16, box (16, 4), 64B, at 0x400: rows of 32 B at a pitch of 64 B: allocate 256 B, expect 128 B on the mbarrier
#pragma once

#include <optional>

#include "arch/dtype.hpp"
#include "tma/mma_reading.hpp"
#include "tma/placement.hpp"
#include "view/document.hpp"

namespace swz {

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

}  // namespace swz

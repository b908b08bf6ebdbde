// Selection: some chunks of an operand, and how many wavefronts it takes to read them.
//
//   bf16 8x16 K-major, rows 0-7 and k 0-7: chunks 0, 2, ..., 14, one phase of ldmatrix
//     rows of 32 B one after the other: banks 0, 8, 16, 24, 0, ...: 2 wavefronts, 2-way, all eight collide
//     mode 32B: all banks once: 1 wavefront
//
// An access of 16 bytes a lane goes in phases of eight lanes; in one phase every 16-byte column of banks gives one
// chunk per wavefront. rows and ks select their rectangle, which ldmatrix reads eight lines of one chunk column at
// a time. chunks are read in the order given, eight at a time. lanes are those of ldmatrix, eight in a phase: lane
// j names line j % 16 of the operand and chunk column j / 16 (j % 8 and j / 8 when it has only 8 lines), the order
// of the four matrices of an A operand of mma.sync.
//
// Source: smem/wavefront.hpp, for ldmatrix.
#pragma once

#include <cstdint>
#include <vector>

#include "smem/placement.hpp"

namespace swz {

// first ... last
struct IndexRange {
  std::int64_t first = 0, last = 0;
};

struct Selection {
  std::vector<IndexRange> rows = {}, ks = {};  // with one of the two empty: all of it
  std::vector<IndexRange> chunks = {}, lanes = {};
  bool empty() const { return rows.empty() && ks.empty() && chunks.empty() && lanes.empty(); }
};

// One flag for each element, row by row. Throws Error when the selection goes beyond the operand.
std::vector<bool> selected_elements(const Selection& selection, const Placement& placement);

// The chunks that are read together, by number; at most eight each. Empty when the placement has no chunks. Throws
// Error when the selection goes beyond the operand, or names chunks or lanes of a placement without chunks.
std::vector<std::vector<std::int64_t>> phases_of(const Selection& selection, const Placement& placement);

struct Reading {
  std::int64_t chunks = 0, phases = 0, wavefronts = 0;
  std::int64_t ways = 0;        // of the worst phase
  std::vector<bool> colliding;  // one flag for each chunk: another chunk of its phase has its banks
};
Reading read(const std::vector<std::vector<std::int64_t>>& phases, const Placement& placement);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Walk: the instructions with which warps read or write a whole operand, and the wavefronts that each costs.
//
//   walk(Placement(bf16 128x64, mode 128B), "ldmatrix.x4")     32 instructions, 128 wavefronts, ideal 128
//     instruction 0: matrix j of the four is rows 8 * (j % 2) … and k 8 * (j / 2) …, as in A of m16n8k16
//     instruction 1: the next 16 rows; after the last rows the next two 16-byte columns of k, as a loop over K
//
// The orders in which 32 lanes access the pieces of an operand. Each piece is one access wide along the contiguous
// dimension:
//
//   matrices   ldmatrix, stmatrix: x4 takes 2 x 2 matrices (rows x k), x2 takes 2 x 1; if the operand has too few rows
//              or k for that, 1 x 4 or 4 x 1, and 1 x 2. A matrix is 8 lines (16 of m16n16) of 16 bytes.
//   rows       along k first, then the next row
//   columns    along the rows first, then the next k
//   gmem       in the order of GMEM: 128 contiguous bytes of a line, then the next line; then the next 128 bytes
//   tv         by a layout (thread, value) -> row + k * rows, like CuTe's TV layouts; consecutive values that are
//              contiguous make one access
//
// A transpose is two walks: st.shared rows and ld.shared columns, one element per lane.
//
// Invariants (tested): every byte of the operand is accessed exactly once (tv: once for each element that is named);
// wavefronts and ideal are the sums over the steps; steps[worst] has the largest excess.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "smem/access.hpp"
#include "smem/placement.hpp"

namespace swz {

enum class WalkOrder { matrices, rows, columns, gmem, tv };

constexpr std::string_view to_string(WalkOrder order) {
  return name_in({"matrices", "rows", "columns", "gmem", "tv"}, order);
}

// An access of warps: "ldmatrix.x4", "st.shared.b128 gmem", "ld.shared columns".
struct Access {
  const AccessInstruction* instruction = nullptr;  // null for the widest of `op` that the operand allows
  AccessOp op = AccessOp::load;
  WalkOrder order = WalkOrder::rows;
  bool one_element = false;  // for the transpose: one element per lane, unless an instruction is given
};

// Reads an instruction's name and an order, which is rows if none is given (gmem for cp.async). "transpose" is two
// accesses. Throws Error for any other text.
std::vector<Access> parse_accesses(std::string_view text);
std::string to_string(const Access& access);  // parse_accesses accepts it

// The map (thread, value) -> row + k * tile.mn of a tile that is repeated over the operand.
struct ThreadValueLayout {
  Layout layout;
  TileExtents tile;
};

struct WalkStep {
  AccessPattern pattern;
  // For each lane that counts, the first element of its piece: row * K + k.
  std::array<std::int32_t, warp_lanes> element = {};
  WavefrontCount count;
};

struct Walk : WavefrontTotal {
  Access access = {};  // with an instruction
  std::vector<WalkStep> steps = {};
  std::size_t worst = 0;
  int pairing_steps = 0;  // number of instructions that pair

  int ways() const { return steps.at(worst).count.ways(); }
};

// The pieces of an operand that one lane accesses at once: for bf16 8x64 in mode 128B, 16 bytes are 8 elements along K.
// A piece is whole: its elements follow each other in shared memory, and its first byte is a multiple of its size.
struct Pieces {
  Major along = Major::K;
  std::int64_t elements = 1;
};
// The pieces, along the contiguous dimension of the placement if both are whole. Throws Error with the first element
// that breaks a piece.
Pieces require_pieces(const Placement& placement, const AccessInstruction& instruction);

// Throws Error if the operand cannot be walked so: its pieces are not contiguous or not aligned, or matrices do not
// divide it.
Walk walk(const Placement& placement, const Access& access, const std::optional<ThreadValueLayout>& tv = std::nullopt);
// Also throws Error if the operand does not fit into the target's shared memory.
Walk walk(const Placement& placement, const Access& access, const Target& target,
          const std::optional<ThreadValueLayout>& tv = std::nullopt);

inline TileCoordinate coordinate(const WalkStep& step, int lane, const Placement& placement) {
  const std::int64_t element = step.element[static_cast<std::size_t>(lane)];
  return {element / placement.extents().k, element % placement.extents().k};
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// The choice of a swizzle mode for a tile: the largest mode that the target can read and whose atom divides the tile.
//
//   bf16 64x32 K-major on sm_90a: a row has 64 B
//     128B  no: K 32 is 64 B, not a multiple of 128 B
//     64B   chosen: GMEM requests of 64 B; a 2-D TMA box of 64x32 fills the tile in either order
//     32B   32 B; mn-first 2 boxes of 64x16, k-first 16 boxes of 8x16
//
// The line of an atom is contiguous both in GMEM and in SMEM, so a larger mode makes larger requests. CUTLASS chooses
// the same mode (ss_smem_selector, sm100_smem_selector; tested).
//
// A target that reads nothing through a descriptor (sm_80: ldmatrix), or not this type with this major, forbids no
// 16-byte-atomic mode. Only the fit decides then, and `unreadable` gives the reason.
//
// Source: smem/mma_operand.hpp; for boxes PTX ISA 9.1, 5.5, and the CUDA driver API, cuTensorMapEncodeTiled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "smem/mma_operand.hpp"

namespace swz {

// The boxes of a tensor map, which all have one size. A box is one atom wide: TMA writes it line by line, so a wider
// box would not give atoms. It covers lines that follow each other in shared memory without a gap, at most 256 of
// them, and begins at a multiple of 128 B.
struct TmaBoxes {
  TileExtents box;
  std::int64_t count = 0;
};
// The smallest number of equal boxes with which a 2-D map fills the tile.
TmaBoxes tma_boxes(const SmemTile& tile);
// Those of the same tile with its atoms stacked in the other order, if they are fewer: f16 128x64 MN-major, mode 128B,
// takes 16 mn-first and 2 k-first.
std::optional<TmaBoxes> fewer_boxes(const SmemTile& tile);

struct ModeVerdict {
  const SwizzleMode* mode;
  bool fits = false;    // its atom divides the extents
  bool allowed = true;  // the target can read it, or does not read it by descriptor
  std::string why_not;  // empty if this mode can be chosen
  // Bytes in GMEM of one line of its atom, which one request of a copy can fetch together. Less than the span for 4-
  // and 6-bit types in 8-bit slots, which are packed in GMEM.
  Bytes request;
  // None if the mode cannot be chosen, or no 2-D map of the target writes it; why_no_boxes gives the reason.
  std::optional<TmaBoxes> mn_first = {}, k_first = {};
  std::string why_no_boxes = {};
};

struct SwizzleChoice {
  const SwizzleMode* mode;            // never null
  std::vector<ModeVerdict> verdicts;  // largest first
  std::optional<Finding> unreadable;  // why no instruction reads the tile by descriptor, whatever its mode
};

// The choice for a tile. Throws Error if no mode fits: lines that are not whole 16-byte chunks, a number of lines that
// no atom divides, or a tile that does not fit into shared memory. The swizzle, order and base of the tile do not
// matter.
SwizzleChoice choose_swizzle(const SmemTileValues& tile, const Target& target);
// As choose_swizzle. Also throws Error if the target reads descriptors but not such an operand. It checks this before
// the fit, so that no hint leads to a tile that cannot be read.
SwizzleChoice choose_readable_swizzle(const SmemTileValues& tile, const Target& target);

}  // namespace swz

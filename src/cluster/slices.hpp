// SPDX-License-Identifier: Apache-2.0
// Slices: which part of a tile each of C CTAs loads, if each load is multicast to all of them.
//
//   f16 128x64, K-major, mode 128B: one box (64, 128), V = 16384 B. C = 4 CTAs share it:
//     box (64, 32), V / C = 4096 B;   CTA i: offset 4096 i, coordinate (0, 32 i), multicast to all four
//     the barrier of every CTA counts 16384 B, whoever issues
//   f16 128x64, mode none: 8 boxes (8, 128) of 2048 B. C = 2: box (8, 64);   CTA i, copy t: offset 2048 t + 1024 i
//
// CuTe keeps the copies of the whole tile and divides the box from its slowest dimension down:
//
//   mult = C; for each dimension, slowest first: if box % mult == 0: box /= mult, done; else mult /= box, box = 1
//
// offset = t V + i V / C, and the coordinate is that of this offset in the box before it was divided.
//
// The condition is the address rule of TMA: each slice begins at a multiple of 128 B. CuTe does not check it. Whole
// swizzle atoms are not needed: TMA swizzles by the bits of the absolute address, so that 128-byte lines land where
// the undivided copy would put them if the tile's base has the tile's alignment. Only a model that swizzles from the
// beginning of each slice needs V / C to be a multiple of 1024 (128B), 512 (64B) or 256 B (32B).
//
// Invariant (tested): the slices of all CTAs, replayed through BoxPlacement, leave the image of the whole copies. They
// equal CuTe's for more than 300 tiles (tests/cute). Measured on H100 and H200: 4,708 tiles. Source: CuTe, make_tma_copy_desc and
// tma_partition.
#pragma once

#include <variant>
#include <vector>

#include "base/finding.hpp"
#include "tma/plan.hpp"

namespace swz {

struct SlicedPlan {
  TilePlan whole;     // of the tile that is not shared; its map has the whole box
  int sharers = 1;    // C
  Bytes instruction;  // V: shared memory that one whole copy fills
  TensorMap map;      // with the divided box
  Bytes pattern;      // after which the swizzle repeats: an atom of 8 lines

  Bytes slice() const { return Bytes{instruction.count / sharers}; }
  bool keeps_atoms() const { return slice().is_multiple_of(pattern); }
  // The copies of CTA i, one for each whole copy.
  std::vector<TileCopy> copies_of(int index) const;
};

// Why no division of the box gives every CTA its slice.
std::variant<SlicedPlan, Finding> slice_plan(const TilePlan& whole, int sharers);

// The numbers of sharers from 2 to `most` for which there is a division.
std::vector<int> legal_sharers(const TilePlan& whole, int most);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// WarpScaleWay: the way of scale factors to a block-scaled mma.sync (sm_120, sm_121): global memory, a stage of shared
// memory, a load of one to four bytes by each lane, the byte of its register that the MMA takes. It is the way of
// CUTLASS's sm_120 collective.
//
//   mxf4nvf4 4X, A, tile 128 x 128, warps 4 x 2; row 73, factor 4
//
//   global memory    128x4: byte 73 % 32 * 16 + 73 / 32 * 4 = 152 of its tile, which is the second of K: 664
//   shared memory    128x4_stage of 128 rows x 8 factors: 664
//   warps            row 73 = 16 * 0 + 64 * 1 + 9: atom 1 of warps 0 and 4
//   lanes            m = 9 is 4 * (9 % 8) + 9 / 8 = 5; lane 7 loads the same
//   register         4 bytes from 664 on, to byte 4 * 1 + 4 * 2 * 1 = 12 of the lane's factors
//   MMA              1 (k 64-127), byte 0 of its register, ids {0, 0}
//
// The warps of a tile are WM x WN; warp w has rows 16 * (w % WM) of every 16 * WM, and columns 16 * (w / WM) of every
// 16 * WN. A lane loads what its MMA takes, so that all ids are 0.
//
// Invariants (tested): every lane that the MMA reads (fragment/block_scaled.hpp) has loaded the factor of its row and
// block; the bytes of a lane's factors are one to one.
// Source: CUTLASS 4.7 sm120_blockscaled_mma_tma.hpp and its builder, sm100_blockscaled_layout.hpp. Not measured.
#pragma once

#include <vector>

#include "arch/block_scaled_mma.hpp"
#include "scale/scale_layout.hpp"

namespace swz {

struct WarpScaleTile {
  const BlockScaledMma* form = nullptr;
  ScaleOperand operand = ScaleOperand::a;
  std::int64_t rows = 128, k = 128;  // of the CTA's tile: M or N, and K
  int warps_m = 4, warps_n = 2;      // 4 x 2 in the cooperative kernel, 2 x 2 in the pingpong one
  ScaleExtents whole = {};           // rows and factors of the operand; no rows: those of the tile
  ScaleCoordinate origin = {};       // of the tile in the operand
};

class WarpScaleWay {
 public:
  // Throws Error for a tile that is not whole atoms of the warps and whole MMAs, or not in the operand.
  explicit WarpScaleWay(const WarpScaleTile& tile);

  const WarpScaleTile& tile() const { return tile_; }
  const ScaleLayout& gmem() const { return gmem_; }
  const ScaleLayout& stage() const { return stage_; }
  int atoms() const;  // of a warp, along the rows: 16 rows of A, 8 columns of B
  int mmas() const { return static_cast<int>(tile_.k / tile_.form->k); }

  struct Stop {
    Bytes gmem, smem;
    std::vector<int> warps;
    int atom = 0;
    std::vector<int> lanes;  // those that load it; the MMA takes it from the first
    int load_bytes = 0;      // of the load that has it, from the first factor of the MMA on
    int fragment_byte = 0;   // of the lane's factors
    int mma = 0;             // along K
    int register_byte = 0;   // of the MMA's operand
  };
  // For a row and factor of the tile.
  Stop stop(ScaleCoordinate at) const;

 private:
  int rows_of_atom() const { return tile_.operand == ScaleOperand::a ? 16 : 8; }

  WarpScaleTile tile_;
  ScaleLayout gmem_, stage_;
};

}  // namespace swz

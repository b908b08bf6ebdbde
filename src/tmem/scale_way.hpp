// SPDX-License-Identifier: Apache-2.0
// ScaleWay: the way of scale factors from global memory, through a stage of shared memory and tcgen05.cp, to the bytes
// of tensor memory that the MMAs of a tile name.
//
//   mxf4nvf4, vec 16, B, M 128, N 256, a tile of K 256: 16 factors of each row, 4 MMAs of 4
//
//   row 200, factor 6    global memory   tile (1, 1) of 128x4, byte (200 % 32) * 16 + (200 % 128) / 32 * 4 + 6 % 4 = 138:
//                                        offset (1 * 4 + 1) * 512 + 138 = 2698 of 4 tiles along K
//                        shared memory   rows first: byte (1 * 2 + 1) * 512 + 138 = 1674 of the stage
//                        copy 3          32x128b.warpx4, byte 1536 of the stage to column c0 + 12
//                        tensor memory   lanes 8, 40, 72, 104, column c0 + 14, byte 2
//                        MMA 1           address column c0 + 8, sf_id 0
//
// A stage is a compact ScaleLayout of whole 128x4 tiles; a TMA box brings each tile unchanged. One copy moves one tile
// of 512 bytes. For B of M 128 with two CTAs a copy moves two tiles (64x128b.warpx2::01_23), each to one half of the
// lanes.
//
// Invariants (tested, byte by byte through TmemCopy::lane): the copies bring each factor to the place of scale_place,
// for every row and factor; a tile of the stage is a tile of global memory.
// Source: scale_factor.hpp; tcgen05.cp from arch/tensor_memory.hpp; two tiles at a time: NVIDIA's CuTe-DSL example
// 2cta_mma_blockscale_m128. A of M 128 with two CTAs is an open question (sfa-m128-pair). Not measured.
#pragma once

#include <optional>
#include <vector>

#include "arch/tensor_memory.hpp"
#include "tmem/scale_factor.hpp"

namespace swz {

// The copy that brings the factors of this operand to tensor memory.
const TmemCopy& scale_copy(const ScalePlacement& placement);

// The tile of the MMAs in the whole operand.
struct ScaleTile {
  int k = 0;                    // k of the tile, in elements
  ScaleExtents whole = {};      // rows and factors of the whole operand; no rows: those of the tile
  ScaleCoordinate origin = {};  // of the tile in the operand
  int cta = 0;                  // CTA of a pair
  int column = 0;               // the operand's scale address
};

class ScaleWay {
 public:
  // Throws Error for a tile that is not whole MMAs, is not in the operand, or begins inside a 128x4 tile; for B of N
  // up to 128, M 128 with two CTAs, for which there is no source; and for columns beyond those of tensor memory.
  ScaleWay(const ScalePlacement& placement, const ScaleTile& tile);

  const ScalePlacement& placement() const { return placement_; }
  const ScaleTile& tile() const { return tile_; }
  const ScaleLayout& gmem() const { return gmem_; }
  const ScaleLayout& stage() const { return stage_; }  // stage of one CTA
  const TmemCopy& copy() const { return *copy_; }
  int columns() const;  // columns of tensor memory of all copies

  struct Copy {
    Bytes smem;  // from the start of the stage
    int column = 0;
    std::vector<std::optional<Bytes>> gmem;  // for each 128x4 tile; nothing if global memory lacks it
  };
  std::vector<Copy> copies() const;  // in the order of shared memory

  // One MMA of the tile.
  struct Step {
    int mma = 0, first_k = 0, last_k = 0;
    int address_column = 0, sf_id = 0;
  };
  std::vector<Step> steps() const;

  struct Stop {
    Bytes gmem, smem;
    int copy = 0;
    ScalePlace place;
  };
  // The place of a row of the CTA, counted from the tile's first, and a factor, counted from the tile's first k.
  Stop stop(ScaleCoordinate at) const;

  // Whether halves of N are not tiles of 128 rows: each then has its own tile in the stage, which global memory lacks.
  bool has_own_tiles() const;

 private:
  ScaleCoordinate in_stage(ScaleCoordinate at) const;  // the row of its tiles
  int factors() const { return static_cast<int>(stage_.extents().factors); }
  ScaleCoordinate in_whole(ScaleCoordinate at) const;

  ScalePlacement placement_;
  ScaleTile tile_;
  ScaleLayout gmem_, stage_;
  const TmemCopy* copy_;
};

}  // namespace swz

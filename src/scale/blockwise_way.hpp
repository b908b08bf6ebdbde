// SPDX-License-Identifier: Apache-2.0
// BlockwiseWay: the way of fp32 scale factors to the accumulators of wgmma: a factor for 1 x 128 elements of A
// (activations) or 128 x 128 of B (weights), as DeepSeek's fp8 models have them. wgmma reads no factors: after the MMAs
// of 128 k the kernel multiplies each accumulator by the factor of its row and by that of its column, and adds it.
//
//   A, tile 128 x 128, layout mn_major_tma_f32 of 4096 x 7168, tile at row 256, k 512; row 70, k 130
//
//   factor          row 326, kb (512 + 130) / 128 = 5
//   global memory   byte 4 * (5 * 4096 + 326) = 83224
//   shared memory   the factors of the tile's 128 rows for one kb, 4 bytes each: byte 280
//   warpgroup       70 / 64 = 1, row 6 of its 64: warp 0, lanes 24 to 27
//   registers       of D f32: 0, 1, 4, 5, 8, 9, … (row 6 is in the first eight of 16)
//   MMAs            wgmma of K 32: those of k 128 to 255 of the tile, 4 to 7
//
// An accumulator sums all k of an MMA: an MMA whose k have two factors has no right factor. A tile that begins inside a
// factor is right as long as no MMA does that.
//
// Invariants (tested): every register of every thread gets the factor of its row, or of its column; tiles that begin
// anywhere give what one tile of the whole operand gives.
// Source: the D of wgmma (fragment/fragment.hpp, measured); the layouts (scale_layout.hpp). DeepGEMM and CUTLASS's
// blockwise kernels scale in this way.
#pragma once

#include <optional>
#include <vector>

#include "arch/block_scaled_mma.hpp"
#include "scale/scale_layout.hpp"

namespace swz {

inline constexpr int blockwise_k = 128;  // elements of K that share a factor
inline constexpr int wgmma_byte_k = 32;  // K of wgmma of 8-bit types

struct BlockwiseTile {
  ScaleOperand operand = ScaleOperand::a;
  const ScaleLayoutRow* layout = nullptr;  // of the factors; fp32
  int rows_of_factor = 1;                  // 1 or 128: rows of the operand that share a factor
  std::int64_t m = 128, n = 128, k = 128;  // of the CTA's tile
  // The operand, and where its tile begins: rows and k in elements. No rows: those of the tile.
  std::int64_t whole_rows = 0, whole_k = 0, first_row = 0, first_k = 0;

  std::int64_t rows() const { return operand == ScaleOperand::a ? m : n; }
};

class BlockwiseWay {
 public:
  // Throws Error for a tile that is not whole MMAs or not in the operand, whose MMAs take k of two factors, and for a
  // layout of other factors.
  explicit BlockwiseWay(const BlockwiseTile& tile);

  const BlockwiseTile& tile() const { return tile_; }
  const ScaleLayout& gmem() const { return gmem_; }
  std::int64_t warpgroups() const { return tile_.m / 64; }

  struct Stop {
    ScaleCoordinate factor;  // of the whole operand
    Bytes gmem;
    std::optional<Bytes> smem;  // in the stage of one kb; none for factors of 128 rows, which are a few for the tile
    std::int64_t first_row = 0, last_row = 0;  // of the tile, which have this factor
    std::int64_t first_mma = 0, last_mma = 0;  // along K of the tile
    std::vector<int> warpgroups;
    std::vector<int> threads;    // of the warpgroup: those that have the row, or the column
    std::vector<int> registers;  // of D in each of them
  };
  // For a row of the tile, of A or B, and a k of the tile.
  Stop stop(std::int64_t row, std::int64_t k) const;

 private:
  BlockwiseTile tile_;
  ScaleLayout gmem_;
};

}  // namespace swz

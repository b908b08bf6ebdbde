// MmaTiling: a CTA tile of M x N x K cut into the shapes that one MMA multiplies.
//
//   tile 256 x 256 x 64, MMA m128n256k16:  2 m-blocks, 1 n-block, 4 k-steps, 8 MMAs
//   MMA (m 1, n 0, k 2) adds A[128..255, 32..47] times B[32..47, 0..255] to C[128..255, 0..255]
//
// Invariants: the MMA's extents divide the tile's; count() fits in 63 bits.
#pragma once

#include <cstdint>

#include "arch/instruction.hpp"

namespace swz {

class MmaTiling {
 public:
  // Throws Error naming the extent that is not divisible, with the multiples below and above it.
  // All extents are at least 1; those of the tile at most 2^20.
  MmaTiling(const MmaExtents& tile, const MmaExtents& mma);

  const MmaExtents& tile() const { return tile_; }
  const MmaExtents& mma() const { return mma_; }
  // How many MMAs along M, N and K.
  MmaExtents blocks() const { return {tile_.m / mma_.m, tile_.n / mma_.n, tile_.k / mma_.k}; }
  std::int64_t count() const { return blocks().m * blocks().n * blocks().k; }

 private:
  MmaExtents tile_, mma_;
};

}  // namespace swz

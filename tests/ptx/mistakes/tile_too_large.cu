// SPDX-License-Identifier: Apache-2.0
// Room for 64 rows of B, but the instruction reads 128: bytes past the end of shared memory.
#include "tile.cuh"

constexpr Word b_rows = MISTAKE ? 64 : 128;

extern "C" __global__ void __launch_bounds__(128) tile_too_large(float* out, const Chunk* a, const Chunk* b) {
  __shared__ alignas(1024) unsigned char s[(rows + b_rows) * row_bytes];
  const Word a_tile = address_of(s), b_tile = a_tile + tile_bytes;
  fill(a_tile, a);
  fill(b_tile, b, b_rows);
  float d[64];
  begin_wgmma();
#pragma unroll
  for (Word k = 0; k < 4; ++k)
    wgmma_n128<0, 0>(d, descriptor(a_tile + k * 32, 16, atom_bytes, mode_128b),
                     descriptor(b_tile + k * 32, 16, atom_bytes, mode_128b), k);
  end_wgmma();
  give(out, d);
}

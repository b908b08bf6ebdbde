// SPDX-License-Identifier: Apache-2.0
// SBO in bytes, not in units of 16 B: 1,024 in the field means 16,384 B.
#include "tile.cuh"

constexpr Word stride = MISTAKE ? 16 * atom_bytes : atom_bytes;

extern "C" __global__ void __launch_bounds__(128) unshifted_stride(float* out, const Chunk* a, const Chunk* b) {
  __shared__ alignas(1024) unsigned char s[2 * tile_bytes];
  const Word a_tile = address_of(s), b_tile = a_tile + tile_bytes;
  fill(a_tile, a);
  fill(b_tile, b);
  float d[32];
  begin_wgmma();
#pragma unroll
  for (Word k = 0; k < 4; ++k)
    wgmma_n64<0, 0>(d, descriptor(a_tile + k * 32, 16, stride, mode_128b),
                    descriptor(b_tile + k * 32, 16, stride, mode_128b), k);
  end_wgmma();
  give(out, d);
}

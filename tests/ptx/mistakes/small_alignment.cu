// SPDX-License-Identifier: Apache-2.0
// A shared array aligned to 16 B, next to another one, under the mode 128B, whose pattern begins at multiples of 1,024 B.
#include "tile.cuh"

extern "C" __global__ void __launch_bounds__(128) small_alignment(float* out, const Chunk* a, const Chunk* b) {
  __shared__ alignas(MISTAKE ? 16 : 1024) unsigned char s[2 * tile_bytes];
  // A single array would begin at 1024.
  __shared__ float first[4];
  if (threadIdx.x < 4) first[threadIdx.x] = out[threadIdx.x];
  const Word a_tile = address_of(s), b_tile = a_tile + tile_bytes;
  fill(a_tile, a);
  fill(b_tile, b);
  float d[32];
  begin_wgmma();
#pragma unroll
  for (Word k = 0; k < 4; ++k)
    wgmma_n64<0, 0>(d, descriptor(a_tile + k * 32, 16, atom_bytes, mode_128b),
                    descriptor(b_tile + k * 32, 16, atom_bytes, mode_128b), k);
  end_wgmma();
  d[0] += first[threadIdx.x % 4] * 0;
  give(out, d);
}

// SPDX-License-Identifier: Apache-2.0
// B lies K-major, as its strides and the advance of 32 B say, but the instruction's transpose bit says MN-major.
#include "tile.cuh"

extern "C" __global__ void __launch_bounds__(128) wrong_transpose(float* out, const Chunk* a, const Chunk* b) {
  __shared__ alignas(1024) unsigned char s[3 * tile_bytes];
  const Word a_tile = address_of(s), b_tile = a_tile + tile_bytes;
  fill(a_tile, a);
  fill(b_tile, b, 128);
  float d[64];
  begin_wgmma();
#pragma unroll
  for (Word k = 0; k < 4; ++k)
    wgmma_n128<0, MISTAKE>(d, descriptor(a_tile + k * 32, 16, atom_bytes, mode_128b),
                           descriptor(b_tile + k * 32, 16, atom_bytes, mode_128b), k);
  end_wgmma();
  give(out, d);
}

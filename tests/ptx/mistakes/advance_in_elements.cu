// SPDX-License-Identifier: Apache-2.0
// The start moves along K by 16 elements counted as bytes: 16 B, not 32 B.
#include "tile.cuh"

constexpr Word advance = MISTAKE ? 16 : 16 * 2;

extern "C" __global__ void __launch_bounds__(128) advance_in_elements(float* out, const Chunk* a, const Chunk* b) {
  __shared__ alignas(1024) unsigned char s[2 * tile_bytes];
  const Word a_tile = address_of(s), b_tile = a_tile + tile_bytes;
  fill(a_tile, a);
  fill(b_tile, b);
  float d[32];
  begin_wgmma();
#pragma unroll
  for (Word k = 0; k < 4; ++k)
    wgmma_n64<0, 0>(d, descriptor(a_tile + k * advance, 16, atom_bytes, mode_128b),
                    descriptor(b_tile + k * advance, 16, atom_bytes, mode_128b), k);
  end_wgmma();
  give(out, d);
}

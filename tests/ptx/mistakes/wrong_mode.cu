// SPDX-License-Identifier: Apache-2.0
// The tile is written in the mode 128B, the descriptors have 64B.
#include "tile.cuh"

constexpr Mode mode = MISTAKE ? mode_64b : mode_128b;

extern "C" __global__ void __launch_bounds__(128) wrong_mode(float* out, const Chunk* a, const Chunk* b) {
  __shared__ alignas(1024) unsigned char s[2 * tile_bytes];
  const Word a_tile = address_of(s), b_tile = a_tile + tile_bytes;
  fill(a_tile, a);
  fill(b_tile, b);
  float d[32];
  begin_wgmma();
#pragma unroll
  for (Word k = 0; k < 4; ++k)
    wgmma_n64<0, 0>(d, descriptor(a_tile + k * 32, 16, atom_bytes, mode),
                    descriptor(b_tile + k * 32, 16, atom_bytes, mode), k);
  end_wgmma();
  give(out, d);
}

// SPDX-License-Identifier: Apache-2.0
// LBO and SBO swapped, mode 128B, K-major: LBO is ignored (1 unit by habit), SBO must be 1,024 B, the step of 8 rows.
#include "tile.cuh"

constexpr Word leading = MISTAKE ? atom_bytes : 16, stride = MISTAKE ? 16 : atom_bytes;

extern "C" __global__ void __launch_bounds__(128) swapped_strides(float* out, const Chunk* a, const Chunk* b) {
  __shared__ alignas(1024) unsigned char s[2 * tile_bytes];
  const Word a_tile = address_of(s), b_tile = a_tile + tile_bytes;
  fill(a_tile, a);
  fill(b_tile, b);
  float d[32];
  begin_wgmma();
#pragma unroll
  for (Word k = 0; k < 4; ++k)
    wgmma_n64<0, 0>(d, descriptor(a_tile + k * 32, leading, stride, mode_128b),
                    descriptor(b_tile + k * 32, leading, stride, mode_128b), k);
  end_wgmma();
  give(out, d);
}

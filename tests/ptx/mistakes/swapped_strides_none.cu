// SPDX-License-Identifier: Apache-2.0
// LBO and SBO swapped, no swizzle, K-major: chunks of 8 rows by 16 bytes, the 8 row groups of a column of chunks in
// sequence. LBO, the step along K, must be 1,024 B, SBO, the step of 8 rows, 128 B.
#include "tile.cuh"

constexpr Word along_k = rows * 16, leading = MISTAKE ? 128 : along_k, stride = MISTAKE ? along_k : 128;

__device__ void fill_chunks(Word to, const Chunk* from) {
  for (Word i = threadIdx.x; i < rows * 8; i += 128) {
    const Chunk x = from[i % rows * 8 + i / rows];
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to + i / rows * along_k + i % rows * 16),
                 "r"(x.words[0]), "r"(x.words[1]), "r"(x.words[2]), "r"(x.words[3])
                 : "memory");
  }
}

extern "C" __global__ void __launch_bounds__(128) swapped_strides_none(float* out, const Chunk* a, const Chunk* b) {
  __shared__ alignas(16) unsigned char s[2 * tile_bytes];
  const Word a_tile = address_of(s), b_tile = a_tile + tile_bytes;
  fill_chunks(a_tile, a);
  fill_chunks(b_tile, b);
  float d[32];
  begin_wgmma();
#pragma unroll
  for (Word k = 0; k < 4; ++k)
    wgmma_n64<0, 0>(d, descriptor(a_tile + k * 2 * along_k, leading, stride, none),
                    descriptor(b_tile + k * 2 * along_k, leading, stride, none), k);
  end_wgmma();
  give(out, d);
}

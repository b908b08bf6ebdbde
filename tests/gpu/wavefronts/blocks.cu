// SPDX-License-Identifier: Apache-2.0
// Blocks of two and three dimensions: which threads make a warp, x fastest.
#include "access.cuh"

BLOCK(16, 16, 1) square_block(Word* out, const Word* in) {
  __shared__ Word s[16][17], q[16][16];
  const Word x = threadIdx.x, y = threadIdx.y, t = thread_number();
  s[y][x] = in[t];
  q[y][x] = in[t + 1];
  __syncthreads();
  out[t] = s[x][y] ^ q[x][y];
}

BLOCK(8, 4, 8) cube_block(Word* out, const Word* in) {
  __shared__ alignas(16) Word s[8][4][8];
  const Word x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, t = thread_number();
  s[z][y][x] = in[t];
  __syncthreads();
  out[t] =
      s[x][y][z] ^ load<32>(address_of(s) + (x * 32 + y * 8 + z) * 4) ^ load<128>(address_of(s) + (x * 4 + y) * 32);
}

// A row of 24 threads: warps begin in the middle of rows.
BLOCK(24, 4, 1) broken_rows(Word* out, const Word* in) {
  __shared__ Word s[24 * 32];
  const Word x = threadIdx.x, y = threadIdx.y, t = thread_number();
  s[x * 32 + y] = in[t];
  __syncthreads();
  out[t] = s[x * 4 + y] ^ s[y * 24 + x] ^ s[x * 32 + y * 8];
}

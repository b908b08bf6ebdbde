// SPDX-License-Identifier: Apache-2.0
// A tile transposed through shared memory: as it is, padded by one element, and swizzled.
#include "access.cuh"

#define TRANSPOSITION(name, type, rows, pitch, place)                                                       \
  BLOCK(32, 8, 1) transpose_##name(type* out, const type* in) {                                             \
    __shared__ alignas(128) type s[rows * pitch];                                                           \
    const Word x = threadIdx.x, y = threadIdx.y;                                                            \
    _Pragma("unroll") for (Word i = 0; i < rows; i += 8) s[place(y + i, x, pitch)] = in[(y + i) * 32 + x];  \
    __syncthreads();                                                                                        \
    _Pragma("unroll") for (Word i = 0; i < rows; i += 8) out[(y + i) * 32 + x] = s[place(x, y + i, pitch)]; \
  }

__device__ Word straight(Word row, Word column, Word pitch) { return row * pitch + column; }
__device__ Word crossed(Word row, Word column, Word pitch) { return row * pitch + (column ^ (row & 31)); }

TRANSPOSITION(b8, unsigned char, 32, 32, straight)
TRANSPOSITION(b8_padded, unsigned char, 32, 36, straight)
TRANSPOSITION(b16, unsigned short, 32, 32, straight)
TRANSPOSITION(b16_padded, unsigned short, 32, 34, straight)
TRANSPOSITION(b32, Word, 32, 32, straight)
TRANSPOSITION(b32_padded, Word, 32, 33, straight)
TRANSPOSITION(b32_swizzled, Word, 32, 32, crossed)
TRANSPOSITION(b64, unsigned long long, 32, 32, straight)
TRANSPOSITION(b64_padded, unsigned long long, 32, 33, straight)

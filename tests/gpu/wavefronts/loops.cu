// SPDX-License-Identifier: Apache-2.0
// Loops whose addresses move: by whole rows (the count stays), by a stride that grows (it does not), through a swizzle.
#include "access.cuh"

BLOCK(128, 1, 1) loop_rows(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[32 * 128];
  const Word base = address_of(s), t = threadIdx.x;
  Word x = in[t];
#pragma unroll 1
  for (Word row = 0; row < 32; ++row) store<32>(base + row * 512 + t * 4, x + row);
  __syncthreads();
#pragma unroll 1
  for (Word row = 0; row < 32; ++row) x ^= load<32>(base + (t & 31) * 512 + row * 4);
#pragma unroll 1
  for (Word row = 0; row < 8; ++row) x ^= load<128>(base + row * 2048 + t * 16);
  out[t] = x;
}

BLOCK(64, 1, 1) loop_strides(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[64 * 32];
  const Word base = address_of(s), t = threadIdx.x;
  Word x = in[t];
  for (Word i = t; i < 64 * 32; i += 64) s[i] = x;
  __syncthreads();
#pragma unroll 1
  for (Word stride = 1; stride <= 32; stride *= 2) x ^= load<32>(base + t * stride * 4);
  out[t] = x;
}

BLOCK(256, 1, 1) loop_swizzled(Word* out, const Word* in) {
  __shared__ alignas(1024) Word s[64 * 32];
  const Word base = address_of(s), t = threadIdx.x, row = t >> 3, chunk = t & 7;
  Word x = in[t];
#pragma unroll 1
  for (Word i = 0; i < 2; ++i) store<128>(base + (i * 32 + row) * 128 + ((chunk ^ (row & 7)) * 16), x + i);
  __syncthreads();
#pragma unroll 1
  for (Word k = 0; k < 8; ++k) x ^= load<128>(base + (t & 63) * 128 + ((k ^ (t & 7)) * 16));
#pragma unroll 1
  for (Word k = 0; k < 8; ++k) x ^= load<128>(base + (t & 63) * 128 + k * 16);
  out[t] = x;
}

// The tree of a reduction: each step halves the lanes that load.
BLOCK(128, 1, 1) loop_halves(Word* out, const Word* in) {
  __shared__ Word s[128];
  const Word t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
#pragma unroll 1
  for (Word width = 64; width > 0; width /= 2) {
    if (t < width) s[t] += s[t + width];
    __syncthreads();
  }
  out[t] = s[0];
}

// SPDX-License-Identifier: Apache-2.0
// Thread t accesses element t * stride, in every width: conflicts only by the stride.
#include "access.cuh"

template <int bits, int stride>
__device__ Word strided(Word base, Word x) {
  const Word at = base + threadIdx.x * (stride * (bits < 32 ? 4 : bits / 8));
  store<bits>(at, x);
  __syncthreads();
  return load<bits>(at);
}

#define STRIDE(stride, threads)                                     \
  BLOCK(threads, 1, 1) stride_##stride(Word* out, const Word* in) { \
    __shared__ alignas(16) unsigned char s[threads * stride * 16];  \
    const Word base = address_of(s);                                \
    Word x = in[threadIdx.x];                                       \
    x ^= strided<8, stride>(base, x);                               \
    x ^= strided<16, stride>(base, x);                              \
    x ^= strided<32, stride>(base, x);                              \
    x ^= strided<64, stride>(base, x);                              \
    x ^= strided<128, stride>(base, x);                             \
    out[threadIdx.x] = x;                                           \
  }

STRIDE(1, 256)
STRIDE(2, 224)
STRIDE(3, 192)
STRIDE(4, 160)
STRIDE(8, 128)
STRIDE(16, 96)
STRIDE(32, 64)
STRIDE(33, 32)

// Elements of 8 and 16 bits next to each other: several lanes share a word.
BLOCK(128, 1, 1) dense_narrow(Word* out, const Word* in) {
  __shared__ alignas(16) unsigned char s[1024];
  const Word base = address_of(s), t = threadIdx.x;
  Word x = in[t];
  store<8>(base + t, x);
  store<16>(base + 256 + t * 2, x);
  store<8>(base + t * 3, x);
  store<16>(base + t * 6, x);
  __syncthreads();
  x ^= load<8>(base + t) ^ load<16>(base + t * 2) ^ load<8>(base + t * 3) ^ load<16>(base + t * 6) ^
       load<8>(base + (t ^ 5) * 8);
  out[t] = x;
}

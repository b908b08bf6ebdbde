// SPDX-License-Identifier: Apache-2.0
// ldmatrix and stmatrix: rows of 128 bytes (8 wavefronts a matrix), padded by 16 bytes, and swizzled by Swizzle<3,4,3>.
#include "access.cuh"

template <int count, bool trans>
__device__ Word load_matrices(Word at) {
  Word a = 0, b = 0, c = 0, d = 0;
#define LDMATRIX(form, list, place, ...)                                               \
  asm volatile("ldmatrix.sync.aligned.m8n8." form ".shared.b16 " list ", [" place "];" \
               : __VA_ARGS__                                                           \
               : "r"(at)                                                               \
               : "memory")
  if constexpr (count == 1 && !trans) LDMATRIX("x1", "{%0}", "%1", "=r"(a));
  if constexpr (count == 1 && trans) LDMATRIX("x1.trans", "{%0}", "%1", "=r"(a));
  if constexpr (count == 2 && !trans) LDMATRIX("x2", "{%0, %1}", "%2", "=r"(a), "=r"(b));
  if constexpr (count == 2 && trans) LDMATRIX("x2.trans", "{%0, %1}", "%2", "=r"(a), "=r"(b));
  if constexpr (count == 4 && !trans) LDMATRIX("x4", "{%0, %1, %2, %3}", "%4", "=r"(a), "=r"(b), "=r"(c), "=r"(d));
  if constexpr (count == 4 && trans) LDMATRIX("x4.trans", "{%0, %1, %2, %3}", "%4", "=r"(a), "=r"(b), "=r"(c), "=r"(d));
#undef LDMATRIX
  return a ^ b ^ c ^ d;
}

template <int count, bool trans>
__device__ void store_matrices(Word at, Word x) {
#define STMATRIX(form, list) \
  asm volatile("stmatrix.sync.aligned.m8n8." form ".shared.b16 [%0], " list ";" ::"r"(at), "r"(x) : "memory")
  if constexpr (count == 1 && !trans) STMATRIX("x1", "{%1}");
  if constexpr (count == 1 && trans) STMATRIX("x1.trans", "{%1}");
  if constexpr (count == 2 && !trans) STMATRIX("x2", "{%1, %1}");
  if constexpr (count == 2 && trans) STMATRIX("x2.trans", "{%1, %1}");
  if constexpr (count == 4 && !trans) STMATRIX("x4", "{%1, %1, %1, %1}");
  if constexpr (count == 4 && trans) STMATRIX("x4.trans", "{%1, %1, %1, %1}");
#undef STMATRIX
}

constexpr int unpadded = 128, padded = 144;

__device__ Word swizzled(Word byte) { return byte ^ ((byte >> 7 & 7) << 4); }

// 32 rows; warp w begins at 16 bytes times w of each.
#define MATRICES(name, pitch, place)                                                                   \
  BLOCK(64, 1, 1) ldmatrix_##name(Word* out, const Word* in) {                                         \
    __shared__ alignas(1024) Word s[32 * pitch / 4];                                                   \
    const Word base = address_of(s), t = threadIdx.x;                                                  \
    for (Word i = t; i < 32 * pitch / 4; i += 64) s[i] = in[i];                                        \
    __syncthreads();                                                                                   \
    const Word at = base + place((t & 31) * pitch + (t >> 5) * 16);                                    \
    const Word half = base + place((t & 15) * pitch + (t >> 4) * 16);                                  \
    out[t] = load_matrices<1, false>(at) ^ load_matrices<2, false>(at) ^ load_matrices<4, false>(at) ^ \
             load_matrices<1, true>(at) ^ load_matrices<2, true>(at) ^ load_matrices<4, true>(at) ^    \
             load_matrices<4, false>(half) ^ load_matrices<4, true>(half);                             \
  }                                                                                                    \
  BLOCK(64, 1, 1) stmatrix_##name(Word* out, const Word* in) {                                         \
    __shared__ alignas(1024) Word s[32 * pitch / 4];                                                   \
    const Word base = address_of(s), t = threadIdx.x, x = in[t];                                       \
    const Word at = base + place((t & 31) * pitch + (t >> 5) * 16);                                    \
    const Word half = base + place((t & 15) * pitch + (t >> 4) * 16);                                  \
    store_matrices<1, false>(at, x);                                                                   \
    store_matrices<2, false>(at, x);                                                                   \
    store_matrices<4, false>(at, x);                                                                   \
    store_matrices<1, true>(at, x);                                                                    \
    store_matrices<2, true>(at, x);                                                                    \
    store_matrices<4, true>(at, x);                                                                    \
    store_matrices<4, false>(half, x);                                                                 \
    __syncthreads();                                                                                   \
    out[t] = s[t] ^ s[t * 8];                                                                          \
  }

MATRICES(unpadded, unpadded, )
MATRICES(padded, padded, )
MATRICES(swizzled, unpadded, swizzled)

// Rows that are the same row, and rows in steps of 16, 32 and 48 bytes.
BLOCK(32, 1, 1) ldmatrix_steps(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[1024];
  const Word base = address_of(s), t = threadIdx.x;
  for (Word i = t; i < 1024; i += 32) s[i] = in[i];
  __syncthreads();
  out[t] = load_matrices<4, false>(base) ^ load_matrices<4, false>(base + t * 16) ^
           load_matrices<4, false>(base + t * 32) ^ load_matrices<4, false>(base + t * 48) ^
           load_matrices<4, false>(base + (t >> 1) * 128) ^ load_matrices<2, true>(base + (t & 3) * 128);
}

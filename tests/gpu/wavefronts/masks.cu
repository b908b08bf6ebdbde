// SPDX-License-Identifier: Apache-2.0
// Accesses by some lanes, some warps: branches, predicates, a block whose last warp is not full.
#include "access.cuh"

BLOCK(40, 1, 1) partial_warp(Word* out, const Word* in) {
  __shared__ alignas(16) Word s[40 * 32];
  const Word base = address_of(s), t = threadIdx.x;
  store<32>(base + t * 128, in[t]);  // 32 wavefronts in warp 0, 8 in warp 1
  store<128>(base + t * 64, in[t]);
  __syncthreads();
  out[t] = load<32>(base + t * 128) ^ load<64>(base + t * 32);
}

BLOCK(64, 1, 1) lanes_by_branch(Word* out, const Word* in) {
  __shared__ alignas(16) Word s[64 * 32];
  const Word base = address_of(s), t = threadIdx.x, lane = t & 31;
  Word x = in[t];
  if (lane & 1) store<32>(base + t * 128, x);
  if (lane < 5) store<32>(base + t * 128, x);
  if (lane == 7) store<128>(base + t * 64, x);
  if (t >= 32) store<64>(base + t * 16, x);  // only the second warp
  if (t < 48) store<32>(base + t * 8, x);    // one warp and a half
  __syncthreads();
  if (lane >= 16) x ^= load<128>(base + t * 32);
  if (lane % 3 == 0) x ^= load<32>(base + t * 64);
  out[t] = x;
}

BLOCK(96, 1, 1) lanes_by_predicate(Word* out, const Word* in) {
  __shared__ alignas(16) Word s[96 * 32];
  const Word base = address_of(s), t = threadIdx.x;
  Word x = in[t], a = 0, b = 0;
  asm volatile(
      "{ .reg .pred p, q;\n"
      "setp.lt.u32 p, %1, 70;\n"
      "@p st.shared.u32 [%2], %3;\n"
      "@!p st.shared.u32 [%2], %3;\n"
      "and.b32 %0, %1, 3;\n"
      "setp.eq.u32 q, %0, 0;\n"
      "@q st.shared.v2.u32 [%2], {%3, %3};\n"
      "}"
      : "=&r"(a)
      : "r"(t), "r"(base + t * 128), "r"(x)
      : "memory");
  __syncthreads();
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 9; @p ld.shared.u32 %0, [%2]; }"
               : "+r"(b)
               : "r"(t), "r"(base + t * 8)
               : "memory");
  out[t] = a ^ b;
}

// Warps differ in their conflicts: the mean over them is a broken number.
BLOCK(128, 1, 1) warps_differ(Word* out, const Word* in) {
  __shared__ alignas(16) Word s[32 * 32];
  const Word base = address_of(s), lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  store<32>(base + lane * (4 << warp), in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = load<32>(base + lane * (4 + 4 * warp)) ^ load<32>(base + ((lane << warp) & 31) * 132);
}

// SPDX-License-Identifier: Apache-2.0
// cp.async of 4, 8 and 16 bytes to rows, columns, padded and swizzled places.
//
// What an H100 counted, twice the same. 16 bytes beside L1 (.cg), 22 sites of 22: for each pair of a line of 128 bytes of global
// memory and one of shared memory between which lanes copy, the slowest sector of 32 bytes of the source; a sector takes a
// wavefront for each sector that it goes to, more where several lanes copy one chunk of 16 bytes there. So a row of 128 bytes
// takes 1 in any XOR swizzle, 2 if it is moved by 32, 64 or 96 bytes, and 3, 4, 4, 3 by 16, 48, 80, 112. Of 4 and 8 bytes, and of
// Triton's rows of 64 bytes, some took only what their shared addresses ask, others one for each line of global memory.
#include "access.cuh"

template <int size>
__device__ void copy(Word to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(size) : "memory");
}
__device__ void copy_past_l1(Word to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ void wait() {
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  __syncthreads();
}

BLOCK(64, 1, 1) cp_async_rows(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[4 * 64];
  const Word base = address_of(s), t = threadIdx.x;
  copy<4>(base + t * 4, in + t);
  wait();
  copy<8>(base + t * 8, in + t * 2);
  wait();
  copy<16>(base + t * 16, in + t * 4);
  wait();
  copy_past_l1(base + t * 16, in + t * 4);
  wait();
  out[t] = s[t * 4];
}

BLOCK(64, 1, 1) cp_async_columns(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[32 * 64];
  const Word base = address_of(s), t = threadIdx.x;
  copy<4>(base + t * 128, in + t);
  wait();
  copy<8>(base + t * 128, in + t * 2);
  wait();
  copy<16>(base + t * 128, in + t * 4);
  wait();
  copy_past_l1(base + t * 128, in + t * 4);
  wait();
  out[t] = s[t * 32];
}

// The tile of a GEMM: 8 threads a row of 128 bytes, swizzled or not, and padded to 144.
BLOCK(128, 1, 1) cp_async_tile(Word* out, const Word* in) {
  __shared__ alignas(1024) Word s[16 * 36];
  const Word base = address_of(s), t = threadIdx.x, row = t >> 3, chunk = t & 7;
  copy_past_l1(base + row * 128 + chunk * 16, in + t * 4);
  wait();
  copy_past_l1(base + row * 128 + ((chunk ^ (row & 7)) * 16), in + t * 4);
  wait();
  copy_past_l1(base + row * 144 + chunk * 16, in + t * 4);
  wait();
  copy_past_l1(base + chunk * 256 + row * 16, in + t * 4);
  wait();
  out[t] = s[t];
}

// One warp, rows of 128 bytes that begin 0, 16, ... 112 bytes after a multiple of 128.
BLOCK(32, 1, 1) cp_async_shifts(Word* out, const Word* in) {
  __shared__ alignas(1024) Word s[5 * 32];
  const Word base = address_of(s), t = threadIdx.x;
#pragma unroll
  for (Word shift = 0; shift < 8; ++shift) {
    copy_past_l1(base + t * 16 + shift * 16, in + t * 4);
    wait();
  }
#pragma unroll
  for (Word shift = 0; shift < 4; ++shift) {
    copy<8>(base + t * 8 + shift * 8, in + t * 2);
    wait();
    copy<4>(base + t * 4 + shift * 4, in + t);
    wait();
  }
  out[t] = s[t];
}

// One warp, rows of 128 bytes at distances of 144 to 240 bytes.
BLOCK(32, 1, 1) cp_async_pitches(Word* out, const Word* in) {
  __shared__ alignas(1024) Word s[4 * 64];
  const Word base = address_of(s), t = threadIdx.x, row = t >> 3, chunk = t & 7;
#pragma unroll
  for (Word pitch = 144; pitch <= 240; pitch += 16) {
    copy_past_l1(base + row * pitch + chunk * 16, in + t * 4);
    wait();
  }
  out[t] = s[t];
}

// The lanes' sources apart: a row, a line of the cache, in reverse, all one place; then only some lanes.
BLOCK(32, 1, 1) cp_async_sources(Word* out, const Word* in) {
  __shared__ alignas(1024) Word s[32 * 4];
  const Word base = address_of(s), t = threadIdx.x;
  copy_past_l1(base + t * 16, in + (t >> 3) * 1024 + (t & 7) * 4);
  wait();
  copy_past_l1(base + t * 16, in + t * 32);
  wait();
  copy_past_l1(base + t * 16, in + (31 - t) * 4);
  wait();
  copy_past_l1(base + t * 16, in);
  wait();
  copy<4>(base + t * 4, in + t * 32);
  wait();
  copy<4>(base + t * 4, in + (31 - t));
  wait();
  if (t & 1) copy_past_l1(base + t * 16, in + t * 4);
  wait();
  if (t < 5) copy_past_l1(base + t * 16, in + t * 4);
  wait();
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(base + t * 16), "l"(in + t * 4),
               "r"(t & 1 ? 16 : 0)
               : "memory");
  wait();
  out[t] = s[t];
}

// SPDX-License-Identifier: Apache-2.0
// compile for: sm_100a
// Two accumulators of 64 columns, but room for one is allocated: the second lies in columns of someone else.
#include "tile.cuh"

constexpr Wide blackwell_128b = 2;
constexpr Word m = 128, n = 64, allocated = MISTAKE ? n : 2 * n;

__device__ Wide blackwell_descriptor(Word start) {
  return encode(start) | encode(16) << 16 | encode(atom_bytes) << 32 | Wide{1} << 46 | blackwell_128b << 61;
}

// float accumulator, bfloat16 operands, both K-major.
constexpr Word instruction = 1 << 4 | 1 << 7 | 1 << 10 | n / 8 << 17 | m / 16 << 24;

extern "C" __global__ void __launch_bounds__(128) accumulator_outside(float* out, const Chunk* a, const Chunk* b) {
  __shared__ alignas(1024) unsigned char s[(m + n) * row_bytes];
  __shared__ alignas(8) Wide barrier;
  __shared__ Word columns;
  const Word a_tile = address_of(s), b_tile = a_tile + m * row_bytes, done = address_of(&barrier);
  fill(a_tile, a, m);
  fill(b_tile, b, n);
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(address_of(&columns)),
                 "n"(allocated)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(done) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const Word d = columns + n;  // the second accumulator
  if (threadIdx.x == 0) {
#pragma unroll
    for (Word k = 0; k < 4; ++k)
      asm volatile(
          "{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"
          "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
          "l"(blackwell_descriptor(a_tile + k * 32)), "l"(blackwell_descriptor(b_tile + k * 32)), "r"(instruction),
          "r"(k)
          : "memory");
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(done) : "memory");
  }
  asm volatile(
      "{ .reg .pred p;\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra WAIT; }" ::"r"(done)
      : "memory");
  Word x, y;
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0, %1}, [%2];"
               : "=r"(x), "=r"(y)
               : "r"(d + (threadIdx.x / 32 << 21)));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  out[threadIdx.x * 2] = __uint_as_float(x);
  out[threadIdx.x * 2 + 1] = __uint_as_float(y);
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(d - n), "n"(allocated));
}

// SPDX-License-Identifier: Apache-2.0
// An mbarrier expects a tile of two-byte elements, the copies bring half of it: a forgotten factor.
#include "tile.cuh"

constexpr Word copied = MISTAKE ? tile_bytes / 2 : tile_bytes;

extern "C" __global__ void __launch_bounds__(128) expected_bytes(float* out, const Chunk* from) {
  __shared__ alignas(128) unsigned char s[2 * tile_bytes];
  __shared__ alignas(8) Wide barrier;
  const Word to = address_of(s), done = address_of(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(done) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(done), "r"(2 * tile_bytes) : "memory");
#pragma unroll
    for (Word tile = 0; tile < 2; ++tile)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       to + tile * tile_bytes),
                   "l"(from + tile * tile_bytes / sizeof(Chunk)), "r"(copied), "r"(done)
                   : "memory");
  }
  asm volatile(
      "{ .reg .pred p;\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra WAIT; }" ::"r"(done)
      : "memory");
  out[threadIdx.x] = s[threadIdx.x * 4];
}

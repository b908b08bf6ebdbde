// SPDX-License-Identifier: Apache-2.0
// TMA: one box of a tensor map to shared memory, counted on an mbarrier.
#pragma once

#include "probe.cuh"

#define LOAD(dimensions, operands, ...)                                                                            \
  asm volatile("cp.async.bulk.tensor." dimensions                                                                  \
               ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" operands "}], [%2];" ::"r"(to), \
               "l"(map), "r"(barrier), __VA_ARGS__                                                                 \
               : "memory")

__device__ inline void load(u32 rank, u32 to, const u8* map, u32 barrier, const int* start) {
  const int x = start[0], y = start[1], z = start[2], v = start[3], w = start[4];
  if (rank == 1) LOAD("1d", "%3", "r"(x));
  if (rank == 2) LOAD("2d", "%3, %4", "r"(x), "r"(y));
  if (rank == 3) LOAD("3d", "%3, %4, %5", "r"(x), "r"(y), "r"(z));
  if (rank == 4) LOAD("4d", "%3, %4, %5, %6", "r"(x), "r"(y), "r"(z), "r"(v));
  if (rank == 5) LOAD("5d", "%3, %4, %5, %6, %7", "r"(x), "r"(y), "r"(z), "r"(v), "r"(w));
}

__device__ inline void begin_barrier(u32 barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
__device__ inline void expect(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

#define LOAD_MULTICAST(dimensions, operands, ...)                                                              \
  asm volatile("cp.async.bulk.tensor." dimensions                                                              \
               ".shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {" operands \
               "}], [%2], %3;" ::"r"(to),                                                                      \
               "l"(map), "r"(barrier), "h"(mask), __VA_ARGS__                                                  \
               : "memory")

// To the same place in every CTA of the mask, counted on the same place of each.
__device__ inline void load_multicast(u32 rank, u32 to, const u8* map, u32 barrier, const int* start,
                                      unsigned short mask) {
  const int x = start[0], y = start[1], z = start[2], v = start[3], w = start[4];
  if (rank == 1) LOAD_MULTICAST("1d", "%4", "r"(x));
  if (rank == 2) LOAD_MULTICAST("2d", "%4, %5", "r"(x), "r"(y));
  if (rank == 3) LOAD_MULTICAST("3d", "%4, %5, %6", "r"(x), "r"(y), "r"(z));
  if (rank == 4) LOAD_MULTICAST("4d", "%4, %5, %6, %7", "r"(x), "r"(y), "r"(z), "r"(v));
  if (rank == 5) LOAD_MULTICAST("5d", "%4, %5, %6, %7, %8", "r"(x), "r"(y), "r"(z), "r"(v), "r"(w));
}

// Every byte of `bytes`, a multiple of 16, by all threads of the block.
__device__ inline void fill(u8* to, u32 bytes, u32 byte) {
  const u32 word = byte * 0x01010101u;
  for (u32 i = threadIdx.x * 16; i < bytes; i += blockDim.x * 16)
    *reinterpret_cast<uint4*>(to + i) = make_uint4(word, word, word, word);
}

__device__ inline u64 nanoseconds() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ inline bool is_complete(u32 barrier, u32 phase) {
  u32 done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(barrier), "r"(phase)
               : "memory");
  return done;
}

// A wait of so many nanoseconds: for numbers of bytes that may be wrong.
__device__ inline bool completes_within(u32 barrier, u32 phase, u64 limit) {
  const u64 begun = nanoseconds();
  // Two bounds, should the clock stand still.
  for (u32 tries = 0; tries < (1u << 24) && nanoseconds() - begun < limit; ++tries)
    if (is_complete(barrier, phase)) return true;
  return false;
}

__device__ inline bool completes_soon(u32 barrier, u32 phase) { return completes_within(barrier, phase, 20000000); }

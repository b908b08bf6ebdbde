// SPDX-License-Identifier: Apache-2.0
// One TMA load a block, of a tile or by im2col: shared memory is filled with one byte, the load writes into it, a
// window of it goes out, and the number of bytes that the mbarrier counted.
//
//   inputs   0 blocks (struct Block)   1 tensor maps   2 the tensors that the maps point to
//   scalars  0 where shared memory begins   1 its size   2 bytes of a window
//   output   [block]: 16 bytes, of which the first four are the bytes counted; then the window
//
// The mbarrier lies at the beginning of shared memory, no box does. A block of rank 0 has no map to load by. A wrong
// number of bytes is no fault here: the wait is short, 5 ms by the clock, and then the number is found by counting.
#include "tma.cuh"

struct Block {
  u32 map, rank, is_image;
  int start[5];
  u32 offsets[3];
  u32 to;      // address of the box
  u32 window;  // address of the window
  u32 expect;  // bytes that the mbarrier waits for
  u32 fill;    // byte that shared memory holds before
  u32 unused;
};

#define LOAD_IMAGE(dimensions, coordinates, offsets, ...)                                             \
  asm volatile("cp.async.bulk.tensor." dimensions                                                     \
               ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {" coordinates \
               "}], [%2], {" offsets "};" ::"r"(to),                                                  \
               "l"(map), "r"(barrier), __VA_ARGS__                                                    \
               : "memory")

__device__ inline void load_image(u32 rank, u32 to, const u8* map, u32 barrier, const int* start, const u32* offsets) {
  const int x = start[0], y = start[1], z = start[2], v = start[3], w = start[4];
  const unsigned short a = offsets[0], b = offsets[1], c = offsets[2];
  if (rank == 3) LOAD_IMAGE("3d", "%3, %4, %5", "%6", "r"(x), "r"(y), "r"(z), "h"(a));
  if (rank == 4) LOAD_IMAGE("4d", "%3, %4, %5, %6", "%7, %8", "r"(x), "r"(y), "r"(z), "r"(v), "h"(a), "h"(b));
  if (rank == 5)
    LOAD_IMAGE("5d", "%3, %4, %5, %6, %7", "%8, %9, %10", "r"(x), "r"(y), "r"(z), "r"(v), "r"(w), "h"(a), "h"(b),
               "h"(c));
}

__device__ inline void more(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ inline void fewer(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// The bytes by which the phase, which no arrival holds back, misses its count: positive if fewer came than it expects.
__device__ inline int missing(u32 barrier, u32 phase) {
  constexpr int most = 1 << 18;
  for (int found = 16; found <= most; found += 16) {
    fewer(barrier, 16);
    if (is_complete(barrier, phase)) return found;
  }
  more(barrier, most);
  for (int found = 16; found <= most; found += 16) {
    more(barrier, 32);
    fewer(barrier, 16);
    if (is_complete(barrier, phase)) return -found;
  }
  return most + 1;
}

// The bytes that one load counted on a barrier that expected `bytes`.
__device__ inline u32 counted(u32 barrier, u32 bytes) {
  if (!completes_within(barrier, 0, 5000000)) return bytes - missing(barrier, 0);
  // Time for what comes after an early end.
  const u64 begun = nanoseconds();
  for (u32 tries = 0; tries < (1u << 16) && nanoseconds() - begun < 4000; ++tries) {
  }
  expect(barrier, 0);
  return is_complete(barrier, 1) ? bytes : bytes - missing(barrier, 1);
}

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  const u32 begin = p.scalars[0], size = p.scalars[1], window_bytes = p.scalars[2];
  if (!begins_at(p, smem, begin)) return;
  const Block b = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  fill(smem, size, b.fill);
  __syncthreads();

  const u32 barrier = begin;
  if (threadIdx.x == 0) begin_barrier(barrier);
  publish();
  u8* out = p.output + static_cast<u64>(blockIdx.x) * (16 + window_bytes);
  if (threadIdx.x == 0 && b.rank != 0) {
    const u8* map = p.inputs[1] + b.map * 128;
    expect(barrier, b.expect);
    if (b.is_image) load_image(b.rank, b.to, map, barrier, b.start, b.offsets);
    else load(b.rank, b.to, map, barrier, b.start);
    *reinterpret_cast<u32*>(out) = counted(barrier, b.expect);
  }
  __syncthreads();
  copy(out + 16, smem + (b.window - begin), min(window_bytes, begin + size - b.window));
}

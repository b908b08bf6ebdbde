// SPDX-License-Identifier: Apache-2.0
// One TMA load a block, whose mbarrier expects a number of bytes that may be wrong: does its phase complete?
//
//   inputs   0 blocks (struct Block)   1 tensor maps   2 the tensor that the maps point to
//   scalars  0 where shared memory begins
//   output   [block]: 16 bytes, of which the first says whether the phase completed
//
// A block of rank 0 has no map to load by: its output is `expect`.
//
// A wrong number is no fault here, so the wait is short: 20 ms, by the clock.
#include "tma.cuh"

struct Block {
  u32 map, rank;
  u32 to;      // address of the box
  u32 expect;  // bytes that the mbarrier waits for
};

extern "C" __global__ void __launch_bounds__(32, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block b = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  const u32 barrier = p.scalars[0];  // no box lies at the beginning of shared memory
  if (threadIdx.x == 0) begin_barrier(barrier);
  publish();
  if (threadIdx.x != 0) return;
  u32& out = *reinterpret_cast<u32*>(p.output + u64{blockIdx.x} * 16);
  if (b.rank == 0) {
    out = b.expect;
    return;
  }
  const int start[5] = {};
  expect(barrier, b.expect);
  load(b.rank, b.to, p.inputs[1] + b.map * 128, barrier, start);
  out = completes_soon(barrier, 0);
}

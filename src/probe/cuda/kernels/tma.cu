// SPDX-License-Identifier: Apache-2.0
// One TMA load a block: shared memory is filled with one byte, a box is loaded into it, a window of it goes out.
//
//   inputs   0 blocks (struct Block)   1 tensor maps   2 the tensors that the maps point to
//   scalars  0 where shared memory begins   1 its size   2 bytes of a window
//   output   [block]: 16 bytes, of which the first says whether the load completed; then the window
//
// The mbarrier lies at the beginning of shared memory, no box does.
#include "tma.cuh"

struct Block {
  u32 map, rank;
  int start[5];
  u32 to;      // address of the box
  u32 window;  // address of the window
  u32 expect;  // bytes that the mbarrier waits for
  u32 fill;    // byte that shared memory holds before
  u32 unused;
};

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
  if (threadIdx.x == 0) {
    expect(barrier, b.expect);
    load(b.rank, b.to, p.inputs[1] + b.map * 128, barrier, b.start);
  }
  const bool is_complete = completes(barrier, 0);
  __syncthreads();

  u8* out = p.output + static_cast<u64>(blockIdx.x) * (16 + window_bytes);
  if (threadIdx.x == 0) *reinterpret_cast<u32*>(out) = is_complete;
  const u32 bytes = min(window_bytes, begin + size - b.window);
  copy(out + 16, smem + (b.window - begin), bytes);
}

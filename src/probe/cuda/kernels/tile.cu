// SPDX-License-Identifier: Apache-2.0
// A tile, end to end: an image goes to shared memory, or boxes of a tensor are loaded into it, then one wgmma reads
// one block of the tile as its operand B. One MMA a block.
//
//   inputs   0 blocks (struct Block)   1 images   2 overlays   3 tensor maps   4 copies (struct Copy)   5 tensors
//   scalars  0 where shared memory begins   1 bytes of an image   2 bytes of an overlay   3 its place in the image
//   output   [block][register][thread]
//
// The mbarrier takes the last 16 bytes of shared memory, behind the identity.
#include "statement.cuh"
#include "tma.cuh"

struct Block {
  u64 a, b;
  u32 image, overlay, transposed;
  u32 map, rank, first_copy, copies, expect;
};

struct Copy {
  int start[5];
  u32 to;  // address
};

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block block = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  const u32 image_bytes = p.scalars[1], overlay_bytes = p.scalars[2];
  copy(smem, p.inputs[1] + static_cast<u64>(block.image) * image_bytes, image_bytes);
  __syncthreads();
  copy(smem + p.scalars[3], p.inputs[2] + static_cast<u64>(block.overlay) * overlay_bytes, overlay_bytes);
  __syncthreads();

  const u32 barrier = p.scalars[0] + image_bytes - 16;
  if (threadIdx.x == 0) begin_barrier(barrier);
  publish();
  if (block.copies != 0) {
    if (threadIdx.x == 0) {
      expect(barrier, block.expect);
      const Copy* copies = reinterpret_cast<const Copy*>(p.inputs[4]) + block.first_copy;
      for (u32 i = 0; i < block.copies; ++i)
        load(block.rank, copies[i].to, p.inputs[3] + block.map * 128, barrier, copies[i].start);
    }
    if (!wait(p, barrier, 0)) return;
  }
  __syncthreads();

  u32 d[D_REGISTERS];
  for (int i = 0; i < D_REGISTERS; ++i) d[i] = 0;
  mma(d, block.a, block.b, block.transposed, 0);
  u32* out = reinterpret_cast<u32*>(p.output) + static_cast<u64>(blockIdx.x) * (D_REGISTERS * 128);
  for (int i = 0; i < D_REGISTERS; ++i) out[i * 128 + threadIdx.x] = d[i];
}

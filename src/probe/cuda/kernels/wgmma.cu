// SPDX-License-Identifier: Apache-2.0
// One wgmma a block: image and overlay go to shared memory, the instruction runs, D goes to the output.
//
//   inputs   0 blocks (struct Block)   1 images   2 overlays   3 registers of A: [set][register][thread]
//   scalars  0 where shared memory begins   1 bytes of an image   2 bytes of an overlay   3 its place in the image
//   output   [block][register][thread]
#include "probe.cuh"
#include "statement.cuh"

struct Block {
  u64 a, b;
  u32 image, overlay, registers, transposed, metadata, unused;
};

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block block = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  const u32 image_bytes = p.scalars[1], overlay_bytes = p.scalars[2];
  copy(smem, p.inputs[1] + static_cast<u64>(block.image) * image_bytes, image_bytes);
  __syncthreads();
  copy(smem + p.scalars[3], p.inputs[2] + static_cast<u64>(block.overlay) * overlay_bytes, overlay_bytes);
  publish();

  u32 d[D_REGISTERS];
  for (int i = 0; i < D_REGISTERS; ++i) d[i] = 0;
#if A_REGISTERS
  u32 a[A_REGISTERS];
  const u32* registers = reinterpret_cast<const u32*>(p.inputs[3]) + block.registers * (A_REGISTERS * 128);
  for (int i = 0; i < A_REGISTERS; ++i) a[i] = registers[i * 128 + threadIdx.x];
#else
  const u64 a = block.a;
#endif
  mma(d, a, block.b, block.transposed, block.metadata);

  u32* out = reinterpret_cast<u32*>(p.output) + static_cast<u64>(blockIdx.x) * (D_REGISTERS * 128);
  for (int i = 0; i < D_REGISTERS; ++i) out[i * 128 + threadIdx.x] = d[i];
}

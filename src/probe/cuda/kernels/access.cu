// SPDX-License-Identifier: Apache-2.0
// All accesses of one walk over an operand, by the first warp: an image goes to shared memory; then each lane loads
// from its address, and its registers go to the output; or it stores its registers (cp.async: bytes of global
// memory), and a window of shared memory goes to the output.
//
//   inputs   0 blocks (struct Block)   1 images   2 lanes of every step (struct Lanes)
//            3 of stores, the bytes of the registers: [step][lane][register]
//   scalars  0 where shared memory begins   1 bytes of an image
//   output   of a block, from byte `out` on: [step][lane][register], or the window
#include "probe.cuh"
#include "statement.cuh"

struct Block {
  u32 image, first_step, steps, registers, window, window_bytes;
  u64 out;
};

struct Lanes {
  u32 active, address[32];
};

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block block = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  copy(smem, p.inputs[1] + static_cast<u64>(block.image) * p.scalars[1], p.scalars[1]);
  __syncthreads();

  if (threadIdx.x < 32) {
    const u32 lane = threadIdx.x;
    for (u32 step = 0; step < block.steps; ++step) {
      const Lanes& lanes = reinterpret_cast<const Lanes*>(p.inputs[2])[block.first_step + step];
      const u32 on = lanes.active >> lane & 1;
      const u64 at = (static_cast<u64>(step) * 32 + lane) * (REGISTERS * 4);
#ifdef IS_COPY
      access(lanes.address[lane], p.inputs[3] + block.registers + at, on);
#else
      u32 v[REGISTERS];
      for (u32 i = 0; i < REGISTERS; ++i)
        v[i] = IS_STORE ? reinterpret_cast<const u32*>(p.inputs[3] + block.registers + at)[i] : 0;
      access(lanes.address[lane], v, on);
      if (!IS_STORE)
        for (u32 i = 0; i < REGISTERS; ++i) reinterpret_cast<u32*>(p.output + block.out + at)[i] = v[i];
#endif
    }
#ifdef IS_COPY
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }
  __syncthreads();
  if (IS_STORE) copy(p.output + block.out, smem + block.window, block.window_bytes);
}

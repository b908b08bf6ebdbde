// SPDX-License-Identifier: Apache-2.0
// One stmatrix a block: an image goes to shared memory, the first warp stores its registers. Out come the 16 bytes
// at the address of each lane, and which lines of 16 bytes are no longer as the image has them.
//
//   inputs   0 blocks (struct Block)   1 image   2 registers: [set][word][thread]
//   scalars  0 where shared memory begins   1 bytes of the image: a multiple of 512
//   output   [block]: 32 times 16 bytes, then a bit for each line of 16 bytes, filled up to 16 bytes
#include "probe.cuh"
#include "statement.cuh"

struct Block {
  u32 registers;
  u32 addresses[32];
};

__device__ inline bool differ(uint4 a, uint4 b) { return a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w; }

extern "C" __global__ void __launch_bounds__(128) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block& block = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  const u32 lines = p.scalars[1] / 16;
  copy(smem, p.inputs[1], p.scalars[1]);
  __syncthreads();

  if (threadIdx.x < 32) {
    u32 r[WORDS];
    const u32* registers = reinterpret_cast<const u32*>(p.inputs[2]) + block.registers * (WORDS * 32);
    for (int i = 0; i < WORDS; ++i) r[i] = registers[i * 32 + threadIdx.x];
    matrix(r, block.addresses[threadIdx.x]);
  }
  __syncthreads();

  u8* out = p.output + static_cast<u64>(blockIdx.x) * (512 + (lines / 8 + 15) / 16 * 16);
  const uint4* is = reinterpret_cast<const uint4*>(smem);
  const uint4* was = reinterpret_cast<const uint4*>(p.inputs[1]);
  if (threadIdx.x < 32)
    reinterpret_cast<uint4*>(out)[threadIdx.x] = is[(block.addresses[threadIdx.x] - p.scalars[0]) / 16];
  for (u32 line = threadIdx.x; line < lines; line += blockDim.x) {
    const u32 changed = __ballot_sync(0xffffffffu, differ(is[line], was[line]));
    if (line % 32 == 0) reinterpret_cast<u32*>(out + 512)[line / 32] = changed;
  }
}

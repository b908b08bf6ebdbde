// SPDX-License-Identifier: Apache-2.0
// One ldmatrix a block: an image goes to shared memory, the first warp loads, its registers go to the output.
//
//   inputs   0 blocks (struct Block)   1 images
//   scalars  0 where shared memory begins   1 bytes of an image
//   output   [block][word][thread]
#include "probe.cuh"
#include "statement.cuh"

struct Block {
  u32 image;
  u32 addresses[32];
};

extern "C" __global__ void __launch_bounds__(128) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block& block = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  copy(smem, p.inputs[1] + static_cast<u64>(block.image) * p.scalars[1], p.scalars[1]);
  __syncthreads();
  if (threadIdx.x >= 32) return;

  u32 r[WORDS];
  matrix(r, block.addresses[threadIdx.x]);
  u32* out = reinterpret_cast<u32*>(p.output) + static_cast<u64>(blockIdx.x) * (WORDS * 32);
  for (int i = 0; i < WORDS; ++i) out[i * 32 + threadIdx.x] = r[i];
}

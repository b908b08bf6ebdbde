// SPDX-License-Identifier: Apache-2.0
// One tcgen05.ld or tcgen05.st a block, by the warps of a mask: tensor memory is filled, the instruction runs, and its
// registers go to the output, of st all of tensor memory.
//
//   inputs   0 blocks (struct Block)   1 contents: [column][lane]   2 registers of st: [register][thread]
//   scalars  0 where shared memory begins
//   output   [block]: of ld [register][thread], 0 of warps that did not load; of st [column][lane]
#include "statement.cuh"
#include "tmem.cuh"

struct Block {
  u32 contents, registers;
  u32 warps;         // one bit a warp
  u32 addresses[4];  // lane and column, by warp
  u32 unused;
};

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block& block = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  const u32 warp = threadIdx.x / 32;
  if (warp == 0) allocate(shared_address(smem));
  fenced_sync();
  const u32 tmem = *reinterpret_cast<const volatile u32*>(smem);
  fill_tmem(tmem, reinterpret_cast<const u32*>(p.inputs[1]) + u64{block.contents} * (tmem_columns * tmem_lanes),
            tmem_columns);
  fenced_sync();

  u32 r[WORDS];
  const u32* registers = reinterpret_cast<const u32*>(p.inputs[2]) + u64{block.registers} * (WORDS * 128);
  for (int i = 0; i < WORDS; ++i) r[i] = STORES ? registers[i * 128 + threadIdx.x] : 0;
  if (block.warps >> warp & 1) access(r, tmem + block.addresses[warp]);
  fenced_sync();

  constexpr u32 words = STORES ? tmem_columns * tmem_lanes : WORDS * 128;
  u32* out = reinterpret_cast<u32*>(p.output) + u64{blockIdx.x} * words;
  if (STORES) read_tmem(out, tmem, tmem_columns);
  else
    for (int i = 0; i < WORDS; ++i) out[i * 128 + threadIdx.x] = r[i];
  fenced_sync();
  if (warp == 0) deallocate(tmem);
}

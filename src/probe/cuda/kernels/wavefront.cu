// SPDX-License-Identifier: Apache-2.0
// How long one access to shared memory takes: many of them, by eight warps at once. One plan a block.
//
// Each tested access is followed by a load of eight wavefronts, the ballast. So shared memory is always busy and
// the time of the two is that of their wavefronts, 8 + n cycles, even where n is 1 and a warp alone would wait
// longer for the next instruction.
//
//   inputs   0 plans (struct Plan)
//   scalars  0 where shared memory begins   1 address of the ballast   2 rounds   3 iterations of a round
//            4 zero, which the compiler cannot know
//   output   [block][round][warp]: clock at the start and at the end
#include "probe.cuh"
#include "statement.cuh"

struct Plan {
  u32 active, address[32];
};

__device__ inline void ballast(u32 address, u32& value) {
  asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
}

extern "C" __global__ void __launch_bounds__(256, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const u32 rounds = p.scalars[2], iterations = p.scalars[3], zero = p.scalars[4];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const Plan* plan = reinterpret_cast<const Plan*>(p.inputs[0]) + blockIdx.x;
  // Twice the same: of neighbours with one predicate ptxas makes a branch around both.
  const u32 on = plan->active >> lane & 1, also_on = (&plan->active)[zero] >> lane & 1;

  // All lanes and warps store the same value, so that those of one address do not race; each register is loaded, or
  // the loop would be full of moves.
  u32 v[IS_STORE ? 1 : COPIES][REGISTERS], loaded[COPIES];
  for (auto& copy : v)
    for (u32 i = 0; i < REGISTERS; ++i) copy[i] = (&plan->active)[i * zero];
  u64* out = reinterpret_cast<u64*>(p.output) + (static_cast<u64>(blockIdx.x) * rounds * warps + warp) * 2;

#pragma unroll 1
  for (u32 round = 0; round < rounds; ++round, out += warps * 2) {
    u32 address = plan->address[lane];
    u32 ballast_address = p.scalars[1] + lane % 8 * 128 + lane / 8 * 4;  // eight words in each of four banks
    __syncthreads();
    const u64 start = clock64();
#pragma unroll 1
    for (u32 i = 0; i < iterations; ++i) {
#pragma unroll
      for (u32 copy = 0; copy < COPIES; ++copy) {
        access(address + copy * COPY_STEP, v[IS_STORE ? 0 : copy], copy % 2 ? also_on : on);
        ballast(ballast_address + copy % 2 * 1024, loaded[copy]);
      }
      address += zero;  // or the accesses would be taken out of the loop
      ballast_address += zero;
    }
    // The round ends when the last load is back: something depends on all of them.
    u32 fold = 0;
    for (const u32 value : loaded) fold ^= value;
    for (const auto& copy : v)
      for (const u32 value : copy) fold ^= value;
    if (fold == 0x9e3779b9u) *p.status = fine;
    const u64 end = clock64();
    if (lane == 0) {
      out[0] = start;
      out[1] = end;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// One tcgen05.cp or tcgen05.shift a block, of one CTA or of a pair (CTAS): an image goes to shared memory, contents to
// some columns of tensor memory, one thread executes the instruction, and the columns go to the output.
//
//   inputs   0 blocks (struct Block)   1 images of shared memory   2 contents: [column][lane]
//   scalars  0 where shared memory begins   1 bytes of an image   2 where the barrier and the TMEM address lie
//            3 columns of contents
//   output   [block][CTA]: 16 bytes, of which the first says whether the instruction completed; then [column][lane]
#include "statement.cuh"
#include "tmem.cuh"

struct Block {
  u64 word;
  u32 images[2], contents[2];  // by rank in the pair
  u32 address;                 // lane and column
  u32 first_column;            // of contents
};

__device__ inline u32 pair_rank() {
  u32 rank = 0;
  if (CTAS == 2) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void all_sync() {
  fenced_sync();
  if (CTAS == 2) {
    pair_sync();
    after_sync();
  }
}

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block block = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x / CTAS];
  const u32 image_bytes = p.scalars[1], columns = p.scalars[3], rank = pair_rank();
  const u32 barrier = shared_address(smem + p.scalars[2]);
  const bool is_first_warp = threadIdx.x < 32;

  copy(smem, p.inputs[1] + u64{block.images[rank]} * image_bytes, image_bytes);
  if (is_first_warp) allocate(barrier + 8);
  if (threadIdx.x == 0) init_barrier(barrier);
  publish();
  fenced_sync();
  const u32 tmem = *reinterpret_cast<const volatile u32*>(smem + p.scalars[2] + 8);
  const u32 window = tmem + block.first_column;
  fill_tmem(window, reinterpret_cast<const u32*>(p.inputs[2]) + u64{block.contents[rank]} * (columns * tmem_lanes),
            columns);
  all_sync();

  if (threadIdx.x == 0 && rank == 0) {
    move(tmem + block.address, block.word);
    commit(barrier);
  }
  __syncwarp();
  const bool is_complete = __syncthreads_and(completes(barrier, 0));
  after_sync();

  u8* out = p.output + u64{blockIdx.x} * (16 + columns * tmem_lanes * 4);
  if (threadIdx.x == 0) *reinterpret_cast<u32*>(out) = is_complete;
  read_tmem(reinterpret_cast<u32*>(out + 16), window, columns);
  all_sync();
  if (is_first_warp) deallocate(tmem);
}

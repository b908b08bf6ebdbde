// SPDX-License-Identifier: Apache-2.0
// One tcgen05.mma of any form, by one CTA or a cluster of two: images go to shared and to tensor memory, the
// instruction runs, and the cells where D may lie come back through tcgen05.ld.32x32b, all 128 lanes of each CTA.
//
//   inputs   0 blocks (struct Block), one a cluster   1 images of shared memory   2 images of tensor memory
//   scalars  0 where shared memory begins   1 bytes of an image of it, where the barrier and the TMEM address lie
//            2 first column of an image of tensor memory   3 its columns   4 what fills all other columns before
//   output   [column][lane]; the columns of CTA 1 follow those of CTA 0, those of a block the ones before
//
// An image of tensor memory is [column][lane], too. Of a pair, CTA 1 takes the images after those of CTA 0.
// statement.cuh: `ctas`, CTA_GROUP ("cta_group::2") and mma().
#include "statement.cuh"
#include "tmem.cuh"

struct Block {
  u64 a, b;  // a: a descriptor, or the column of A in tensor memory
  u32 smem_image, tmem_image, idesc, metadata, scale_a, scale_b, columns, first_column;
};

__device__ inline void all_sync() {
  before_sync();
  if constexpr (ctas == 1) __syncthreads();
  else pair_sync();
  after_sync();
}

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block block = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x / ctas];
  const u32 rank = blockIdx.x % ctas, image_bytes = p.scalars[1];
  const u32 barrier = shared_address(smem + image_bytes);
  const volatile u32* tmem = reinterpret_cast<const volatile u32*>(smem + image_bytes + 8);
  const bool is_first_warp = threadIdx.x < 32;

  copy(smem, p.inputs[1] + static_cast<u64>(block.smem_image + rank) * image_bytes, image_bytes);
  if (is_first_warp) allocate(barrier + 8);
  if (threadIdx.x == 0) init_barrier(barrier);
  publish();
  all_sync();

  const u32 d = *tmem;
  const u32 first = p.scalars[2], count = p.scalars[3];
  const u64 first_word = static_cast<u64>(block.tmem_image + rank) * count * tmem_lanes;
  const u32* image = reinterpret_cast<const u32*>(p.inputs[2]) + first_word + threadIdx.x;
  for (u32 c = 0; c < tmem_columns; ++c)
    store_column(own_lanes(d) + c, c >= first && c - first < count ? image[(c - first) * tmem_lanes] : p.scalars[4]);
  wait_stored();
  all_sync();

  if (rank == 0 && threadIdx.x == 0) {
    mma(d, block.a, block.b, block.idesc, d + block.metadata, d + block.scale_a, d + block.scale_b);
    if constexpr (ctas == 1)
      asm volatile("tcgen05.commit." CTA_GROUP ".mbarrier::arrive::one.shared::cluster.b64 [%0];"
                   :
                   : "r"(barrier)
                   : "memory");
    else
      asm volatile("tcgen05.commit." CTA_GROUP ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
                   :
                   : "r"(barrier), "h"(static_cast<unsigned short>(3))
                   : "memory");
  }
  __syncwarp();
  const bool is_done = __syncthreads_and(wait(p, barrier, 0));
  after_sync();

  const u64 first_cell = static_cast<u64>(block.first_column + rank * block.columns) * tmem_lanes;
  if (is_done) read_tmem_by_8(reinterpret_cast<u32*>(p.output) + first_cell, d, block.columns);

  all_sync();
  if (is_first_warp) deallocate(d);
}

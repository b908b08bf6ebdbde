// SPDX-License-Identifier: Apache-2.0
// One tcgen05.mma a block: image and overlay go to shared memory, the instruction runs, D comes back through
// tcgen05.ld.
//
//   inputs   0 blocks (struct Block)   1 images   2 overlays
//   scalars  0 where shared memory begins   1 bytes of an image   2 bytes of an overlay   3 its place in the image
//            4 where the barrier and the TMEM address lie   5 what fills D before: nothing is left of others
//   output   [column][lane], 128 lanes; the columns of a block follow those of the one before
#include "statement.cuh"
#include "tmem.cuh"

struct Block {
  u64 a, b;
  u32 image, overlay, idesc, columns, first_column, unused;
};

constexpr u32 own_columns = 256;  // a power of two, for N up to 256; a CTA with this much shared memory is alone

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  if (!begins_at(p, smem, p.scalars[0])) return;
  const Block block = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  const u32 image_bytes = p.scalars[1], overlay_bytes = p.scalars[2];
  const u32 barrier = shared_address(smem + p.scalars[4]);
  const volatile u32* tmem = reinterpret_cast<const volatile u32*>(smem + p.scalars[4] + 8);
  const bool is_first_warp = threadIdx.x < 32;

  copy(smem, p.inputs[1] + static_cast<u64>(block.image) * image_bytes, image_bytes);
  __syncthreads();
  copy(smem + p.scalars[3], p.inputs[2] + static_cast<u64>(block.overlay) * overlay_bytes, overlay_bytes);
  if (is_first_warp) allocate(barrier + 8, own_columns);
  if (threadIdx.x == 0) init_barrier(barrier);
  publish();
  fenced_sync();

  const u32 d = *tmem;
  for (u32 c = 0; c < own_columns; ++c) store_column(own_lanes(d) + c, p.scalars[5]);
  wait_stored();
  fenced_sync();

  if (threadIdx.x == 0) {
    mma(d, block.a, block.b, block.idesc);
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
                 :
                 : "r"(barrier)
                 : "memory");
  }
  __syncwarp();
  const bool is_done = __syncthreads_and(wait(p, barrier, 0));
  after_sync();

  u32* out = reinterpret_cast<u32*>(p.output) + static_cast<u64>(block.first_column) * tmem_lanes;
  if (is_done) read_tmem_by_8(out, d, block.columns);

  fenced_sync();
  if (is_first_warp) deallocate(d, own_columns);
}

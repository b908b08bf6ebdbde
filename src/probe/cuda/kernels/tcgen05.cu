// One tcgen05.mma a block: image and overlay go to shared memory, the instruction runs, D comes back through
// tcgen05.ld.
//
//   inputs   0 blocks (struct Block)   1 images   2 overlays
//   scalars  0 where shared memory begins   1 bytes of an image   2 bytes of an overlay   3 its place in the image
//            4 where the barrier and the TMEM address lie   5 what fills D before: nothing is left of others
//   output   [column][lane], 128 lanes; the columns of a block follow those of the one before
#include "probe.cuh"
#include "statement.cuh"

struct Block {
  u64 a, b;
  u32 image, overlay, idesc, columns, first_column, unused;
};

constexpr u32 tmem_columns = 256;  // a power of two, for N up to 256; a CTA with this much shared memory is alone

__device__ inline void before_sync() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
__device__ inline void after_sync() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }
__device__ inline void fenced_sync() {
  before_sync();
  __syncthreads();
  after_sync();
}

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
  if (is_first_warp) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;"
                 :
                 : "r"(barrier + 8), "r"(tmem_columns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  publish();
  fenced_sync();

  const u32 d = *tmem;
  const u32 lanes = d + ((threadIdx.x / 32 * 32) << 16);  // the 32 that this warp reaches
  for (u32 c = 0; c < tmem_columns; ++c)
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};"
                 :
                 : "r"(lanes + c), "r"(p.scalars[5])
                 : "memory");
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
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

  u32* out = reinterpret_cast<u32*>(p.output) + static_cast<u64>(block.first_column) * 128 + threadIdx.x;
  for (u32 c = 0; is_done && c < block.columns; c += 8) {
    u32 r[8];
    // One statement with its wait: the registers must not even be moved before it.
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];\n"
        "tcgen05.wait::ld.sync.aligned;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
        : "r"(lanes + c)
        : "memory");
    for (u32 i = 0; i < 8; ++i) out[(c + i) * 128] = r[i];
  }

  fenced_sync();
  if (is_first_warp)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" : : "r"(d), "r"(tmem_columns) : "memory");
}

// SPDX-License-Identifier: Apache-2.0
// A cluster: each CTA says who it is, maps addresses, stores into another CTA, and issues multicast loads; then a window
// of its shared memory goes out. One plan and pass a cluster.
//
//   inputs   0 blocks (struct Block), by cluster and rank   1 tensor maps   2 the tensors that the maps point to
//            3 loads (struct Copy)   4 addresses to map, each with a rank
//   scalars  0 where shared memory begins   1 its size   2 bytes of a window
//   output   [cluster][rank]: 32 words (below), 16 places of 16 bytes, then the window
//
// The mbarrier lies at the beginning of shared memory, the places that other CTAs store to 128 bytes further. The
// barrier's first phase waits for the bytes of the block; a second one, after all loads, for none.
#include "statement.cuh"
#include "tma.cuh"

constexpr u32 ctas = CLUSTER_X * CLUSTER_Y * CLUSTER_Z, head_words = 32, places_bytes = 256;

struct Block {
  u32 fill, expect, first_copy, copies;
  u32 window, window_bytes, first_mapped, mapped;
  u32 store_to;  // a rank; ~0: none
  u32 unused[3];
};

struct Copy {
  int start[5];
  u32 to, mask, map, rank, unused[3];
};

struct Mapped {
  u32 address, rank;
};

__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Who this CTA is, and the addresses that it maps.
__device__ inline void tell(const Params& p, const Block& b, u32 own, u32 rank, u32* out) {
  u32 x, y, z, count;
  asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
  asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(y));
  asm volatile("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(z));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  out[1] = x;
  out[2] = y;
  out[3] = z;
  out[4] = rank;
  out[5] = count;
  out[6] = own;
  const Mapped* mapped = reinterpret_cast<const Mapped*>(p.inputs[4]) + b.first_mapped;
  for (u32 i = 0; i < b.mapped; ++i) {
    u32 to, of;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(mapped[i].address), "r"(mapped[i].rank));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(to));
    out[8 + i] = to;
    out[16 + i] = of;
  }
}

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  const u32 begin = p.scalars[0], window_bytes = p.scalars[2];
  if (!begins_at(p, smem, begin)) return;  // in no CTA of the cluster, or in all
  u32 rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const u32 index = blockIdx.x / CLUSTER_X * ctas + rank;
  const Block b = reinterpret_cast<const Block*>(p.inputs[0])[index];
  // The address of this CTA's memory, with the rank, so that an offset in the window can be added.
  const u32 barrier = shared_address(smem), base = barrier - begin, places = begin + 128;

  fill(smem + 128, places_bytes, b.fill);
  fill(smem + (b.window - begin), b.window_bytes, b.fill);
  if (threadIdx.x == 0) {
    begin_barrier(barrier);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  publish();
  cluster_sync();

  u32 flags = 0;
  if (threadIdx.x == 0) {
    expect(barrier, b.expect);
    const Copy* copies = reinterpret_cast<const Copy*>(p.inputs[3]) + b.first_copy;
    for (u32 i = 0; i < b.copies; ++i)
      load_multicast(copies[i].rank, base + copies[i].to, p.inputs[1] + copies[i].map * 128, barrier, copies[i].start,
                     static_cast<unsigned short>(copies[i].mask));
    // By hand, not by mapa.
    if (b.store_to != ~0u)
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(b.store_to << 24 | (places + 16 * rank)),
                   "r"(0xc0de0000u | rank)
                   : "memory");
    flags = completes_soon(barrier, 0);
  }
  __syncthreads();
  cluster_sync();
  if (threadIdx.x == 0) {
    expect(barrier, 0);
    if (completes_soon(barrier, 1)) flags |= 2;
  }
  __syncthreads();
  cluster_sync();

  u8* out = p.output + static_cast<u64>(index) * (head_words * 4 + places_bytes + window_bytes);
  u32* words = reinterpret_cast<u32*>(out);
  if (threadIdx.x == 0) {
    words[0] = flags;
    tell(p, b, barrier, rank, words);
  }
  copy(out + head_words * 4, smem + 128, places_bytes);
  copy(out + head_words * 4 + places_bytes, smem + (b.window - begin), b.window_bytes);
}

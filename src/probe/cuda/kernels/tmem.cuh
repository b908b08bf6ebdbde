// SPDX-License-Identifier: Apache-2.0
// Tensor memory of a kernel: allocated, written and read by tcgen05.st and ld of 32x32b, each warp its own 32 lanes. A CTA
// whose shared memory leaves no room for another one is alone on its SM, so that alloc waits for nobody.
#pragma once

#include "probe.cuh"

#ifndef CTA_GROUP
#define CTA_GROUP "cta_group::1"
#endif

constexpr u32 tmem_columns = 512, tmem_lanes = 128;

__device__ inline void before_sync() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
__device__ inline void after_sync() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }
__device__ inline void fenced_sync() {
  before_sync();
  __syncthreads();
  after_sync();
}
// Both CTAs of a pair. Threads that have returned count as arrived, so that it ends.
__device__ inline void pair_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// An mbarrier that one arrival completes.
__device__ inline void init_barrier(u32 barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(barrier) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// One warp; of a pair one warp of each CTA. The address of column 0 is written to shared memory.
__device__ inline void allocate(u32 to, u32 columns = tmem_columns) {
  asm volatile("tcgen05.alloc." CTA_GROUP ".sync.aligned.shared::cta.b32 [%0], %1;"
               :
               : "r"(to), "r"(columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit." CTA_GROUP ".sync.aligned;" ::: "memory");
}
__device__ inline void deallocate(u32 tmem, u32 columns = tmem_columns) {
  asm volatile("tcgen05.dealloc." CTA_GROUP ".sync.aligned.b32 %0, %1;" : : "r"(tmem), "r"(columns) : "memory");
}

// The 32 lanes that this warp reaches.
__device__ inline u32 own_lanes(u32 tmem) { return tmem + ((threadIdx.x / 32 * 32) << 16); }

__device__ inline void store_column(u32 address, u32 value) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" : : "r"(address), "r"(value) : "memory");
}
__device__ inline void wait_stored() { asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory"); }

// All 128 threads; [column][lane] in global memory.
__device__ inline void fill_tmem(u32 tmem, const u32* from, u32 columns) {
  for (u32 c = 0; c < columns; ++c) store_column(own_lanes(tmem) + c, from[c * tmem_lanes + threadIdx.x]);
  wait_stored();
}
__device__ inline void read_tmem(u32* to, u32 tmem, u32 columns) {
  for (u32 c = 0; c < columns; ++c) {
    u32 r;
    // One statement with its wait: the register must not even be moved before it.
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];\n"
        "tcgen05.wait::ld.sync.aligned;"
        : "=r"(r)
        : "r"(own_lanes(tmem) + c)
        : "memory");
    to[c * tmem_lanes + threadIdx.x] = r;
  }
}
// Eight columns at a time.
__device__ inline void read_tmem_by_8(u32* to, u32 tmem, u32 columns) {
  for (u32 c = 0; c < columns; c += 8) {
    u32 r[8];
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];\n"
        "tcgen05.wait::ld.sync.aligned;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
        : "r"(own_lanes(tmem) + c)
        : "memory");
    for (u32 i = 0; i < 8; ++i) to[(c + i) * tmem_lanes + threadIdx.x] = r[i];
  }
}

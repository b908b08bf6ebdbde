// Tensor memory of a kernel: all 512 columns are allocated, written and read by tcgen05.st and ld of 32x32b, each warp
// its own 32 lanes. A CTA whose shared memory leaves no room for another one is alone on its SM, so that alloc waits for
// nobody.
#pragma once

#include "probe.cuh"

#ifndef CTA_GROUP
#define CTA_GROUP "cta_group::1"
#endif

constexpr u32 tmem_columns = 512, tmem_lanes = 128;

__device__ inline void fenced_sync() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// One warp; of a pair one warp of each CTA. The address of column 0 is written to shared memory.
__device__ inline void allocate(u32 to) {
  asm volatile("tcgen05.alloc." CTA_GROUP ".sync.aligned.shared::cta.b32 [%0], %1;"
               :
               : "r"(to), "r"(tmem_columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit." CTA_GROUP ".sync.aligned;" ::: "memory");
}
__device__ inline void deallocate(u32 tmem) {
  asm volatile("tcgen05.dealloc." CTA_GROUP ".sync.aligned.b32 %0, %1;" : : "r"(tmem), "r"(tmem_columns) : "memory");
}

// The 32 lanes that this warp reaches.
__device__ inline u32 own_lanes(u32 tmem) { return tmem + ((threadIdx.x / 32 * 32) << 16); }

// All 128 threads; [column][lane] in global memory.
__device__ inline void fill_tmem(u32 tmem, const u32* from, u32 columns) {
  for (u32 c = 0; c < columns; ++c)
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};"
                 :
                 : "r"(own_lanes(tmem) + c), "r"(from[c * tmem_lanes + threadIdx.x])
                 : "memory");
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
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

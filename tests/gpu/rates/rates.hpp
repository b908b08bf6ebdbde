// SPDX-License-Identifier: Apache-2.0
// What the kernels of make.py share.
#pragma once

#include <vector>

struct Case {
  const char* kind;
  int n;
  const char *a, *layout;
  int is_sparse;
  void (*few)(long long*);
  void (*many)(long long*);
};

constexpr int smem_bytes = 128 * 1024;

__device__ inline unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Bits that are no NaN of any type, and not all equal.
__device__ inline void fill(unsigned char* smem) {
  for (int i = threadIdx.x; i < smem_bytes; i += blockDim.x) smem[i] = static_cast<unsigned char>((i * 37 >> 3) & 0x3b);
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
}

// Of the first warpgroup's first thread.
__device__ inline void report(long long* cycles, long long count, bool never) {
  if (threadIdx.x == 0 || never) cycles[blockIdx.x] = count;
}

// SPDX-License-Identifier: Apache-2.0
// A kernel for cuda-gdb: a TMA load in mode 128B, the same tile written by a wrong store, descriptor and tensor map.
//
//   nvcc -g -G -std=c++17 -arch=sm_90a -o gdb_kernel gdb_kernel.cu -lcuda
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <vector>

__global__ void kernel(const __grid_constant__ CUtensorMap map, unsigned* out) {
  __shared__ alignas(1024) std::uint16_t tile[64 * 64], stored[64 * 64];
  __shared__ alignas(8) std::uint64_t barrier;
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], 8192; }" ::"r"(bar) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];" ::
            "r"(to),
        "l"(&map), "r"(bar)
        : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar)
                 : "memory");
  // The mistake: the swizzle counts elements where it should count bytes.
  for (unsigned i = threadIdx.x; i < 64 * 64; i += blockDim.x)
    stored[i ^ ((i >> 3) & 0x70)] = static_cast<std::uint16_t>(i);
  std::uint64_t desc = 0x4000004000010000ull | to >> 4;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + stored[threadIdx.x] + static_cast<unsigned>(desc);
}

int main() {
  std::vector<std::uint16_t> matrix(64 * 64);
  for (unsigned i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<std::uint16_t>(i);
  void* global = nullptr;
  unsigned* out = nullptr;
  cudaMalloc(&global, 8192);
  cudaMalloc(&out, 512);
  cudaMemcpy(global, matrix.data(), 8192, cudaMemcpyHostToDevice);
  CUtensorMap map;
  const cuuint64_t dims[] = {64, 64}, strides[] = {128};
  const cuuint32_t box[] = {64, 64}, steps[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, global, dims, strides, box, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  kernel<<<1, 128>>>(map, out);
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
}

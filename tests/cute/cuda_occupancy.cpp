// SPDX-License-Identifier: Apache-2.0
// NVIDIA's occupancy calculator, which is a header.
#include <cuda_occupancy.h>

#include <climits>
#include <cstring>

#include "cuda_occupancy_blocks.hpp"

std::array<int, 6> swz::cuda_blocks(const CudaDevice& device, const CudaBlock& block) {
  cudaOccDeviceProp gpu{};
  gpu.computeMajor = device.major;
  gpu.computeMinor = device.minor;
  gpu.maxThreadsPerBlock = 1024;
  gpu.maxThreadsPerMultiprocessor = device.threads;
  gpu.regsPerBlock = gpu.regsPerMultiprocessor = 65536;
  gpu.warpSize = 32;
  gpu.numSms = 1;
  gpu.sharedMemPerBlock = 48 * 1024;
  gpu.sharedMemPerMultiprocessor = device.shared_of_sm;
  gpu.sharedMemPerBlockOptin = device.shared_of_block;
  gpu.reservedSharedMemPerBlock = device.reserved_shared;
  cudaOccFuncAttributes kernel{};
  kernel.maxThreadsPerBlock = 1024;
  kernel.numRegs = block.registers;
  kernel.sharedSizeBytes = block.static_shared;
  kernel.maxDynamicSharedSizeBytes = block.dynamic_shared;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
  kernel.numBlockBarriers = block.barriers;
  cudaOccDeviceState state{};
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult found{};
  const cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&found, &gpu, &kernel, &state, block.threads, block.dynamic_shared);
  if (error != CUDA_OCC_SUCCESS) return {-1, -1, -1, -1, -1, -1};
  return {found.activeBlocksPerMultiprocessor, found.blockLimitWarps,  found.blockLimitRegs,
          found.blockLimitSharedMem,           found.blockLimitBlocks, found.blockLimitBarriers};
}

// SPDX-License-Identifier: Apache-2.0
// cuda_blocks: what NVIDIA's occupancy calculator says of a block on a device: the blocks of an SM, and those that its
// threads, registers, shared memory, the number of blocks and its barriers allow (INT_MAX: any number).
#pragma once

#include <array>
#include <cstddef>

namespace swz {

struct CudaDevice {
  int major = 0, minor = 0, threads = 0;  // threads of an SM
  std::size_t shared_of_sm = 0, shared_of_block = 0, reserved_shared = 0;
};

struct CudaBlock {
  int threads = 1, registers = 0, barriers = 0;
  std::size_t static_shared = 0, dynamic_shared = 0;
};

std::array<int, 6> cuda_blocks(const CudaDevice& device, const CudaBlock& block);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// CUTLASS's places of scale factors, as plain data; needs neither CuTe's nor swz's headers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tensor_memory.hpp"

namespace swz {

// Global memory: row + rows * (k + K * batch) -> byte; k counts elements, `vec` of them have one factor.
struct CuteScaleMemory {
  std::string name;
  int vec, rows, k, batches;
  std::vector<std::int64_t> offsets;
};
std::vector<CuteScaleMemory> cute_scale_memories();

// The stage of one CTA for an MMA of m x n, with the padding: where a factor is in shared memory, and in tensor memory,
// `times` over.
struct CuteScaleStage {
  std::string kind;
  int vec;
  char operand;
  int m, n, cta_group;
  int rows, factors, times;
  std::vector<std::int64_t> smem;                               // row + rows * factor -> byte
  TmemBits tmem;                                                // copy + times * (row + rows * factor) -> place
  std::vector<std::pair<std::uint64_t, std::uint32_t>> copies;  // descriptor -> place; none of B in two halves
};
std::vector<CuteScaleStage> cute_scale_stages();

}  // namespace swz

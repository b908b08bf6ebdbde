// SPDX-License-Identifier: Apache-2.0
// A shared memory for CuTe on a host. Include it before any header of CuTe.
//
// CuTe asks the intrinsic __cvta_generic_to_shared for the shared-memory address of a pointer; without nvcc there is
// none, and descriptors get a start address of 0. Here it is the offset in `shared_memory`, so that make_gmma_desc and
// make_umma_desc give whole words.
#pragma once

#include <cstddef>

namespace swz {
alignas(1024) inline char shared_memory[232448];  // 227 KB, as much as one block has
}

#define CUTE_CVTA_GENERIC_TO_SHARED_ACTIVATED 1
inline std::size_t __cvta_generic_to_shared(const void* pointer) {
  return static_cast<std::size_t>(static_cast<const char*>(pointer) - swz::shared_memory);
}

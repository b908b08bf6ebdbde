// SPDX-License-Identifier: Apache-2.0
// The place of tensor memory that one of CuTe's pointers names, as tensor_memory.hpp counts.
//
// tmem_ptr keeps (lane << 16) | column in its low bits, and which element of the column in as many high bits as there
// are elements in 32 bits.
#pragma once

#include <cstdint>
#include <cute/pointer.hpp>

namespace swz {

template <class T>
std::uint32_t bit_address(cute::tmem_ptr<T> pointer) {
  constexpr int high = cute::tmem_ptr<T>::OffsetShift;
  const std::uint64_t address = cute::raw_pointer_cast(pointer);
  const std::uint64_t cell = address & ((std::uint64_t{1} << (32 - high)) - 1), part = address >> (32 - high);
  return std::uint32_t(cell * 32 + (part * 32 >> high));
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// An address of tensor memory: lane in bits 16-22, column in bits 0-8.
//
//   0x00450025    lane 69, column 37; the quarter of warp 2
//   0x80450025    CuTe's pointer to the upper half of that cell: the element's place in bits 24-31
//
// Invariant (tested): tmem_address of lane and column is the address, for every cell.
// Source: PTX ISA 9.1, 9.7.16.1.1; CUTLASS 4.7 tmem_ptr.
#pragma once

#include <cstdint>

#include "arch/tensor_memory.hpp"

namespace swz {

struct TmemAddress {
  std::uint32_t word = 0;

  constexpr int column() const { return static_cast<int>(word & 0xffff); }
  constexpr int lane() const { return static_cast<int>(word >> 16 & 0xff); }
  constexpr int element_bits() const { return static_cast<int>(word >> 24); }  // 0, or the bits in CuTe's pointer
  constexpr int warp() const { return lane() / tmem_quarter; }                 // warp of a warpgroup
  constexpr bool has_cell() const { return lane() < tmem_lanes && column() < tmem_columns; }
};
inline constexpr Source tmem_address_source{"PTX ISA 9.1, 9.7.16.1.1"};

}  // namespace swz

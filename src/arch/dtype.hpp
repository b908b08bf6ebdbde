// SPDX-License-Identifier: Apache-2.0
// Element types: how many bits a value has, and how many bits it takes in shared memory.
//
//   require_dtype("bf16").memory_bits  == 16
//   require_dtype("e2m3").value_bits   == 6      but it is in an 8-bit container: memory_bits == 8
//   require_dtype("e2m1").memory_bits  == 4      packed, as mxf4 reads it; kinds f8f6f4 and mxf8f6f4 read it from
//                                                8-bit containers: container_bits == 8
//
// Invariants (tested): names and aliases are unique, value_bits <= memory_bits, memory_bits is a power of two.
// Source: PTX ISA 9.1, 5.2 and 9.7.16.10.4; cuda.h for the tensor-map types.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "arch/row_of.hpp"
#include "base/finding.hpp"
#include "base/units.hpp"

namespace swz {

struct DType {
  std::string_view name;
  std::array<std::string_view, 10> aliases;  // the names that CUTLASS, CUDA, PyTorch, Triton and people use
  int value_bits = 0;
  int memory_bits = 0;     // one element in shared memory, packed as tightly as an MMA reads it
  int container_bits = 0;  // one element as kinds f8f6f4 and mxf8f6f4 read it; 0 if they do not accept this type
  bool is_floating = false;
  std::string_view tensor_map_type;  // after CU_TENSOR_MAP_DATA_TYPE_; empty if no tensor map carries it
  Source source;

  constexpr Bits memory() const { return Bits{memory_bits}; }
};

std::span<const DType> dtypes();

// The type with this name or alias, in any case, with or without cutlass:: or cute::. Null if unknown.
const DType* find_dtype(std::string_view name);

// As find_dtype, but throws Error with the unknown name, the nearest known one and the list.
const DType& require_dtype(std::string_view name);
using DTypeRow = RowOf<DType, require_dtype>;

}  // namespace swz

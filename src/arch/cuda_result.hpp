// SPDX-License-Identifier: Apache-2.0
// CUresult as a table: the codes that a driver call returns, and what a code says about the call that returned it.
//
//   find_cuda_result(715)  "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered", sticky
//
// A sticky code is left behind by a kernel that crashed: every later call of the process returns it, whatever its
// arguments. The texts are those of cuGetErrorString, which some programs print instead of the number.
//
// Invariants (tested): codes rise; names and texts are unique.
// Source: cuda.h of CUDA 13.0 for the numbers, the names and which of them cuTensorMapEncodeTiled is said to
// return.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace swz {

enum class CudaResultKind {
  success,
  arguments,    // of this call
  state,        // of the driver, the device or the context: no arguments would help
  unsupported,  // by the device or the driver
  sticky,       // of an earlier kernel
  other,
};

struct CudaResultRow {
  int code = 0;
  std::string_view name;  // after CUDA_ERROR_; CUDA_SUCCESS is whole
  std::string_view text;
  CudaResultKind kind = CudaResultKind::other;
  bool is_documented = false;  // as a return value of cuTensorMapEncodeTiled
};

std::span<const CudaResultRow> cuda_results();

// Null: not one of the rows.
const CudaResultRow* find_cuda_result(int code);
// By name, with or without CUDA_ERROR_, or by the text that begins `words` ("invalid argument\n…"), in any case.
const CudaResultRow* find_cuda_result(std::string_view words);

// "CUDA_ERROR_INVALID_VALUE", "CUDA_SUCCESS"
std::string full_name(const CudaResultRow& row);

}  // namespace swz

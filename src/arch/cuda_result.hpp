// SPDX-License-Identifier: Apache-2.0
// CUresult as a table: the codes that a driver call returns, and what each code implies for the call that returned it.
//
//   find_cuda_result(715)  "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered", sticky
//
// A kernel that crashed leaves a sticky code: every later call of the process returns it, whatever its arguments. The
// texts are those of cuGetErrorString, which some programs print instead of the number.
//
// Invariants (tested): the codes ascend; names and texts are unique.
// Source: cuda.h of CUDA 13.0, for the numbers, the names, and which of them it documents as results of
// cuTensorMapEncodeTiled.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace swz {

enum class CudaResultKind {
  success,
  arguments,    // the arguments of this call are wrong
  state,        // the state of the driver, the device or the context is wrong: no arguments would help
  unsupported,  // the device or the driver does not support the call
  sticky,       // an earlier kernel crashed
  other,
};

struct CudaResultRow {
  int code = 0;
  std::string_view name;  // after CUDA_ERROR_; CUDA_SUCCESS is written whole
  std::string_view text;
  CudaResultKind kind = CudaResultKind::other;
  bool is_documented = false;  // as a return value of cuTensorMapEncodeTiled
};

std::span<const CudaResultRow> cuda_results();

// The row of a code, or null if no row has it.
const CudaResultRow* find_cuda_result(int code);
// The row of a name, with or without CUDA_ERROR_, or of the text that begins `words` ("invalid argument\n…"), in any
// case.
const CudaResultRow* find_cuda_result(std::string_view words);

// "CUDA_ERROR_INVALID_VALUE", "CUDA_SUCCESS"
std::string full_name(const CudaResultRow& row);

}  // namespace swz

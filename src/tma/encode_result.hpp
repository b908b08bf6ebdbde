// What the code says that cuTensorMapEncodeTiled returned, beside the verdict on its arguments.
//
//   explain_result(715, map, true)   the arguments are legal and 715 is an earlier kernel's: find that kernel
//   explain_result(1, map, false)    the code is that of the rules which are broken
//
// Only CUDA_ERROR_INVALID_VALUE (1) speaks of the arguments. Every other code comes back for legal ones too.
//
// Source: H200, driver 580.159: each of the refusals among 47,372 verdicts was 1; cuda.h for the documented codes.
#pragma once

#include <string>

#include "tma/tensor_map_rules.hpp"

namespace swz {

struct EncodeResult {
  int code = 0;
  std::string name;  // "CUDA_ERROR_ILLEGAL_INSTRUCTION"; empty: not a code that swz knows
  std::string message, hint;
  bool agrees = false;  // with the verdict: 0 and accepted, 1 and refused
};

EncodeResult explain_result(int code, const TensorMap& map, bool is_accepted);

// "715", "CUDA_ERROR_ILLEGAL_INSTRUCTION", "illegal_instruction". Throws Error.
int require_cuda_result(std::string_view text);

}  // namespace swz

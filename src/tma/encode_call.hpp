// SPDX-License-Identifier: Apache-2.0
// A call of cuTensorMapEncodeTiled from source code, with the arrays and constants that are defined above it.
//
//   cuuint64_t dims[2] = {4096, 128}, strides[1] = {4096 * sizeof(__nv_bfloat16)};
//   cuuint32_t box[] = {64, 64}, ones[2] = {1, 1};
//   cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, ptr, dims, strides, box, ones,
//                          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
//                          CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
//
//   parse_encode_call: bf16, dims (4096, 128), strides (8192), box (64, 64), 128B; no address
//
// A name means its one definition before the call: an array "name[...] = {...}" or "name{...}", a number "name = ..."
// or "#define name ..."; source_definition.hpp has what makes it an Error. Numbers are integer expressions of C with
// sizeof of an element type. If a name has no definition, the error asks for one, which can be written above the call:
// "M = 4096;". An array may begin at one of its entries: "&strides[1]", "strides.data() + 1".
//
// Invariant (fuzzed): an Error or a map, whatever the text contains.
// Source: cuda.h of CUDA 13.0 for the order of the arguments.
#pragma once

#include <string_view>

#include "tma/failure_text.hpp"

namespace swz {

// Whether the text contains a call with all 12 arguments.
bool holds_encode_call(std::string_view text);

// The one such call. Throws Error with the argument that cannot be read, or the names without a definition.
PastedMap parse_encode_call(std::string_view text);

}  // namespace swz

// Source code of tensor maps: the call of cuTensorMapEncodeTiled with its arrays, and the 128 bytes as an array.
//
//   cuda_source(map, {.name = "bf16_4096x8192_tensor_map", …})
//     inline CUresult bf16_4096x8192_tensor_map(CUtensorMap* tensor_map, void* global_address) {
//       constexpr cuuint32_t rank = 2;
//       const cuuint64_t globalDim[rank] = {4096, 8192};
//       …
//   c_source(map, encode(map), {…})
//     alignas(64) static const uint64_t bf16_4096x8192_tensor_map[16] = {
//         0x0000000000000000, 0x0000020000006510,
//         …
//
// The array has 64-bit words because that is how a CUtensorMap is declared and how debuggers show it; its bytes are
// those of the map on a little-endian machine, which all hosts of CUDA are.
//
// Invariants (tested, by compiling and running them): the arguments that reach cuTensorMapEncodeTiled are those of
// the map, with the address of the caller; the bytes of the array are to_bytes(encoded). The call is C++11 and
// needs cuda.h; the array is C11 and C++11.
#pragma once

#include <string>

#include "tma/tensor_map.hpp"

namespace swz {

struct TensorMapSourceText {
  std::string name;     // of the function or the array
  std::string command;  // the command line that makes the source
};

// Accepted by the driver.
std::string cuda_source(const TensorMap& map, const TensorMapSourceText& text);
std::string c_source(const TensorMap& map, const EncodedTensorMap& encoded, const TensorMapSourceText& text);

}  // namespace swz

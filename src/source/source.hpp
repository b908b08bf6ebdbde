// SPDX-License-Identifier: Apache-2.0
// The source code that swz writes.
//
// Descriptors: a device function that makes the word of every MMA from the tile's address.
//
//   cuda_source(words, {.name = "a_descriptor", …})
//     __device__ constexpr uint64_t a_descriptor(uint32_t smem_address, uint32_t m_block, uint32_t k_step) {
//       constexpr uint32_t stride_byte_offset = 1024;  // B
//       …
//       return fields | uint64_t{(smem_address + byte_offset) / chunk} << start_address_bit;
//     }
//
// Tensor maps: the call of cuTensorMapEncodeTiled with its arrays, and the 128 bytes as an array.
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
// those of the map on a little-endian machine, as all hosts of CUDA are.
//
// Invariants (tested, by compiling and running them): the device function returns words.steps[i].descriptor.word()
// for the address, the m_block and the k_step of every step; the arguments that reach cuTensorMapEncodeTiled are
// those of the map, with the address of the caller; the bytes of the array are to_bytes(encoded). The device
// function needs C++14 and <cstdint>, names every field, and has no number without a name. The call is C++11 and
// needs cuda.h; the array is C11 and C++11.
#pragma once

#include <string>

#include "descriptor/tile_descriptor.hpp"
#include "tma/tensor_map.hpp"

namespace swz {

struct SourceText {
  std::string name;          // of the function or the array
  std::string command;       // the command line that makes the source
  std::string operand = {};  // "f16 128x64, K-major, mode 128B", for descriptors
};

std::string cuda_source(const TileDescriptors& words, const SourceText& text);
// Requires that the driver accepts the map.
std::string cuda_source(const TensorMap& map, const SourceText& text);
std::string c_source(const TensorMap& map, const EncodedTensorMap& encoded, const SourceText& text);
// The same of an im2col map, by cuTensorMapEncodeIm2col.
std::string cuda_source(const Im2colMap& map, const SourceText& text);
std::string c_source(const Im2colMap& map, const EncodedTensorMap& encoded, const SourceText& text);

}  // namespace swz

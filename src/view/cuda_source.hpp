// CUDA source of descriptors: a device function that makes the word of every MMA from the tile's address.
//
//   cuda_source(words, {.function = "a_descriptor", …})
//     __device__ constexpr uint64_t a_descriptor(uint32_t smem_address, uint32_t m_block, uint32_t k_step) {
//       constexpr uint32_t stride_byte_offset = 1024;  // B
//       …
//       return fields | uint64_t{(smem_address + byte_offset) / chunk} << start_address_bit;
//     }
//
// Invariant (tested, by compiling): the function returns words.steps[i].descriptor.word() for the address, the
// m_block and the k_step of every step. The source needs C++14 and nothing but <cstdint>; it names every field, and
// no number stands in it without a name.
#pragma once

#include <string>

#include "descriptor/tile_descriptor.hpp"

namespace swz {

struct CudaSourceText {
  std::string function;  // its name
  std::string command;   // the command line that makes the source
  std::string operand;   // "f16 128x64, K-major, mode 128B, mn-first"
};

std::string cuda_source(const TileDescriptors& words, const CudaSourceText& text);

}  // namespace swz

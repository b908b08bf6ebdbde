// How programs print the arguments of cuTensorMapEncodeTiled when the call fails, as a table.
//
//   CUTLASS       globalStrides  (2,4096,128,65536,0)   entry 0 is the element's size; 5 entries, whatever the rank
//   TileLang      globalStrides  [2, 4096, 128, 65536]  entry 0 is the element's size; as many entries as the rank
//   TensorRT-LLM  Stride: 4096 128 65536 1041           4 entries; those beyond the rank are undefined
//
// A program's words, what stands behind each, and where its numbers are not those that the driver was given. Adding
// a program is a row.
//
// Source: what the programs print, in public issues (tests/data/tma_failures) and in their sources: CUTLASS
// copy_traits_sm90_tma.hpp, TileLang runtime.cc, trtllm-gen's KernelParams.h in FlashInfer and TensorRT-LLM,
// ThunderKittens' tma.cuh, DeepGEMM runtime_utils.hpp.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "tma/tensor_map.hpp"

namespace swz {

enum class FailurePart {
  map_address,  // where the tensor map itself lies
  type,
  element_bytes,  // instead of the type
  rank,
  address,
  dims,
  strides,
  driver_strides,  // the same as they were given to the driver, where both are printed
  box,
  element_strides,
  interleave,
  swizzle,
  swizzle_atom,
  l2,
  oob,
  lower_corner,  // this and the next three: of cuTensorMapEncodeIm2col, in the place of box
  upper_corner,
  channels,
  pixels,
};
inline constexpr std::size_t failure_part_count = 19;

constexpr bool is_im2col(FailurePart part) { return part >= FailurePart::lower_corner; }

constexpr bool is_list(FailurePart part) {
  switch (part) {
    case FailurePart::dims:
    case FailurePart::strides:
    case FailurePart::driver_strides:
    case FailurePart::box:
    case FailurePart::element_strides:
    case FailurePart::lower_corner:
    case FailurePart::upper_corner: return true;
    default: return false;
  }
}

struct FailureKey {
  std::string_view word;
  FailurePart part;
  bool is_always_printed = true;
};

struct FailureDialect {
  std::string_view program;
  std::span<const FailureKey> keys;  // in the order in which they are printed
  char list_opens = 0;               // what its lists begin with; 0: nothing
  bool strides_begin_with_element = false;
  bool code_stands_before = true;  // the line with the error's code; false: behind
  bool prints_every_map = false;   // also those that do not fail: the last one before the error is meant
  bool has_rubbish = false;        // prints 5 entries of arrays that are no longer than the rank
  bool counts_elements = false;    // strides in elements, swizzle as bytes of its span
  TensorMap unprinted = {};        // what it passes for the arguments that it does not print
  std::string_view unprinted_in_words = {};
};

std::span<const FailureDialect> failure_dialects();

}  // namespace swz

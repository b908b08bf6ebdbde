// SPDX-License-Identifier: Apache-2.0
// The arguments of cuTensorMapEncodeTiled, as a program printed them when the call failed.
//
//   TMA Desc Addr:   0xfffffce54f80
//   format         6
//   dim            4
//   gmem_address   0x400540000000
//   globalDim      (64,16,32,23434,1)
//   globalStrides  (2,4096,128,65536,0)
//   …
//   Error: Failed to initialize the TMA descriptor 715
//
//   parse_failure_text: f16, rank 4, strides (4096, 128, 65536) without entry 0, the element's size; code 715
//
// The block may be anywhere in a log. Of several blocks the first complete one counts; for a program that prints every
// map, the last one before the error.
//
// The way in which each program prints them is a row of a table:
//
//   CUTLASS       globalStrides  (2,4096,128,65536,0)   entry 0 is the element's size; 5 entries, whatever the rank
//   TileLang      globalStrides  [2, 4096, 128, 65536]  entry 0 is the element's size; as many entries as the rank
//   TensorRT-LLM  Stride: 4096 128 65536 1041           4 entries; those beyond the rank are undefined
//
// A row has a program's words, the argument after each, and the numbers that differ from those given to the driver.
//
//   "[rank0] globalDim      (64,16,32,\n23434,1)\n[rank0] boxDim (64,"
//     one block: dims "64,16,32,23434,1"; a box, which cannot be read
//
// The place of a word in its line does not matter, because logs put prefixes before it. Colour escapes are dropped,
// "\n" as two characters ends a line, and a list in brackets continues across line ends, as a terminal wraps it. A
// word that occurs again begins the next block.
//
// Invariant (fuzzed): finding blocks never throws, and takes time linear in the text.
// Source: what the programs print, in public issues (tests/data/tma_failures) and in their sources: CUTLASS
// copy_traits_sm90_tma.hpp, TileLang runtime.cc, trtllm-gen's KernelParams.h in FlashInfer and TensorRT-LLM,
// ThunderKittens' tma.cuh, DeepGEMM runtime_utils.hpp.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tma/tensor_map.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

struct PastedMap {
  TensorMap map;
  std::optional<Im2colMap> im2col = {};  // for a block of cuTensorMapEncodeIm2col: map without box, and the rest
  std::string_view program;              // "CUTLASS"
  bool has_address = true;               // false if the program does not print it
  std::optional<int> code;               // code that the call returned
  int blocks = 1;                        // number of blocks in the text
  std::vector<Finding> notes;
};

// Throws Error with what a block lacks, with what cannot be read, or if there is no block.
PastedMap parse_failure_text(std::string_view text);

// ---- internal to failure_scan.cpp and failure_text.cpp

// clang-format off
enum class FailurePart {
  map_address,    // the address of the tensor map itself
  element_bytes,  // printed instead of the type
  type, rank, address, interleave, swizzle, swizzle_atom, l2, oob,
  channels, pixels, lower_corner, upper_corner,  // for cuTensorMapEncodeIm2col, instead of box
  dims, strides, box, element_strides,           // lists, as are the corners
  driver_strides,  // the strides as given to the driver, if both are printed
};
// clang-format on
inline constexpr std::size_t failure_part_count = 19;

constexpr bool is_im2col(FailurePart part) {
  return part >= FailurePart::channels && part <= FailurePart::upper_corner;
}
constexpr bool is_list(FailurePart part) { return part >= FailurePart::lower_corner; }

struct FailureKey {
  std::string_view word;
  FailurePart part;
  bool is_always_printed = true;
};

struct FailureDialect {
  std::string_view program;
  std::span<const FailureKey> keys;  // in the order in which they are printed
  char list_opens = 0;               // first character of its lists; 0 for none
  bool strides_begin_with_element = false;
  bool code_stands_before = true;  // the line with the error's code comes before the block; false: after it
  bool prints_every_map = false;   // also those that do not fail: the last one before the error counts
  bool has_rubbish = false;        // prints 5 entries of arrays that have only as many as the rank
  bool counts_elements = false;    // prints strides in elements, and the swizzle as the bytes of its span
  TensorMap unprinted = {};        // the values that it passes for the arguments that it does not print
  std::string_view unprinted_in_words = {};
};

std::span<const FailureDialect> failure_dialects();

// The value after a word.
struct FailureValue {
  std::string_view word;  // the word of the dialect
  std::string text;       // without brackets; if it cannot be read, its beginning
  char opens = 0;         // the opening bracket
  bool is_readable = true;
};

struct FailureBlock {
  std::size_t begin = 0, end = 0;  // positions in the text
  std::array<std::optional<FailureValue>, failure_part_count> parts;

  const std::optional<FailureValue>& at(FailurePart part) const { return parts[static_cast<std::size_t>(part)]; }
  std::optional<FailureValue>& at(FailurePart part) { return parts[static_cast<std::size_t>(part)]; }
  std::size_t part_count() const;
  bool is_im2col() const;  // whether it is of cuTensorMapEncodeIm2col
  // The words that the dialect always prints and that the block lacks.
  std::vector<std::string> missing(const FailureDialect& dialect) const;
  bool is_complete(const FailureDialect& dialect) const;   // nothing is missing, all can be read
  bool says_the_same_as(const FailureBlock& other) const;  // except for the tensor map's own address
};

// The text without escape sequences. Carriage returns and "\n" as two characters become line ends.
std::string clean_failure_text(std::string_view text);

// The blocks with at least one list, in order.
std::vector<FailureBlock> find_failure_blocks(std::string_view clean, const FailureDialect& dialect);

// A code that a line with the error gives, and its place.
struct FailureCode {
  std::size_t at = 0;
  int code = 0;
};
std::vector<FailureCode> find_failure_codes(std::string_view clean);

}  // namespace swz

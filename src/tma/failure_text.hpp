// The arguments of cuTensorMapEncodeTiled as a program printed them when the call failed.
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
// tma/failure_scan.hpp says which word names which argument. The block may stand anywhere in a log. Of several
// blocks the first whole one counts; of a program that prints every map, the last.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tma/tensor_map.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

struct PastedMap {
  TensorMap map;
  std::optional<Im2colMap> im2col = {};  // of a block of cuTensorMapEncodeIm2col: map without a box, and the rest
  std::string_view program;              // "CUTLASS"
  bool has_address = true;               // false: the program does not print it
  std::optional<int> code;               // that the call returned
  int blocks = 1;                        // in the text
  std::vector<Finding> notes;
};

// Throws Error naming what a block lacks, what cannot be read, or that there is no block.
PastedMap parse_failure_text(std::string_view text);

}  // namespace swz

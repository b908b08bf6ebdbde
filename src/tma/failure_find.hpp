// Which of the printed blocks in a text is meant, of which program, and the code that the call returned.
//
//   find_failure("format 9 … Error: … descriptor 1 … format 9 … Error: … descriptor 1")
//     CUTLASS, two blocks, the first is chosen, code 1
//
// The program is the one whose words explain most of the text. The first whole block counts; of a program that
// prints every map, the last one before the error.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tma/failure_scan.hpp"

namespace swz {

struct FoundFailure {
  const FailureDialect* dialect = nullptr;
  std::vector<FailureBlock> blocks;
  std::size_t chosen = 0;
  std::optional<int> code;

  const FailureBlock& block() const { return blocks[chosen]; }
};

// The chosen block is whole and can be read. Throws Error naming what it lacks, or that there is no block.
FoundFailure find_failure(std::string_view text);

}  // namespace swz

// Finds the printed arguments of cuTensorMapEncodeTiled in a text, as blocks of words with what stands behind them.
//
//   "[rank0] globalDim      (64,16,32,\n23434,1)\n[rank0] boxDim (64,"
//     one block: dims "64,16,32,23434,1"; box, which cannot be read
//
// The place of a word in its line does not matter, because logs put prefixes before it. Colour escapes are dropped,
// "\n" as two characters ends a line, and a list in brackets continues over the ends of lines, as a terminal wraps
// it. A word that occurs again begins the next block.
//
// Invariant (fuzzed): never throws, and takes time linear in the text.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tma/failure_dialect.hpp"

namespace swz {

// What stands behind a word.
struct FailureValue {
  std::string_view word;  // of the dialect
  std::string text;       // without brackets; of what cannot be read, its beginning
  char opens = 0;         // the bracket
  bool is_readable = true;
};

struct FailureBlock {
  std::size_t begin = 0, end = 0;  // in the text
  std::array<std::optional<FailureValue>, failure_part_count> parts;

  const std::optional<FailureValue>& at(FailurePart part) const { return parts[static_cast<std::size_t>(part)]; }
  std::optional<FailureValue>& at(FailurePart part) { return parts[static_cast<std::size_t>(part)]; }
  std::size_t part_count() const;
  bool is_im2col() const;  // of cuTensorMapEncodeIm2col
  // Words that the dialect always prints and the block lacks.
  std::vector<std::string> missing(const FailureDialect& dialect) const;
  bool is_complete(const FailureDialect& dialect) const;   // none is missing, all can be read
  bool says_the_same_as(const FailureBlock& other) const;  // the tensor map's own address aside
};

// Without escape sequences; carriage returns and "\n" as two characters become line ends.
std::string clean_failure_text(std::string_view text);

// Blocks with at least one list, in order.
std::vector<FailureBlock> find_failure_blocks(std::string_view clean, const FailureDialect& dialect);

// A code that a line of the error names, and where.
struct FailureCode {
  std::size_t at = 0;
  int code = 0;
};
std::vector<FailureCode> find_failure_codes(std::string_view clean);

}  // namespace swz

// Operand report: what one MMA reads of an operand, chunk by chunk, and what is wrong with it.
//
//   0x4000004000010042 on sm_90a, f16 64x16 K-major     128 chunks of 16 B: 2048 B from 0x420 to 0x243f
//     chunk (9, 8) at 0x8a0: line 17, chunk 2 of its line, banks 8-11, read once
//
// Invariants (tested): every element lies in the chunk of its row and k; bytes() counts each byte once.
// Source: operand_map.hpp.
#pragma once

#include <optional>
#include <vector>

#include "base/finding.hpp"
#include "descriptor/operand_map.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {

// Sixteen bytes of the operand, or as many as its last rows fill, named by their first element.
struct ReadChunk {
  std::int64_t row = 0, k = 0;
  Bytes byte;     // address of the first element
  Bytes size;     // 16, fewer where the operand ends inside a chunk
  int reads = 1;  // chunks of the operand that lie at this address

  std::int64_t line() const { return byte.count / bank_row.count; }
  int position() const { return static_cast<int>(byte.count % bank_row.count / chunk.count); }
  int bank() const { return static_cast<int>(byte.count % bank_row.count / 4); }
};

struct OperandReport {
  SmemDescriptor word;
  OperandMap map;
  std::vector<ReadChunk> chunks;  // line by line: row by row when K-major, k by k when MN-major
  Bytes bytes;                    // different bytes that are read
  Bytes lowest, highest;          // the first and the last of them
  std::optional<RepeatedReads> repeated;
  std::vector<Finding> findings;  // of this operand, and the lints of the word

  bool is_inside() const { return highest < word.target().smem_window(); }
};

OperandReport operand_report(const SmemDescriptor& word, const OperandMap& map);

// Throws Error, with the nearest extents, when no MMA reads such rows of an operand: 8 ... 256 in steps of 8, K of
// 32 B a row, or of 64 B as B of a sparse MMA. Whole instructions are for mma_operand.hpp to judge.
void require_operand_rows(TileExtents extents, int element_bits);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Operand map: the byte of shared memory from which an MMA reads each element, for a given descriptor word.
//
//   operand_map(0x4000004000010042 on sm_90a, {64, 16}, 16, Major::K)     start 1056 B, SBO 1024 B, mode 128B
//     element (9, 8): lin = 1056 + (9 % 8) * 128 + (9 / 8) * 1024 + 1 * 16 = 2224, in line 17
//                     17 & 7 = 1, so byte 2224 ^ (1 << 4) = 2208
//
//   lin  = start + offset(row, k; LBO, SBO)                       by major and mode, see operand_map.cpp
//   line = (lin >> 7) - base_offset                               absolute address, lines of 128 bytes
//   byte = lin ^ ((line & mask) << b)                             b is 4, in mode 128B_32B it is 5
//
// The report gives this chunk by chunk, with what is wrong with it:
//
//   128 chunks of 16 B: 2048 B from 0x420 to 0x243f; chunk (9, 8) at 0x8a0: line 17, chunk 2 of its line, banks 8-11
//
// Invariants (tested): the words of a tile read the bytes where the tile put the elements; without a swizzle
// base_offset has no effect; every element is in the chunk of its row and k; OperandReport::bytes counts each byte
// once. Source: measured on H200, every element of 6,000 words of dense and 1,200 of sparse wgmma; for tcgen05 PTX ISA
// 9.1, 9.7.16.3, not run here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "descriptor/smem_descriptor.hpp"
#include "smem/tile.hpp"

namespace swz {

// The bit of (row, k) before the XOR is start + along_mn[row] + along_k[k]: for every major and mode the two
// directions are independent.
struct OperandOffsets {
  std::vector<std::int64_t> along_mn, along_k;
};
OperandOffsets operand_offsets(const SmemDescriptor& descriptor, TileExtents extents, int element_bits, Major major);

// The largest operand map, in elements. The largest operand of an instruction has 256 x 256 (b1).
inline constexpr std::int64_t operand_map_limit = std::int64_t{1} << 20;

struct OperandMap {
  TileExtents extents;  // rows (M or N) x k
  int element_bits = 0;
  Major major = Major::K;
  // Bit addresses in shared memory, row by row; two 4-bit elements in one byte are two places.
  std::vector<std::int64_t> places;

  bool operator==(const OperandMap&) const = default;
  std::int64_t place(std::int64_t row, std::int64_t k) const {
    return places[static_cast<std::size_t>(row * extents.k + k)];
  }
  std::int64_t byte(std::int64_t row, std::int64_t k) const { return place(row, k) >> 3; }
  std::vector<std::int64_t> bytes() const;
};

// The mode of the word. Throws Error if its code is illegal.
const SwizzleMode& require_swizzle(const SmemDescriptor& descriptor);

// `extents` is what one MMA reads of this operand, in elements. Addresses may be past the end of shared memory, as the
// word gives them; an H200 then reports CUDA_ERROR_ILLEGAL_ADDRESS. K-major swizzled operands step over LBO if a row
// of K is longer than the span of the mode: in mode 32B B of a sparse MMA (64 B) and operands of K 96 (48 B). Throws
// Error if the swizzle code is illegal, for K-major mode 128B_32B (which no source defines), for absolute LBO (the
// documentation does not settle how a slice of 48 B is split), if a chunk does not contain whole elements, and beyond
// operand_map_limit.
OperandMap operand_map(const SmemDescriptor& descriptor, TileExtents extents, int element_bits, Major major);

// Elements that are read from a place from which another element is read too.
struct RepeatedReads {
  std::int64_t count = 0;  // elements, not counting the first one at each place
  TileCoordinate first, second;
  std::int64_t byte = 0;  // the byte that both read
};
// None if every element has its own place.
std::optional<RepeatedReads> repeated_reads(const OperandMap& map);

// Sixteen bytes of the operand, or as many as its last rows fill, named by the first element.
struct ReadChunk {
  std::int64_t row = 0, k = 0;
  Bytes byte;     // address of the first element
  Bytes size;     // 16, or fewer if the operand ends inside a chunk
  int reads = 1;  // number of chunks of the operand at this address

  std::int64_t line() const { return byte.count / bank_row.count; }
  int position() const { return static_cast<int>(byte.count % bank_row.count / chunk.count); }
  int bank() const { return static_cast<int>(byte.count % bank_row.count / 4); }
};

struct OperandReport {
  SmemDescriptor word;
  OperandMap map;
  std::vector<ReadChunk> chunks;  // line by line: row by row if K-major, k by k if MN-major
  Bytes bytes;                    // number of different bytes that are read
  Bytes lowest, highest;          // first and last of them
  std::optional<RepeatedReads> repeated;
  std::vector<Finding> findings;  // those of this operand, and the lints of the word

  bool is_inside() const { return highest < word.target().smem_window(); }
};

OperandReport operand_report(const SmemDescriptor& word, const OperandMap& map);

// Throws Error, with the nearest extents, if no MMA reads such rows of an operand: 8 ... 256 in steps of 8, with K of
// 32 B per row, or of 64 B as B of a sparse MMA. Whole instructions are judged in mma_operand.hpp.
void require_operand_rows(TileExtents extents, int element_bits);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// CuTe's description of tensor memory, as plain data; needs neither CuTe's nor swz's headers.
//
// A place is the bit of tensor memory where an element begins, counted as CuTe counts:
//
//   (lane << 21) | column * 32 + bit of the column        lane 1, column 3, bits 16-31: 0x200070
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace swz {

using TmemBits = std::vector<std::uint32_t>;

// A matrix, rows first: D or A of an MMA, the metadata of A. Rows are those of the CTA; `copies` of them follow each
// other if CuTe writes an operand more than once.
struct CuteTmemMatrix {
  std::string name, dtype;
  int m, cta_group;
  bool is_ws;
  int rows, copies, columns, mmas;  // columns: of one MMA; MMAs along K
  TmemBits places;                  // row + rows * (copy + copies * (column + columns * mma))
};
using CuteTmemMatrices = std::vector<CuteTmemMatrix>;

CuteTmemMatrices cute_accumulators();
CuteTmemMatrices cute_operands_a();
// Columns are the logical elements of A, dtype the kind; two elements of mxf4 are one bit of metadata.
CuteTmemMatrices cute_metadata();

// The metadata of a tensor A in global memory: row + m * k -> bit.
struct CuteMetadataImage {
  std::string kind;
  int m, k;
  std::vector<std::int64_t> bits;
};
std::vector<CuteMetadataImage> cute_metadata_images();

// tcgen05.ld and .st: thread + 32 * (bit of its registers) -> place.
struct CuteTmemAccess {
  std::string shape;
  int number;
  bool is_store, packs;
  TmemBits places;
};
std::vector<CuteTmemAccess> cute_tmem_accesses();

// tcgen05.cp as CTA `cta` of a group executes it: which bit of shared memory, row * bits + bit, goes to which place.
struct CuteTmemCopy {
  std::string name;
  int rows, bits, cta_group, cta;
  std::vector<std::pair<int, std::uint32_t>> moves;
};
std::vector<CuteTmemCopy> cute_tmem_copies();

}  // namespace swz

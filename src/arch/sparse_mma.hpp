// SPDX-License-Identifier: Apache-2.0
// mma.sp and wgmma.sp: A without the elements that are not kept, and metadata that says which are.
//
//   mma.sp.m16n8k32 of f16     of each 4 consecutive k of A, 2 are kept: A is 16 x 16 in the registers, B is 32 x 8
//   mma.sp.m16n8k16 of tf32    of each 2, 1
//   mma.sp.m16n8k128 of s4     of each 8, 4: two of four pairs
//
// The metadata (operand e) have an index for each kept element, or for each kept pair. They are in all threads, in two
// of each four, or in one of them: the sparsity selector names which.
//
// Invariants (tested): the metadata of an instruction fill one register of the threads that hold them.
// Source: PTX ISA 9.1, 9.7.14.6 and 9.7.15.6; the order of the bits: an H100 (mma.sp), CUTLASS's ELayouts.
#pragma once

#include <span>
#include <string_view>

#include "arch/block_scaled_mma.hpp"
#include "arch/instruction.hpp"

namespace swz {

struct SparseMma {
  MmaInstruction mma;            // with the K of B
  int kept = 0, of = 0;          // of `of` consecutive k, `kept` are in A
  int pair = 1;                  // elements that an index keeps
  int index_bits = 2;            // tf32: 4
  int holders = 4;               // of each four threads, those that hold metadata
  bool is_ordered_only = false;  // mma.sp is refused, only mma.sp::ordered_metadata exists
  Source indices;                // of the order of the indices

  constexpr int kept_k() const { return mma.k * kept / of; }
  constexpr int indices_of_row() const { return kept_k() / pair; }
  constexpr int selectors() const { return 4 / holders; }
  // A thread's register has indices of rows g and g + 8, or of one of them.
  constexpr int rows_of_thread() const { return mma.bits >= 16 ? 2 : 1; }
};

std::span<const SparseMma> sparse_mmas();
// Of a sparse block-scaled form.
SparseMma sparse_form(const BlockScaledMma& form);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// The operands of mma.sp and wgmma.sp. In registers A has only its kept elements: it is the A of the dense MMA of half
// the K. B, C and D are those of the dense MMA. e has an index for each kept element, or for each kept pair.
//
//   mma.sp.m16n8k64 of e4m3, A (9, 23): the second element kept of k 44 to 47 (chunk 11) is value 15 of lane 5
//                            e (9, 23): its index is in bits 14-15 of lane 7, that of (9, 22) in bits 12-13
//
// Invariants (tested): A, B and e are one to one; A and e equal CuTe's layouts, which count all elements of A.
// Source: PTX ISA 9.1, 9.7.14.6.2; the order of the bits of e: an H100, and ELayout of CUTLASS's SM90 and SM120 sparse
// traits for wgmma.sp and the types of sm_120.
#pragma once

#include <string>

#include "arch/sparse_mma.hpp"
#include "fragment/fragment.hpp"
#include "fragment/instruction_text.hpp"

namespace swz {

// Of a, b, c or d. `dtype` is the type of the operand.
Fragment sparse_fragment(const SparseMma& row, int n, Operand operand, const DType& dtype);
// Of e. Throws Error if the row has no such selector.
Fragment metadata_fragment(const SparseMma& row, int n, int selector);

// "mma.sp.m16n8k32"
std::string sparse_name(const SparseMma& row, int n, bool is_ordered);

Fragment find_sparse(InstructionFamily family, const NameParts& said, const FragmentRequest& request);

}  // namespace swz

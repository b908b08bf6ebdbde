// SPDX-License-Identifier: Apache-2.0
// Layouts of tensor memory and of scale factors by name, for expressions.
//
//   tmem_d(128,256,2)             (64,(128,2)):(65536,(1,4194304))      D of a pair: (row of the CTA, n) -> address
//   sf_gmem(256,64)               ((32,4,2),(4,16)):((16,4,8192),(1,512))
//   tcgen05.ld.16x256b.x4         ((4,8),(2,2,4)):((2,65536),(1,524288,8))
//
// Values count the units of the memory: for D, ld, st and cp they count cells of 32 bits, so that a value is an
// address, lane * 65536 + column; for A its containers; for scale factors bytes; for metadata nibbles of 4 bits.
// CuTe's tensors of tensor memory count in the same way, except that metadata count elements.
//
// Source: src/tmem, which has each layout next to its formula.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "expr/evaluate.hpp"

namespace swz {

// The functions of the rows in functions.cpp.
Value tmem_d(std::span<const Value> a);
Value tmem_d_sparse(std::span<const Value> a);
Value tmem_d_ws(std::span<const Value> a);
Value tmem_a(std::span<const Value> a);
Value tmem_a_ws(std::span<const Value> a);
Value tmem_metadata(std::span<const Value> a);
Value sf_gmem(std::span<const Value> a);
Value sf_gmem_8x4(std::span<const Value> a);
Value sf_gmem_deepgemm(std::span<const Value> a);
Value sf_smem(std::span<const Value> a);
Value sf_tmem(std::span<const Value> a);
Value sf_tmem_2x2(std::span<const Value> a);

// The notes for an answer that uses such a function: that nothing was measured, and the open question to which it is
// the first answer. Empty for other functions.
std::vector<Finding> tensor_memory_notes(std::string_view function, std::span<const Value> a);

// "tcgen05.ld.16x256b.x4", "tcgen05.cp.32x128b.warpx4". Throws Error with the nearest name.
Layout instruction_layout(std::string_view name);

}  // namespace swz

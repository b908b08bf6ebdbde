// SPDX-License-Identifier: Apache-2.0
// Column blocks: how every project that feeds wgmma or TMA stores an array wider than one swizzle span.
//
//   blocks of w columns, the rows of a block w apart, the XOR of a hardware mode on top
//
//   columns outermost   (c/w)·R·w + r·w + c mod w            (R,(w,C/w)):(w,(1,R·w))
//   dense pages         groups of 8 rows outermost           ((8,R/8),(w,C/w)):((w,8·C),(1,8·w))
//
//   64x128 bf16 in mode 128B: w = 64; element (1,72) lies at 4096 + 64 + (8 ^ 8) = 4160, in dense pages at
//   512 + 64 + (8 ^ 8) = 576
//
// Invariant (tested by brute force): both are bijections onto R·C elements. Source: facts of each project, named in its file.
#pragma once

#include <optional>
#include <string>

#include "arch/swizzle_mode.hpp"
#include "dialect/dialect.hpp"

namespace swz {

enum class BlockOrder { columns_outermost, dense_pages };

struct ColumnBlocks {
  std::int64_t rows = 1, columns = 1;
  std::int64_t width = 1;                            // divides columns
  Swizzle swizzle = {};                              // on elements
  BlockOrder order = BlockOrder::columns_outermost;  // dense pages: rows are a multiple of 8
};
ComposedLayout blocked_layout(const ColumnBlocks& blocks);
// The two modes of a layout exchanged.
ComposedLayout transposed(const ComposedLayout& layout);

// One row of the mode, in elements. Throws Error for elements that it does not keep whole.
std::int64_t span_elements(const SwizzleMode& mode, int element_bits);
Swizzle element_swizzle(const SwizzleMode& mode, int element_bits);
// Of rows x columns in this mode. Throws Error where columns are not whole spans.
ColumnBlocks blocks_in_mode(const SwizzleMode& mode, int element_bits, std::int64_t rows, std::int64_t columns);

// Rows and columns of what was said. Throws Error when it is another rank.
struct Extents2 {
  std::int64_t rows, columns;
};
Extents2 required_extents(const Given& given);
// Throws Error when --shape says something else than the text.
void require_same_shape(const Given& given, const ArrayShape& of_text);

// ---- for writers

// The form, when it is of one CTA's shared memory. Null: `why` says what it is.
const SharedForm* plain_shared(const LayoutForm& form, std::string& why);
// Its type, or any of its width. Null: not said.
const DType* any_dtype(ElementWidth element);
// The first of these texts that reads as the same function; empty: none does.
std::string first_equal(const SharedForm& form, const std::vector<std::string>& texts,
                        Reading (*read)(std::string_view, const Given&));
// What is said of a swizzle that acts on addresses.
Finding base_alignment_note(const Swizzle& on_bytes);

}  // namespace swz

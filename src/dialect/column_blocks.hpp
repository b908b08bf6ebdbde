// SPDX-License-Identifier: Apache-2.0
// Column blocks: how every project that feeds wgmma or TMA stores an array that is wider than one swizzle span.
//
//   blocks of w columns, the rows of a block w apart, then the XOR of a hardware mode
//
//   columns outermost   (c/w)·R·w + r·w + c mod w            (R,(w,C/w)):(w,(1,R·w))
//   dense pages         groups of 8 rows outermost           ((8,R/8),(w,C/w)):((w,8·C),(1,8·w))
//
//   64x128 bf16 in mode 128B: w = 64; element (1,72) is at 4096 + 64 + (8 ^ 8) = 4160, in dense pages at
//   512 + 64 + (8 ^ 8) = 576
//
// Invariant (tested by brute force): both are bijections onto R·C elements. Source: each project, named in its file.
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
  BlockOrder order = BlockOrder::columns_outermost;  // for dense pages, rows are a multiple of 8
};
ComposedLayout blocked_layout(const ColumnBlocks& blocks);
// The layout with its two modes exchanged.
ComposedLayout transposed(const ComposedLayout& layout);

// The width of one row of the mode, in elements. Throws Error for elements that it does not keep whole.
std::int64_t span_elements(const SwizzleMode& mode, int element_bits);
Swizzle element_swizzle(const SwizzleMode& mode, int element_bits);
// The blocks of rows x columns in this mode. Throws Error if the columns are not whole spans.
ColumnBlocks blocks_in_mode(const SwizzleMode& mode, int element_bits, std::int64_t rows, std::int64_t columns);

// The rows and columns of the given shape. Throws Error if it has another rank.
struct Extents2 {
  std::int64_t rows, columns;
};
Extents2 required_extents(const Given& given);
// Throws Error if --shape differs from the shape of the text.
void require_same_shape(const Given& given, const ArrayShape& of_text);

// ---- for writers

// The form, if it is in the shared memory of one CTA. Otherwise null, and `why` gives the reason.
const SharedForm* plain_shared(const LayoutForm& form, std::string& why);
// The element type, or any type of its width. Null if the width is not known.
const DType* any_dtype(ElementWidth element);
// The first of these texts that reads as the same function; empty if none does.
std::string first_equal(const SharedForm& form, const std::vector<std::string>& texts,
                        Reading (*read)(std::string_view, const Given&));
// The note for a swizzle that acts on addresses.
Finding base_alignment_note(const Swizzle& on_bytes);

}  // namespace swz

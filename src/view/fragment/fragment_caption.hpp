// SPDX-License-Identifier: Apache-2.0
// What the caption of a fragment's picture says: whose value a cell is, and what else its texts mean.
//
//   mma.m16n8k16    "T5 a2,a3 are values 2 and 3 of thread 5."     shades: " A shade is a lane of its group of four."
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/fragment/fragment.hpp"

namespace swz {

// Sets the caption, its brief form and what it says of shades.
void set_caption(Figure& figure, const std::vector<Fragment>& fragments, const FragmentDrawing& drawing);
// What a caption of operands in a column says of scale factors; empty without any.
std::string narrow_scales_text(const std::vector<Fragment>& fragments);

// ---- what the cells are

const Fragment* find(const std::vector<Fragment>& fragments, Operand operand);
// What the values of an operand are called in its registers; C and D are one panel if their maps are equal.
std::string_view letter_of(const Fragment& f);
// In a fragment of tensor memory or memory, lanes are not those of a warp: "threads".
std::string_view thread_words(const Fragment& f);
// Whether a page shows registers as cells: nothing that is marked is a single element.
inline bool shows_registers(const FragmentDrawing& drawing) {
  return drawing.joins_registers && drawing.highlight.empty() && drawing.query.empty();
}
// True for tensor memory in which a register is one value.
inline bool has_whole_cells(const Fragment& f) { return f.operand == Operand::tmem && f.bits == 32; }
// True for ldmatrix and stmatrix, in which lane r supplies the address of row r.
inline bool has_row_addresses(const Fragment& f) { return f.operand == Operand::memory; }

}  // namespace swz

// The pictures of fragments: the matrix with the thread and value of each element, and the registers of each thread
// with the row and column of each value.
//
//   mma.m16n8k16 A   matrix (1, 4): "T6 V0"      registers, thread 6, r0 V0: "1,4"
#pragma once

#include <vector>

#include "view/fragment.hpp"

namespace swz {

// Matrix and registers side by side.
Figure figure_of(const Fragment& f, const FragmentDrawing& drawing);

// The matrices of one instruction as CuTe draws them: B (K x N) top right, A (M x K) bottom left, C and D (M x N)
// bottom right. C has a panel of its own only where its map differs from D's.
Figure figure_of(const std::vector<Fragment>& fragments, const FragmentDrawing& drawing);

// Whether a panel of this fragment shows only a corner.
bool is_cut(const Fragment& f, const FragmentDrawing& drawing);
// "A (M x K)"
std::string operand_title(const Fragment& f);
// "r1 bits 16-31"
std::string slot_text(const Fragment& f, int value);
// ldmatrix and stmatrix: lane r supplies the address of row r.
bool has_row_addresses(const Fragment& f);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Cells of a picture that show what one thread has side by side, as the PTX manual does: the elements of one register,
// of a result the two neighbours that a thread has.
//
//   A of mma.m16n8k16, f16: (0, 0) "T0 V0" and (0, 1) "T0 V1" become "T0 a0,a1" under k 0-1
//   C and D:                (0, 0) "T0 V0" and (0, 1) "T0 V1" become "T0 c0,c1"
//   B:                      (0, 0) "T0 V0" and (1, 0) "T0 V1" become "T0 b0,b1" at k 0-1: one below the other
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "fragment/fragment.hpp"
#include "view/document/document.hpp"

namespace swz {

// Joins the squares of the matrix, whose squares are its elements. The grid stays as it is if neighbours are not of one
// thread, or have more than one colour. letter: what the values are called, "a". tip: of a cell that begins with this
// value and has so many rows and columns.
using CellTip = std::function<std::string(Holder first, Coordinate extent)>;
void join_registers(Grid& matrix, const Fragment& f, std::string_view letter, const CellTip& tip);

// How many neighbours a cell has: the elements of a register, or two of a result; 1 where nothing is joined.
int joined_count(const Fragment& f);

}  // namespace swz

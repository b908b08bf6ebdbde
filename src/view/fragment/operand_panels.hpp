// SPDX-License-Identifier: Apache-2.0
// The panels of the operands of one instruction as a page has them: scale factors beside their operand, and the same for
// a column of a paper, where a cell has room for the thread only.
//
//   m16n8k16, operand a, at 900 px     in a column      a0,a1 | a4,a5     its values in each block of cells, as the
//     T0 a0,a1   T1 a0,a1                               a2,a3 | a6,a7     blocks lie
//                                                       0  1  2  3 | 0  …
#pragma once

#include <optional>

#include "fragment/fragment.hpp"
#include "view/document/document.hpp"

namespace swz {

// A column of SFA, left of A, or the rows of SFB, above B. A cell is the thread that has the factor: "T30"; the heading
// says which of its factors, if there are several.
Grid scale_panel(Grid scales, const Fragment& f);

// For a text, which is long and narrow: SFB below the rows of B, SFA below A as rows, one for each block. A figure
// without scale factors stays as it is.
void put_scales_below(Figure& figure);

// A figure of operands with numbers of threads as cells; none if the values of a block differ from cell to cell.
// `factors`: what the caption says of scale factors.
std::optional<Figure> narrow_operands(const Figure& figure, const std::string& factors);

}  // namespace swz

// A C expression as an affine map over GF(2): every bit of its value is an XOR of bits of the argument and a
// constant. Read off the steps of the expression, without evaluating it anywhere.
//
//   addr ^ ((addr >> 3) & 0x70)          columns 1, 2, ..., 0x40, 0x80 ^ 0x10, 0x100 ^ 0x20, ...; constant 0
//   row * 64 + ((col / 8 ^ row % 8) * 8 + col % 8)      with col < 64: the sums add no two bits of one place
//
// ^, ~, shifts by a constant and & or | with a constant always are; + and | when the two sides have no bit in
// common, - when the right side is a part of the left; * / % by a constant where they come down to these. None says
// that this reading does not see it: the expression may be affine nevertheless.
//
// Invariant (tested): where there is a map, it agrees with the expression at every argument.
#pragma once

#include <optional>

#include "expr/c_expression.hpp"
#include "layout/linear_map.hpp"

namespace swz {

// Of an address of `bits` bits; of a coordinate the lowest col_bits are col and the rest are row.
std::optional<AffineMap> affine_of(const CExpression& expression, int bits, int col_bits = 0);

}  // namespace swz

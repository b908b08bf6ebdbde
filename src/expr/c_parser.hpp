// C parser: the text of a C expression to the steps that evaluate it. The grammar stands in c_expression.hpp.
//
//   compile_c("addr ^ 3 << 1", "addr")  first, constant 3, constant 1, shift_left, bit_xor
//
// Binary operators are read by precedence climbing: a loop for operators of one strength, one level of recursion
// for each stronger one, so that only brackets, unary operators and ?: make it deep; those are counted.
#pragma once

#include <string_view>
#include <vector>

#include "expr/c_expression.hpp"

namespace swz {

struct CProgram {
  std::vector<CStep> steps;
  bool has_coordinates = false;
};

// Throws Error tied to `text`.
CProgram compile_c(std::string_view text, std::string_view address);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Numbers of a text that look like words but are not: operands of a computation, and the encodings of instructions in a
// listing of machine code.
//
//   "0x42 | 0x4000004000010000"              each is a part of the value of the expression
//   "desc |= 0x4000004000010000"             the previous value is not in the text
//   "or.b64 %rd7, %rd6, 4611686293313683456;"
//   "/*0130*/ ULDC.64 UR4, c[0x0][0x208] ;  /* 0x0000820000047ab9 */"
//
// "|" is a column of a table if it begins the line, is between two whole words, or comes after another name.
#pragma once

#include <string_view>

#include "descriptor/text_numbers.hpp"

namespace swz {

// The shift of a number in a text, "1 << 62"; empty if there is none. gemm<<<1, 1>>> is not one.
std::string_view shift_in(std::string_view text);

// The computation of which the number is an operand, "0x42 | 0x4000004000010000"; empty if it is in none. The number
// must be a part of the text.
std::string_view computation_with(std::string_view text, const TextNumber& number);

// Whether the text is a listing of cuobjdump -sass or nvdisasm.
bool is_machine_code(std::string_view text);
[[noreturn]] void refuse_machine_code();

}  // namespace swz

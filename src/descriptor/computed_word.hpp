// SPDX-License-Identifier: Apache-2.0
// Numbers of a text that look like words but are not: operands of a computation, and the encodings of instructions in a
// listing of machine code.
//
//   "0x42 | 0x4000004000010000"              each is a part of the value of the expression
//   "~0x4000004000010042"                    the word is its complement
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

// The number of a line from `begin` to `end`, with the operator or the function before it that changes its value:
// "~0x42", "- 66", "__builtin_bswap64(0x42)"; empty if there is none. A dash in a name, a range or between two columns
// of a log is not one.
std::string_view changed_number(std::string_view line, std::size_t begin, std::size_t end);

// Whether the text is a listing of cuobjdump -sass or nvdisasm.
bool is_machine_code(std::string_view text);
[[noreturn]] void refuse_machine_code();

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Numbers of a text that are no words although they look so: operands of a computation, and the encodings of
// instructions in a listing of machine code.
//
//   "0x42 | 0x4000004000010000"              each is a part of what the expression makes
//   "desc |= 0x4000004000010000"             what was there before is not in the text
//   "or.b64 %rd7, %rd6, 4611686293313683456;"
//   "/*0130*/ ULDC.64 UR4, c[0x0][0x208] ;  /* 0x0000820000047ab9 */"
//
// "|" is a column of a table where it begins the line, stands between two whole words, or behind another name.
#pragma once

#include <string_view>

#include "descriptor/text_numbers.hpp"

namespace swz {

// "1 << 62" in a text: a shift of a number; empty: none. What stands in gemm<<<1, 1>>> is none.
std::string_view shift_in(std::string_view text);

// What the number is an operand of, "0x42 | 0x4000004000010000"; empty: of nothing. The number is one of the text.
std::string_view computation_with(std::string_view text, const TextNumber& number);

// Whether the text is a listing of cuobjdump -sass or nvdisasm.
bool is_machine_code(std::string_view text);
[[noreturn]] void refuse_machine_code();

}  // namespace swz

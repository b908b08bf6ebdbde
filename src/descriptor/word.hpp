// Text to word: what a debugger, a source file or a log prints.
//
//   parse_word64("0x4000'0040'0001'0042ull") == 0x4000004000010042
//   parse_word64("4611686293305360450")      == 0x4000004000010042
//   parse_word64("4000004000010042")         is decimal; descriptors are read by word_text.hpp, for which it is not
//
// Accepted: what base/number.hpp reads, with blanks around it. Anything else, and more bits than asked for, throws
// Error with the offending word.
#pragma once

#include <cstdint>
#include <string_view>

namespace swz {

std::uint64_t parse_word64(std::string_view text);
std::uint32_t parse_word32(std::string_view text);

}  // namespace swz

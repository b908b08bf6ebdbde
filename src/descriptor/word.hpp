// Text to word: what a debugger, a source file or a log prints.
//
//   parse_word64("0x4000'0040'0001'0042ull") == 0x4000004000010042
//   parse_word64("4611686293305360450")      == 0x4000004000010042
//   parse_descriptor("4000004000010042")     == 0x4000004000010042, is_bare_hex
//
// 16 digits without 0x are how debuggers print 64 bits. Read as decimal they would lie between 10^15 and 10^16:
// mode none (bits 61-63 are 0) with a base offset or reserved bits (one of bits 49-53 is 1), which no descriptor has.
// So a descriptor of 16 digits is hexadecimal; other numbers are decimal, however many digits they have.
//
// Accepted: what base/number.hpp reads, with blanks around it. Anything else, and more bits than asked for, throws
// Error with the offending word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace swz {

std::uint64_t parse_word64(std::string_view text);
std::uint32_t parse_word32(std::string_view text);

struct DescriptorText {
  std::uint64_t word = 0;
  bool is_bare_hex = false;  // 16 hexadecimal digits without 0x
};
DescriptorText parse_descriptor(std::string_view text);

// "16 digits without 0x are read as hexadecimal; as a decimal number they would be 0x000e35fb81854f3a"
std::string bare_hex_message(std::string_view text);

}  // namespace swz

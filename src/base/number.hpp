// SPDX-License-Identifier: Apache-2.0
// Unsigned numbers in the spelling of C, and as debuggers and logs print them.
//
//   parse_unsigned("0x4000'0040'0001'0042ull", 64, …) == 0x4000004000010042
//   parse_unsigned("0b1010", 64, …)                   == 10
//
// Accepted are hexadecimal with 0x, binary with 0b, and decimal, with _ or ' between digits and C's suffixes u, l, ul,
// ull. A decimal number may not begin with 0 (octal in C, hexadecimal in a register dump).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace swz {

// The number, or none if the text is anything else or needs more than 64 bits.
std::optional<std::uint64_t> find_unsigned(std::string_view word);
// The number, or none unless the text is only digits of this radix with _ or ' between them.
std::optional<std::uint64_t> find_digits(std::string_view digits, int radix);

// The parts of the error messages that depend on what the number is for.
struct NumberHints {
  std::string forms;     // how to write one
  std::string too_wide;  // why it cannot have more bits
};

// The number. Throws Error, which quotes the word, if it is anything else or needs more than `bits` bits.
std::uint64_t parse_unsigned(std::string_view word, int bits, const NumberHints& hints);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Unsigned numbers as C writes them, and as debuggers and logs print them.
//
//   parse_unsigned("0x4000'0040'0001'0042ull", 64, …) == 0x4000004000010042
//   parse_unsigned("0b1010", 64, …)                   == 10
//
// Accepted: 0x hexadecimal, 0b binary, decimal, with _ or ' between digits and C's suffixes u, l, ul, ull. A
// decimal number may not begin with 0 (octal in C, hexadecimal in a register dump).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace swz {

// None for anything else and for more than 64 bits.
std::optional<std::uint64_t> find_unsigned(std::string_view word);
// None unless the text is digits of this radix, with _ or ' between them.
std::optional<std::uint64_t> find_digits(std::string_view digits, int radix);

// What a reader of such a number is told; the rest is the same for all.
struct NumberHints {
  std::string forms;     // how to write one
  std::string too_wide;  // why it has no more bits
};

// Throws Error, which quotes the word, for anything else and for more than `bits` bits.
std::uint64_t parse_unsigned(std::string_view word, int bits, const NumberHints& hints);

}  // namespace swz

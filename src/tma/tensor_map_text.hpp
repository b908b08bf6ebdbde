// A CUtensorMap as people have it: 256 hexadecimal digits, or what a debugger printed.
//
//   parse_tensor_map("0000…1065…")                          bytes in memory order, with or without blanks
//   parse_tensor_map("0x7f…00:\t0x0000000000000000\t0x0000020000006510 …")    x/16gx of cuda-gdb: 64-bit words
//   parse_tensor_map("0x7f…00:\t0x00000000\t0x00000000 …")                    x/32wx: 32-bit words
//   parse_tensor_map("0x00, 0x10, …")                                           bytes
//
// A number with 0x is a little-endian word of as many bytes as it has digits for; digits without 0x are bytes as
// they stand in memory. What precedes a colon in a line is an address or a symbol and is dropped.
//
// Invariant (tested): to_hex and the debugger's forms of it parse to the same map.
#pragma once

#include <string_view>

#include "tma/tensor_map.hpp"

namespace swz {

// Whether the text has more than 40 hexadecimal digits, so that it is no descriptor.
bool looks_like_tensor_map(std::string_view text);

// Whether parse_tensor_map takes it.
bool holds_tensor_map(std::string_view text);

// Throws Error for what is no hexadecimal digit, and for more or fewer than 128 bytes.
EncodedTensorMap parse_tensor_map(std::string_view text);

}  // namespace swz

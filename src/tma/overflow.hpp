// What a number that cannot be a size was before it was widened: the traces of a 32-bit product that overflowed.
//
//   overflow_remark(18446744071562067968, 16)  " (-2147483648 as a signed number: …)"   int widened with its sign
//   overflow_remark(2305843007066210304, 16)   " (2^61 - 2147483648: …)"                 … then bits / 8
//   widened_int32(4294967168, 16)              -128                                      int widened without
//
// The second one is a stride that FlashInfer computed for K and V of 131,072 x 128 x 192 elements: they are 3 *
// 2^30, as an int -2^30; times 16 bits and divided by 8 in unsigned 64 bits
// (github.com/sgl-project/sglang/issues/13775).
//
// Both take the bits of an element; 0: not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace swz {

// Empty: nothing tells that it was a negative number. `value` is beyond its bound.
std::string overflow_remark(std::uint64_t value, int element_bits);

// Of a value that is within its bound: the small negative number whose 32 bits it has, or whose product with the
// element's bytes it is. None: it lies more than 16 MiB below 2^32.
std::optional<std::int64_t> widened_int32(std::uint64_t value, int element_bits);

}  // namespace swz

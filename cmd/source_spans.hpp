// SPDX-License-Identifier: Apache-2.0
// Source spans: the places in a source file (.cu, .cuh, .py, …) that swz can say something about, for an editor.
//
//   const uint64_t desc = 0x4000004000010040ull;         0x4000004000010040   swz decode
//   using Atom = Swizzle<3, 4, 3>;                       Swizzle<3, 4, 3>     swz swizzle explain 3,4,3
//   auto l = make_layout(make_shape(_8{}, _64{}), …);    the whole call       swz layout
//   cuTensorMapEncodeTiled(&map, …);                     the whole call       swz tma check --paste, with what is above it
//
// A span is a place where a text of this kind begins and ends; whether it can be answered shows when it is asked. Hex
// numbers of 9 to 16 digits are words; those of fewer digits are too often something else.
//
// Invariants (tested, fuzzed): spans are inside the text and in the order of their begin; a span of calls is balanced; the
// time is linear in the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "words.hpp"

namespace swz {

struct SourceSpan {
  std::size_t begin = 0, end = 0;  // bytes of the text
  Words question;                  // the words of a command line
  bool is_claim = false;           // what is wrong with it is worth a mark: a descriptor by its name, a tensor map
};

// At most `most` of them, those at the beginning first.
std::vector<SourceSpan> source_spans(std::string_view text, std::size_t most);

}  // namespace swz

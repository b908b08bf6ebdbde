// SPDX-License-Identifier: Apache-2.0
// Bit lines: memory in words of 32 bits, whose cells show which element they contain.
//
//   fp4 with gaps, cells of 2 bits     byte 0   0 0 1 1 2 2 … 7 7
//                                      byte 4   8 8 9 9 … 15 15
//                                      byte 8   a gap, as is byte 12
//
// Bits count from the left, as addresses do: bit 0 of byte 0 first. So an element is split only at the end of a line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "view/document/document.hpp"

namespace swz {

struct BitLines {
  std::string title;
  std::vector<std::string> words = {};  // what each line is: "byte 32", "column 8"
  int cell_bits = 4;                    // of a cell: divides the bits of an element and of a gap
  int group_bits = 8;                   // between heavier lines
  std::string prefix = {};              // before the number of an element, if its cell has room
  std::int64_t asked = -1;              // element that is highlighted; -1 for none
};
// element_at: the element of a bit, counted from the first word; none for a gap.
Grid bit_lines(const BitLines& lines, const std::function<std::optional<std::int64_t>(int bit)>& element_at);

}  // namespace swz

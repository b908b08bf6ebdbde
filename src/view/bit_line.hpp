// SPDX-License-Identifier: Apache-2.0
// Bit lines: memory in words of 32 bits, whose cells say which element they hold.
//
//   fp4 with gaps, cells of 2 bits     byte 0   0 0 1 1 2 2 … 7 7
//                                      byte 4   8 8 9 9 … 15 15
//                                      byte 8   a gap, as byte 12
//
// Bits count from the left, as addresses do: bit 0 of byte 0 first. So an element is torn apart at a line's end only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "view/document.hpp"

namespace swz {

struct BitLines {
  std::string title;
  std::vector<std::string> words = {};  // what each line is: "byte 32", "column 8"
  int cell_bits = 4;                    // of a cell: divides what lies in it
  int group_bits = 8;                   // between heavier lines
  std::string prefix = {};              // before the number of an element, where a cell has room
  std::int64_t asked = -1;              // element that is highlighted
};
// element_at: of a bit, counted from the first word; nothing: a gap.
Grid bit_lines(const BitLines& lines, const std::function<std::optional<std::int64_t>(int bit)>& element_at);

}  // namespace swz

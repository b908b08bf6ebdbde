// SPDX-License-Identifier: Apache-2.0
#include "view/document/bit_line.hpp"

#include <fmt/format.h>

#include "view/document/figure.hpp"

namespace swz {

Grid bit_lines(const BitLines& lines, const std::function<std::optional<std::int64_t>(int bit)>& element_at) {
  constexpr int word_bits = 32, roomy_bits = 4, byte_bits = 8;
  const bool is_roomy = lines.cell_bits >= roomy_bits;
  // Where cells are narrow, only the first of a byte has a heading.
  const auto label = [&](std::int64_t bit) {
    return is_roomy ? range_text(bit, lines.cell_bits) : bit % byte_bits == 0 ? std::to_string(bit) : std::string();
  };
  const auto square_at = [&](std::int64_t word, std::int64_t cell) {
    Grid::Square square;
    const auto element = element_at(static_cast<int>(word) * word_bits + static_cast<int>(cell) * lines.cell_bits);
    if (!element) {
      square.outside = 1;
      square.tip = "no element";
      return square;
    }
    // Of an element in several cells only the first is named.
    const int bit = static_cast<int>(word) * word_bits + static_cast<int>(cell) * lines.cell_bits;
    const bool is_first = cell == 0 || element_at(bit - lines.cell_bits) != element;
    if (is_first) square.text = (is_roomy ? lines.prefix : "") + std::to_string(*element);
    square.tint = {static_cast<int>(*element % 8), static_cast<int>(*element / 8 % 2) * 2};
    square.mark = *element == lines.asked ? Mark::highlighted : Mark::none;
    square.tip = fmt::format("element {}", *element);
    return square;
  };
  Grid grid = grid_of(lines.title, "bit", lines.words, labels_of(word_bits, lines.cell_bits, label), square_at);
  grid.column_group = lines.group_bits / lines.cell_bits;
  return grid;
}

}  // namespace swz

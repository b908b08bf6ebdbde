// SPDX-License-Identifier: Apache-2.0
#include "view/fragment/register_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "view/document/figure.hpp"

namespace swz {

namespace {

bool is_result(const Fragment& f) { return f.operand == Operand::c || f.operand == Operand::d; }

// Whether the elements from `first` on, each `move` after the one before, are consecutive values of one thread.
bool are_one(const FragmentInverse& holder_of, Coordinate first, Coordinate move, int count) {
  const Holder start = holder_of(first);
  for (int i = 1; i < count; ++i) {
    const Holder next = holder_of({first.row + i * move.row, first.column + i * move.column});
    if (next.thread != start.thread || next.value != start.value + i) return false;
  }
  return true;
}

bool all_are_one(const Fragment& f, Coordinate move, int count) {
  const FragmentInverse holder_of(f);
  for (int row = 0; row<f.rows; row += move.row> 0 ? count : 1)
    for (int column = 0; column<f.columns; column += move.column> 0 ? count : 1)
      if (!are_one(holder_of, {row, column}, move, count)) return false;
  return true;
}

std::vector<std::string> joined_labels(const std::vector<std::string>& labels, std::size_t count) {
  std::vector<std::string> joined;
  // "0 <- lane 0" names a row and who gives its address.
  const auto row_of = [](const std::string& label) { return label.substr(0, label.find(' ')); };
  for (std::size_t i = 0; i < labels.size(); i += count)
    joined.push_back(row_of(labels[i]) + "-" + row_of(labels[i + count - 1]));
  return joined;
}

// "T0 a0,a1"; of more than two "T0 a0-3".
std::string joined_text(const Holder& first, std::string_view letter, int count) {
  return count == 2 ? fmt::format("T{} {}{},{}{}", first.thread, letter, first.value, letter, first.value + 1)
                    : fmt::format("T{} {}{}", first.thread, letter, range_text(first.value, count));
}

}  // namespace

int joined_count(const Fragment& f) { return std::max(f.register_bits() / f.bits, is_result(f) ? 2 : 1); }

void join_registers(Grid& matrix, const Fragment& f, std::string_view letter, const CellTip& tip) {
  const int count = joined_count(f);
  const bool is_factor = f.operand == Operand::sfa || f.operand == Operand::sfb || f.operand == Operand::e;
  if (count == 1 || f.tiles > 1 || is_factor || f.operand == Operand::tmem) return;
  const bool across = f.columns % count == 0 && all_are_one(f, {0, 1}, count);
  if (!across && !(f.rows % count == 0 && all_are_one(f, {1, 0}, count))) return;
  const auto step = static_cast<std::size_t>(count);
  const FragmentInverse holder_of(f);
  std::vector<std::vector<Grid::Square>> squares;
  for (std::size_t r = 0; r < matrix.squares.size(); r += across ? 1 : step) {
    std::vector<Grid::Square>& row = squares.emplace_back();
    for (std::size_t c = 0; c < matrix.squares[r].size(); c += across ? step : 1) {
      Grid::Square joined = matrix.squares[r][c];
      for (std::size_t i = 1; i < step; ++i) {
        const Grid::Square& next = across ? matrix.squares[r][c + i] : matrix.squares[r + i][c];
        if (next.tint != joined.tint || next.mark != joined.mark) return;
      }
      const Holder first = holder_of({static_cast<int>(r), static_cast<int>(c)});
      joined.text = joined_text(first, letter, count);
      joined.brief = fmt::format("T{} {}{}", first.thread, letter, first.value);
      joined.tip = tip(first, across ? Coordinate{1, count} : Coordinate{count, 1});
      row.push_back(std::move(joined));
    }
  }
  matrix.squares = std::move(squares);
  std::vector<std::string>& labels = across ? matrix.column_labels : matrix.row_labels;
  labels = joined_labels(labels, step);
  int& group = across ? matrix.column_group : matrix.row_group;
  group = group % count == 0 ? group / count : 0;
}

}  // namespace swz

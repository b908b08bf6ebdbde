// SPDX-License-Identifier: Apache-2.0
#include "view/fragment/operand_panels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "view/document/figure.hpp"

namespace swz {

Grid scale_panel(Grid scales, const Fragment& f) {
  const bool is_of_a = f.operand == Operand::sfa;
  std::vector<std::string>&blocks = is_of_a ? scales.column_labels : scales.row_labels,
  &others = is_of_a ? scales.row_labels : scales.column_labels;
  scales.title = is_of_a ? "SFA" : "SFB";
  scales.corner = "";
  scales.column_group = 0;
  scales.row_group = is_of_a ? 8 : 0;
  for (std::size_t r = 0; r < scales.squares.size(); ++r)
    for (std::size_t c = 0; c < scales.squares[r].size(); ++c) {
      std::string& text = scales.squares[r][c].text;
      if (text.ends_with(fmt::format(" s{}", is_of_a ? c : r))) text.resize(text.find(' '));
    }
  others.clear();
  if (blocks.size() == 1) blocks.clear();
  else scales.title += ", by block";
  return scales;
}

void put_scales_below(Figure& figure) {
  if (figure.panels.size() != 3 || figure.panels[0].size() != 3 || !figure.panels[0][2].title.starts_with("SFB"))
    return;
  const Grid &sfb = figure.panels[0][2], &column = figure.panels[2][0];
  Grid b = figure.panels[1][2], sfa = column;
  for (std::size_t block = 0; block < sfb.squares.size(); ++block) {
    b.row_labels.push_back(sfb.squares.size() == 1 ? "SFB" : "SFB " + sfb.row_labels[block]);
    b.squares.push_back(sfb.squares[block]);
  }
  b.title += " and SFB";
  const std::size_t blocks = column.squares.front().size();
  sfa.title = "SFA (blocks x M)";
  sfa.corner = "m";
  sfa.row_group = 0;
  sfa.column_labels = number_labels(std::ssize(column.squares));
  sfa.row_labels = number_labels(static_cast<std::int64_t>(blocks));
  sfa.squares.assign(blocks, {});
  for (const auto& row : column.squares)
    for (std::size_t block = 0; block < blocks; ++block) sfa.squares[block].push_back(row[block]);
  figure.panels = {{Grid(), std::move(b)}, {figure.panels[2][1], figure.panels[2][2]}, {std::move(sfa), Grid()}};
}

namespace {

// "T5 a2,a3" is thread "5" and its values "a2,a3".
struct CellWords {
  std::string thread, values;
};

CellWords words_of(const std::string& text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  return {text.substr(std::min<std::size_t>(1, space), space - 1), text.substr(std::min(space + 1, text.size()))};
}

// The values of the cells of a block; none if they are not the same.
std::optional<std::string> values_of(const Grid& grid, std::size_t row, std::size_t column, std::size_t rows,
                                     std::size_t columns) {
  const std::string values = words_of(grid.squares[row][column].text).values;
  for (std::size_t r = row; r < row + rows; ++r)
    for (std::size_t c = column; c < column + columns; ++c)
      if (words_of(grid.squares[r][c].text).values != values) return {};
  return values;
}

// The values of each block above its columns, one line for each row of blocks; none if a block has different values.
std::optional<std::vector<Grid::Level>> levels_of(const Grid& grid) {
  const std::size_t rows = grid.squares.size(), columns = grid.squares.front().size();
  const auto size_of = [](int group, std::size_t all) {
    return group > 0 && all % static_cast<std::size_t>(group) == 0 ? static_cast<std::size_t>(group) : all;
  };
  const std::size_t high = size_of(grid.row_group, rows), wide = size_of(grid.column_group, columns);
  std::vector<Grid::Level> levels;
  for (std::size_t row = 0; row < rows; row += high) {
    Grid::Level level{static_cast<int>(wide), {}};
    for (std::size_t column = 0; column < columns; column += wide) {
      const std::optional<std::string> values = values_of(grid, row, column, high, wide);
      if (!values) return {};
      level.labels.push_back(*values);
    }
    levels.insert(levels.begin(), std::move(level));  // they are from the inside to the outside
  }
  return levels;
}

std::string first_of(const std::string& label) { return label.substr(0, label.find('-')); }

// One operand; false if a block has different values.
bool make_narrow(Grid& grid) {
  const bool has_values = !words_of(grid.squares.front().front().text).values.empty();
  const std::optional<std::vector<Grid::Level>> levels = has_values ? levels_of(grid) : std::nullopt;
  if (has_values && !levels) return false;
  if (levels) grid.column_levels = *levels;
  for (std::vector<std::string>* labels : {&grid.row_labels, &grid.column_labels})
    for (std::string& label : *labels) label = first_of(label);
  for (auto& row : grid.squares)
    for (Grid::Square& square : row) {
      square.text = words_of(square.text).thread;
      square.brief.clear();
    }
  return true;
}

}  // namespace

std::optional<Figure> narrow_operands(const Figure& figure, const std::string& factors) {
  constexpr std::size_t most_columns = 3;  // SFA, A and D
  Figure narrow = figure;
  for (auto& row : narrow.panels) {
    if (row.size() > most_columns) return {};
    for (Grid& grid : row) {
      if (grid.squares.empty()) continue;
      if (!make_narrow(grid)) return {};
      // All of it: a number does not say how the values of two blocks differ.
      for (std::size_t at = 0; at < grid.squares.size(); ++at) grid.key_rows.push_back(at);
      for (std::size_t at = 0; at < grid.squares.front().size(); ++at) grid.key_columns.push_back(at);
    }
  }
  narrow.caption = "A number is a thread. Above the columns are its values in each block, as the blocks lie." + factors;
  narrow.brief_caption.clear();
  narrow.about_shades.clear();
  return narrow;
}

}  // namespace swz

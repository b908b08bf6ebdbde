// SPDX-License-Identifier: Apache-2.0
#include "view/banks/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace swz {

void fold_columns(Grid& grid, std::int64_t banks, const std::string& name) {
  constexpr std::int64_t fewest_banks = 16;
  std::vector<bool> is_touched(grid.column_labels.size(), false);
  for (const auto& row : grid.squares)
    for (std::size_t c = 0; c < row.size(); ++c) is_touched[c] = is_touched[c] || !row[c].text.empty();
  for (std::size_t end = is_touched.size(); end > 0;) {
    std::size_t first = end;
    while (first > 0 && !is_touched[first - 1]) --first;
    if (const std::size_t count = end - first; static_cast<std::int64_t>(count) * banks >= fewest_banks) {
      const auto drop = [&](auto& list) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                   list.begin() + static_cast<std::ptrdiff_t>(end));
      };
      const std::string label =
          range_text(static_cast<std::int64_t>(first) * banks, static_cast<std::int64_t>(count) * banks);
      drop(grid.column_labels);
      grid.column_labels[first] = name.empty() ? label : name;
      for (auto& row : grid.squares) {
        drop(row);
        row[first] = {};
        row[first].tip = fmt::format("banks {}: nothing", label);
        row[first].outside = 1;
      }
    }
    end = first == end ? end - 1 : first;
  }
}

bool has_fold(const Grid& grid) {
  return std::ranges::any_of(grid.squares.front(), [](const Grid::Square& square) { return square.outside > 0; });
}

}  // namespace swz

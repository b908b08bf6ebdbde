// SPDX-License-Identifier: Apache-2.0
// The picture of two layouts that are compared: one table, in which a cell whose offsets differ shows both, "144/128",
// in the colour of their difference; runs of consecutive offsets, "144-159/128-143", are one cell, and so are equal rows
// above each other. Layouts of different shapes have a table each, with the cells filled that differ.
//
//   swz diff '(8,8):(8,1)' '(8,8):(1,8)'    56 of 64 coordinates differ, the first is (1,0): 8 and 1
//
// Coordinates are compared by their linear index, the layouts being functions of it: layouts of different shapes are
// each drawn in their own shape.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "layout/algebra.hpp"
#include "view/document/figure.hpp"
#include "view/document/run.hpp"
#include "view/layout/layout.hpp"

namespace swz {
namespace {

// For more rows or columns, a part around the first difference is drawn. A layout of one mode is a row of small
// numbers.
constexpr std::int64_t most_shown = 32, most_in_row = 64, shown_part = 16;
constexpr int different_hue = 1;

// Rows are mode 0, columns are all other modes; a layout of one mode is a row.
struct TableShape {
  std::int64_t rows = 1, columns = 1;
  explicit TableShape(const ComposedLayout& l) : rows(row_count(l)), columns(l.size() / rows) {}
};

// The rows or columns that are drawn: all, or those around `at`.
struct Window {
  std::int64_t first = 0, count = 0;
  Window(std::int64_t all, std::int64_t at, std::int64_t most)
      : first(all <= most ? 0 : at / shown_part * shown_part),
        count(all <= most ? all : std::min(shown_part, all - first)) {}
};

std::string coordinate_text(const ComposedLayout& l, std::int64_t index) {
  const std::string text = to_string(idx2crd(index, l.layout().shape()));
  return text.starts_with('(') ? text : "(" + text + ")";
}

bool differs(const ComposedLayout& a, const ComposedLayout& b, std::int64_t index) {
  return index >= a.size() || index >= b.size() || a(index) != b(index);
}

// The part of the table of a layout that is drawn, with the cell of one index in it.
struct Part {
  TableShape all;
  Window rows, columns;
  Part(const ComposedLayout& l, std::int64_t index)
      : all(l),
        rows(all.rows, std::min(index, l.size() - 1) % all.rows, most_shown),
        columns(all.columns, std::min(index, l.size() - 1) / all.rows, all.rows == 1 ? most_in_row : most_shown) {}

  // " Drawn are 8 x 16 of the 8 x 64 cells of "; empty if all are drawn.
  std::string text() const {
    if (rows.count == all.rows && columns.count == all.columns) return "";
    return fmt::format(" Drawn are {} x {} of the {} x {} cells of ", rows.count, columns.count, all.rows, all.columns);
  }
};

// The index that is shown: the first that differs; if one layout ends before the other, the first after its end; or 0.
std::int64_t shown_index(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& d) {
  return d.same ? 0 : d.index.value_or(std::min(a.size(), b.size()));
}

Grid table_panel(const std::string& name, const ComposedLayout& l, const ComposedLayout& other,
                 const LayoutDifference& d) {
  const Part part(l, shown_index(l, other, d));
  const auto labels = [](const Window& window) {
    return labels_of(window.count, 1, [&](std::int64_t i) { return std::to_string(window.first + i); });
  };
  const bool is_row = rank(l.layout()) == 1;
  Grid grid = grid_of(fmt::format("{}: {}", name, to_string(l)), is_row ? "index" : "i\\j",
                      is_row ? std::vector<std::string>{"offset"} : labels(part.rows), labels(part.columns),
                      [&](std::int64_t r, std::int64_t c) {
                        const std::int64_t index = part.rows.first + r + (part.columns.first + c) * part.all.rows;
                        Grid::Square square{std::to_string(l(index))};
                        square.tip = fmt::format("{}{} = {}", name, coordinate_text(l, index), l(index));
                        if (index < other.size()) square.tip += fmt::format("\nthe other: {}", other(index));
                        if (differs(l, other, index)) square.tint = {different_hue, 0};
                        if (index == d.index) square.mark = Mark::highlighted;
                        return square;
                      });
  // One of the two may repeat where the other does not: all rows of both are drawn.
  for (std::size_t row = 0; row < grid.squares.size(); ++row) grid.key_rows.push_back(row);
  return grid;
}

// The differences A - B of the drawn cells, the most frequent first.
std::vector<std::int64_t> frequent_differences(const ComposedLayout& a, const ComposedLayout& b) {
  std::map<std::int64_t, std::int64_t> counts;
  for (std::int64_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a(i) != b(i)) ++counts[a(i) - b(i)];
  std::vector<std::int64_t> found;
  for (const auto& [difference, count] : counts) found.push_back(difference);
  std::ranges::stable_sort(found, std::ranges::greater{}, [&](std::int64_t d) { return counts[d]; });
  return found;
}

// Differences have a hue each; from the eighth on they share the last.
constexpr std::size_t last_hue = 7;

std::size_t hue_of(const std::vector<std::int64_t>& differences, std::int64_t difference) {
  const auto found = std::ranges::find(differences, difference);
  return std::min(last_hue, static_cast<std::size_t>(found - differences.begin()));
}

// Runs of places between the cuts, "0-15", if they are long enough to be worth it; otherwise single places.
std::vector<Run> folded(std::int64_t count, const Cuts& cuts, int fewest) {
  std::vector<Run> runs = runs_of(static_cast<int>(count), cuts);
  if (std::ssize(runs) * fewest <= count) return runs;
  runs.clear();
  for (int i = 0; i < static_cast<int>(count); ++i) runs.push_back({i, 1});
  return runs;
}

// A table in which columns whose offsets follow each other in A and in B are one cell, "144-159/128-143", and so are
// rows without a difference.
Grid folded_table(const Grid& table, const ComposedLayout& a, const ComposedLayout& b, const Part& part) {
  const auto index = [&](std::int64_t r, std::int64_t c) {
    return part.rows.first + r + (part.columns.first + c) * part.all.rows;
  };
  const auto is_next = [&](std::int64_t r, std::int64_t c) {
    const std::int64_t at = index(r, c), before = index(r, c - 1);
    return a(at) == a(before) + 1 && b(at) == b(before) + 1;
  };
  const auto row_differs = [&](std::int64_t r) {
    return std::ranges::any_of(table.squares[static_cast<std::size_t>(r)],
                               [](const Grid::Square& square) { return square.tint.hue >= 0; });
  };
  const std::int64_t rows = part.rows.count, columns = part.columns.count;
  Cuts row_cuts, column_cuts;
  for (std::int64_t r = 0; r < rows; ++r) {
    if (r > 0 && (row_differs(r) || row_differs(r - 1))) row_cuts.insert(static_cast<int>(r));
    for (std::int64_t c = 1; c < columns; ++c)
      if (!is_next(r, c)) column_cuts.insert(static_cast<int>(c));
  }
  constexpr int fewest_in_run = 4;
  const std::vector<Run> of_columns = folded(columns, column_cuts, fewest_in_run);
  const bool is_folded = std::ssize(of_columns) < columns;
  const std::vector<Run> of_rows = folded(rows, is_folded ? row_cuts : every(1, static_cast<int>(rows)), 1);
  if (!is_folded) return table;
  const auto label = [&](const Window& window, const Run& run) {
    return range_text(window.first + run.first, run.count);
  };
  Grid grid = table;
  grid.row_labels.clear();
  grid.column_labels.clear();
  grid.squares.clear();
  for (const Run& run : of_columns) grid.column_labels.push_back(label(part.columns, run));
  for (const Run& row : of_rows) {
    grid.row_labels.push_back(rank(a.layout()) == 1 ? "offset" : label(part.rows, row));
    std::vector<Grid::Square>& squares = grid.squares.emplace_back();
    for (const Run& run : of_columns) {
      Grid::Square square = table.squares[static_cast<std::size_t>(row.first)][static_cast<std::size_t>(run.first)];
      const std::int64_t at = index(row.first, run.first);
      square.text = row.count > 1    ? "equal"
                    : a(at) == b(at) ? range_text(a(at), run.count)
                                     : fmt::format("{}/{}", range_text(a(at), run.count), range_text(b(at), run.count));
      squares.push_back(std::move(square));
    }
  }
  return grid;
}

// Both layouts in one table.
Figure common_figure(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& d) {
  const std::vector<std::int64_t> differences = frequent_differences(a, b);
  Figure figure;
  Grid grid = table_panel("A", a, b, d);
  const Part part(a, shown_index(a, b, d));
  for (std::size_t r = 0; r < grid.squares.size(); ++r)
    for (std::size_t c = 0; c < grid.squares[r].size(); ++c) {
      Grid::Square& square = grid.squares[r][c];
      const std::int64_t index = part.rows.first + static_cast<std::int64_t>(r) +
                                 (part.columns.first + static_cast<std::int64_t>(c)) * part.all.rows;
      if (a(index) == b(index)) continue;
      square.text = fmt::format("{}/{}", a(index), b(index));
      square.tint = {static_cast<int>(hue_of(differences, a(index) - b(index)))};
    }
  grid.key_rows.clear();
  figure.panels = {{d.same ? grid : folded_table(grid, a, b, part)}};
  for (std::size_t i = 0; i < differences.size() && i <= last_hue; ++i) {
    const bool is_rest = i == last_hue && differences.size() > last_hue + 1;
    figure.legend.push_back({is_rest ? "others" : fmt::format("{:+}", differences[i]), {static_cast<int>(i)}});
  }
  figure.legend_title = "colour: A - B";
  return figure;
}

std::string caption_of(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& d) {
  if (d.same) return "A cell shows the offset of its coordinate. No coordinate differs.";
  const bool is_common = TableShape(a).rows == TableShape(b).rows && TableShape(a).columns == TableShape(b).columns;
  std::string text = is_common ? "A cell shows the offset of its coordinate, or two: that of A / that of B."
                               : "A cell shows the offset of its coordinate.";
  if (!d.same_size) text += fmt::format(" A has {} coordinates, B has {}.", a.size(), b.size());
  if (!congruent(a.layout().shape(), b.layout().shape()))
    text += " The shapes differ, so that linear indices are compared.";
  const std::int64_t index = shown_index(a, b, d);
  const std::string of_a = Part(a, index).text(), of_b = Part(b, index).text();
  if (of_a == of_b) return text + (of_a.empty() ? "" : of_a + "each.");
  return text + (of_a.empty() ? "" : of_a + "A.") + (of_b.empty() ? "" : of_b + "B.");
}

}  // namespace

std::optional<std::int64_t> differing_coordinates(const ComposedLayout& a, const ComposedLayout& b) {
  const std::int64_t all = std::max(a.size(), b.size());
  if (all > limits::most_coordinates.most) return std::nullopt;
  const auto offsets_of = [](const ComposedLayout& l) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(l.size()));
    tabulate(l, offsets);
    return offsets;
  };
  const std::vector<std::int64_t> of_a = offsets_of(a), of_b = offsets_of(b);
  // Coordinates that one of them lacks count as different.
  std::int64_t count = all - std::min(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i) count += of_a[i] != of_b[i] ? 1 : 0;
  return count;
}

Figure difference_figure(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& d,
                         const ComparedNames& names) {
  Figure figure;
  const TableShape of_a(a), of_b(b);
  if (of_a.rows == of_b.rows && of_a.columns == of_b.columns) {
    figure = common_figure(a, b, d);
    figure.title = fmt::format("A = {}, B = {}", names.a.empty() ? to_string(a) : names.a,
                               names.b.empty() ? to_string(b) : names.b);
    figure.panels[0][0].title.clear();
    figure.caption = caption_of(a, b, d);
    const Grid& table = figure.panels[0][0];
    if (const std::int64_t all = Part(a, shown_index(a, b, d)).columns.count; std::ssize(table.column_labels) < all)
      figure.caption += " Consecutive offsets share a cell.";
    if (d.index) figure.legend.push_back({"the first difference", {}, Mark::highlighted});
    return figure;
  }
  figure.title = "A and B, by linear index";
  figure.panels = {{table_panel("A", a, b, d), table_panel("B", b, a, d)}};
  figure.caption = caption_of(a, b, d);
  if (!d.same) {
    figure.legend = {{"the offsets differ", {different_hue, 0}}};
    if (d.index) figure.legend.push_back({"the first difference", {different_hue, 0}, Mark::highlighted});
  }
  return figure;
}

}  // namespace swz

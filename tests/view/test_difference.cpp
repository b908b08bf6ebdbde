// SPDX-License-Identifier: Apache-2.0
// The figure of two layouts that are compared: what is filled differs, what is plain is equal, and the first difference
// is drawn, however large the layouts are.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "layout/algebra.hpp"
#include "layout/analysis.hpp"
#include "render/part.hpp"
#include "view/layout/layout.hpp"

using namespace swz;

namespace {

Figure figure_of(const ComposedLayout& a, const ComposedLayout& b) {
  return part_of(difference_figure(a, b, difference(a, b)), {});
}
Figure figure_of(const char* a, const char* b) { return figure_of(parse_layout(a), parse_layout(b)); }

// The index of a square by its headings; a layout of one mode is a row.
std::int64_t index_of(const Grid& grid, const ComposedLayout& l, std::size_t row, std::size_t column) {
  const std::int64_t c = std::stoll(grid.column_labels.at(column));
  if (rank(l.layout()) == 1) return c;
  return std::stoll(grid.row_labels.at(row)) + c * size(mode(l.layout(), 0));
}

// Where a heading ends: 16 of "0-15", 4 of "3"; of a layout of one mode a row has no number.
std::int64_t end_of(const std::string& label) { return std::stoll(label.substr(label.rfind('-') + 1)) + 1; }

// "8", "8/1"; of columns whose offsets follow each other "144-159/128-143", of several rows, which are equal, "equal".
std::string cell_text(const Grid& grid, const ComposedLayout& a, const ComposedLayout& b,
                      std::pair<std::size_t, std::size_t> at) {
  const auto [row, column] = at;
  const std::string &of_row = grid.row_labels.at(row), &of_column = grid.column_labels.at(column);
  const std::int64_t first = index_of(grid, a, row, column), count = end_of(of_column) - std::stoll(of_column),
                     rows = rank(a.layout()) == 1 ? 1 : size(mode(a.layout(), 0));
  const auto same = [&](std::int64_t index) { return a(index) == b(index); };
  if (of_row.find('-') != std::string::npos) {
    for (std::int64_t r = 0; r < end_of(of_row) - std::stoll(of_row); ++r)
      for (std::int64_t c = 0; c < count; ++c) CHECK(same(first + r + c * rows));
    return "equal";
  }
  for (std::int64_t c = 1; c < count; ++c) {
    CHECK(a(first + c * rows) == a(first) + c);
    CHECK(b(first + c * rows) == b(first) + c);
  }
  const auto range = [&](std::int64_t from) {
    return count == 1 ? std::to_string(from) : fmt::format("{}-{}", from, from + count - 1);
  };
  return same(first) ? range(a(first)) : fmt::format("{}/{}", range(a(first)), range(b(first)));
}

void check_cells(const Figure& figure, const ComposedLayout& a, const ComposedLayout& b) {
  const LayoutDifference d = difference(a, b);
  // Layouts whose tables have one shape share one: "8/1" where they differ, white where they do not.
  if (figure.panels.at(0).size() == 1) {
    const Grid& grid = figure.panels[0][0];
    int marked = 0;
    std::map<int, std::int64_t> differences;  // of a hue
    for (std::size_t r = 0; r < grid.squares.size(); ++r)
      for (std::size_t c = 0; c < grid.squares[r].size(); ++c) {
        const Grid::Square& square = grid.squares[r][c];
        const std::int64_t index = index_of(grid, a, r, c);
        marked += square.mark == Mark::highlighted ? 1 : 0;
        CHECK((square.mark == Mark::highlighted) == (index == d.index));
        CHECK((square.tint.hue < 0) == (a(index) == b(index)));
        CHECK(square.text == cell_text(grid, a, b, {r, c}));
        if (square.tint.hue < 0 || square.tint.hue == 7) continue;
        CHECK(differences.try_emplace(square.tint.hue, a(index) - b(index)).first->second == a(index) - b(index));
      }
    CHECK(marked == (d.index ? 1 : 0));
    return;
  }
  const ComposedLayout* layouts[] = {&a, &b};
  for (std::size_t p = 0; p < 2; ++p) {
    const ComposedLayout &l = *layouts[p], &other = *layouts[1 - p];
    const Grid& grid = figure.panels.at(0).at(p);
    int marked = 0;
    for (std::size_t r = 0; r < grid.squares.size(); ++r)
      for (std::size_t c = 0; c < grid.squares[r].size(); ++c) {
        const Grid::Square& square = grid.squares[r][c];
        const std::int64_t index = index_of(grid, l, r, c);
        CHECK(square.text == std::to_string(l(index)));
        const bool is_equal = index < other.size() && l(index) == other(index);
        CHECK((square.tint.hue < 0) == is_equal);
        if (square.mark != Mark::highlighted) continue;
        ++marked;
        CHECK(index == d.index);
      }
    CHECK(marked == (d.index ? 1 : 0));
  }
}

}  // namespace

TEST_CASE("cells are filled where the offsets differ, and the first difference is marked") {
  const char* layouts[] = {"(8,8):(8,1)",
                           "(8,8):(1,8)",
                           "64:1",
                           "(4,2,8):(1,4,8)",
                           "(8,8):(8,2)",
                           "32:1",
                           "(128,128):(128,1)",
                           "((8,16),128):((1,8),128)",
                           "(128,256):(256,1)",
                           "(16,128,3):(128,1,2048)",
                           "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
                           "(8,64):(64,1)"};
  for (const char* a : layouts)
    for (const char* b : layouts) {
      CAPTURE(a);
      CAPTURE(b);
      check_cells(figure_of(a, b), parse_layout(a), parse_layout(b));
    }
}

TEST_CASE("the caption says what a cell shows, how the sizes differ and what is drawn") {
  CHECK(figure_of("(8,8):(8,1)", "(8,8):(1,8)").caption ==
        "A cell shows the offset of its coordinate, or two: that of A / that of B.");
  CHECK(figure_of("(8,4,2):(8,1,4)", "(8,8):(8,1)").caption ==
        "A cell shows the offset of its coordinate. No coordinate differs.");
  CHECK(figure_of("(4,4):(1,4)", "8:1").caption ==
        "A cell shows the offset of its coordinate. A has 16 coordinates, B has 8. The "
        "shapes differ, so that linear indices are compared.");
  const Figure large = figure_of("(128,128):(1,128)", "(128,128):(1,129)");
  CHECK(large.caption ==
        "A cell shows the offset of its coordinate, or two: that of A / that of B. Drawn are 16 x 16 of the 128 x 128 "
        "cells of each.");
  CHECK(large.panels[0][0].squares.size() == 16);
  CHECK(large.title == "A = (128,128):(1,128), B = (128,128):(1,129)");
}

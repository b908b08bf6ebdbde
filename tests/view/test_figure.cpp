// SPDX-License-Identifier: Apache-2.0
// Labels, squares and lines of shared memory: what the figures of all views share.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "view/document/figure.hpp"

namespace swz {
namespace {

TEST_CASE("ranges and labels") {
  CHECK(range_text(12, 4) == "12-15");
  CHECK(range_text(12, 1) == "12");
  CHECK(number_labels(10, 4) == std::vector<std::string>{"0", "4", "8"});
  CHECK(number_labels(0).empty());
}

TEST_CASE("every cell size cuts a line of 128 bytes into whole cells whose banks are in its heading") {
  for (const std::int64_t bits : {4, 8, 16, 32, 64, 128}) {
    CAPTURE(bits);
    const Grid grid = smem_lines("title", "line\\bank", std::vector<std::int64_t>{3, 7}, bits);
    CHECK(grid.row_labels == std::vector<std::string>{"0x180", "0x380"});
    REQUIRE(grid.squares.size() == 2);
    CHECK(static_cast<std::int64_t>(grid.squares[1].size()) * bits == 1024);
    REQUIRE(grid.column_labels.size() == grid.squares[0].size());
    for (std::size_t i = 0; i < grid.column_labels.size(); ++i) {
      const std::size_t first = i * static_cast<std::size_t>(bits) / 32;
      const std::string alone = std::to_string(first);
      CHECK(grid.column_labels[i] == (bits <= 32 ? alone : alone + "-" + std::to_string(first + bits / 32 - 1)));
    }
  }
  CHECK(smem_lines("", "", 2, 3).row_labels == std::vector<std::string>{"0x100", "0x180", "0x200"});
  CHECK(smem_lines("", "", 2, 3).column_labels.front() == "0-3");
}

TEST_CASE("squares are made row by row") {
  std::string order;
  const Grid grid = grid_of("title", "corner", {"a", "b"}, {"0", "1", "2"}, [&](std::int64_t row, std::int64_t column) {
    order += std::to_string(row) + std::to_string(column) + " ";
    return Grid::Square{std::to_string(10 * row + column)};
  });
  CHECK(order == "00 01 02 10 11 12 ");
  CHECK(grid.squares.size() == 2);
  CHECK(grid.squares[1].size() == 3);
  CHECK(grid.squares[1][2].text == "12");
  CHECK(grid.title == "title");
  CHECK(grid.corner == "corner");
  CHECK(grid.row_labels == std::vector<std::string>{"a", "b"});
  CHECK(grid.column_labels == std::vector<std::string>{"0", "1", "2"});
}

}  // namespace
}  // namespace swz

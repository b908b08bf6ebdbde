// SPDX-License-Identifier: Apache-2.0
// Grids and figures as text, whole.
#include <doctest/doctest.h>

#include "render/text.hpp"

using namespace swz;

namespace {

std::string text_of_block(Block block, TextStyle style = {}) {
  return render_text(Document().add(std::move(block)), style);
}

Grid numbered(const std::string& title, int rows, int columns) {
  Grid grid;
  grid.title = title;
  grid.corner = "m\\k";
  for (int x = 0; x < columns; ++x) grid.column_labels.push_back(std::to_string(x));
  for (int y = 0; y < rows; ++y) {
    grid.row_labels.push_back(std::to_string(y));
    grid.squares.emplace_back();
    for (int x = 0; x < columns; ++x) grid.squares.back().push_back({std::to_string(y * columns + x), {x}});
  }
  return grid;
}

}  // namespace

TEST_CASE("groups of rows and columns are parted by lines, marks are signs") {
  Grid grid = numbered("", 4, 4);
  grid.row_group = grid.column_group = 2;
  grid.squares[0][1].mark = Mark::highlighted;
  grid.squares[3][3].mark = Mark::colliding;
  grid.squares[3][0].mark = Mark::faint;
  CHECK(text_of_block(grid) ==
        "m\\k │   0   1 │   2   3\n"
        "────┼─────────┼─────────\n"
        "  0 │  0   1* │  2   3\n"
        "  1 │  4   5  │  6   7\n"
        "────┼─────────┼─────────\n"
        "  2 │  8   9  │ 10  11\n"
        "  3 │ 12  13  │ 14  15!\n");
}

TEST_CASE("the panels of a figure are side by side if there is room") {
  Figure figure;
  figure.title = "two panels";
  figure.panels = {{numbered("left", 2, 2), numbered("right", 3, 2)}};
  figure.legend = {{"only a colour", {1}}, {"these collide", {}, Mark::colliding}};
  figure.caption = "A caption.";
  CHECK(text_of_block(figure) ==
        "two panels\n"
        "\n"
        "left          right\n"
        "m\\k │ 0 1     m\\k │ 0 1\n"
        "────┼─────    ────┼─────\n"
        "  0 │ 0 1       0 │ 0 1\n"
        "  1 │ 2 3       1 │ 2 3\n"
        "                2 │ 4 5\n"
        "\n"
        "! these collide\n"
        "\n"
        "A caption.\n");
  const std::string narrow = text_of_block(figure, {false, 22});
  CHECK(narrow.find("left\nm\\k │ 0 1\n────┼─────\n  0 │ 0 1\n  1 │ 2 3\n\nright\n") != std::string::npos);
}

TEST_CASE("a panel without a title is level with one that has one; an empty panel takes no place in text") {
  Figure figure;
  figure.panels = {{Grid{}, numbered("", 1, 1), numbered("t", 1, 1)}};
  CHECK(text_of_block(figure) ==
        "            t\n"
        "m\\k │ 0     m\\k │ 0\n"
        "────┼───    ────┼───\n"
        "  0 │ 0       0 │ 0\n");
}

TEST_CASE("with colour the legend shows colours, and widths do not count the escapes") {
  Figure figure;
  figure.panels = {{numbered("a", 1, 2), numbered("b", 1, 2)}};
  figure.legend = {{"chunk 0", {0}}, {"chunk 1", {1}}};
  const std::string text = text_of_block(figure, {true, 40});
  CHECK(text.find("\x1b[38;5;16;48;5;111m  \x1b[0m chunk 0   ") != std::string::npos);
  CHECK(text.find("chunk 1") != std::string::npos);
  // Both panels are on one line: the second heading follows the first.
  const std::size_t first = text.find("m\\k");
  CHECK(text.find('\n', first) > text.find("m\\k", first + 1));
}

TEST_CASE("a cell of several lines is one line of text") {
  Grid grid;
  grid.squares = {{{"0x4000\n+32"}}};
  CHECK(text_of_block(grid) == " │\n─┼────────────\n │ 0x4000 +32\n");
}

TEST_CASE("with colour a collision is red: its sign where the cell has a tint, else all of it") {
  Grid grid = numbered("", 1, 2);
  grid.squares[0][0].mark = grid.squares[0][1].mark = Mark::colliding;
  grid.squares[0][1].tint = {};
  const std::string text = text_of_block(grid, {true, 0});
  CHECK(text.find("\x1b[38;5;16;48;5;111m 0\x1b[0m\x1b[1;38;5;231;48;5;160m!\x1b[0m") != std::string::npos);
  CHECK(text.find("\x1b[31m 1\x1b[0m\x1b[1;38;5;231;48;5;160m!\x1b[0m") != std::string::npos);
}

TEST_CASE("shades of a hue differ on a terminal as in a picture") {
  Grid grid = numbered("", 1, 2);
  grid.squares[0][1].tint = {0, 1};
  const std::string text = text_of_block(grid, {true, 0});
  CHECK(text.find("48;5;111m 0") != std::string::npos);
  CHECK(text.find("48;5;153m 1") != std::string::npos);
}

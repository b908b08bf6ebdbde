// SPDX-License-Identifier: Apache-2.0
// Panels of a figure that are read together: one scale across, titles side by side, brief texts in a column.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "render/figure_shape.hpp"
#include "render/picture.hpp"
#include "render/scene_laws.hpp"

using namespace swz;

namespace {

constexpr double column = 86 * 96 / 25.4;

Grid grid_with(const std::string& title, const std::string& text, int rows, int columns,
               const std::string& brief = "") {
  Grid grid;
  grid.title = title;
  grid.corner = "m\\n";
  for (int c = 0; c < columns; ++c) grid.column_labels.push_back(std::to_string(c));
  for (int r = 0; r < rows; ++r) {
    grid.row_labels.push_back(std::to_string(r));
    grid.squares.emplace_back();
    for (int c = 0; c < columns; ++c) {
      grid.squares.back().push_back({text, {c % 8}});
      grid.squares.back().back().brief = brief;
    }
  }
  return grid;
}

Scene drawn(const Figure& figure, double width) {
  const Scene scene = picture_of(Document().add(figure), {.width = {width}});
  for (const std::string& fault : faults_of(scene)) FAIL_CHECK(fault);
  return scene;
}

// The heavy frames around the cells of the panels, in the order in which these are painted.
std::vector<Box> frames_of(const Scene& scene) {
  std::vector<Box> frames;
  for (const Box& box : items_of<Box>(scene))
    if (!box.is_filled && box.stroke.ink == Ink::border) frames.push_back(box);
  return frames;
}

std::set<double> letters_of(const Scene& scene, const std::string& text) {
  std::set<double> sizes;
  for (const Label& label : items_of<Label>(scene))
    if (label.text == text) sizes.insert(label.size);
  return sizes;
}

}  // namespace

TEST_CASE("panels with columns of one axis have one scale across and letters of one size") {
  // B has 8 columns of one n above D, whose 4 cells have two n each.
  Figure figure;
  Grid b = grid_with("B", "T28 b0,b1", 8, 8), d = grid_with("D", "T28 d0,d1", 8, 4);
  b.column_units = 1;
  d.column_units = 2;
  figure.panels = {{Grid{}, b}, {grid_with("A", "T28 a0,a1", 8, 8), d}};
  const Scene scene = drawn(figure, 900);
  const std::vector<Box> frames = frames_of(scene);
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].x == doctest::Approx(frames[2].x));
  CHECK(frames[0].width == doctest::Approx(frames[2].width));
  CHECK(letters_of(scene, "T28 a0,a1").size() == 1);
  CHECK(letters_of(scene, "T28 a0,a1") == letters_of(scene, "T28 d0,d1"));
}

TEST_CASE("the columns of a grid in strips have cells of one size, also in the last strip") {
  // 56 different columns, so that nothing repeats.
  Grid grid = grid_with("banks", "31", 4, 56);
  for (int c = 0; c < 56; ++c) grid.squares[0][static_cast<std::size_t>(c)].text = std::to_string(c * c % 97);
  const Scene scene = drawn(figure_of(grid), column);
  const std::vector<Box> frames = frames_of(scene);
  REQUIRE(frames.size() > 1);
  std::set<int> widths;  // of cells, in hundredths
  for (const Box& box : items_of<Box>(scene))
    if (box.is_filled && box.stroke_width > 0) widths.insert(static_cast<int>(box.width * 100 + 0.5));
  CHECK(widths.size() == 1);
  CHECK(frames.back().width < frames.front().width);
}

TEST_CASE("the titles of panels side by side are level, whatever is between them and the cells") {
  Figure figure;
  Grid measured = grid_with("left", "1", 2, 4);
  measured.arrows = {{Grid::Arrow::Kind::extent, {0, 0}, {0, 4}, "4 B"}};
  figure.panels = {{measured, grid_with("right", "1", 2, 4)}};
  double left = 0, right = 0;
  for (const Label& label : items_of<Label>(drawn(figure, 900))) {
    if (label.text == "left") left = label.y;
    if (label.text == "right") right = label.y;
  }
  CHECK(left > 0);
  CHECK(left == right);
}

TEST_CASE("where a column has no room for texts, cells show the brief ones, and the caption is about these") {
  Figure figure = figure_of(grid_with("A", "T28 a0,a1", 16, 8, "T28 a0"));
  figure.caption = "T28 a0,a1: two values.";
  figure.brief_caption = "T28 a0: from value 0 on.";
  const auto says = [&](double width, const std::string& text) {
    const std::vector<Label> labels = items_of<Label>(drawn(figure, width));
    return std::ranges::any_of(labels, [&](const Label& label) { return label.text == text; });
  };
  CHECK(says(900, "T28 a0,a1"));
  CHECK(says(900, "T28 a0,a1: two values."));
  CHECK(says(column, "T28 a0"));
  CHECK(says(column, "T28 a0: from value 0 on."));
  CHECK(!says(column, "T28 a0,a1"));
}

TEST_CASE("a column has the figure that is made for it, if that fits") {
  Figure figure = figure_of(grid_with("A", "T28 a0,a1", 4, 8));
  figure.narrow = {figure_of(grid_with("A", "28", 4, 8))};
  const auto says = [&](double width, const std::string& text) {
    return !letters_of(drawn(figure, width), text).empty();
  };
  CHECK(says(900, "T28 a0,a1"));
  CHECK(says(column, "28"));
  CHECK(!says(column, "T28 a0,a1"));
  // Of its columns it shows those that it names; they are too many, or few enough.
  figure.narrow = {figure_of(grid_with("A", "28", 4, 400))};
  std::vector<std::size_t>& columns = figure.narrow.front().panels.front().front().key_columns;
  for (std::size_t at = 0; at < 400; ++at) columns.push_back(at);
  CHECK(!says(column, "28"));
  columns = {0, 1, 399};
  CHECK(says(column, "28"));
}

TEST_CASE("panels that are compared stay side by side in a column") {
  Figure figure;
  figure.panels = {{grid_with("left", "28", 4, 8), grid_with("right", "28", 4, 8)}};
  const auto are_beside = [&] {
    const std::vector<Box> frames = frames_of(drawn(figure, column));
    REQUIRE(frames.size() == 2);
    return frames[0].y == frames[1].y;
  };
  CHECK(!are_beside());
  figure.is_comparison = true;
  CHECK(are_beside());
  // Rows with the same labels have them once.
  const auto count_of = [&](const std::string& text) {
    const std::vector<Label> labels = items_of<Label>(drawn(figure, column));
    return std::ranges::count(labels, text, &Label::text);
  };
  for (Grid* grid : panels_of(figure)) grid->row_labels = {"first", "second", "third", "last"};
  CHECK(count_of("first") == 1);
  figure.panels[0][1].row_labels.back() = "end";
  CHECK(count_of("first") == 2);
}

TEST_CASE("a legend is in the upper left place without panels, in as many lines as it has room") {
  Figure figure;
  figure.panels = {{Grid(), grid_with("B", "28", 6, 8)}, {grid_with("A", "28", 16, 8), grid_with("D", "28", 16, 8)}};
  for (Grid* grid : panels_of(figure))  // nothing repeats
    for (std::size_t r = 0; r < grid->squares.size(); ++r)
      for (std::size_t c = 0; c < 8; ++c) grid->squares[r][c].text = std::to_string((7 * r * r + 3 * c * c) % 97);
  figure.legend = {{"zero", {0, 0}}, {"one", {1, 0}}, {"two", {2, 0}}, {"three", {3, 0}}};
  figure.legend_title = "colour: lanes";
  for (const double width : {900.0, column}) {
    const Scene scene = drawn(figure, width);
    const std::vector<Box> frames = frames_of(scene);
    REQUIRE(frames.size() == 3);
    for (const Label& label : items_of<Label>(scene))
      if (label.text == "three") {
        CHECK(label.y < frames[1].y);
        CHECK(label.x < frames[0].x);
      }
  }
}

TEST_CASE("a legend is beside the last panel of rows of two, if it has room there") {
  Figure figure;
  figure.panels = {{grid_with("left", "28", 6, 8), grid_with("right", "28", 6, 8)}, {grid_with("last", "28", 6, 8)}};
  figure.legend = {{"zero", {0, 0}}, {"one", {1, 0}}};
  const auto place_of_legend = [&] {
    const Scene scene = drawn(figure, 900);
    const std::vector<Box> frames = frames_of(scene);
    REQUIRE(frames.size() == 3);
    for (const Label& label : items_of<Label>(scene))
      if (label.text == "one")
        return label.x > frames[2].x + frames[2].width && label.y > frames[1].y + frames[1].height;
    return false;
  };
  CHECK(place_of_legend());
  for (int i = 0; i < 30; ++i) figure.legend.push_back({"an entry of many words", {i % 8, 0}});
  CHECK(!place_of_legend());
}

TEST_CASE("a legend entry of a shade is there only with that shade, another with any shade of its hue") {
  Figure figure = figure_of(grid_with("copies", "1", 1, 1));
  figure.panels[0][0].squares[0][0].tint = {7, 1};
  figure.legend = {{"7", {7, 0}}, {"15", {7, 1}}, {"hue", {7, 0}}};
  figure.legend[0].is_of_shade = figure.legend[1].is_of_shade = true;
  const Figure drawn_figure = with_true_words(figure);
  REQUIRE(drawn_figure.legend.size() == 2);
  CHECK(drawn_figure.legend[0].text == "15");
  CHECK(drawn_figure.legend[1].text == "hue");
}

TEST_CASE("a figure takes the least height that it fits, from what is wanted to the most") {
  Room room{300, 8, true};
  room.wanted_height = 100;
  room.most_height = 200;
  const std::vector<Room> rooms = rooms_to_try(room);
  REQUIRE(rooms.size() > 2);
  CHECK(rooms.front().most_height == 100);
  CHECK(rooms.back().most_height == 200);
  CHECK(std::ranges::is_sorted(rooms, {}, &Room::most_height));
}

TEST_CASE("cells that are cut into two lines of panels have one height") {
  // 24 columns in 86 mm: 16 and 8. The shorter line has more room for each cell, and the same scale.
  Figure figure = figure_of(grid_with("offsets", "12", 1, 24));
  figure.panels.front().front().column_units = 1;
  std::set<double> heights;
  for (const Box& box : frames_of(drawn(figure, column))) heights.insert(box.height);
  REQUIRE(frames_of(drawn(figure, column)).size() == 2);
  CHECK(heights.size() == 1);
}

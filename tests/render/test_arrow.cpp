// SPDX-License-Identifier: Apache-2.0
// Arrows of a grid: dimension lines that end where the squares are, texts that do not meet each other, moves that join
// squares.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "render/picture.hpp"
#include "render/scene_laws.hpp"

using namespace swz;

namespace {

using Kind = Grid::Arrow::Kind;

Grid grid_with(std::vector<Grid::Arrow> arrows, std::size_t rows = 12, std::size_t columns = 8) {
  Grid grid;
  for (std::size_t r = 0; r < rows; ++r) {
    grid.row_labels.push_back(fmt::format("{:#x}", r * 128));
    grid.squares.emplace_back();
    for (std::size_t c = 0; c < columns; ++c) grid.squares.back().push_back({fmt::format("{},{}", r, c), {}, {}, {}});
  }
  for (std::size_t c = 0; c < columns; ++c) grid.column_labels.push_back(std::to_string(c));
  grid.arrows = std::move(arrows);
  return grid;
}

// All of it, so that no period is cut.
Scene scene_of(const Grid& grid, PictureStyle style = {}) {
  style.part.is_whole = true;
  return picture_of(Document().add(grid), style);
}

// The cell with this text.
Box box_of_cell(const Scene& scene, const std::string& text) {
  const std::vector<Box> boxes = items_of<Box>(scene);
  for (const Label& label : items_of<Label>(scene))
    if (label.text == text)
      for (const Box& box : boxes)
        if (box.width < 100 && label.x > box.x && label.x < box.x + box.width && label.y > box.y &&
            label.y < box.y + box.height)
          return box;
  FAIL("no cell " << text);
  return {};
}

bool has_rule(const Scene& scene, Ink ink, auto fits) {
  return std::ranges::any_of(items_of<Rule>(scene), [&](const Rule& r) { return r.paint.ink == ink && fits(r); });
}

bool is_near(double a, double b) { return a - b < 0.01 && b - a < 0.01; }

}  // namespace

TEST_CASE("a distance is a line from the top of one square to the top of the other, right of the cells") {
  for (const std::int64_t to : {1, 3, 11}) {
    const Scene scene = scene_of(grid_with({{Kind::distance, {0, 0}, {to, 0}, "SBO"}}));
    const Box first = box_of_cell(scene, "0,7"), last = box_of_cell(scene, fmt::format("{},7", to));
    CHECK(has_rule(scene, Ink::border, [&](const Rule& r) {
      return r.x1 == r.x2 && r.x1 > first.x + first.width && is_near(r.y1, first.y) && is_near(r.y2, last.y);
    }));
    CHECK(faults_of(scene).empty());
  }
}

TEST_CASE("a distance along a row is a line above the headings") {
  const Scene scene = scene_of(grid_with({{Kind::distance, {0, 1}, {0, 3}, "32 B"}}));
  const Box from = box_of_cell(scene, "0,1"), to = box_of_cell(scene, "0,3");
  CHECK(has_rule(scene, Ink::border, [&](const Rule& r) {
    return r.y1 == r.y2 && r.y1 < from.y - 10 && is_near(r.x1, from.x) && is_near(r.x2, to.x);
  }));
  CHECK(faults_of(scene).empty());
}

TEST_CASE("an oblique distance begins and ends at the corners of its squares") {
  const Scene scene = scene_of(grid_with({{Kind::distance, {0, 2}, {3, 5}, "400 B"}}));
  for (const char* text : {"0,2", "3,5"}) {
    const Box cell = box_of_cell(scene, text);
    CHECK(has_rule(scene, Ink::border, [&](const Rule& r) {
      return is_near(r.x1, cell.x) && is_near(r.y1, cell.y) && is_near(r.y2, cell.y) && r.x2 > cell.x;
    }));
  }
}

TEST_CASE("several distances do not meet each other, headings or what says that rows repeat, at any width") {
  std::vector<Grid::Arrow> arrows;
  for (const std::int64_t to : {1, 1, 2, 8, 11, 11, 5})
    arrows.push_back({Kind::distance, {0, 0}, {to, 0}, fmt::format("LBO {} B", to * 128)});
  for (const std::int64_t to : {1, 2, 7}) arrows.push_back({Kind::distance, {0, 0}, {0, to}, fmt::format("+{} B", to)});
  arrows.push_back({Kind::distance, {6, 0}, {2, 0}, "-512 B"});
  for (const double width : {0.0, 325.0, 500.0, 900.0})
    for (const std::size_t rows : {std::size_t{12}, std::size_t{40}}) {
      Grid grid = grid_with(arrows, rows);
      grid.row_repeat = {8, {{5, "+ 0x400"}}};
      grid.column_repeat = {8, {{2, "+ 8"}}};
      const Scene scene = scene_of(grid, {.width = {width}});
      std::string faults;
      for (const std::string& fault : faults_of(scene)) faults += fault + "\n";
      CHECK(faults == "");
      const auto labels = items_of<Label>(scene);
      for (const Grid::Arrow& arrow : arrows) {
        CAPTURE(arrow.text);
        CAPTURE(width);
        // Where there is little room, in two lines: "SBO", and below it "1024 B".
        const std::string number =
            arrow.text.substr(std::min(arrow.text.find_first_of("+0123456789"), arrow.text.size() - 1));
        CHECK(std::ranges::count(labels, arrow.text, &Label::text) + std::ranges::count(labels, number, &Label::text) >=
              std::ranges::count(arrows, arrow.text, &Grid::Arrow::text));
      }
    }
}

TEST_CASE("no dimension line runs through a text, however small the cells are") {
  Grid grid = grid_with({{Kind::distance, {0, 0}, {1, 0}, "SBO 128 B"},
                         {Kind::distance, {0, 0}, {3, 0}, "LBO 384 B"},
                         {Kind::distance, {2, 0}, {4, 0}, "256 B"},
                         {Kind::distance, {0, 0}, {9, 0}, "k step +4096 B"}},
                        12, 40);
  for (auto& row : grid.squares)
    for (Grid::Square& square : row) square.text.clear();
  for (const double width : {0.0, 260.0, 325.0, 420.0}) {
    const Scene scene = scene_of(grid, {.width = {width}});
    for (const Label& label : items_of<Label>(scene)) {
      const TextBox text = box_of(label);
      for (const Rule& r : items_of<Rule>(scene)) {
        if (r.paint.ink != Ink::border || r.width > 1.5 || r.x1 != r.x2) continue;
        const bool crosses = r.x1 < text.right && r.x1 > text.left && std::min(r.y1, r.y2) < text.bottom &&
                             std::max(r.y1, r.y2) > text.top;
        CAPTURE(width);
        CAPTURE(label.text);
        CHECK_FALSE(crosses);
      }
    }
  }
}

TEST_CASE("an extent has a head at either end; its text is in the line where nothing crosses it") {
  const auto heads_at = [](const Scene& scene, double x, double y) {
    return std::ranges::count_if(items_of<Rule>(scene), [&](const Rule& r) {
      return r.paint.ink == Ink::border && r.x1 != r.x2 && r.y1 != r.y2 && is_near(r.x1, x) && is_near(r.y1, y);
    });
  };
  const auto line_of = [](const Scene& scene, double x) {
    for (const Rule& r : items_of<Rule>(scene))
      if (r.paint.ink == Ink::border && r.y1 == r.y2 && (is_near(r.x1, x) || is_near(r.x2, x))) return r.y1;
    FAIL("no line");
    return 0.0;
  };
  for (const Kind kind : {Kind::extent, Kind::distance}) {
    const Scene scene = scene_of(grid_with({{kind, {0, 0}, {0, 8}, "k 64 = 128 B"}}));
    const double left = box_of_cell(scene, "0,0").x, last = box_of_cell(scene, "0,7").x,
                 right = last + box_of_cell(scene, "0,7").width;
    CHECK(heads_at(scene, right, line_of(scene, right)) == 2);
    CHECK(heads_at(scene, left, line_of(scene, left)) == (kind == Kind::extent ? 2 : 0));
    const std::vector<Label> labels = items_of<Label>(scene);
    const auto text = std::ranges::find(labels, "k 64 = 128 B", &Label::text);
    REQUIRE(text != labels.end());
    CHECK((text->x < right) == (kind == Kind::extent));
  }
  // A second line could cross the text of the first: both texts are beside their lines.
  const Scene two = scene_of(grid_with({{Kind::extent, {0, 0}, {0, 8}, "all"}, {Kind::extent, {0, 0}, {0, 2}, "box"}}));
  const double right = box_of_cell(two, "0,7").x + box_of_cell(two, "0,7").width;
  for (const Label& label : items_of<Label>(two))
    if (label.text == "all") CHECK(label.x > right);
}

TEST_CASE("a move goes from the edge of one square to that of the other, in the accent colour") {
  const Scene scene = scene_of(grid_with({{Kind::move, {0, 1}, {2, 1}, {}}}));
  const Box from = box_of_cell(scene, "0,1"), to = box_of_cell(scene, "2,1");
  CHECK(has_rule(scene, Ink::accent, [&](const Rule& r) {
    return is_near(r.x1, from.x + from.width / 2) && is_near(r.x2, r.x1) && is_near(r.y1, from.y + from.height) &&
           is_near(r.y2, to.y);
  }));
  // Its head: two short rules at its end.
  CHECK(std::ranges::count_if(items_of<Rule>(scene), [&](const Rule& r) {
          return r.paint.ink == Ink::accent && is_near(r.y1, to.y) && r.y2 < to.y;
        }) == 2);
  // Neighbours share an edge: from middle to middle.
  const Scene near = scene_of(grid_with({{Kind::move, {0, 1}, {0, 2}, {}}}));
  const Box left = box_of_cell(near, "0,1");
  CHECK(has_rule(near, Ink::accent, [&](const Rule& r) { return is_near(r.x1, left.x + left.width / 2); }));
}

// SPDX-License-Identifier: Apache-2.0
// Headings of several levels: each is over what it names, in a picture and in text, and in a part of a grid.
#include <doctest/doctest.h>

#include "render/part.hpp"
#include "render/picture.hpp"
#include "render/text.hpp"
#include "view/document/figure.hpp"

using namespace swz;

namespace {

// 4 x 6 cells; columns 0-2 and 3-5 under "a" and "b", rows 0-1 and 2-3 beside "x" and "y".
Grid grid_with_levels() {
  Grid grid = grid_of("", "m\\n", number_labels(4), {"0", "1", "2", "0", "1", "2"},
                      [](std::int64_t r, std::int64_t c) { return Grid::Square{std::to_string(10 * r + c)}; });
  grid.row_group = 2;
  grid.column_group = 3;
  grid.row_levels = {{2, {"x", "y"}}};
  grid.column_levels = {{3, {"a", "b"}}};
  return grid;
}

// The middle or the end of the label, where it is drawn.
const Label* label_of(const Scene& scene, const std::string& text) {
  for (const auto& item : scene.items)
    if (const auto* label = std::get_if<Label>(&item); label != nullptr && label->text == text) return label;
  return nullptr;
}

}  // namespace

TEST_SUITE("render") {
  TEST_CASE("headings of a level are over their columns and beside their rows") {
    Document d;
    d.add(grid_with_levels());
    const Scene scene = picture_of(d);
    const auto middle = [&](const char* text) { return *label_of(scene, text); };
    for (const char* text : {"a", "b", "x", "y", "10", "12", "13", "15"}) REQUIRE(label_of(scene, text) != nullptr);
    CHECK(middle("a").x == doctest::Approx(middle("11").x));
    CHECK(middle("b").x == doctest::Approx(middle("14").x));
    CHECK(middle("a").y < middle("1").y);
    CHECK(middle("x").y > middle("10").y - middle("10").size * 2);
    CHECK(middle("x").y < middle("20").y);
    CHECK(middle("y").y > middle("20").y);
    CHECK(middle("x").x < middle("10").x);
  }

  TEST_CASE("text has each heading where it begins, once more on a part that begins inside it") {
    Document d;
    d.add(grid_with_levels());
    CHECK(render_text(d, {}) ==
          "    │ a        │ b\n"
          "m\\n │  0  1  2 │  0  1  2\n"
          "────┼──────────┼──────────\n"
          "x 0 │  0  1  2 │  3  4  5\n"
          "  1 │ 10 11 12 │ 13 14 15\n"
          "────┼──────────┼──────────\n"
          "y 2 │ 20 21 22 │ 23 24 25\n"
          "  3 │ 30 31 32 │ 33 34 35\n");
  }

  TEST_CASE("a part keeps the headings of what it shows") {
    for (std::int64_t begin = 0; begin < 6; ++begin)
      for (std::int64_t end = begin + 1; end <= 6; ++end) {
        CAPTURE(begin);
        CAPTURE(end);
        const Grid whole = grid_with_levels();
        const Figure part = part_of(figure_of(whole), {.columns = DrawnRange{begin, end}});
        const Grid& grid = part.panels[0][0];
        const Grid::Level &level = grid.column_levels[0], &all = whole.column_levels[0];
        for (std::int64_t c = begin; c < end; ++c) {
          const auto from = static_cast<std::size_t>(c), to = static_cast<std::size_t>(c - begin);
          CHECK(level.labels.at(level.heading(to)) == all.labels.at(all.heading(from)));
          CHECK(level.begins(to) == (to == 0 || all.begins(from)));
        }
        CHECK(level.labels.size() == level.heading(static_cast<std::size_t>(end - begin - 1)) + 1);
      }
  }
}

// SPDX-License-Identifier: Apache-2.0
// What is left out of a grid looks like what is drawn; a grid that does not repeat stays whole.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/error.hpp"
#include "render/panel.hpp"
#include "render/part.hpp"

using namespace swz;

namespace {

// A grid of one panel whose squares are made by a function of row and column.
template <class SquareOf>
Figure figure_of(std::int64_t rows, std::int64_t columns, SquareOf square) {
  Grid grid;
  for (std::int64_t r = 0; r < rows; ++r) {
    grid.row_labels.push_back(std::to_string(r));
    grid.squares.emplace_back();
    for (std::int64_t c = 0; c < columns; ++c) grid.squares.back().push_back(square(r, c));
  }
  for (std::int64_t c = 0; c < columns; ++c) grid.column_labels.push_back(std::to_string(c));
  Figure figure;
  figure.panels.push_back({grid});
  return figure;
}

Grid::Square chunk_square(std::int64_t r, std::int64_t c) {
  const auto hue = static_cast<int>((r ^ c) & 7);
  return {std::to_string(hue), {hue, 0}};
}

using Levels = std::vector<Grid::Repeat::Level>;

// How often and with what step, without the labels of what follows.
Levels counted(Levels levels) {
  for (Grid::Repeat::Level& level : levels) level = {level.times, level.step, level.drawn};
  return levels;
}

const Grid& only(const Figure& figure) { return figure.panels.front().front(); }

}  // namespace

TEST_CASE("an extent ends after the last row, which is no row to draw") {
  Figure figure = figure_of(64, 1, [](std::int64_t r, std::int64_t) { return Grid::Square{std::to_string(r)}; });
  Grid& grid = figure.panels.front().front();
  grid.key_rows = {0, 1, 2, 3, 31, 63};
  grid.arrows = {{Grid::Arrow::Kind::extent, {0, 0}, {64, 0}, "64 rows"}};
  const Grid drawn = only(part_of(figure, {.most_rows = 4}));
  REQUIRE(drawn.row_labels.size() == drawn.squares.size());
  for (std::size_t row = 0; row < drawn.squares.size(); ++row)
    if (!drawn.squares[row].empty()) CHECK(drawn.squares[row][0].text == drawn.row_labels[row]);
  CHECK(std::ranges::none_of(drawn.row_labels, &std::string::empty));
}

TEST_CASE("a swizzle atom that repeats is drawn once, with the first line of the next") {
  const Figure drawn = part_of(figure_of(128, 8, chunk_square), {});
  const Grid& grid = only(drawn);
  CHECK(grid.squares.size() == 9);
  CHECK(grid.row_labels.back() == "8");
  CHECK(grid.column_labels.size() == 8);
  CHECK(grid.row_repeat.period == 8);
  CHECK(counted(grid.row_repeat.levels) == Levels{{16, ""}});
  CHECK(grid.column_repeat.period == 0);
}

TEST_CASE("numbers that grow alike repeat, and what grows is said with its letters") {
  const auto offset = [](std::int64_t r, std::int64_t c) {
    return Grid::Square{std::to_string(64 * r + c), {int(r & 7), 0}};
  };
  CHECK(counted(only(part_of(figure_of(64, 4, offset), {})).row_repeat.levels) == Levels{{8, "+ 512"}});
  const auto address = [](std::int64_t r, std::int64_t c) {
    return Grid::Square{fmt::format("{:#x}", 1024 * (r / 8) + 16 * ((r ^ c) & 7))};
  };
  CHECK(counted(only(part_of(figure_of(64, 8, address), {})).row_repeat.levels) == Levels{{8, "+ 0x400"}});
  const auto thread = [](std::int64_t r, std::int64_t c) {
    return Grid::Square{"T" + std::to_string(r % 8 * 4 + r / 16 * 32 + c % 8 / 2) + " R" +
                        std::to_string(c % 2 + r % 16 / 8 * 2 + c / 8 * 4)};
  };
  const Figure fragment = part_of(figure_of(64, 64, thread), {});
  CHECK(only(fragment).row_repeat.period == 16);
  CHECK(counted(only(fragment).row_repeat.levels) == Levels{{4, "T + 32"}});
  CHECK(only(fragment).column_repeat.period == 16);
  CHECK(counted(only(fragment).column_repeat.levels) == Levels{{4, "R + 8"}});
}

TEST_CASE("a grid that does not repeat, or that is short, stays whole") {
  std::mt19937 random(7);
  const auto noise = [&](std::int64_t, std::int64_t) { return Grid::Square{"", {static_cast<int>(random() % 8), 0}}; };
  CHECK(only(part_of(figure_of(128, 8, noise), {})).squares.size() == 128);
  CHECK(only(part_of(figure_of(16, 8, chunk_square), {})).squares.size() == 16);
  // One square of another colour, or one number beside its place.
  for (const bool is_colour : {true, false}) {
    Figure odd = figure_of(128, 8, chunk_square);
    Grid::Square& square = odd.panels.front().front().squares[100][3];
    if (is_colour) square.tint.shade = 1;
    else square.text += "1";
    CHECK(only(part_of(odd, {})).squares.size() == 128);
  }
  // One label beside its place: the reader of the others would count on.
  Figure gap = figure_of(128, 8, chunk_square);
  gap.panels.front().front().row_labels[90] = "91";
  CHECK(only(part_of(gap, {})).squares.size() == 128);
  CHECK(only(part_of(figure_of(128, 8, chunk_square), {.is_whole = true})).squares.size() == 128);
}

TEST_CASE("random patterns: the period that is drawn makes the whole again") {
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    const auto period = static_cast<std::int64_t>(1 + random() % 20),
               times = static_cast<std::int64_t>(1 + random() % 12);
    const auto colours = static_cast<std::int64_t>(1 + random() % 8);
    const Figure whole = figure_of(period * times, 3, [&](std::int64_t r, std::int64_t c) {
      return Grid::Square{"", {static_cast<int>((r % period * 5 + c) % colours), 0}};
    });
    const Figure drawn = part_of(whole, {});
    const Grid& grid = only(drawn);
    const Grid& all = only(whole);
    CAPTURE(period);
    CAPTURE(times);
    if (grid.row_repeat.period == 0) {
      CHECK(grid.squares.size() == all.squares.size());
      continue;
    }
    const std::size_t p = grid.row_repeat.period;
    CHECK(p >= 8);
    std::size_t rows = p;
    for (const auto& level : grid.row_repeat.levels) rows *= static_cast<std::size_t>(level.times);
    CHECK(rows == all.squares.size());
    REQUIRE(grid.squares.size() == p + 1);
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < all.squares.size(); ++r)
      for (std::size_t c = 0; c < 3; ++c) wrong += all.squares[r][c].tint != grid.squares[r % p][c].tint;
    CHECK(wrong == 0);
  }
}

TEST_CASE("a pattern of patterns: the inner one is drawn, both are said") {
  const auto stacked = [](std::int64_t r, std::int64_t c) {
    return Grid::Square{std::to_string(r % 32 * 16 + c + r / 32 * 8), {static_cast<int>((r ^ c) & 7), 0}};
  };
  const Figure drawn = part_of(figure_of(64, 8, stacked), {});
  CHECK(only(drawn).squares.size() == 9);
  CHECK(only(drawn).row_repeat.period == 8);
  CHECK(counted(only(drawn).row_repeat.levels) == Levels{{4, "+ 128"}, {2, "+ 8"}});
  const auto pairs = [](std::int64_t r, std::int64_t c) {
    return Grid::Square{std::to_string(r) + "," + std::to_string(c)};
  };
  CHECK(counted(only(part_of(figure_of(64, 2, pairs), {})).row_repeat.levels) == Levels{{8, "+ (8, 0)"}});
  // Each column is of another step, which does not grow from row to row.
  const auto of_steps = [&](std::int64_t r, std::int64_t c) {
    Grid::Square square = pairs(r, c);
    square.step = static_cast<int>(c);
    return square;
  };
  Figure stepped = figure_of(64, 2, of_steps);
  stepped.steps = {"k step 0", "k step 1"};
  CHECK(counted(only(part_of(stepped, {})).row_repeat.levels) == Levels{{8, "+ (8, 0)"}});
}

TEST_CASE("what is highlighted moves the part") {
  Figure figure = figure_of(128, 8, chunk_square);
  figure.panels.front().front().squares[37][2].mark = Mark::highlighted;
  const Figure drawn = part_of(figure, {});
  CHECK(only(drawn).row_labels.front() == "32");
  CHECK(only(drawn).row_labels.back() == "40");
  CHECK(only(drawn).squares[5][2].mark == Mark::highlighted);
  figure.panels.front().front().squares[50][2].mark = Mark::highlighted;
  CHECK(only(part_of(figure, {})).row_labels.back() == "56");
}

TEST_CASE("panels side by side are cut alike") {
  Figure figure = figure_of(64, 8, chunk_square);
  figure.panels.front().push_back(only(figure_of(64, 8, [](std::int64_t r, std::int64_t) {
    return Grid::Square{"", {static_cast<int>(r / 4 & 7), 0}};
  })));
  const Figure drawn = part_of(figure, {});
  CHECK(drawn.panels[0][0].row_repeat.period == 32);
  CHECK(drawn.panels[0][1].row_repeat.period == 32);
}

TEST_CASE("rows and columns that are asked for") {
  const Figure drawn =
      part_of(figure_of(128, 8, chunk_square), {.rows = DrawnRange{4, 7}, .columns = DrawnRange{2, 200}});
  CHECK(only(drawn).row_labels == std::vector<std::string>{"4", "5", "6"});
  CHECK(only(drawn).column_labels.front() == "2");
  CHECK(only(drawn).column_labels.size() == 6);
  CHECK(only(drawn).row_repeat.period == 0);
  try {
    part_of(figure_of(128, 8, chunk_square), {.rows = DrawnRange{128, 130}});
    FAIL("must throw");
  } catch (const Error& error) {
    CHECK(error.message() == "the picture has no row 128");
    CHECK(error.hint == "they are 0 to 127");
  }
}

TEST_CASE("a part keeps the steps whose squares are drawn") {
  // Eight rows per step.
  const auto stepped = [](std::int64_t rows) {
    Figure figure = figure_of(rows, 8, chunk_square);
    for (std::int64_t i = 0; i < rows / 8; ++i) figure.steps.push_back("copy " + std::to_string(i));
    for (std::int64_t r = 0; r < rows; ++r)
      for (auto& square : figure.panels[0][0].squares[static_cast<std::size_t>(r)])
        square.step = static_cast<int>(r / 8);
    return figure;
  };
  using Names = std::vector<std::string>;
  const auto step_of = [](const Figure& figure, std::size_t row) { return only(figure).squares[row][3].step; };
  const Figure period = part_of(stepped(64), {});
  CHECK(period.steps == Names{"copy 0", "copy 1"});
  CHECK(step_of(period, 7) == 0);
  CHECK(step_of(period, 8) == 1);
  const Figure asked = part_of(stepped(64), {.rows = DrawnRange{20, 40}});
  CHECK(asked.steps == Names{"copy 2", "copy 3", "copy 4"});
  for (std::size_t r = 0; r < 20; ++r) CHECK(step_of(asked, r) == static_cast<int>((r + 20) / 8 - 2));
  CHECK(part_of(stepped(64), {.is_whole = true}).steps.size() == 8);
  const Figure last = part_of(stepped(64), {.rows = DrawnRange{56, 64}});
  CHECK(last.steps == Names{"copy 7"});
  CHECK(step_of(last, 0) == 0);
  Figure none = figure_of(16, 8, chunk_square);
  none.steps = {"never"};
  CHECK(part_of(none, {}).steps.empty());
}

TEST_CASE("where colours are those of steps, steps may grow; they are named as the figure names them") {
  const auto square = [](std::int64_t r, std::int64_t c) {
    const auto copy = static_cast<int>(r / 8 * 2 + c / 2);
    return Grid::Square{std::to_string(4 * r + c), {copy % 8, copy / 8}, Mark::none, "", copy};
  };
  Figure figure = figure_of(64, 4, square);
  CHECK(counted(only(part_of(figure, {})).row_repeat.levels) == Levels{{8, "+ 32, step + 2"}});
  for (int i = 0; i < 16; ++i) figure.steps.push_back(fmt::format("copy {}: somewhere", i));
  CHECK(counted(only(part_of(figure, {})).row_repeat.levels) == Levels{{8, "+ 32, copy + 2"}});
  for (int i = 0; i < 16; ++i) figure.steps[static_cast<std::size_t>(i)] = fmt::format("k {}-{}", 16 * i, 16 * i + 15);
  CHECK(counted(only(part_of(figure, {})).row_repeat.levels) == Levels{{8, "+ 32, step + 2"}});
  // A step that does not grow evenly, and a colour without a step, are no period.
  figure.panels[0][0].squares[40][1].step = 3;
  CHECK(only(part_of(figure, {})).squares.size() == 64);
  const auto without = [&](std::int64_t r, std::int64_t c) {
    Grid::Square made = square(r, c);
    made.step = -1;
    return made;
  };
  CHECK(only(part_of(figure_of(64, 4, without), {})).squares.size() == 64);
}

TEST_CASE("what lies outside is part of how a square looks") {
  const auto square = [](std::int64_t r, std::int64_t) {
    return Grid::Square{"x", {1, 0}, Mark::none, "", -1, r < 40 ? 0.0 : 0.5};
  };
  CHECK(only(part_of(figure_of(64, 4, square), {})).squares.size() == 64);
}

TEST_CASE("arrows keep their squares; one with an end that is not drawn goes") {
  using Kind = Grid::Arrow::Kind;
  Figure figure = figure_of(128, 8, chunk_square);
  figure.panels[0][0].arrows = {{Kind::distance, {0, 0}, {8, 0}, "SBO 1024 B"},
                                {Kind::distance, {0, 0}, {16, 0}, "LBO 2048 B"},
                                {Kind::move, {64, 1}, {66, 3}, {}}};
  CHECK(only(part_of(figure, {})).arrows == std::vector<Grid::Arrow>{{Kind::distance, {0, 0}, {8, 0}, "SBO 1024 B"}});
  CHECK(only(part_of(figure, {.rows = DrawnRange{60, 70}, .columns = DrawnRange{1, 8}})).arrows ==
        std::vector<Grid::Arrow>{{Kind::move, {4, 0}, {6, 2}, {}}});
  CHECK(only(part_of(figure, {.columns = DrawnRange{1, 8}})).arrows.empty());
  CHECK(only(part_of(figure, {.is_whole = true})).arrows.size() == 3);
}

TEST_CASE("key rows are drawn with what is highlighted, and … replaces the rows between") {
  Figure figure = figure_of(128, 8, chunk_square);
  Grid& grid = figure.panels[0][0];
  grid.key_rows = {0, 1, 3, 64, 127};
  grid.at(100, 2).mark = Mark::highlighted;
  grid.arrows = {{Grid::Arrow::Kind::distance, {0, 0}, {64, 0}, "a"},
                 {Grid::Arrow::Kind::distance, {0, 0}, {63, 0}, "b"}};
  const Grid drawn = only(part_of(figure, {}));
  // One row is drawn instead of the … that would replace it.
  const std::vector<std::string> labels{"0", "1", "2", "3", "…", "64", "…", "100", "…", "127"};
  CHECK(drawn.row_labels == labels);
  REQUIRE(drawn.squares.size() == labels.size());
  for (std::size_t r = 0; r < labels.size(); ++r) {
    if (labels[r] == "…") {
      CHECK(drawn.squares[r].empty());
      continue;
    }
    for (std::size_t c = 0; c < 8; ++c)
      CHECK(drawn.squares[r][c].tint == chunk_square(std::stoll(labels[r]), static_cast<std::int64_t>(c)).tint);
  }
  CHECK(drawn.arrows == std::vector<Grid::Arrow>{{Grid::Arrow::Kind::distance, {0, 0}, {5, 0}, "a"}});
  CHECK(only(part_of(figure, {.is_whole = true})).squares.size() == 128);
  CHECK(only(part_of(figure, {.rows = DrawnRange{2, 5}})).row_labels == std::vector<std::string>{"2", "3", "4"});
}

TEST_CASE("of random key rows none is lost, and a … represents three rows or more") {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t rows = 4 + static_cast<std::int64_t>(random() % 60);
    Figure figure = figure_of(rows, 3, [](std::int64_t r, std::int64_t c) {
      return Grid::Square{std::to_string(r * r + c), {static_cast<int>(r * r % 7), 0}};
    });
    std::vector<std::size_t>& keys = figure.panels[0][0].key_rows;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
      if (random() % 4 == 0) keys.push_back(row);
    if (keys.empty()) continue;
    const std::vector<std::string> labels = only(part_of(figure, {})).row_labels;
    for (const std::size_t row : keys) CHECK(std::ranges::count(labels, std::to_string(row)) == 1);
    std::int64_t next = 0;
    for (std::size_t at = 0; at < labels.size(); ++at) {
      if (labels[at] != "…") {
        CHECK(std::stoll(labels[at]) == next);
        ++next;
        continue;
      }
      const std::int64_t end = at + 1 < labels.size() ? std::stoll(labels[at + 1]) : rows;
      CHECK(end - next >= 3);
      next = end;
    }
    CHECK(next == rows);
  }
}

TEST_CASE("of fewer rows than a period it is still said how often they repeat; columns are cut as without that") {
  // Rows repeat after 8, columns after 8; of a grid whose rows do not repeat the columns still do.
  const auto number = [](std::int64_t r, std::int64_t c) {
    return Grid::Square{std::to_string(100 * r + c), {static_cast<int>((r + c) & 7), 0}};
  };
  for (const std::size_t most : {8, 6, 5, 4})
    for (const bool is_below : {false, true}) {
      const DrawnPart part{.fewest_columns = 8, .is_short = true, .most_rows = most, .has_times_below = is_below};
      const Grid drawn = only(part_of(figure_of(64, 32, number), part));
      CHECK(counted(drawn.row_repeat.levels) == Levels{{8, "+ 800"}});
      CHECK(drawn.row_repeat.is_below == is_below);
      CHECK(drawn.row_repeat.period + 1 == drawn.squares.size());
      CHECK(drawn.row_labels.back() == "8");
      CHECK(drawn.column_labels.size() == 9);
      const Grid uneven = only(part_of(
          figure_of(19, 32,
                    [](std::int64_t r, std::int64_t c) {
                      return Grid::Square{std::to_string(r * r * r + c), {static_cast<int>((r * r + c) & 7), 0}};
                    }),
          part));
      CHECK(uneven.column_labels.size() == 9);
      CHECK(uneven.squares.size() <= std::max<std::size_t>(most, 9) + 1);
    }
}

TEST_CASE("an extent stays over all that is drawn, and goes where its end is not") {
  Figure figure = figure_of(12, 8, [](std::int64_t r, std::int64_t c) {
    return Grid::Square{std::to_string(r * r + c), {static_cast<int>(r * r % 7), 0}};
  });
  Grid& grid = figure.panels[0][0];
  const Grid::Arrow down{Grid::Arrow::Kind::extent, {0, 0}, {12, 0}, "12 rows"},
      along{Grid::Arrow::Kind::extent, {0, 0}, {0, 8}, "k 8"};
  grid.arrows = {down, along};
  grid.key_rows = {0, 1, 11};
  Grid::Arrow shorter = down;
  shorter.to.row = 4;  // 0, 1, …, 11
  CHECK(only(part_of(figure, {})).arrows == std::vector<Grid::Arrow>{shorter, along});
  CHECK(only(part_of(figure, {.rows = DrawnRange{0, 12}})).arrows == std::vector<Grid::Arrow>{down, along});
  CHECK(only(part_of(figure, {.rows = DrawnRange{0, 11}})).arrows == std::vector<Grid::Arrow>{along});
}

TEST_CASE("columns with a highlight in the second of two periods are drawn from the first on, if there is room") {
  Figure figure = figure_of(8, 32, [](std::int64_t, std::int64_t c) {
    return Grid::Square{fmt::format("r{}", c), {static_cast<int>(c % 16 / 2)}};
  });
  CHECK(only(part_of(figure, {})).column_labels.size() == 17);
  figure.panels.front().front().squares[3][19].mark = Mark::highlighted;
  CHECK(only(part_of(figure, {})).column_labels.size() == 32);
  CHECK(only(part_of(figure, {.is_short = true})).column_labels.front() == "16");
}

TEST_CASE("how rows go on is said in the words of their headings") {
  Grid grid;
  grid.corner = "row\\k";
  grid.number = "chunk";
  for (int r = 0; r < 64; ++r) {
    grid.row_labels.push_back(std::to_string(r));
    grid.squares.push_back({{std::to_string(r * 8)}});
  }
  using Words = std::vector<std::string>;
  CHECK(words_of_repeat(only(part_of(figure_of(grid), {})), true) ==
        Words{"every 8 rows:", "chunk + 64", "… to row 63"});
  // A part in the middle: what is said holds before it and after it.
  grid.squares[20][0].mark = Mark::highlighted;
  CHECK(words_of_repeat(only(part_of(figure_of(grid), {})), true) ==
        Words{"every 8 rows:", "chunk + 64", "… to row 63"});
  // A column of chunks along k is labelled by its first element.
  grid.squares[20][0].mark = Mark::none;
  for (int r = 0; r < 64; ++r) grid.row_labels[static_cast<std::size_t>(r)] = std::to_string(8 * r);
  grid.corner = "k\\row";
  CHECK(words_of_repeat(only(part_of(figure_of(grid), {})), true).front() == "every 64 k:");
  // Lines by their address; of two, the first tells how the second differs, and the second names the first.
  grid.corner = "byte\\bank";
  for (int r = 0; r < 64; ++r) grid.row_labels[static_cast<std::size_t>(r)] = fmt::format("{:#x}", r * 128);
  grid.squares[20][0].mark = Mark::none;
  CHECK(in_one_line(words_of_repeat(only(part_of(figure_of(grid), {})), true)) ==
        "every 8 lines: chunk + 64 … to 0x1f80");
  grid.squares.resize(32);
  grid.row_labels.resize(32);
  for (std::size_t r = 0; r < 32; ++r)
    grid.squares[r][0].text = fmt::format("{}", r % 16 * r % 16 + 7 * (r % 16) + r / 16);
  CHECK(in_one_line(words_of_repeat(only(part_of(figure_of(grid), {})), true)) == "next 16 lines: chunk + 1");
  grid.squares[20][0].mark = Mark::highlighted;
  CHECK(in_one_line(words_of_repeat(only(part_of(figure_of(grid), {})), true)) == "↑ 0x0-0x780: chunk - 1");
}

TEST_CASE("of equal rows one is drawn, and the next") {
  Grid grid;
  grid.corner = "row\\k";
  for (int r = 0; r < 64; ++r) {
    grid.row_labels.push_back(std::to_string(r));
    grid.squares.push_back({{"0"}, {"1"}});
  }
  const Grid drawn = only(part_of(figure_of(grid), {}));
  CHECK(drawn.squares.size() == 2);
  CHECK(drawn.row_repeat.is_below);
  CHECK(in_one_line(words_of_repeat(drawn, true)) == "every row: the same … to row 63");
}

TEST_CASE("the outline of what is cut is open where it goes on") {
  Grid grid;
  for (int r = 0; r < 64; ++r) grid.squares.push_back({{std::to_string(r * 8)}});
  grid.outlines = {{{0, 0}, 64, 1}};
  const Grid drawn = only(part_of(figure_of(grid), {}));
  REQUIRE(drawn.outlines.size() == 1);
  CHECK(drawn.outlines[0].is_open_below);
  CHECK(!drawn.outlines[0].is_open_above);
}

// SPDX-License-Identifier: Apache-2.0
// Cells that are registers: "T5 a2,a3" is at the elements that values 2 and 3 of thread 5 are, for every instruction.
#include <doctest/doctest.h>

#include <string>

#include "arch/instruction.hpp"
#include "cmd/asked.hpp"

using namespace swz;

namespace {

struct Said {
  int thread = 0, first = 0, count = 1;
};

// "T5 a2,a3" or "T5 a4-7"
Said said_by(const std::string& text) {
  Said said;
  const std::size_t values = text.find(' ') + 2;
  said.thread = std::stoi(text.substr(1));
  std::size_t length = 0;
  said.first = std::stoi(text.substr(values), &length);
  const char next = values + length < text.size() ? text[values + length] : ' ';
  // The letter is repeated: "a2,a3".
  if (next == ',') said.count = std::stoi(text.substr(values + length + 2)) - said.first + 1;
  if (next == '-') said.count = std::stoi(text.substr(values + length + 1)) - said.first + 1;
  return said;
}

int first_number(const std::string& label) { return std::stoi(label); }

}  // namespace

TEST_CASE("a joined cell names the values of the elements that it covers") {
  struct Form {
    const char *name, *dtype, *operand;
    Operand of;
    std::size_t cells;
  };
  for (const Form& form : {Form{"mma.m16n8k16", "bf16", "a", Operand::a, 128},
                           {"mma.m16n8k16", "bf16", "b", Operand::b, 64},
                           {"mma.m16n8k16", "bf16", "d", Operand::d, 64},
                           {"mma.m16n8k32", "s8", "a", Operand::a, 128},
                           {"mma.m16n8k32", "s8", "b", Operand::b, 64},
                           {"mma.m16n8k8", "tf32", "a", Operand::a, 128},
                           {"wgmma.m64n64k16", "bf16", "d", Operand::d, 64 * 32}}) {
    CAPTURE(std::string(form.name));
    CAPTURE(std::string(form.operand));
    const Fragment f = find_fragment({.name = form.name, .dtype = form.dtype, .operand = form.of});
    const Figure figure =
        figure_in(asked({"frag", form.name, "--dtype", form.dtype, "--operand", form.operand}).document, Medium::page);
    const Grid& grid = figure.panels[0][0];
    std::size_t cells = 0;
    for (std::size_t r = 0; r < grid.squares.size(); ++r)
      for (std::size_t c = 0; c < grid.squares[r].size(); ++c) {
        const Said said = said_by(grid.squares[r][c].text);
        const int row = first_number(grid.row_labels[r]), column = first_number(grid.column_labels[c]);
        CHECK(f.at(said.thread, said.first) == Coordinate{row, column});
        const bool across = grid.column_labels[c].find('-') != std::string::npos;
        for (int i = 1; i < said.count; ++i)
          CHECK(f.at(said.thread, said.first + i) == Coordinate{row + (across ? 0 : i), column + (across ? i : 0)});
        ++cells;
      }
    CHECK(cells == form.cells);
  }
}

TEST_CASE("ldmatrix: its matrices in a block, 0 above 1 and 2 beside them, each with its register") {
  const Figure figure = figure_in(asked({"frag", "ldmatrix.x4"}).document, Medium::page);
  REQUIRE(figure.panels.size() == 1);
  const Grid& grid = figure.panels[0][0];
  REQUIRE(grid.squares.size() == 16);
  for (std::size_t matrix = 0; matrix < 4; ++matrix)
    for (std::size_t thread = 0; thread < 32; ++thread) {
      const std::size_t row = matrix % 2 * 8 + thread / 4, column = matrix / 2 * 4 + thread % 4;
      CHECK(grid.squares[row][column].text == "T" + std::to_string(thread) + " r" + std::to_string(matrix));
    }
  for (std::size_t row = 0; row < 16; ++row)
    CHECK(grid.row_labels[row] == std::to_string(row) + " | " + std::to_string(row + 16));
  CHECK(figure_in(asked({"frag", "ldmatrix.x1"}).document, Medium::page).panels.size() == 1);
}

TEST_CASE("a narrow cell names the first of its values; the caption explains it") {
  const Figure figure = figure_in(asked({"frag", "mma.m16n8k32", "--dtype", "s8"}).document, Medium::page);
  const Grid &b = figure.panels[0][1], &a = figure.panels[1][0], &d = figure.panels[1][1];
  // Values 4 to 7 of thread 0 are in register 1, at row 8 of A; its values 2 and 3 of D are there, too.
  CHECK(a.squares[8][0].text == "T0 a4-7");
  CHECK(a.squares[8][0].brief == "T0 a4");
  CHECK(d.squares[8][0].text == "T0 d2,d3");
  CHECK(d.squares[8][0].brief == "T0 d2");
  CHECK(figure.caption.starts_with("T5 a4-7 are values 4 to 7 of thread 5."));
  CHECK(figure.brief_caption == "T5 a4 are values 4 to 7 of thread 5. T5 d2 are its values 2 and 3 of D.");
  CHECK(figure.about_shades == " A shade is a lane of its group of four.");
  // A cell of D has two of the 8 columns of B.
  CHECK(b.column_units == 1);
  CHECK(d.column_units == 2);
}

TEST_CASE("on a page scale factors follow their operand") {
  const Words line{"frag", "mma.m16n8k32", "--kind", "mxf8f6f4",  "--dtype",
                   "e4m3", "--sfa-ids",    "2,1",    "--sfb-ids", "1,3"};
  const Figure page = figure_in(asked(line).document, Medium::page),
               text = figure_in(asked(line).document, Medium::terminal);
  CHECK(text.panels.size() == 3);
  REQUIRE(page.panels.size() == 3);
  // SFB is a row above B, SFA a column left of A.
  const Grid &sfb = page.panels[0][2], &b = page.panels[1][2], &sfa = page.panels[2][0], &a = page.panels[2][1];
  CHECK(sfb.title == "SFB");
  CHECK(b.title == "B (K x N)");
  CHECK(sfa.title == "SFA");
  CHECK(a.title == "A (M x K)");
  REQUIRE(sfb.squares.size() == 1);
  REQUIRE(sfa.squares.size() == a.squares.size());
  // With byte-id 2 and thread-id 1 of SFA, threads 4 r + 2 have the factors of the rows r below 8 (PTX ISA, table 40).
  CHECK(sfa.squares[7][0].text == "30");
  CHECK(sfb.squares[0][7].text == "31");
}

TEST_CASE("in a column a cell is a thread, and above the columns are its values in each block") {
  for (const Words& form : {Words{"mma.m16n8k16", "bf16"},
                            {"mma.m16n8k8", "f16"},
                            {"mma.m16n8k32", "s8"},
                            {"mma.m16n8k8", "tf32"},
                            {"mma.m16n8k64", "s4"}}) {
    CAPTURE(form[0]);
    const Figure wide = figure_in(asked({"frag", form[0], "--dtype", form[1]}).document, Medium::page);
    REQUIRE(wide.narrow.size() == 1);
    REQUIRE(wide.narrow[0].panels.size() == wide.panels.size());
    std::size_t cells = 0;
    for (std::size_t i = 0; i < wide.panels.size(); ++i)
      for (std::size_t j = 0; j < wide.panels[i].size(); ++j) {
        const Grid &all = wide.panels[i][j], &column = wide.narrow[0].panels[i][j];
        REQUIRE(column.squares.size() == all.squares.size());
        for (std::size_t r = 0; r < all.squares.size(); ++r)
          for (std::size_t c = 0; c < all.squares[r].size(); ++c, ++cells) {
            const std::size_t blocks = column.column_levels.size(), block = r / (all.squares.size() / blocks);
            // The outermost line of headings is that of the upper rows.
            const Grid::Level& level = column.column_levels[blocks - 1 - block];
            CHECK("T" + column.squares[r][c].text + " " + level.labels[level.heading(c)] == all.squares[r][c].text);
          }
      }
    CHECK(cells >= 128);
  }
  // The values of an element of 8 bytes are in one block of a thread each.
  CHECK(figure_in(asked({"frag", "mma.sp.m16n8k32", "--dtype", "bf16"}).document, Medium::page).narrow.empty());
}

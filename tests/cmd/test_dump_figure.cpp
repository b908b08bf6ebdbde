// SPDX-License-Identifier: Apache-2.0
// The picture of a dump with a mistake: the cells show what the bytes of the dump say, and red is what differs.
#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "asked.hpp"

using namespace swz;

TEST_CASE("identify of a mistake: each cell has the chunk that the dump holds there, beside the expected one") {
  const std::string path = SWZ_SOURCE_DIR "/tests/data/dumps/relative.bin";
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const Document document = asked({"identify", path, "--dtype", "bf16", "--tile", "64x64"}).document;
  CHECK(document.headline.starts_with("the swizzle is counted from the beginning of the tile"));
  const Figure figure = figure_in(document);
  REQUIRE(figure.panels.size() == 1);
  REQUIRE(figure.panels[0].size() == 2);
  const Grid &expected = figure.panels[0][0], &dump = figure.panels[0][1];
  CHECK(expected.title == "expected: mode 128B");
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < dump.squares.size(); ++r)
    for (std::size_t c = 0; c < 8; ++c) {
      // Element i of the tile holds i as its bits: chunk number = first element / 8.
      const std::size_t at = std::stoul(dump.row_labels[r], nullptr, 16) + 16 * c;
      const int element = static_cast<unsigned char>(bytes[at]) | static_cast<unsigned char>(bytes[at + 1]) << 8;
      CHECK(dump.squares[r][c].text == std::to_string(element / 8));
      const bool differs = dump.squares[r][c].text != expected.squares[r][c].text;
      CHECK((dump.squares[r][c].mark == Mark::colliding) == differs);
      CHECK(expected.squares[r][c].mark == Mark::none);
      wrong += differs ? 1U : 0U;
    }
  CHECK(wrong > 0);
  CHECK(figure.caption.starts_with(std::to_string(wrong) + " of 512 chunks"));
  // 0x480 is line 1 of a pattern of 8 lines: the base offset that counts the lines from there is 1.
  CHECK(figure.caption.find("; base offset 1 of the descriptor reads it.") != std::string::npos);
  // A hue for each 8 elements of a row of 64, and the red frame.
  REQUIRE(figure.legend.size() == 9);
  CHECK(figure.legend[7].text == "56-63");
  CHECK(figure.legend_title == "colour: k");
  // The first 8 lines that differ, and the last of 64.
  CHECK(dump.key_rows.size() == 9);
  CHECK(dump.key_rows.back() == 63);
}

TEST_CASE(
    "identify of exchanged registers: each cell has the elements that its register holds, red where they differ") {
  const Document document = asked({"identify", SWZ_SOURCE_DIR "/tests/data/dumps/registers_swapped.txt", "--of",
                                   "mma.m16n8k16", "--operand", "a", "--dtype", "bf16", "--tile", "16x16"})
                                .document;
  CHECK(document.headline == "in every thread registers 1 and 2 are exchanged");
  const Figure figure = figure_in(document);
  REQUIRE(figure.panels.size() == 1);
  REQUIRE(figure.panels[0].size() == 2);
  const Grid &expected = figure.panels[0][0], &dump = figure.panels[0][1];
  for (std::size_t t = 0; t < dump.squares.size(); ++t) {
    const int row = static_cast<int>(t) / 4, k = static_cast<int>(t) % 4 * 2;
    // A of mma.m16n8k16: rows + 8 in registers 1 and 3, k + 8 in registers 2 and 3.
    const auto text = [&](int down, int right) {
      const std::string at = std::to_string(row + down) + ",";
      return at + std::to_string(k + right) + " " + at + std::to_string(k + right + 1);
    };
    CHECK(expected.squares[t][0].text == text(0, 0));
    CHECK(expected.squares[t][1].text == text(8, 0));
    CHECK(expected.squares[t][2].text == text(0, 8));
    CHECK(expected.squares[t][3].text == text(8, 8));
    for (const auto& [is, of] : {std::pair(0, 0), std::pair(1, 2), std::pair(2, 1), std::pair(3, 3)}) {
      const Grid::Square& square = dump.squares[t][static_cast<std::size_t>(is)];
      const Grid::Square& meant = expected.squares[t][static_cast<std::size_t>(of)];
      CHECK(square.text == meant.text);
      CHECK(square.tint == meant.tint);
      CHECK((square.mark == Mark::colliding) == (is != of));
    }
  }
}

TEST_CASE("identify of a tile inside of the pattern: a dashed line where the pattern begins again") {
  const Document document =
      asked({"identify", SWZ_SOURCE_DIR "/tests/data/dumps/tile.bin", "--dtype", "bf16", "--tile", "64x64"}).document;
  CHECK(document.headline == "K-major, mode 128B from 0x480: all 4096 elements are in place");
  const Figure figure = figure_in(document);
  const Grid& memory = figure.panels[0][1];
  REQUIRE(memory.outlines.size() == 1);
  CHECK(memory.row_labels[static_cast<std::size_t>(memory.outlines[0].rows)] == "0x800");
  CHECK(figure.legend.back().text == "up to 0x800, where the pattern of 1024 B begins again");
}

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
}

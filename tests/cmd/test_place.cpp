// SPDX-License-Identifier: Apache-2.0
// swz place as a command: published figures, the JSON contract, options and refusals.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "answers.hpp"
#include "cmd/asked.hpp"

using namespace swz;
using nlohmann::json;

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line + " ") {
    if (c != ' ') word += c;
    else if (!word.empty()) words.push_back(std::move(word)), word.clear();
  }
  return words;
}

Words place(const std::string& options) {
  Words words{"place"};
  for (const std::string& word : split(options)) words.push_back(word);
  return words;
}

Figure figure_of(const Words& words, Medium medium = Medium::terminal) {
  return figure_in(asked(words).document, medium);
}

// The texts of one row of squares, with a blank between.
std::string texts(const Grid& grid, std::size_t row) {
  std::string line;
  for (const Grid::Square& square : grid.squares.at(row)) line += (line.empty() ? "" : " ") + square.text;
  return line;
}

// The number at 16-byte position p of an atom, from PTX's formula: chunk bits XOR line bits.
std::size_t chunk_at(std::size_t p, std::size_t mask) { return p ^ (p >> 3 & mask); }

}  // namespace

TEST_SUITE("cmd") {
  TEST_CASE("place: the eight atoms, same number and colour on both sides") {
    struct Row {
      const char* mode;
      std::size_t chunks_across, mask;
    };
    for (const Row& row : {Row{"none", 1, 0}, Row{"32B", 2, 1}, Row{"64B", 4, 3}, Row{"128B", 8, 7}})
      for (const bool k_major : {true, false}) {
        const std::string width = std::to_string(8 * row.chunks_across);
        const std::string tile = k_major ? "8x" + width + " --major k" : width + "x8 --major mn";
        const Figure figure = figure_of(place("--dtype bf16 --swizzle " + std::string(row.mode) + " --tile " + tile));
        INFO(row.mode << " " << tile);
        REQUIRE(figure.panels[0].size() == 2);
        const Grid &logical = figure.panels[0][0], &smem = figure.panels[0][1];
        REQUIRE(logical.squares.size() == (k_major ? 8 : row.chunks_across));
        REQUIRE(smem.squares.size() == row.chunks_across);
        std::map<std::string, Tint> colors;
        for (std::size_t line = 0; line < 8; ++line)
          for (std::size_t c = 0; c < row.chunks_across; ++c) {
            const Grid::Square& square = k_major ? logical.squares[line][c] : logical.squares[c][line];
            CHECK(square.text == std::to_string(line * row.chunks_across + c));
            CHECK(square.tint == Tint{static_cast<int>(c), 0});  // one subtile, one colour
            colors[square.text] = square.tint;
          }
        for (std::size_t p = 0; p < 8 * row.chunks_across; ++p) {
          const Grid::Square& square = smem.squares[p / 8][p % 8];
          CHECK(square.text == std::to_string(chunk_at(p, row.mask)));
          CHECK(square.tint == colors[square.text]);
        }
        CHECK(smem.column_labels ==
              std::vector<std::string>{"0-3", "4-7", "8-11", "12-15", "16-19", "20-23", "24-27", "28-31"});
        CHECK(figure.legend.size() == row.chunks_across);
      }
  }

  TEST_CASE("place: choosing a swizzle, 8x64 B with none, 32B and 64B") {
    const Figure figure = figure_of(place("--dtype bf16 --tile 8x32 --swizzle none --beside 32B --beside 64B"));
    REQUIRE(figure.panels[0].size() == 4);
    CHECK(texts(figure.panels[0][1], 0) == "0 4 8 12 16 20 24 28");
    CHECK(texts(figure.panels[0][2], 0) == "0 1 4 5 8 9 12 13");
    CHECK(texts(figure.panels[0][3], 0) == "0 1 2 3 4 5 6 7");
    CHECK(texts(figure.panels[0][3], 1) == "9 8 11 10 13 12 15 14");
    // Four subtiles, four colours, in every panel.
    CHECK(figure.legend.size() == 4);
    for (const Grid& panel : figure.panels[0])
      for (const auto& row : panel.squares)
        for (const Grid::Square& square : row) CHECK(square.tint.hue == std::stoi(square.text) % 4);
  }

  TEST_CASE("place: why to swizzle, the chunks that collide") {
    const Words words{"place",     "--tile",      "8x16",
                      "--swizzle", "32B",         "--beside",
                      "linear",    "--highlight", "chunks 0,2,4,6,8,10,12,14"};
    const Figure figure = figure_of(words);
    REQUIRE(figure.panels[0].size() == 3);
    for (const auto& [panel, mark] : {std::pair{0, Mark::highlighted}, {1, Mark::highlighted}, {2, Mark::colliding}})
      for (const auto& row : figure.panels[0][static_cast<std::size_t>(panel)].squares)
        for (const Grid::Square& square : row)
          CHECK(square.mark == (std::stoi(square.text) % 2 == 0 ? mark : Mark::none));
    CHECK(figure.legend.size() == 4);
    CHECK(figure.caption.find("mode 32B: ") == std::string::npos);
    CHECK(figure.caption.find("linear: 2-way bank conflict, 1 wavefront would do. ") != std::string::npos);
    // The same selection as lanes and as a rectangle.
    for (const char* same : {"lanes 0-7", "ks 0-7", "rows 0-7; ks 0-7"}) {
      Words other = words;
      other.back() = same;
      CHECK(json_of(other)["beside"][0]["reading"] ==
            json{{"chunks", 8}, {"phases", 1}, {"wavefronts", 2}, {"ways", 2}});
      CHECK(json_of(other)["reading"]["ways"] == 1);
    }
  }

  TEST_CASE("place: atoms of 16x64 B, stacked both ways") {
    const auto order_in_smem = [](const std::string& options) {
      const Figure figure = figure_of(place("--dtype bf16 --tile 16x32 --label atom " + options));
      std::string order;
      for (const auto& row : figure.panels[0][1].squares)
        for (const Grid::Square& square : row)
          if (order.empty() || order.back() != square.text.back()) order += square.text;
      return order;
    };
    CHECK(order_in_smem("--swizzle none --order k-first") == "01234567");
    CHECK(order_in_smem("--swizzle none --order mn-first") == "04152637");
    CHECK(order_in_smem("--swizzle 32B --order k-first") == "0123");
    CHECK(order_in_smem("--swizzle 32B --order mn-first") == "0213");
    const Grid logical = figure_of(place("--dtype bf16 --tile 16x32 --swizzle 32B")).panels[0][0];
    CHECK(logical.row_group == 8);
    CHECK(logical.column_group == 2);
    CHECK(figure_of(place("--tile 16x32 --swizzle 32B")).panels[0][1].row_group == 2);
    CHECK(figure_of(place("--tile 16x32 --swizzle 32B --base 0x480")).panels[0][1].row_group == 0);
  }

  TEST_CASE("place: bank plots") {
    const auto banks = [](const std::string& layout) {
      return figure_of({"place", "--layout", layout, "--dtype", "bf16", "--cells", "element", "--label", "bank",
                        "--color-by", "bank"});
    };
    const Figure plain = banks("(64,64):(64,1)"), swizzled = banks("tile_to_shape(K_SW128<bf16>, (64,64))");
    for (const Figure* figure : {&plain, &swizzled}) REQUIRE(figure->panels[0].size() == 1);
    for (std::size_t row = 0; row < 64; ++row)
      for (std::size_t k = 0; k < 64; ++k) {
        const std::size_t bank = (k * 2 ^ (row % 8) << 4) / 4 % 32;
        CHECK(plain.panels[0][0].squares[row][k].text == std::to_string(k / 2));
        CHECK(swizzled.panels[0][0].squares[row][k].text == std::to_string(bank));
        CHECK(swizzled.panels[0][0].squares[row][k].tint ==
              Tint{static_cast<int>(bank / 4), static_cast<int>(bank % 4)});
      }
  }

  TEST_CASE("place: labels, colours, elements") {
    const auto first_lines = [](const std::string& options) {
      const Figure figure = figure_of(place("--dtype bf16 --tile 8x16 --swizzle 32B --base 0x500 " + options));
      return texts(figure.panels[0][0], 4) + " | " + texts(figure.panels[0].back(), 1);
    };
    CHECK(first_lines("--label byte") == "0x590 0x580 | 0x580 0x590 0x5a0 0x5b0 0x5c0 0x5d0 0x5e0 0x5f0");
    CHECK(first_lines("--label coordinate") == "4,0 4,8 | 4,8 4,0 5,8 5,0 6,8 6,0 7,8 7,0");
    CHECK(first_lines("--label offset") == "72 64 | 64 72 80 88 96 104 112 120");
    CHECK(first_lines("--label bank") == "4 0 | 8 12");  // rows 4 and 1 of the one panel
    const Figure banks = figure_of(place("--tile 8x16 --swizzle 32B --label bank --panels smem"));
    CHECK(texts(banks.panels[0][0], 0) == "0 4 8 12 16 20 24 28");
    CHECK(first_lines("--panels logical") == "8 9 | 2 3");

    const Figure wide = figure_of(place("--tile 16x128 --color-by column"));
    CHECK(wide.panels[0][0].squares[9][9].tint == Tint{1, 1});
    CHECK(figure_of(place("--tile 16x128")).panels[0][0].squares[9][9].tint == Tint{1, 2});
    CHECK(figure_of(place("--tile 16x128 --color-by chunk")).panels[0][0].squares[9][9].tint == Tint{0, 0});

    const Figure elements = figure_of(place("--dtype tf32 --tile 8x8 --swizzle 32B --cells element"));
    CHECK(texts(elements.panels[0][0], 1) == "2 2 2 2 3 3 3 3");
    CHECK(elements.panels[0][1].squares[0].size() == 32);
    CHECK(texts(elements.panels[0][1], 1).find("9 9 9 9 8 8 8 8 11") == 0);
  }

  TEST_CASE("place: tips for the formats that show them") {
    const Words words = place("--dtype bf16 --tile 16x8 --major mn --swizzle 32B --base 0x400");
    CHECK(figure_of(words, Medium::page).panels[0][0].squares[1][4].tip ==
          "rows 8-15, k 4, offset 64\nbyte 0x480 = 1152, line 9, banks 0-3\nchunk 9");
    CHECK(figure_of(words).panels[0][0].squares[1][4].tip.empty());
    Words elements = words;
    elements.insert(elements.end(), {"--cells", "element"});
    CHECK(figure_of(elements, Medium::page).panels[0][1].squares[1][3].tip ==
          "row 11, k 4, offset 67\nbyte 0x486 = 1158, line 9, bank 1\nchunk 9");
  }

  TEST_CASE("place: the JSON contract") {
    const json d = json_of(place("--dtype bf16 --tile 16x8 --major mn --swizzle 32B --base 0x400"));
    CHECK(d["chunk_bytes"] == 16);
    REQUIRE(d["chunks"].size() == 16);
    CHECK(d["chunks"][1] == json{{"row", 8}, {"k", 0}, {"byte", 0x410}, {"bank", 4}});
    CHECK(d["chunks"][8] == json{{"row", 0}, {"k", 4}, {"byte", 0x490}, {"bank", 4}});
    CHECK(d["begin"] == 0x400);
    CHECK(d["end"] == 0x500);
    CHECK(d["swizzle"] == "32B");
    CHECK(d["addresses"].is_null());
    CHECK(d["reading"].is_null());

    const json torn = json_of({"place", "--layout", "(2,3):(2,8)", "--dtype", "f32"});
    CHECK(torn["chunks"].is_null());
    CHECK(torn["addresses"] == json{0, 32, 64, 8, 40, 72});
    CHECK(torn["notes"][0]["rule"] == "no-chunks");
    CHECK(torn["swizzle"].is_null());
    CHECK(json_of({"place", "--layout", "MN_SW32<e4m3>"})["dtype"] == "u8");
    CHECK(json_of({"place", "--layout", "MN_SW32<e4m3>"})["major"] == "MN-major");
    CHECK(json_of({"place", "--layout", "(8,8):(0,1)"})["notes"][0]["message"] ==
          "(8,8):(0,1): 56 elements lie where another one does; shared memory shows the first");
  }

  TEST_CASE("place: any tile is placed; a target that cannot read it by descriptor is named in a note") {
    const std::string tile = "--dtype e4m3 --tile 64x8 --major mn --swizzle 64B";
    CHECK(json_of(place(tile))["notes"].empty());
    CHECK(json_of(place(tile + " --arch sm_90a"))["notes"][0]["rule"] == "wgmma-mn-16-bit");
    CHECK(json_of(place(tile + " --arch sm_80"))["notes"][0]["rule"] == "no-descriptor");
    CHECK(json_of(place(tile + " --arch sm_100a"))["notes"].empty());
    CHECK(json_of(place("--tile 8x32 --swizzle auto --arch sm_80"))["swizzle"] == "64B");
    CHECK(json_of(place("--tile 8x16 --swizzle 32B --base 0x480"))["notes"][0]["rule"] == "pattern-phase");
  }

  TEST_CASE("place: refusals") {
    const Words large = place("--tile 512x256 --dtype e4m3 --cells element --swizzle 64B");
    const CliResult text = run_cli(large);
    CHECK(text.exit_code == 0);
    CHECK(text.out.find("not drawn: the figure of 512x256 e4m3 has 262144 cells; at most 65536 are drawn; draw chunks "
                        "(--cells chunk), a part of the operand, or take -f json\n") != std::string::npos);
    Words picture = large;
    picture.insert(picture.end(), {"-f", "svg"});
    CHECK(error_of(picture) ==
          "swz: error: the figure of 512x256 e4m3 has 262144 cells; at most 65536 are drawn\n"
          "hint: draw chunks (--cells chunk), a part of the operand, or take -f json\n");
    CHECK(error_of({"place", "--layout", "(1024,1024):(1024,1)", "--dtype", "bf16"}).find("outside of shared memory") !=
          std::string::npos);
    CHECK(error_of({"place", "--layout", "(4,8):(16,2)", "--cells", "chunk"}) ==
          "swz: error: (4,8):(16,2) does not keep the 16-byte chunks of 8 elements together\n"
          "hint: draw elements: --cells element --label coordinate\n");
    CHECK(error_of({"place", "--layout", "(8,8):(8,1)", "--label", "atom"}) ==
          "swz: error: (8,8):(8,1) is not built from swizzle atoms\nhint: take another --label\n");
    CHECK(error_of({"place", "--layout", "(8,8):(8,1)", "--tile", "8x8"})
              .find("--layout and --tile cannot be combined") != std::string::npos);
    CHECK(error_of({"place", "--tile", "8x64", "--beside", "(8,8):(8,1)"}) ==
          "swz: error: (8,8):(8,1) has 8x8 elements, the first operand has 8x64\n"
          "hint: operands that are compared must have the same extents\n");
    CHECK(error_of({"place", "--tile", "8x64", "--highlight", "rows 9"}) ==
          "swz: error: rows 9-9 are not in the operand\nhint: rows go from 0 to 7\n");
    CHECK(error_of({"place", "--tile", "8x64", "--highlight", "rosw 9"}).find("did you mean 'rows'?") !=
          std::string::npos);
    CHECK(error_of({"place", "--tile", "8x64", "--color-by", "banks"}).find("did you mean 'bank'?") !=
          std::string::npos);
    CHECK(error_of({"place", "--tile", "8x64", "--beside", "linaer"}) ==
          "swz: error: 'linaer' is neither a swizzle mode nor 'linear' nor a layout\n"
          "hint: did you mean 'linear'? swizzle modes: none, 32B, 64B, 128B and 128B_32B\n");
    CHECK(error_of({"place", "--tile", "8x64", "--beside", "33B"}).find("did you mean '32B'?") != std::string::npos);
    CHECK(error_of({"place"}).find("no tile given") != std::string::npos);
  }
}

// SPDX-License-Identifier: Apache-2.0
// swz tma place and the figure and MMA line of swz tma plan, as commands.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "answers.hpp"
#include "cmd/asked.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const Words place{"tma", "place", "--dtype", "bf16"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("place: the numbers of the contract") {
  const nlohmann::json json = json_of(with(place, {"--box", "16,4", "--swizzle", "64B", "--base", "0x400"}));
  CHECK(json["pitch"] == 64);
  CHECK(json["row_bytes"] == 32);
  CHECK(json["rows"] == 4);
  CHECK(json["allocate"] == 256);
  CHECK(json["expect_bytes"] == 128);
  CHECK(json["alignment"] == 128);
  CHECK(json["pattern"] == 512);
  CHECK(json["addresses"].size() == 64);
  // Element (8, 2): 0x400 + 2 * 64 + 16 = 0x490 in line 9; 9 & 3 = 1 moves it to 0x480.
  CHECK(json["addresses"][2 * 16 + 8] == 0x480);
  CHECK(json["addresses"][0] == 0x400);
  CHECK(json["filled"] == 0);
  CHECK(json["mma"]["read"] == false);  // 4 rows
  CHECK(json["notes"][0]["rule"] == "gap");
}

TEST_CASE("place: text at 80 columns, and the exit code under --strict") {
  const CliResult r = run_cli(with(place, {"--box", "32,4"}), {.variables = {{"COLUMNS", "80"}}});
  CHECK(r.exit_code == 0);
  CHECK(r.out == R"(bf16 box (32, 4), swizzle none
rows      4 of 64 B, 64 B apart
allocate  256 B
mbarrier  expects 256 B
align     128 B

GMEM: box at (0, 0) of (32, 4)
dim 1\0 │   0-7  8-15 16-23 24-31
────────┼─────────────────────────
      0 │     0     1     2     3
      1 │     4     5     6     7
      2 │     8     9    10    11
      3 │    12    13    14    15

shared memory
byte\bank │   0-3   4-7  8-11 12-15 16-19 20-23 24-27 28-31
──────────┼─────────────────────────────────────────────────
      0x0 │     0     1     2     3     4     5     6     7
     0x80 │     8     9    10    11    12    13    14    15

A cell is 16 bytes (8 elements) and shows the number of its chunk in the tensor.

MMA  no descriptor reads it

lint[no-descriptor]: MN 4 is not a multiple of 8, the smallest block of rows
  an MMA reads
  source: PTX ISA 9.1, 9.7.15.5.1.2.1, 9.7.16.3 and 9.7.16.10.1 (documented)
)");
  // Text and JSON say the same.
  CHECK(json_of(with(place, {"--box", "16,4"}))["lints"][0]["rule"] == "no-descriptor");
  CHECK(json_of(with(place, {"--box", "64,8", "--swizzle", "128B"}))["lints"].empty());
  CHECK(run_cli(with(place, {"--box", "32,4", "--strict"})).exit_code == 1);
  CHECK(run_cli(with(place, {"--box", "64,8", "--swizzle", "128B", "--strict"})).exit_code == 0);
}

TEST_CASE("place: at the corner of a tensor") {
  const nlohmann::json json = json_of(with(place, {"--box", "64,8", "--dims", "100,100", "--start", "64,96"}));
  // 4 rows lie inside with 36 elements each, of 8 x 64.
  CHECK(json["filled"] == 512 - 4 * 36);
  CHECK(json["start"] == nlohmann::json{64, 96});
  // A row of 100 elements is 13 chunks: 96 * 13 + 64 / 8 = 1256. Line 1 of shared memory swaps neighbours.
  const std::string text =
      run_cli(with(place, {"--box", "64,8", "--swizzle", "128B", "--dims", "100,100", "--start", "64,96"})).out;
  CHECK(text.find("     96 │    1256    1257") != std::string::npos);
  CHECK(text.find("     97 │    1269    1270") != std::string::npos);
  CHECK(text.find("     0x80 │  1270  1269  1272  1271   oob 1273|") != std::string::npos);
  // Rank 3 with an element stride: rows 0, 2 of dimension 1, then those of dimension 2; a row is two chunks.
  const std::string strided =
      run_cli({"tma", "place", "--dtype", "f32", "--box", "8,4,2", "--element-strides", "1,2,1"}).out;
  CHECK(strided.find("      0,0 │   0   1") != std::string::npos);
  CHECK(strided.find("      2,0 │   4   5") != std::string::npos);
  CHECK(strided.find("      2,1 │  12  13") != std::string::npos);
  CHECK(json_of(with(place, {"--box", "64,8", "--start", "-64,-8"}))["filled"] == 512);
}

// The tensor ends at 100 elements and 100 rows; a chunk is 8 elements.
TEST_CASE("place: what lies outside, and the chunk in which the tensor ends") {
  const Figure figure = figure_in(
      asked(with(place, {"--box", "64,8", "--swizzle", "128B", "--dims", "100,100", "--start", "64,96"})).document);
  const Grid &box = figure.panels[0][0], &smem = figure.panels[0][1];
  double inside = 0;
  for (int row = 0; row < 8; ++row)
    for (int c = 0; c < 8; ++c) {
      const int first = 64 + 8 * c;
      const double expected = 96 + row >= 100 ? 1 : std::clamp((first + 8 - 100) / 8.0, 0.0, 1.0);
      const Grid::Square& square = box.squares[static_cast<std::size_t>(row)][static_cast<std::size_t>(c)];
      CHECK(square.outside == expected);
      CHECK((square.tint.hue == -1) == (expected == 1));
      // The XOR of the 128B mode.
      const Grid::Square& there = smem.squares[static_cast<std::size_t>(row)][static_cast<std::size_t>(c ^ row)];
      CHECK(there.outside == expected);
      CHECK(there.text == square.text);
      inside += 8 * (1 - square.outside);
    }
  CHECK(inside == 4 * 36);
  std::string legend;
  for (const LegendEntry& entry : figure.legend) legend += entry.text + "; ";
  CHECK(legend ==
        "64-71; 72-79; 80-87; 88-95; 96-103; outside the tensor, filled with 0; the tensor ends here: 96-99 inside, "
        "100-103 filled with 0; ");
  const std::string nan =
      run_cli(with(place, {"--box", "64,8", "--dims", "100,100", "--start", "64,96", "--oob", "nan"})).out;
  CHECK(nan.find("oob: outside the tensor, filled with NaN") != std::string::npos);
}

TEST_CASE("place: --highlight") {
  const auto marked = [](const Words& more) {
    const Figure figure = figure_in(asked(with(place, with({"--box", "64,8", "--swizzle", "128B"}, more))).document);
    std::string text;
    for (const Grid& panel : figure.panels[0]) {
      std::set<int> numbers;
      for (const auto& row : panel.squares)
        for (const Grid::Square& square : row)
          if (square.mark == Mark::highlighted) numbers.insert(std::stoi(square.text));
      for (const int number : numbers) text += std::to_string(number) + " ";
      text += "; ";
    }
    return text;
  };
  CHECK(marked({"--highlight", "rows 1; columns 8-23"}) == "9 10 ; 9 10 ; ");
  CHECK(marked({"--highlight", "chunks 3,60"}) == "3 60 ; 3 60 ; ");
  // Line 1 of shared memory begins with chunk 9: the XOR exchanges neighbours.
  CHECK(marked({"--highlight", "bytes 128-143"}) == "9 ; 9 ; ");
  CHECK(marked({"--highlight", "byte 143"}) == "9 ; 9 ; ");
  CHECK(error_of(with(place, {"--box", "64,8", "--highlight", "rows 8"})) ==
        "swz: error: there is no row 8\n  rows 8\n       ^\nhint: rows: 0 to 7\n");
  CHECK(error_of(with(place, {"--box", "64,8", "--highlight", "rows 1; chunks 0"})) ==
        "swz: error: nothing of the box is highlighted\n"
        "hint: rows and columns count in the box, chunks are the numbers in its cells, bytes are addresses\n");
}

// Measured on an H100: rows end at a multiple of 16 B for a store, and none begins before the tensor.
TEST_CASE("place: what a store does at the ends of a tensor") {
  const auto rules = [](const Words& more) {
    std::string text;
    const nlohmann::json json = json_of(with(place, more));
    for (const nlohmann::json& note : json["notes"])
      text += (text.empty() ? "" : " ") + note["rule"].get<std::string>();
    return text;
  };
  CHECK(rules({"--box", "64,8", "--dims", "100,100", "--start", "64,96"}) == "filled store-end-of-row");
  CHECK(rules({"--box", "64,8", "--dims", "100,100", "--start", "0,96"}) == "filled");
  CHECK(rules({"--box", "64,8", "--dims", "104,100", "--start", "64,96"}) == "filled");
  CHECK(rules({"--box", "64,8", "--dims", "104,100", "--start", "-8,0"}) == "filled store-start");
  CHECK(json_of(with(place, {"--box", "64,8", "--dims", "100,100", "--start", "64,96"}))["notes"][0]["message"] ==
        "368 elements lie outside the tensor: a load fills them with 0 and counts them on the mbarrier, a store "
        "leaves "
        "them out");
}

TEST_CASE("place: the words that read a box have no lint") {
  const nlohmann::json mma = json_of(with(place, {"--box", "32,8", "--swizzle", "128B"}))["mma"];
  CHECK(mma["sbo"] == 1024);
  CHECK(mma["mma"] == nlohmann::json{8, 16});
  CHECK(mma["default_of"] == "b");
}

TEST_CASE("place: what cannot be placed") {
  CHECK(error_of(place) ==
        "swz: error: no box given\n"
        "hint: the elements of a box along each dimension, innermost first: --box 64,128\n");
  CHECK(error_of(with(place, {"--box", "0,8"})).find("swz: error: boxDim[0] = 0 is not 1 to 256") == 0);
  CHECK(error_of(with(place, {"--box", "8,-1"})).find("swz: error: boxDim[1] = 18446744073709551615") == 0);
  CHECK(error_of(with(place, {"--box", ","})).find("swz: error: no box given") == 0);
  CHECK(error_of(with(place, {"--box", "64,8", "--base", "0x40"})) ==
        "swz: error: the SMEM address 0x40 of a tensor copy is not a multiple of 128\n"
        "hint: align the buffer to 128 B\n");
  CHECK(error_of(with(place, {"--box", "64,8", "--swizzle", "64B"})).find("swz: error: boxDim[0] = 64 is 64 x 2 B") ==
        0);
  CHECK(error_of(with(place, {"--box", "64,8", "--start", "4,0"})) ==
        "swz: error: a copy that starts at element 4 of dimension 0, which is not a multiple of 16 B, faults\n"
        "hint: CUDA_ERROR_ILLEGAL_INSTRUCTION on H200; start at a multiple of 8 elements\n");
  CHECK(error_of(with(place, {"--box", "64,8", "--start", "0"}))
            .find("swz: error: --start has 1 number; the box has 2") == 0);
  CHECK(error_of(with(place, {"--box", "64,8", "--start", "0,4294967296"})).find("does not fit in 32 bits") !=
        std::string::npos);
  CHECK(error_of(with(place, {"--box", "64,8", "--strides", "128"})).find("--strides needs --dims") !=
        std::string::npos);
  CHECK(error_of(with(place, {"--box", "64,8", "--dims", "99999999999999999,2"})).find("globalDim[0]") !=
        std::string::npos);
  CHECK(error_of({"tma", "place", "--arch", "sm_80", "--box", "64,8"}).find("sm_80 has no TMA") != std::string::npos);
}

TEST_CASE("plan: a layout, and what an MMA makes of it") {
  const Words plan{"tma", "plan", "--dtype", "bf16", "--layout"};
  const nlohmann::json box = json_of(with(plan, {"(8,32):(32,1)"}));
  CHECK(box["box"] == nlohmann::json{32, 8});
  CHECK(box["copies"].size() == 1);
  CHECK(box["mma"]["read"] == false);
  CHECK(box["mma"]["reason"] == "rows are 64 B apart; mode none needs 16 B");
  CHECK(box["mma"]["instead"][0] ==
        nlohmann::json{
            {"swizzle", "none"}, {"order", "mn-first"}, {"box", {8, 8}}, {"copies", 4}, {"request_bytes", 16}});
  const nlohmann::json swizzled = json_of(with(plan, {"Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)"}));
  CHECK(swizzled["swizzle"] == "128B");
  CHECK(swizzled["mma"]["read"] == true);
  CHECK(swizzled["mma"]["sbo"] == 1024);
  // Three dimensions are needed: what is left over in two would be copied to addresses that are not multiples of
  // 128.
  const nlohmann::json folded = json_of(with(plan, {"(4,(8,4)):(32,(1,8))"}));
  CHECK(folded["rank"] == 2);
  const nlohmann::json three = json_of(with(plan, {"((2,4),(8,2)):((8,32),(1,16))"}));
  CHECK(three["rank"] == 4);
  CHECK(three["copies"].size() == 1);
  CHECK(json_of(with(plan, {"((2,4),(8,2)):((8,32),(1,16))", "--rank", "2"}), 1)["refusal"]["rule"] == "smem-128");
  CHECK(error_of(with(plan, {"(8,32):(32,1)", "--tile", "8x32"})).find("--layout and --tile cannot be combined") !=
        std::string::npos);
  CHECK(run_cli(with(plan, {"(8,32):(32,1)", "--strict"})).exit_code == 1);
  CHECK(run_cli({"tma", "plan", "--dtype", "bf16", "--tile", "64x64", "--strict"}).exit_code == 0);
}

TEST_CASE("plan: the figure has the numbers of published figures") {
  const std::string none = run_cli({"tma", "plan", "--dtype", "bf16", "--tile", "8x32", "--swizzle", "none"}).out;
  CHECK(none.find("      0x0 │     0     4     8    12    16    20    24    28\n") != std::string::npos);
  CHECK(none.find("    0x180 │     3     7    11    15    19    23    27    31\n") != std::string::npos);
  const std::string b32 = run_cli({"tma", "plan", "--dtype", "bf16", "--tile", "8x32", "--swizzle", "32B"}).out;
  CHECK(b32.find("      0x0 │     0     1     4     5     8     9    12    13\n") != std::string::npos);
  CHECK(b32.find("     0x80 │    17    16    21    20    25    24    29    28\n") != std::string::npos);
}

TEST_CASE("plan: every cell of the figure has the step and the colour of the copy that brings it") {
  const Words words{"tma", "plan", "--dtype", "bf16", "--tile", "64x32", "--swizzle", "32B", "--order", "k-first"};
  const nlohmann::json json = json_of(words);
  const Figure figure = figure_in(asked(words).document);
  REQUIRE(figure.steps.size() == 16);
  CHECK(figure.steps[3] == "copy 3: (16, 8) to byte 768");
  const Grid &tile = figure.panels[0][0], &smem = figure.panels[0][1];
  std::map<std::string, int> copies;
  for (int row = 0; row < 64; ++row)
    for (int c = 0; c < 4; ++c) {
      const Grid::Square& square = tile.squares[static_cast<std::size_t>(row)][static_cast<std::size_t>(c)];
      const nlohmann::json& at = json["copies"].at(static_cast<std::size_t>(square.step))["coordinate"];
      CHECK(at[0] <= 8 * c);
      CHECK(at[0].get<int>() + 16 > 8 * c);
      CHECK(at[1] <= row);
      CHECK(at[1].get<int>() + 8 > row);
      CHECK(square.tint == Tint{square.step % 8, square.step / 8});  // no colour twice
      copies[square.text] = square.step;
    }
  for (const auto& row : smem.squares)
    for (const Grid::Square& square : row) CHECK(square.step == copies.at(square.text));
}

TEST_CASE("plan: the answer comes first, and the one copy beside the many") {
  const Words words{"tma", "plan", "--dtype", "bf16", "--tile", "64x32", "--swizzle", "32B", "--order", "k-first"};
  CHECK(run_cli(words).out.find("bf16 64x32, K-major, mode 32B, k-first\n"
                                "plan           16 copies of (16, 8), 256 B each, by a map of rank 2\n"
                                "or             1 copy of (16, 8, 2, 8), 4096 B, by a map of rank 4\n") == 0);
  const Document document = asked(words).document;
  const Figure figure = figure_in(document);
  REQUIRE(figure.panels.size() == 2);
  const Grid& folded = figure.panels[1][0];
  CHECK(folded.title == "or 1 copy by a map of rank 4: its coordinates");
  // Row 21 is line 5 of block 2 of 8; k 24 is entry 8 of step 1 of 16. Colours are those of the 16 copies.
  CHECK(folded.squares[21][3].text == "8,5,1,2");
  CHECK(folded.squares[21][3].tint.hue == -1);
  // Each copy that is drawn is called out beside the line where it begins, and its box is framed there.
  const Grid& smem = figure.panels[0][1];
  REQUIRE(smem.outlines.size() == 5);
  CHECK(smem.outlines[4] == Grid::Outline{{30, 0}, 2, 8});
  CHECK(std::ranges::count(smem.arrows, "copy 15: 0xf00", &Grid::Arrow::text) == 1);
  for (std::int64_t i = 0; i < 4; ++i) {
    CHECK(smem.outlines[static_cast<std::size_t>(i)] == Grid::Outline{{2 * i, 0}, 2, 8});
    CHECK(std::ranges::count(smem.arrows, fmt::format("copy {}: {:#x}", i, 256 * i), &Grid::Arrow::text) == 1);
  }
  // That a line holds 16 of 32 k is why there are 2 copies, not 16. The other panel has what the dimensions of the other
  // map are.
  CHECK(document.headline == "16 copies of (16, 8); or 1 by a map of rank 4");
  CHECK(folded.below == "box (16, 8, 2, 8); dimension 0 is K, 1 is MN, 2 is K in steps of 16, 3 is MN in steps of 8");
}

TEST_CASE("plan: a figure without room for a second one says which map takes one copy") {
  const Document document =
      asked({"tma", "plan", "--dtype", "bf16", "--tile", "128x128", "--swizzle", "128B"}).document;
  CHECK(document.headline == "2 copies of (64, 128): a line of mode 128B holds 64 of 128 k");
  CHECK(figure_in(document).caption.find("A map of rank 3 (K, MN, K in steps of 64) takes 1 copy of (64, 128, 2).") !=
        std::string::npos);
}

}  // namespace swz

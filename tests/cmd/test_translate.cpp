// SPDX-License-Identifier: Apache-2.0
// swz translate: what its user sees.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "asked.hpp"
#include "run_cli.hpp"

using swz::asked;
using swz::CliResult;
using swz::Document;
using swz::Drawing;
using swz::Figure;
using swz::figure_in;
using swz::Medium;
using swz::run_cli;
using swz::Sketch;

namespace {

using Answer = nlohmann::json;

const std::string swizzled = "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>";

}  // namespace

TEST_CASE("the JSON of swz translate is what the issue says") {
  const CliResult r =
      run_cli({"translate", "Sw<2,3,3> o 0 o (128,32):(32,1)", "--dtype", "f16", "--map", "-f", "json"});
  CHECK(r.exit_code == 0);
  const Answer a = Answer::parse(r.out);
  CHECK(a["from"] == "cute");
  CHECK(a["kind"] == "shared");
  CHECK(a["shape"] == Answer{128, 32});
  CHECK(a["dtype"] == "f16");
  CHECK(a["hardware_mode"] == "64B");
  CHECK(a["forms"]["cute"] == "Sw<2,3,3> o 0 o (128,32):(32,1)");
  CHECK(a["map"].size() == 4096);
  CHECK(a["map"][2 * 32] == 72);  // row 2 has phase 1: 64 + (0 ^ 8)
  for (const auto& [name, text] : a["forms"].items()) CHECK(text.is_null() == a["refused"].contains(name));
}

TEST_CASE("--to --brief prints only the text; exit 1 if there is none") {
  CHECK(run_cli({"translate", "(4,8):(8,1)", "--to", "cute", "--brief"}).out == "(4,8):(8,1)\n");
  // Triton's extents are powers of two.
  CHECK(run_cli({"translate", "(48,32):(32,1)", "--to", "triton"}).exit_code == 1);
  // What Triton itself refuses is an error.
  CHECK(run_cli({"translate", swizzled, "--shape", "48x32"}).exit_code == 2);
}

TEST_CASE("a layout of a file") {
  CHECK(run_cli({"translate", "@-", "--brief"}, {}, "(4,8):(8,1)\n").exit_code == 0);
  CHECK(run_cli({"translate", "@/nonexistent"}).exit_code == 2);
}

TEST_CASE("what cannot be read is said with the way out") {
  CHECK(run_cli({"translate", "1"}).err ==
        "swz: error: 1 is a number without its dialect\n"
        "hint: 1 is 32B for the driver, Mojo and TileLang, 128B in a wgmma word and in nvFuser, 128B_32B in a "
        "tcgen05 word: write the name, for example SWIZZLE_128B\n");
  CHECK(run_cli({"translate", "Swizzle(3, 2, 4)"}).err ==
        "swz: error: 'Swizzle(3, 2, 4)' is written the same in mojo (elements) and tilus (elements), with other "
        "meanings\nhint: its name before it says which: 'mojo: Swizzle(3, 2, 4)'\n");
  CHECK(run_cli({"translate"}).err ==
        "swz: error: no layout given\nhint: a text, or @FILE; --list shows the notations\n");
  CHECK(run_cli({"translate", "(4,4):(4,1)", "--to", "tritom"}).exit_code == 2);
}

TEST_CASE("--list has every dialect and the table of names") {
  const CliResult r = run_cli({"translate", "--list", "-f", "json"});
  const Answer a = Answer::parse(r.out);
  CHECK(a["dialects"].at(0)["name"] == "cute");
  CHECK(a["mode_names"].size() == 5);
  // 1 means another mode in each of these columns.
  CHECK(a["mode_names"][3]["mode"] == "128B");
  CHECK(a["mode_names"][3]["wgmma"] == 1);
  CHECK(a["mode_names"][1]["driver"] == 1);
  CHECK(a["mode_names"][4]["tcgen05"] == 1);
}

TEST_CASE("a picture has the array by row and column") {
  const CliResult r = run_cli({"translate", "(4,8):(8,1)", "--dtype", "f32", "-f", "svg"});
  CHECK(r.exit_code == 0);
  CHECK(r.out.find("(3,7) at offset 31, byte 124, bank 31") != std::string::npos);
}

TEST_CASE("a narrow picture has two other notations and names the rest") {
  const Document document = asked({"translate", "Sw<3,3,3> o 0 o (64,64):(64,1)", "--dtype", "bf16"}).document;
  const Document page = std::get<Drawing>(document.blocks.back()).draw(Medium::page);
  const Sketch sketch = std::get<Sketch>(page.blocks.at(1));
  const Sketch::Shapes wide = sketch.shapes(868), narrow = sketch.shapes(325);
  CHECK(wide.boxes.size() == 4);
  CHECK(narrow.boxes.size() == 2);
  CHECK(narrow.texts.back().text == "swz translate also writes Gluon and JAX Mosaic.");
}

TEST_CASE("a picture of a large array has the chunks of swz place, and the mode in its title") {
  const Document document = asked({"translate", "Sw<3,3,3> o 0 o (64,64):(64,1)", "--dtype", "bf16"}).document;
  CHECK(document.headline == "mode 128B, K-major: Sw<3,4,3> on byte addresses, SBO 1024 B");
  const Figure figure = figure_in(document);
  REQUIRE(figure.panels[0].size() == 2);
  const Figure placed = figure_in(asked({"place", "--tile", "64x64", "--swizzle", "128B", "--dtype", "bf16"}).document);
  for (std::size_t panel = 0; panel < 2; ++panel) {
    const auto &squares = figure.panels[0][panel].squares, &expected = placed.panels[0][panel].squares;
    REQUIRE(squares.size() == expected.size());
    for (std::size_t row = 0; row < squares.size(); ++row)
      for (std::size_t column = 0; column < squares[row].size(); ++column)
        CHECK(squares[row][column].text == expected[row][column].text);
  }
}

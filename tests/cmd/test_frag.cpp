// SPDX-License-Identifier: Apache-2.0
// swz frag as a command: the JSON contract, text, figures, lints and errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "arch/sparse_mma.hpp"
#include "base/error.hpp"
#include "cmd/asked.hpp"
#include "cmd/parsed.hpp"
#include "fragment/fragment.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

Answer run_frag(const Words& words, const std::string& arch = "") {
  Words all{"frag"};
  all.insert(all.end(), words.begin(), words.end());
  if (!arch.empty()) all.insert(all.end(), {"--arch", arch});
  return asked(all);
}

Parsed fragment_json(const Words& words, const std::string& arch = "") {
  return parsed(run_frag(words, arch).document);
}

Figure figure_of(const Words& words, Medium medium = Medium::page) {
  return figure_in(run_frag(words).document, medium);
}

Error thrown_by(const Words& words, const std::string& arch = "") {
  try {
    run_frag(words, arch);
  } catch (const Error& e) {
    return e;
  }
  return Error("no error");
}

TEST_CASE("the JSON contract: ldmatrix.x1 in full") {
  const Parsed json = fragment_json({"ldmatrix.x1"});
  CHECK(json["threads"] == 32);
  CHECK(json["values"] == 2);
  CHECK(json["tv_layout"] == "((4,8),2):((16,1),8)");
  CHECK(json["inverse_layout"] == "(8,(2,4)):(4,(32,1))");
  REQUIRE(json["coordinates"].size() == 64);
  // PTX ISA, ldmatrix: lane l holds row l / 4, elements 2 * (l % 4) and the next
  for (int lane = 0; lane < 32; ++lane)
    for (int value = 0; value < 2; ++value)
      CHECK(json["coordinates"][static_cast<std::size_t>(2 * lane + value)] == Parsed{lane / 4, lane % 4 * 2 + value});
  // T22 holds M5K4 and M5K5
  CHECK(json["coordinates"][44] == Parsed{5, 4});
  CHECK(json["coordinates"][45] == Parsed{5, 5});
  CHECK(json["slots"] == Parsed::parse("[[0,0],[0,16]]"));
  CHECK(json["address_lanes"] == Parsed{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(json["registers"] == 1);
  CHECK(json["operand"] == "memory");
  CHECK(json["notes"][0]["rule"] == "address-lanes");
  CHECK(json["lints"] == Parsed::array());
}

TEST_CASE("with .trans a lane holds a column, and the same lanes supply the same addresses") {
  const Parsed plain = fragment_json({"ldmatrix.x4"}), trans = fragment_json({"ldmatrix.x4.trans"});
  CHECK(plain["address_lanes"] == trans["address_lanes"]);
  CHECK(plain["address_lanes"].size() == 32);
  // lane 22 is g 5, t 2: row 5 columns 4 and 5 of each matrix, with .trans rows 4 and 5 of column 5
  for (std::size_t matrix = 0; matrix < 4; ++matrix) {
    CHECK(plain["coordinates"][22 * 8 + 2 * matrix] == Parsed{8 * matrix + 5, 4});
    CHECK(trans["coordinates"][22 * 8 + 2 * matrix] == Parsed{8 * matrix + 4, 5});
    CHECK(trans["coordinates"][22 * 8 + 2 * matrix + 1] == Parsed{8 * matrix + 5, 5});
  }
}

TEST_CASE("m16n8k8 A as a figure has it") {
  const Parsed a = fragment_json({"mma.m16n8k8", "--dtype", "bf16", "--operand", "A"});
  CHECK(a["tv_layout"] == "((4,8),(2,2)):((32,1),(16,8))");
  CHECK(a["inverse_layout"] == "((8,2),(2,4)):((4,64),(32,1))");
  CHECK(a["address_lanes"].is_null());
  CHECK(a["dtype"] == "bf16");
}

TEST_CASE("all operands where none is named") {
  const Parsed mma = fragment_json({"mma.m16n8k16", "--dtype", "f16", "--accumulator", "f16"});
  REQUIRE(mma["operands"].size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string operand(1, static_cast<char>('a' + i));
    Parsed alone = fragment_json({"mma.m16n8k16", "--dtype", "f16", "--accumulator", "f16", "--operand", operand});
    alone.erase("verdict");
    CHECK(mma["operands"][i] == alone);
  }
  CHECK(mma["operands"][3]["dtype"] == "f16");
  const Parsed wgmma = fragment_json({"wgmma.m64n64k16"});
  REQUIRE(wgmma["operands"].size() == 2);
  CHECK(wgmma["operands"][1]["coordinates"].size() == 64 * 64);
  CHECK(fragment_json({"movmatrix.trans"})["operands"].size() == 2);
}

TEST_CASE("a figure of one operand: matrix and registers say the same") {
  const Figure figure =
      figure_of({"mma.m16n8k16", "--dtype", "s8", "--operand", "a", "--highlight", "lanes 0-3; registers 1"});
  REQUIRE(figure.panels.size() == 1);
  REQUIRE(figure.panels[0].size() == 2);
  const Grid &matrix = figure.panels[0][0], &registers = figure.panels[0][1];
  REQUIRE(matrix.squares.size() == 16);
  REQUIRE(registers.squares.size() == 32);
  int highlighted = 0;
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 16; ++column) {
      const Grid::Square& square = matrix.squares[row][column];
      // m16n8k16 s8
      const std::size_t thread = row % 8 * 4 + column / 4, value = column % 4 + row / 8 * 4;
      CHECK(square.text == "T" + std::to_string(thread) + " V" + std::to_string(value));
      const Grid::Square& other = registers.squares[thread][value];
      CHECK(other.text == std::to_string(row) + "," + std::to_string(column));
      CHECK(other.tip == square.tip);
      CHECK(other.tint == square.tint);
      CHECK(other.mark == square.mark);
      CHECK((square.mark == Mark::highlighted) == (thread < 4 && value / 4 == 1));
      highlighted += square.mark == Mark::highlighted;
    }
  CHECK(highlighted == 16);
  CHECK(matrix.squares[9][6].tip == "row 9, column 6\nthread 5, value 6, register 1, bits 16-23");
  CHECK(registers.column_labels[5] == "r1 V5");
}

TEST_CASE("colours mean what --color-by says") {
  const auto hues = [](const char* what) {
    const Figure figure = figure_of({"mma.m16n8k8", "--dtype", "bf16", "--operand", "a", "--color-by", what});
    const auto& squares = figure.panels[0][0].squares;
    return Parsed{squares[0][0].tint.hue, squares[0][1].tint.hue, squares[1][0].tint.hue, squares[8][1].tint.hue};
  };
  // (0,0) T0 V0 r0, (0,1) T0 V1 r0, (1,0) T4 V0 r0, (8,1) T0 V3 r1
  CHECK(hues("thread") == Parsed{0, 0, 1, 0});
  CHECK(hues("value") == Parsed{0, 1, 0, 3});
  CHECK(hues("register") == Parsed{0, 0, 0, 1});
  CHECK(hues("column") == Parsed{0, 1, 0, 1});
}

TEST_CASE("A, B and C as CuTe draws them") {
  const Figure figure = figure_of({"mma.m16n8k8", "--dtype", "bf16"});
  REQUIRE(figure.panels.size() == 2);
  REQUIRE(figure.panels[0].size() == 2);
  REQUIRE(figure.panels[1].size() == 2);
  CHECK(figure.panels[0][0].squares.empty());
  CHECK(figure.panels[0][1].title == "B (K x N)");
  CHECK(figure.panels[0][1].squares[1][2].text == "T9 b0,b1");
  CHECK(figure.panels[1][0].title == "A (M x K)");
  CHECK(figure.panels[1][0].squares[13][2].text == "T22 a2,a3");
  CHECK(figure.panels[1][1].title == "C and D (M x N)");
  CHECK(figure.panels[1][1].squares[13][2].text == "T22 d2,d3");
  // C of f16 and D of f32 have different maps in m8n8k4 only
  const Figure volta = figure_of({"mma.m8n8k4.row.col.f32.f16.f16.f16"});
  REQUIRE(volta.panels[1].size() == 3);
  CHECK(volta.panels[1][1].title == "D (M x N)");
  CHECK(volta.panels[1][2].title == "C (M x N)");
}

TEST_CASE("text shows a corner of a large matrix, --table and pictures all of it") {
  const auto rows = [](Words words, Medium medium) {
    words.insert(words.begin(), {"wgmma.m64n64k16", "--operand", "d"});
    return figure_of(words, medium).panels[0][0].squares.size();
  };
  CHECK(rows({}, Medium::terminal) == 16);
  CHECK(rows({"--table"}, Medium::terminal) == 64);
  CHECK(rows({}, Medium::page) == 64);
  const std::string text = run_cli({"frag", "wgmma.m64n64k16", "--operand", "d"}).out;
  CHECK(text.find("rows 0-15 of 64 and columns 0-15 of 64") != std::string::npos);
  CHECK(text.find("--table draws all of it") != std::string::npos);
  CHECK(text.find("thread / 4 % 8 + 16 * (thread / 32) + 8 * (value / 2 % 2)") != std::string::npos);
}

TEST_CASE("a target without the instruction is a lint") {
  const Parsed json = fragment_json({"wgmma.m64n64k16", "--operand", "d"}, "sm_80");
  REQUIRE(json["lints"].size() == 1);
  CHECK(json["lints"][0]["rule"] == "target-lacks-instruction");
  CHECK(json["lints"][0]["message"] == "sm_80 has no wgmma.m64n64k16 of f32");
  CHECK(json["lints"][0]["hint"] == "it exists on sm_90a");
  CHECK(run_frag({"wgmma.m64n64k16"}, "sm_80").has_lints);
  CHECK_FALSE(run_frag({"wgmma.m64n64k16"}, "sm_90a").has_lints);
  CHECK(run_cli({"frag", "wgmma.m64n64k16", "--arch", "sm_80", "--strict"}).exit_code == 1);
  CHECK(run_cli({"frag", "wgmma.m64n64k16", "--arch", "sm_80"}).exit_code == 0);
  CHECK(fragment_json({"wgmma.m64n64k16", "--operand", "d"})["lints"].empty());
}

TEST_CASE("the list") {
  const Parsed all = fragment_json({"--list"})["fragments"], wgmma = fragment_json({"--list", "wgmma"})["fragments"];
  std::size_t matrices = 0;
  for (const auto family : {InstructionFamily::ldmatrix, InstructionFamily::stmatrix, InstructionFamily::movmatrix})
    matrices += fragment_names(family).size();
  const std::size_t of_tensor_memory = fragment_json({"--list", "tcgen05"})["fragments"].size();
  // The two types of scale factors of scale_vec::4X have one row.
  const std::size_t mmas = mma_instructions().size() + sparse_mmas().size() + block_scaled_mmas().size() - 2;
  CHECK(all.size() == matrices + mmas + of_tensor_memory);
  for (const Parsed& row : wgmma) CHECK(row["family"] == "wgmma");
  for (const Parsed& row : all) {
    if (row["family"] == "wgmma" || row["family"] == "tcgen05") continue;  // N is a letter
    CAPTURE(row["name"].get<std::string>());
    std::vector<std::string> words{row["name"]};
    if (row["family"] == "mma") words.insert(words.end(), {"--dtype", row["dtypes"][0]});
    CHECK_FALSE(fragment_json(words).empty());
  }
  CHECK(thrown_by({"--list", "wgma"}).hint.starts_with("did you mean 'wgmma'?"));
}

TEST_CASE("bad input") {
  CHECK(thrown_by({}).message() == "no instruction given");
  CHECK(thrown_by({"mma.m16n8k12", "--dtype", "bf16"}).hint.starts_with("the nearest of bf16 is mma.m16n8k"));
  CHECK(thrown_by({"wgmma.m64n64k16", "--operand", "b"}).message() ==
        "operand b of wgmma lies in shared memory, never in registers");
  CHECK(thrown_by({"ldmatrix.x4", "--operand", "a"}).message() == "ldmatrix has no operand a");
  CHECK(thrown_by({"mma.m16n8k16", "--dtype", "s4"}).message() == "mma.m16n8k16 does not take s4");
  CHECK(thrown_by({"mma.m16n8k16"}).message() == "the a fragment of mma.m16n8k16 depends on the element type");
  CHECK(thrown_by({"ldmatrix.x3"}).hint.starts_with("did you mean"));
  CHECK(thrown_by({"mma.m16n8k16", "--dtype", "bf16", "--highlight", "rows 16"}).hint == "rows: 0 to 15");
  CHECK(thrown_by({"ldmatrix.x1"}, "sm_1").message() == "--arch: 'sm_1' is not a known target");
  CHECK(run_cli({"frag", "ldmatrix.x1", "--color-by", "bank"}).exit_code == 2);
}

}  // namespace
}  // namespace swz

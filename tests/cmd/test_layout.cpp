// SPDX-License-Identifier: Apache-2.0
// Transcripts of swz layout, swz diff and swz swizzle explain, and their JSON contract.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "answers.hpp"
#include "cmd/asked.hpp"

using namespace swz;
using nlohmann::json;

TEST_SUITE("cmd") {
  TEST_CASE("layout: text") {
    const CliResult r = run_cli({"layout", "(2,4):(4,1)"});
    CHECK(r.exit_code == 0);
    CHECK(r.out ==
          "layout  (2,4):(4,1)\n"
          "size    8, cosize 8, rank 2, depth 1\n"
          "is      bijective: 8 offsets without a gap, each once\n"
          "\n"
          "mode 0\\1 │ 0 1 2 3\n"
          "─────────┼─────────\n"
          "       0 │ 0 1 2 3\n"
          "       1 │ 4 5 6 7\n");
    CHECK(r.err.empty());
  }

  TEST_CASE("layout: the JSON contract") {
    const json d = json_of({"layout", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"});
    CHECK(d["layout"] == "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    CHECK(d["element_form"] == "Sw<3,3,3> o 0 o (8,64):(64,1)");
    CHECK(d["size"] == 512);
    CHECK(d["cosize"] == 512);
    CHECK(d["injective"] == true);
    CHECK(d["contiguous"] == true);
    CHECK(d["bijective"] == true);
    CHECK(d["collision"].is_null());
    CHECK_FALSE(d.contains("map"));
  }

  TEST_CASE("layout: --map lists the value at 0, 1, 2, …") {
    const json d = json_of({"layout", "(2,3):(3,1)", "--map"});
    CHECK(d["map"] == json({0, 3, 1, 4, 2, 5}));
    const CliResult r = run_cli({"layout", "(2,2):(2,1)", "--map"});
    CHECK(r.out.find("index  coordinate  offset\n"
                     "    0  (0,0)            0\n"
                     "    1  (1,0)            2\n"
                     "    2  (0,1)            1\n"
                     "    3  (1,1)            3\n") != std::string::npos);
  }

  TEST_CASE("layout: a collision is shown") {
    const json d = json_of({"layout", "(4,2):(1,2)"});
    CHECK(d["injective"] == false);
    CHECK(d["collision"] == json({{"first", 2}, {"second", 4}, {"offset", 2}}));
  }

  TEST_CASE("layout: what it is, in one line") {
    const auto is = [](const std::string& layout) {
      const std::string text = run_cli({"layout", layout}).out;
      const std::size_t at = text.find("\nis ") + 4, begin = text.find_first_not_of(' ', at);
      return text.substr(begin, text.find('\n', at) - begin);
    };
    CHECK(is("(4,2):(1,4)") == "bijective: 8 offsets without a gap, each once");
    CHECK(is("4:2") == "injective, with gaps: 4 of 7 offsets");
    CHECK(is("(4,2):(1,2)") == "not injective: (2,0) and (0,1) share offset 2");
    CHECK(is("((4194304,4),2):((1,0),4194304)") == "not injective");
  }

  TEST_CASE("layout: several one below the other, none wider than what it says") {
    const CliResult r = run_cli({"layout", "(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"});
    CHECK(r.out ==
          "[1] layout     (8,64):(64,1)\n"
          "    size       512, cosize 512, rank 2, depth 1\n"
          "    is         bijective: 512 offsets without a gap, each once\n"
          "[2] layout     Sw<3,3,3> o 0 o (8,64):(64,1)\n"
          "    size       512, cosize 512, rank 2, depth 1\n"
          "    is         bijective: 512 offsets without a gap, each once\n"
          "same function  no: at index 1 (1,0) = 64 and (1,0) = 72\n");
  }

  TEST_CASE("layout: outer modes have headings of their own, nested ones with --nested") {
    CHECK(run_cli({"layout", "(2,2,3):(1,2,4)"})
              .out.ends_with("           │ (_,0) │ (_,1) │ (_,2)\n"
                             "mode 0\\1-2 │  0  1 │  0  1 │  0  1\n"
                             "───────────┼───────┼───────┼───────\n"
                             "         0 │  0  2 │  4  6 │  8 10\n"
                             "         1 │  1  3 │  5  7 │  9 11\n"));
    const Words nested{"layout", "((2,2),(2,2)):((1,4),(2,8))"};
    CHECK(
        run_cli(nested).out.ends_with("mode 0\\1 │  0  1 │  2  3\n"
                                      "─────────┼───────┼───────\n"
                                      "       0 │  0  2 │  8 10\n"
                                      "       1 │  1  3 │  9 11\n"
                                      "─────────┼───────┼───────\n"
                                      "       2 │  4  6 │ 12 14\n"
                                      "       3 │  5  7 │ 13 15\n"));
    Words words = nested;
    words.push_back("--nested");
    CHECK(
        run_cli(words).out.ends_with("         │ (_,0) │ (_,1)\n"
                                     "mode 0\\1 │  0  1 │  0  1\n"
                                     "─────────┼───────┼───────\n"
                                     " (_,0) 0 │  0  2 │  8 10\n"
                                     "       1 │  1  3 │  9 11\n"
                                     "─────────┼───────┼───────\n"
                                     " (_,1) 0 │  4  6 │ 12 14\n"
                                     "       1 │  5  7 │ 13 15\n"));
    // Of three levels each heading covers as many rows as the levels inside it have.
    const Grid deep = figure_in(asked({"layout", "((2,(2,4)),8):((1,(2,4)),16)", "--nested"}).document).panels[0][0];
    REQUIRE(deep.row_levels.size() == 2);
    CHECK(deep.row_levels[0].size == 2);
    CHECK(deep.row_levels[1].size == 4);
    CHECK(deep.row_levels[0].labels == Words{"(_,(0,_))", "(_,(1,_))", "(_,(0,_))", "(_,(1,_))", "(_,(0,_))",
                                             "(_,(1,_))", "(_,(0,_))", "(_,(1,_))"});
    CHECK(deep.row_levels[1].labels == Words{"(_,(_,0))", "(_,(_,1))", "(_,(_,2))", "(_,(_,3))"});
    CHECK(deep.column_levels.empty());
  }

  TEST_CASE("layout: the tiles of nested modes have a colour each, and the title says what follows") {
    const Document d = asked({"layout", "((4,2),(2,4)):((2,16),(1,32))", "--nested"}).document;
    CHECK(d.headline == "every element has an offset of its own; 56 of 120 offsets are gaps");
    const Grid grid = figure_in(d).panels[0][0];
    for (std::size_t row = 0; row < 8; ++row)
      for (std::size_t column = 0; column < 8; ++column)
        CHECK(grid.squares[row][column].tint == Tint{static_cast<int>(row / 4 + column / 2 * 2), 0});
    // A swizzle is seen by the colours of its offsets.
    CHECK(figure_in(asked({"layout", "Sw<1,0,2> o 0 o ((4,2),(2,4)):((2,16),(1,32))", "--nested"}).document)
              .caption.find("tile") == std::string::npos);
  }

  TEST_CASE("layout: what is marked is said") {
    CHECK(run_cli({"layout", "(2,4):(4,1)", "--highlight", "offsets 3-4"})
              .out.ends_with("       0 │ 0  1  2  3*\n"
                             "       1 │ 4* 5  6  7\n"
                             "\n"
                             "* highlighted\n"));
  }

  TEST_CASE("layout: one rule of colours for all: blocks that the swizzle keeps, else single offsets, modulo 8") {
    struct Row {
      const char *layout, *caption, *legend;
      int block;
    };
    for (const Row& row :
         {Row{"(8,64):(64,1)", "A cell shows the offset of its coordinate in elements.", "7", 1},
          Row{"Sw<3,3,3> o 0 o (8,64):(64,1)",
              "A cell shows the first of 8 consecutive offsets in elements, which the swizzle keeps whole.", "56-63",
              8},
          Row{"Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
              "A cell shows the first of 8 consecutive offsets in elements of 16 bits (16 bytes), which the swizzle "
              "keeps whole.",
              "56-63", 8}}) {
      CAPTURE(row.layout);
      const Figure figure = figure_in(asked({"layout", row.layout}).document);
      CHECK(figure.caption == row.caption);
      CHECK(figure.title == row.layout);
      CHECK(figure.legend_title == "colour: offset mod " + std::to_string(8 * row.block));
      REQUIRE(figure.legend.size() == 8);
      CHECK(figure.legend[7].text == row.legend);
      for (const auto& squares : figure.panels[0][0].squares)
        for (const Grid::Square& square : squares)
          CHECK(square.tint == Tint{std::stoi(square.text) / row.block % 8, 0});
    }
  }

  TEST_CASE("layout: numbers, tuples, swizzles and tilers have a value and a type") {
    CHECK(json_of({"layout", "(Sw<2,4,3> o 0 o (8,32):(32,1))(7,25)"}) ==
          json({{"verdict", "clean"}, {"type", "integer"}, {"value", 233}}));
    CHECK(json_of({"layout", "idx2crd(7,(3,4))"}) ==
          json({{"verdict", "clean"}, {"type", "tuple"}, {"value", "(1,2)"}}));
    // A tuple of positive numbers may have been meant as a shape.
    CHECK(run_cli({"layout", "(2,4)"}).out == "value        (2,4)\nas a layout  (2,4):(1,2)\n");
    CHECK(run_cli({"layout", "(4294967296,4294967296)"}).out == "value  (4294967296,4294967296)\n");
    CHECK(json_of({"layout", "Sw<3,4,3>"}) ==
          json({{"verdict", "clean"}, {"type", "swizzle"}, {"value", "Sw<3,4,3>"}}));
    CHECK(json_of({"layout", "<4:1,8:2>"}) == json({{"verdict", "clean"}, {"type", "tiler"}, {"value", "<4:1,8:2>"}}));
  }

  TEST_CASE("layout: several side by side") {
    const json d = json_of({"layout", "right_inverse((8,4):(4,1))", "(4,8):(8,1)", "32:1"});
    REQUIRE(d["layouts"].size() == 3);
    CHECK(d["layouts"][0]["layout"] == "(4,8):(8,1)");
    CHECK(d["same"] == false);
    CHECK(json_of({"layout", "right_inverse((8,4):(4,1))", "(4,8):(8,1)"})["same"] == true);
  }

  TEST_CASE("layout: limits are stated with the way to raise them") {
    const CliResult r = run_cli({"layout", "(4096,4096)", "make_layout((4096,4096))", "--map"});
    CHECK(r.exit_code == 2);
    const CliResult map = run_cli({"layout", "(4096,4096):(4096,1)", "--map"});
    CHECK(map.exit_code == 2);
    CHECK(map.err ==
          "swz: error: a map of 16777216 coordinates is beyond the limit of 262144\n"
          "hint: take a part of it\n");
    CHECK(run_cli({"layout", "(1024,512):(1,1024)", "--map"}).err ==
          "swz: error: a map of 524288 coordinates is beyond the limit of 262144\n"
          "hint: take a part of it, or raise the limit: --limit 524288\n");
    CHECK(run_cli({"layout", "(4096,4096):(1,4096)", "-f", "svg"}).err ==
          "swz: error: a table of 16777216 coordinates is beyond the limit of 262144\n"
          "hint: take a part of it\n");
    CHECK(run_cli({"layout", "(4096,4096):(4096,1)"}).out.find("16 of 4096 rows and 16 of 4096 columns") !=
          std::string::npos);
  }

  TEST_CASE("layout: an error shows the place") {
    const CliResult r = run_cli({"layout", "complment((8,64):(64,1), 24)"});
    CHECK(r.exit_code == 2);
    CHECK(r.out.empty());
    CHECK(r.err ==
          "swz: error: unknown name 'complment'\n"
          "  complment((8,64):(64,1), 24)\n"
          "  ^^^^^^^^^\n"
          "hint: did you mean 'complement'?\n");
    CHECK(run_cli({"layout"}).exit_code == 2);
  }

  TEST_CASE("layout: CuTe's cosize of a swizzled layout is named where it differs") {
    // Row 7 of the first chunk lands on chunk 7: 7*64 + 7*8 + 8 = 512; CuTe says 7*64 + 8 = 456.
    const json d = json_of({"layout", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,8):(64,1)"});
    CHECK(d["cosize"] == 512);
    REQUIRE(d["notes"].size() == 1);
    CHECK(d["notes"][0]["rule"] == "swizzled-cosize");
    CHECK(d["notes"][0]["message"] ==
          "CuTe's cosize() does not count what the swizzle and the offset add and gives 456");
  }

  TEST_CASE("diff: exit code, first difference, units") {
    const json same =
        json_of({"diff", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"});
    CHECK(same["same"] == true);
    CHECK(same["first_difference"].is_null());
    CHECK(same["differing"] == 0);
    CHECK(same["notes"][0]["rule"] == "unit");
    const json different = json_of({"diff", "(8,64):(64,1)", "(8,64):(1,8)"}, 1);
    CHECK(different["same"] == false);
    // Equal where 64 r + c = r + 8 c: 63 r = 7 c, so (0,0) ... (7,63) in steps of (1,9).
    CHECK(different["differing"] == 512 - 8);
    CHECK(json_of({"diff", "8:1", "4:1"}, 1)["differing"] == 4);
    CHECK(json_of({"diff", "(2048,1024):(1024,1)", "(2048,1024):(1,2048)"}, 1)["differing"].is_null());
    CHECK(different["first_difference"] ==
          json({{"index", 1}, {"coordinate_a", "(1,0)"}, {"coordinate_b", "(1,0)"}, {"a", 64}, {"b", 1}}));
    const CliResult shapes = run_cli({"diff", "(8,64):(1,8)", "512:1"});
    CHECK(shapes.exit_code == 0);
    CHECK(shapes.out.find("note: equal by linear index; the shapes differ: (8,64) and 512\n") != std::string::npos);
    CHECK(run_cli({"diff", "8:1", "4:1"}).out.find("they agree as far as both go") != std::string::npos);
    const json recast = json_of({"diff", "Sw<3,4,3> o smem_ptr[16b](unset) o (64,16):(64,1)",
                                 "Sw<3,4,3> o smem_ptr[128b](unset) o (64,2):(8,1)"},
                                1);
    CHECK(recast["notes"][1]["message"] == "they describe the same bytes: recast(A, 16, 128) is B");
    CHECK(run_cli({"diff", "8:1", "L(3"}).exit_code == 2);
  }

  TEST_CASE("swizzle explain: every form of the 128-byte swizzle on tf32") {
    const json d = json_of({"swizzle", "explain", "3,4,3", "--dtype", "tf32"});
    CHECK(d["swizzle"] == "Sw<3,4,3>");
    CHECK(d["reads"] == json({7, 9}));
    CHECK(d["writes"] == json({4, 6}));
    CHECK(d["period_bytes"] == 1024);
    CHECK(d["atomicity_bytes"] == 16);
    CHECK(d["element_form"] == "Sw<3,2,3>");
    CHECK(d["chunk_form"] == "Sw<3,0,3>");
    CHECK(d["c_expression"] == "addr ^ ((addr & 0x380) >> 3)");
    CHECK(d["mode"] == "128B");
    // Reference: chunk c of line r goes to c ^ r.
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 8; ++c) CHECK(d["chunks"][r][c] == (c ^ r));
  }

  TEST_CASE("swizzle explain: names, element form, the identity and what no hardware has") {
    for (const char* name : {"64B", "Sw<2,4,3>", "2,4,3", "SWIZZLE_64B"})
      CHECK(json_of({"swizzle", "explain", name})["mode"] == "64B");
    CHECK(json_of({"swizzle", "explain", "3,3,3", "--dtype", "bf16", "--elements"})["swizzle"] == "Sw<3,4,3>");
    CHECK(json_of({"swizzle", "explain", "128B_32B", "--dtype", "tf32"})["element_form"] == "Sw<2,3,2>");
    CHECK(json_of({"swizzle", "explain", "none"})["mode"] == "none");
    CHECK(json_of({"swizzle", "explain", "3,3,3"})["mode"].is_null());
    const json lost = json_of({"swizzle", "explain", "3,2,3", "--dtype", "u64"});
    CHECK(lost["element_form"].is_null());
    CHECK(run_cli({"swizzle", "explain", "3,4,2"}).exit_code == 2);
    CHECK(run_cli({"swizzle", "explain", "3,3,3", "--elements"}).exit_code == 2);
    CHECK(run_cli({"swizzle", "explain", "(8,4):(4,1)"}).exit_code == 2);
    CHECK(run_cli({"swizzle", "explain", "-3,4,3"}).exit_code == 2);
  }
}

// SPDX-License-Identifier: Apache-2.0
// swz frag of block-scaled and sparse MMAs: the JSON contract, points, the picture, pasted lines.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "cmd/asked.hpp"
#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

Answer run_frag(const Words& words) {
  Words all{"frag"};
  all.insert(all.end(), words.begin(), words.end());
  return asked(all);
}

Parsed json_of(const Words& words) { return parsed(run_frag(words).document); }

const Words nvf4 = {"mma.m16n8k64", "--kind", "mxf4nvf4", "--scale-vec", "4X"};
Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_CASE("sfa with thread-id 1: what is read, which thread has which row and block") {
  const Parsed json = json_of(with(nvf4, {"--operand", "sfa", "--sfa-ids", "0,1"}));
  CHECK(json["name"] == "mma.m16n8k64.kind::mxf4nvf4.block_scale.scale_vec::4X");
  CHECK(json["dtype"] == "ue4m3");
  CHECK(json["bits"] == 8);
  CHECK(json["rows"] == 16);
  CHECK(json["columns"] == 4);
  CHECK(json["read_if"] == "thread / 2 % 2 == 1");
  CHECK(json["tv_layout"] == "((2,2,8),4):((8,0,1),16)");  // CuTe's SFALayout, one value for a block
  CHECK(json["slots"] == Parsed::parse("[[0,0],[0,8],[0,16],[0,24]]"));
  REQUIRE(json["coordinates"].size() == 32 * 4);
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t block = 0; block < 4; ++block) {
      const Parsed& at = json["coordinates"][4 * lane + block];
      if (lane % 4 < 2) CHECK(at.is_null());
      else CHECK(at == Parsed{lane / 4 + 8 * (lane % 2), block});
    }
  CHECK(json["evidence"] == "reported");
  CHECK(json["notes"][0]["rule"] == "selected");
}

TEST_CASE("a point of A names the lane and the bits of its scale factor") {
  const Parsed points = json_of(with(nvf4, {"--at", "11,37"}))["points"];
  REQUIRE(points.size() == 1);
  CHECK(points[0] == Parsed::parse(R"({"of":"a","at":[11,37],"thread":12,"value":29,"register":3,"register_bit":20,
                                       "scale_thread":13,"scale_bit":16})"));
  // lane 13 with thread-id 0 of A and 1 of B: scale factors of row 11 and of column 3
  const Parsed held = json_of({"mma.m16n8k32", "--kind", "mxf8f6f4", "--sfb-ids", "0,1", "--at", "T13"})["points"];
  CHECK(held.size() == 16 + 8 + 4 + 4 + 1 + 1);
  Parsed scales = Parsed::array();
  for (const Parsed& point : held)
    if (point["of"] == "sfa" || point["of"] == "sfb") scales.push_back({point["of"], point["at"]});
  CHECK(scales == Parsed::parse(R"([["sfa",[11,0]],["sfb",[0,3]]])"));
  const Words other = {"mma.m16n8k32", "--kind", "mxf8f6f4", "--operand", "sfa", "--sfa-ids", "0,1", "--at", "T13"};
  try {
    run_frag(other);
    FAIL("T13 is not read");
  } catch (const Error& error) {
    CHECK(error.message() == "--at T13: the register of sfa in this thread is not read");
    CHECK(error.hint == "read are threads with thread / 2 % 2 == 1");
  }
}

TEST_CASE("a sparse A says which k an element is kept of") {
  const Words sparse = {"mma.sp::ordered_metadata.m16n8k64", "--kind", "mxf8f6f4", "--dtype", "e4m3"};
  const Parsed points = json_of(with(sparse, {"--at", "9,22"}))["points"];
  REQUIRE(points.size() == 2);
  CHECK(points[0] == Parsed::parse(R"({"of":"a","at":[9,22],"thread":5,"value":14,"register":3,"register_bit":16,"k":44,
                                       "scale_thread":5,"scale_bit":0})"));
  CHECK(points[1] ==
        Parsed::parse(R"({"of":"e","at":[9,22],"thread":7,"value":6,"register":0,"register_bit":12,"k":44})"));
  CHECK(json_of(with(sparse, {"--operand", "a"}))["kept"] == Parsed{2, 4});
}

TEST_CASE("A, B and their scale factors in one figure") {
  const Figure figure = figure_in(run_frag(nvf4).document, Medium::terminal);
  REQUIRE(figure.panels.size() == 3);
  const auto titles = [&](std::size_t row) {
    std::vector<std::string> all;
    for (const Grid& grid : figure.panels[row]) all.push_back(grid.title);
    return all;
  };
  CHECK(titles(0) == std::vector<std::string>{"", "", "SFB (blocks x N)"});
  CHECK(titles(1) == std::vector<std::string>{"", "", "B (K x N)"});
  CHECK(titles(2) == std::vector<std::string>{"SFA (M x blocks)", "A (M x K)", "C and D (M x N)"});
  CHECK(figure.panels[2][0].squares[11][2].text == "T13 s2");
  CHECK(figure.panels[0][2].squares[2][5].text == "T20 s2");
  // A page has them in the same places. The row or column says which of the thread's factors it is.
  const Figure page = figure_in(run_frag(nvf4).document, Medium::page);
  REQUIRE(page.panels.size() == 3);
  const Grid &sfb = page.panels[0][2], &sfa = page.panels[2][0];
  CHECK(sfb.title == "SFB, by block");
  CHECK(sfa.title == "SFA, by block");
  CHECK(sfa.squares[11][2].text == "13");
  CHECK(sfa.column_labels.back() == "3");
  CHECK(sfb.squares[2][5].text == "20");
  // The registers of lanes that are not read are empty.
  const Figure one = figure_in(run_frag(with(nvf4, {"--operand", "sfb", "--sfb-ids", "0,3"})).document, Medium::page);
  REQUIRE(one.panels[0].size() == 2);
  for (std::size_t lane = 0; lane < 32; ++lane)
    CHECK((one.panels[0][1].squares[lane][0].text == "-") == (lane % 4 != 3));
  CHECK(figure_in(run_frag({"mma.sp::ordered_metadata.m16n8k128", "--kind", "mxf4"}).document, Medium::page)
            .panels[3][1]
            .title == "E (M x kept pairs)");
}

TEST_CASE("a pasted line of PTX names its ids") {
  const std::string line =
      "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 "
      "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r6, {2, 1}, %r7, {2, 3};";
  // row 12, block 0: byte 2 of lane 19; column 5, block 1: byte 3 of lane 23
  const Parsed a = json_of({line, "--operand", "sfa", "--at", "12,0"})["points"][0],
               b = json_of({line, "--operand", "sfb", "--at", "1,5"})["points"][0];
  CHECK(a["thread"] == 19);
  CHECK(a["register_bit"] == 16);
  CHECK(b["thread"] == 23);
  CHECK(b["register_bit"] == 24);
}

TEST_CASE("which ldmatrix brings A and B") {
  const auto feed = [](const Words& words) {
    const Parsed json = json_of(words);
    for (const Parsed& note : json["notes"])
      if (note["rule"] == "ldmatrix") return note["message"].get<std::string>();
    return std::string();
  };
  const std::string rows = " from shared memory, its rows along K: matrix j is register j";
  const Words k32 = {"mma.m16n8k32", "--kind", "mxf8f6f4"};
  CHECK(feed(with(k32, {"--dtype", "e2m1", "--operand", "a"})) == "ldmatrix.m8n16.x4.b8x16.b4x16_p64 brings A" + rows);
  CHECK(feed(with(k32, {"--dtype", "e3m2", "--operand", "b"})) == "ldmatrix.m8n16.x2.b8x16.b6x16_p32 brings B" + rows);
  CHECK(feed(with(k32, {"--dtype", "e4m3", "--operand", "b"})) == "ldmatrix.x2 brings B" + rows);
  CHECK(feed(with(nvf4, {"--operand", "a"})) == "ldmatrix.x4 brings A" + rows);
}

TEST_CASE("bad input") {
  CHECK(run_cli({"frag", "mma.m16n8k64", "--kind", "mxf4", "--sfa-ids", "1,0"}).exit_code == 2);
  CHECK(run_cli({"frag", "mma.m16n8k64", "--kind", "mxf4", "--sfa-ids", "1"}).exit_code == 2);
  CHECK(run_cli({"frag", "ldmatrix.x4", "--sfa-ids", "0,0"}).exit_code == 2);
  CHECK(run_cli({"frag", "mma.m16n8k64", "--kind", "mxf4", "--scale-vec", "3X"}).exit_code == 2);
}

}  // namespace
}  // namespace swz

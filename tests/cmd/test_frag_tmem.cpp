// SPDX-License-Identifier: Apache-2.0
// swz frag of tcgen05.ld and st: the worked examples of the fact sheet as JSON, --map against the table of inverses, --of
// against the model, pictures, and what is refused.
#include <doctest/doctest.h>

#include <sstream>

#include "answers.hpp"
#include "cmd/asked.hpp"
#include "tmem/accumulator_access.hpp"

using namespace swz;
using nlohmann::json;

namespace {

// Words between blanks; a quoted text is one.
Words frag_words(const std::string& line) {
  Words words{"frag"};
  std::stringstream in(line);
  for (std::string word; in >> word;) {
    if (word.front() == '\'') {
      std::string rest;
      if (word.back() != '\'') std::getline(in, rest, '\'');
      else word.pop_back();
      word = word.substr(1) + rest;
    }
    words.push_back(word);
  }
  return words;
}

json answered(const std::string& line, int exit_code = 0) { return json_of(frag_words(line), exit_code); }

bool has(const json& answer, const char* part) {
  const json expected = json::parse(part);
  for (const auto& [key, value] : expected.items())
    if (!answer.contains(key) || answer[key] != value) return false;
  return true;
}

std::string refused(const std::string& line) { return error_of(frag_words(line)); }

std::vector<std::string> rules(const json& findings) {
  std::vector<std::string> names;
  for (const json& finding : findings) names.push_back(finding["rule"]);
  return names;
}

using Rules = std::vector<std::string>;

}  // namespace

TEST_CASE("the contract: a register") {
  CHECK(has(answered("tcgen05.ld.16x256b.x4 --thread 13 --register 11"),
            R"({"lane":11,"column":19,"registers":16,"columns":32})"));
  CHECK(has(answered("tcgen05.ld.16x64b.x8 --thread 6 --register 5"), R"({"lane":1,"column":11})"));
  CHECK(has(answered("tcgen05.ld.32x32b.x8.pack::16b --thread 5 --register 3"),
            R"({"low":[5,6],"high":[5,7],"registers":8,"columns":16})"));
  CHECK(has(answered("tcgen05.st.16x128b.x1.unpack::16b --thread 9 --register 1"),
            R"({"low":[10,2],"high":[10,3],"registers":2,"columns":8})"));
  CHECK(has(answered("tcgen05.ld.16x32bx2.x4 --split-offset 4 --thread 20 --register 1"), R"({"lane":4,"column":5})"));
  CHECK(has(answered("tcgen05.ld.16x32bx2.x4 --thread 20 --register 1"), R"({"lane":4,"column":5})"));
  CHECK(has(answered("tcgen05.ld.16x32bx2.x4.pack::16b --thread 20 --register 1"), R"({"low":[4,10],"high":[4,11]})"));
  CHECK(has(answered("tcgen05.ld.16x32bx2.x4 --split-offset 100 --thread 20 --register 1"),
            R"({"lane":4,"column":101,"columns":104})"));
  CHECK(
      has(answered("tcgen05.ld.sync.aligned.16x256b.x4.b32 --thread 13 --register 11"), R"({"lane":11,"column":19})"));
  CHECK(has(answered("TCGEN05.ld.sync.aligned.32x32b.x8.pack::16b.b32 --thread 5 --register 3"),
            R"({"low":[5,6],"high":[5,7]})"));
}

TEST_CASE("the contract: a cell, and who else holds it") {
  CHECK(has(answered("tcgen05.ld.16x256b.x4 --lane 11 --column 19"),
            R"({"thread":13,"register":11,"first_bit":0,"holders":[[13,11,0]]})"));
  CHECK(has(answered("tcgen05.ld.32x32b.x8.pack::16b --lane 5 --column 7"),
            R"({"thread":5,"register":3,"first_bit":16})"));
  CHECK(has(answered("tcgen05.ld.16x32bx2.x4 --split-offset 3 --lane 2 --column 3"),
            R"({"thread":2,"register":3,"holders":[[2,3,0],[18,0,0]]})"));
}

TEST_CASE("--map: every cell of every register, as the table of inverses has it") {
  struct Row {
    const char* name;
    int registers;
    int (*thread)(int l, int c);
    int (*reg)(int l, int c);
  };
  const Row rows[] = {
      {"32x32b.x4", 4, [](int l, int) { return l; }, [](int, int c) { return c; }},
      {"16x64b.x4", 4, [](int l, int c) { return 4 * (l % 8) + 2 * (c & 1) + l / 8; },
       [](int, int c) { return c / 2; }},
      {"16x128b.x2", 4, [](int l, int c) { return 4 * (l % 8) + c % 4; },
       [](int l, int c) { return 2 * (c / 4) + l / 8; }},
      {"16x256b.x2", 8, [](int l, int c) { return 4 * (l % 8) + c % 8 / 2; },
       [](int l, int c) { return 4 * (c / 8) + 2 * (l / 8) + c % 2; }},
  };
  for (const Row& row : rows)
    for (const bool packs : {false, true}) {
      const json answer = answered(std::string("tcgen05.ld.") + row.name + (packs ? ".pack::16b" : "") + " --map");
      REQUIRE(answer["map"].size() == 32);
      int cells = 0, faults = 0;
      for (std::size_t thread = 0; thread < 32; ++thread) {
        REQUIRE(answer["map"][thread].size() == static_cast<std::size_t>(row.registers));
        for (std::size_t reg = 0; reg < answer["map"][thread].size(); ++reg) {
          const json& pieces = answer["map"][thread][reg];
          faults += pieces.size() != (packs ? 2U : 1U);
          for (std::size_t half = 0; half < pieces.size(); ++half) {
            const int l = pieces[half][0], column = pieces[half][1], c = packs ? column / 2 : column;
            faults += row.thread(l, c) != static_cast<int>(thread) || row.reg(l, c) != static_cast<int>(reg);
            faults += packs && column % 2 != static_cast<int>(half);
            faults += pieces[half][2] != 0 || pieces[half][3] != (packs ? 16 : 32);
            ++cells;
          }
        }
      }
      INFO(row.name << packs);
      CHECK(faults == 0);
      CHECK(cells == answer["rows"].get<int>() * answer["columns"].get<int>());
    }
  CHECK(answered("tcgen05.ld.32x32b.x4")["map"].is_null());
}

TEST_CASE("like every fragment: layouts, formulas, --at and --at-thread, highlight, a target without it") {
  const json answer = answered("tcgen05.ld.16x256b.x4 --arch sm_90a");
  CHECK(answer["operand"] == "tmem");
  CHECK(answer["tv_layout"] == "((4,8),(2,2,4)):((32,1),(16,8,128))");
  CHECK(answer["tile_index"] == "lane + 16 * column");
  CHECK(answer["coordinates"].size() == 512);
  CHECK(answer["coordinates"][13 * 16 + 11] == json{11, 19});
  CHECK(answer["evidence"] == "reported");
  CHECK(answer["lints"][0]["message"] == "sm_90a has no tcgen05.ld.16x256b.x4");
  CHECK(json_of({"frag", "tcgen05.ld.16x256b.x4", "--arch", "sm_90a", "--strict"}, 1)["lints"].size() == 1);
  CHECK(answered("tcgen05.ld.16x256b.x4 --arch sm_100a")["lints"].empty());
  CHECK(answered("tcgen05.ld.red.32x32b.x4.max.f32 --arch sm_100a")["lints"].size() == 1);
  CHECK(answered("tcgen05.ld.red.32x32b.x4.max.f32 --arch sm_103a")["lints"].empty());
  const json points = answered("tcgen05.ld.16x256b.x4 --at 11,19 --at-thread 13,10")["points"];
  REQUIRE(points.size() == 2);
  CHECK(points[0] == json::parse(R"({"at":[11,19],"thread":13,"value":11,"register":11,"register_bit":0})"));
  CHECK(points[1]["at"] == json{11, 18});
  CHECK(answered("tcgen05.ld.16x32bx2.x4 --split-offset 3 --at 2,3")["points"].size() == 2);
  CHECK(answered("tcgen05.ld.16x32bx2.x4 --split-offset 5")["inverse_layout"].is_null());
  const Figure figure =
      figure_in(asked(frag_words("tcgen05.ld.16x256b.x4 --highlight 'lanes 11; columns 19'")).document);
  CHECK(figure.panels[0][0].squares[11][19].mark == Mark::highlighted);
  CHECK(figure.panels[0][0].squares[11][18].mark == Mark::none);
}

TEST_CASE("the picture: lanes x columns, each with thread and register; a gap is left out") {
  const Figure figure = figure_in(asked(frag_words("tcgen05.ld.16x256b.x4")).document);
  const Grid &window = figure.panels[0][0], &registers = figure.panels[0][1];
  CHECK(window.title == "tensor memory: 16 lanes x 32 columns");
  CHECK(window.corner == "lane\\column");
  CHECK(window.squares[11][19].text == "T13\nr11");
  CHECK(registers.title == "registers: lane,column of each value");
  CHECK(registers.squares[13][11].text == "11,19");
  CHECK(window.squares[11][19].tip == registers.squares[13][11].tip);
  const Figure split = figure_in(asked(frag_words("tcgen05.ld.16x32bx2.x4 --split-offset 100")).document);
  CHECK(split.panels[0][0].column_labels == std::vector<std::string>{"0", "1", "2", "3", "100", "101", "102", "103"});
  CHECK(split.panels[0][0].squares[4][5].text == "T20 r1");
  const Figure asked_for =
      figure_in(asked(frag_words("tcgen05.ld.16x32bx2.x4 --split-offset 100 --thread 20 --register 1")).document);
  CHECK(asked_for.panels[0][0].squares[4][5].mark == Mark::highlighted);
  CHECK(asked_for.panels[1][0].row_labels.size() == 1);  // of the thread that is asked for
  CHECK(asked_for.panels[1][0].squares[0][1].mark == Mark::highlighted);
  const Figure packed = figure_in(asked(frag_words("tcgen05.ld.32x32b.x8.pack::16b")).document);
  CHECK(packed.panels[0][0].squares[5][7].text == "T5 V7");
  CHECK(packed.panels[0][1].column_labels[7] == "r3 V7");
}

TEST_CASE("--of: the element of D in every register is that of the model") {
  struct Case {
    const char* of;
    DataPathQuery query;
    int n;
    AccessPlace place;
  };
  const Case cases[] = {
      {"m 128 n 128 warp 2 at 32", {}, 128, {0, 2, 0, 32}},
      {"m 64 n 256 warp 1 at 64", {.m = 64}, 256, {0, 1, 0, 64}},
      {"m 256 n 64 cta-group 2 cta 1 warp 3", {.m = 256, .cta_group = 2}, 64, {1, 3, 0, 0}},
      {"m=128,n=256,cta_group::2,cta=1,warp=3,at=40", {.m = 128, .cta_group = 2}, 256, {1, 3, 0, 40}},
      {"--m 128 --n 64 --cta-group 2 sparse warp 1", {.m = 128, .cta_group = 2, .sparse = true}, 64, {0, 1, 0, 0}},
      {".ws m 64 n 64 warp 2", {.m = 64, .ws = true}, 64, {0, 2, 0, 0}},
      {"M 32 N 128 ws warp 3", {.m = 32, .ws = true}, 128, {0, 3, 0, 0}},
      {"warp 1 lane 16 at 8", {}, 256, {0, 1, 16, 8}},
  };
  for (const Case& c : cases)
    for (const char* name : {"tcgen05.ld.16x256b.x2", "tcgen05.ld.32x32b.x16", "tcgen05.st.16x128b.x2.unpack::16b"}) {
      const Fragment f = find_fragment({.name = name});
      if (c.place.lane != 0 && f.rows == 32) continue;
      INFO(c.of << " " << name);
      const AccumulatorAccess access(Accumulator(require_data_path(c.query), c.n), c.place);
      const json answer = json_of({"frag", name, "--of", c.of, "--map"});
      CHECK(answer["of"]["layout"] == std::string(access.accumulator().path().name));
      CHECK(answer["of"]["lane"] == 32 * c.place.warp + c.place.lane);
      CHECK(answer["of"]["column"] == c.place.column);
      int faults = 0;
      for (int thread = 0; thread < 32; ++thread)
        for (int value = 0; value < f.values(); ++value) {
          const auto element = access.element(f.at(thread, value));
          const RegisterSlot slot = f.slot(value);
          const json& told = answer["elements"][static_cast<std::size_t>(thread)][static_cast<std::size_t>(slot.index)]
                                   [static_cast<std::size_t>(slot.first_bit / 16)];
          faults += told != (element ? json{element->row, element->column} : json());
        }
      CHECK(faults == 0);
    }
  // f16 M 64 N 128, element (37, 5) in lane 69, column 5: warp 2, lane 5 of its quarter.
  CHECK(has(answered("tcgen05.ld.16x64b.x8 --of 'm 64 n 128 warp 2' --lane 5 --column 5"), R"({"row":37,"col":5})"));
  CHECK(has(answered("tcgen05.ld.32x32b.x8 --of 'm 64 n 128 warp 2' --thread 5 --register 5"),
            R"({"row":37,"col":5,"elements":[[37,5]]})"));
  CHECK(has(answered("tcgen05.ld.32x32b.x8 --of 'm 64 n 128 warp 2' --thread 16 --register 5"),
            R"({"row":null,"col":null,"elements":[null]})"));
  CHECK(has(answered("tcgen05.ld.32x32b.x8.pack::16b --of 'm 64 n 128 warp 2 dtype f16' --thread 5 --register 2"),
            R"({"elements":[[37,4],[37,5]]})"));
  const json point = answered("tcgen05.ld.32x32b.x8 --of 'm 64 n 128 warp 2' --at 5,5")["points"][0];
  CHECK(has(point, R"({"at":[5,5],"row":37,"col":5})"));
  const Figure figure = figure_in(asked(frag_words("tcgen05.ld.32x32b.x8 --of 'm 64 n 128 warp 2'")).document);
  CHECK(figure.panels[0][1].squares[5][5].text == "37,5");
  CHECK(figure.panels[0][1].squares[16][5].text == "-");
  CHECK(figure.panels[0][0].row_levels[0].labels == std::vector<std::string>{"rows 32-39", "rows 40-47", "", ""});
  CHECK(figure.panels[0][0].squares[16][0].mark == Mark::faint);
}

TEST_CASE("notes and lints: what the shape suits, what of the window is not D") {
  const auto notes = [](const std::string& line) { return rules(answered(line)["notes"]); };
  const auto lints = [](const std::string& line) { return rules(answered(line)["lints"]); };
  CHECK(notes("tcgen05.ld.16x256b.x4") == Rules{"as-accumulator", "row-in-threads"});
  CHECK(notes("tcgen05.ld.16x128b.x4.pack::16b") == Rules{"as-accumulator", "row-in-threads"});
  CHECK(notes("tcgen05.ld.16x128b.x4") == Rules{"as-matrices", "row-in-threads"});
  CHECK(notes("tcgen05.ld.32x32b.x4") == Rules{"row-in-a-thread"});
  CHECK(answered("tcgen05.ld.16x64b.x4")["notes"][0]["message"] ==
        "a row (lane) lies in 2 threads: a row reduction ends with 1 shuffle (xor 2)");
  CHECK(notes("tcgen05.ld.32x32b.x4 --of 'm 64 n 128'") == Rules{"row-in-a-thread", "unused-lanes"});
  CHECK(notes("tcgen05.ld.16x64b.x4 --of 'm 64 n 128'") == Rules{"row-in-threads"});
  CHECK(notes("tcgen05.ld.32x32b.x4 --of 'dtype f16'") == Rules{"row-in-a-thread", "upper-halves"});
  CHECK(notes("tcgen05.ld.32x32b.x4.pack::16b --of 'dtype f16'") == Rules{"row-in-a-thread"});
  CHECK(notes("tcgen05.st.32x32b.x4.unpack::16b") == Rules{"row-in-a-thread", "upper-halves"});
  CHECK(lints("tcgen05.ld.32x32b.x4.pack::16b --of 'dtype f32'") == Rules{"narrowed"});
  CHECK(lints("tcgen05.ld.16x64b.x4 --of 'm 64 n 128 lane 16'") == Rules{"no-element"});
  CHECK(lints("tcgen05.ld.32x32b.x64 --of 'n 64'") == Rules{});
  CHECK(answered("tcgen05.ld.32x32b.x64 --of 'n 64 at 32'")["lints"][0]["message"] ==
        "columns 64-95 lie beyond D, which takes 64 columns");
  CHECK(lints("tcgen05.st.16x32bx2.x4 --split-offset 3") == Rules{"shared-columns"});
  CHECK(lints("tcgen05.ld.16x32bx2.x4 --split-offset 3") == Rules{});
  CHECK(lints("tcgen05.st.16x32bx2.x4 --split-offset 4") == Rules{});
}

TEST_CASE("open questions, and .red") {
  const auto open = [](const std::string& line) { return answered(line)["open"].size(); };
  CHECK(open("tcgen05.ld.16x256b.x4") == 0);
  CHECK(open("tcgen05.ld.16x256b.x4 --of 'm 64'") == 1);
  CHECK(open("tcgen05.ld.16x256b.x4 --of 'cta-group 2 sparse'") == 2);
  CHECK(open("tcgen05.st.16x256b.x4.unpack::16b") == 1);
  CHECK(open("tcgen05.ld.16x256b.x4.pack::16b") == 0);
  CHECK(open("tcgen05.ld.red.32x32b.x4.max.f32") == 0);
  CHECK(open("tcgen05.ld.red.16x32bx2.x4.max.f32") == 1);
  const json red = answered("tcgen05.ld.red.sync.aligned.32x32b.x4.min.abs.NaN.f32");
  CHECK(red["registers"] == 4);
  CHECK(red["evidence"] == "documented");
  CHECK(red["reduction"] == json::parse(R"({"operation":"min","abs":true,"nan":true,"type":"f32","columns":4})"));
  CHECK(red["targets"] == json::parse(R"(["sm_103a","sm_103f","sm_107a","sm_107f","sm_110a","sm_110f"])"));
  const json abs = answered("tcgen05.ld.red.16x32bx2.x8.f32.max.abs")["reduction"];
  CHECK(abs == json::parse(R"({"operation":"max","abs":true,"nan":false,"type":"f32","columns":8})"));
  CHECK(answered("tcgen05.ld.32x32b.x4")["reduction"].is_null());
}

TEST_CASE("the list") {
  const json list = answered("--list tcgen05")["fragments"];
  REQUIRE(list.size() == 22);
  CHECK(list[0]["name"] == "tcgen05.ld.32x32b.xN");
  CHECK(list[0]["n"] == "1 to 128, powers of two");
  CHECK(list[21]["name"] == "tcgen05.ld.red.16x32bx2.xN.max.f32");
  for (const json& row : list) {
    std::string name = row["name"];
    name.replace(name.find(".xN"), 3, ".x4");
    CHECK(answered(name)["name"] == name);
  }
}

TEST_CASE("what does not exist says what does") {
  CHECK(refused("tcgen05.ld.16x256b.x64") ==
        "swz: error: 'tcgen05.ld.16x256b.x64': 16x256b has no .x64\nhint: it has .x1 to .x32, powers of two: at most "
        "128 registers\n");
  CHECK(refused("tcgen05.ld.32x32b.x3").starts_with("swz: error: 'tcgen05.ld.32x32b.x3': 32x32b has no .x3\n"));
  CHECK(refused("tcgen05.ld") ==
        "swz: error: 'tcgen05.ld' is not a form of tcgen05.ld or tcgen05.st\nhint: shapes: 32x32b (x1 to x128), "
        "16x64b "
        "(x1 to x128), 16x128b (x1 to x64), 16x256b (x1 to x32) and 16x32bx2 (x1 to x128)\n");
  CHECK(refused("tcgen05.ld.32x32b.x8.unpack::16b")
            .starts_with("swz: error: 'tcgen05.ld.32x32b.x8.unpack::16b' is not a form of tcgen05.ld or "
                         "tcgen05.st\nhint: did you mean 'tcgen05.ld.32x32b.x8.pack::16b'?"));
  CHECK(refused("tcgen5.ld.16x256b.x4")
            .starts_with("swz: error: 'tcgen5.ld.16x256b.x4' is not an instruction with a register fragment\nhint: did "
                         "you mean 'tcgen05.ld.16x256b.x4'?"));
  CHECK(refused("tcgen05.cp.128x256b") ==
        "swz: error: tcgen05.cp moves nothing between tensor memory and registers\nhint: swz tmem cp shows where it "
        "puts the rows of shared memory\n");
  CHECK(refused("tcgen05.ld.red.16x256b.x4.max.f32") ==
        "swz: error: 'tcgen05.ld.red.16x256b.x4.max.f32': .red does not take the shape 16x256b\nhint: it takes "
        "32x32b "
        "and 16x32bx2\n");
  CHECK(refused("tcgen05.ld.red.32x32b.x1.max.f32")
            .starts_with("swz: error: 'tcgen05.ld.red.32x32b.x1.max.f32': .red needs at least .x2\n"));
  CHECK(refused("tcgen05.ld.red.32x32b.x2.max")
            .starts_with("swz: error: 'tcgen05.ld.red.32x32b.x2.max' does not name one operation and one type\n"));
  CHECK(refused("tcgen05.ld.red.32x32b.x2.max.abs.u32") ==
        "swz: error: 'tcgen05.ld.red.32x32b.x2.max.abs.u32': .abs and .NaN are for .f32\nhint: leave them out\n");
  CHECK(refused("tcgen05.ld.16x32bx2.x8 --split-offset 505") ==
        "swz: error: --split-offset 505: threads 16-31 would leave the 512 columns of tensor memory\nhint: 0 to "
        "504; 8 "
        "follows threads 0-15, as CUTLASS has it\n");
  CHECK(
      refused("tcgen05.ld.16x32bx2.x8 --split-offset -1").starts_with("swz: error: --split-offset -1: threads 16-31"));
  CHECK(refused("tcgen05.ld.32x32b.x8 --split-offset 8") ==
        "swz: error: tcgen05.ld.32x32b.x8 has no split offset\nhint: only 16x32bx2 has one\n");
  CHECK(refused("tcgen05.ld.32x32b.x8 --dtype f16") ==
        "swz: error: tcgen05.ld.32x32b.x8 takes no element type\nhint: it moves 32 bits of any type\n");
  CHECK(refused("tcgen05.ld.32x32b.x8 --operand d").starts_with("swz: error: tcgen05.ld.32x32b.x8 has no operand d\n"));
  CHECK(refused("tcgen05.ld.32x32b.x8 --thread 5 --register 8") ==
        "swz: error: tcgen05.ld.32x32b.x8 has no register 8 of thread 5\nhint: threads are 0 to 31, registers 0 to "
        "7\n");
  CHECK(refused("tcgen05.ld.16x64b.x8 --lane 16 --column 0") ==
        "swz: error: tcgen05.ld.16x64b.x8 has no lane 16\nhint: lanes are 0 to 15\n");
  CHECK(refused("tcgen05.ld.16x32bx2.x4 --split-offset 100 --lane 3 --column 50") ==
        "swz: error: no thread holds lane 3, column 50\nhint: threads 0-15 hold columns 0-3, threads 16-31 columns "
        "100-103\n");
  CHECK(refused("ldmatrix.x4 --thread 5 --register 1") ==
        "swz: error: 'ldmatrix.x4' has no tensor memory\nhint: --thread, --lane, --split-offset, --of and --map "
        "are for "
        "tcgen05.ld and st; --at ROW,COLUMN, --at T5,R1 and --at T5 are for all\n");
  CHECK(refused("tcgen05.ld.32x32b.x8 --of 'm 128 k 64'") ==
        "swz: error: --of: 'k' is not a word of an accumulator\nhint: words: m, n, cta-group, ws, sparse, dtype, "
        "cta, "
        "warp, lane and at; for example 'm 128 n 256 cta-group 2 warp 1 at 64'\n");
  CHECK(refused("tcgen05.ld.32x32b.x8 --of 'wrap 1'")
            .starts_with("swz: error: --of: 'wrap' is not a word of an accumulator\nhint: did you mean 'warp'?"));
  CHECK(refused("tcgen05.ld.32x32b.x8 --of 'm 64 cta-group 2'") ==
        "swz: error: --of: tcgen05.mma has no M 64 with cta_group::2\nhint: M is 128 and 256; nearest: 128; M 64 "
        "exists "
        "with cta_group::1 and .ws\n");
  CHECK(refused("tcgen05.ld.32x32b.x8 --of warp").starts_with("swz: error: --of: warp has no value\n"));
  CHECK(refused("tcgen05.ld.32x32b.x8 --of 'warp 4'").starts_with("swz: error: --of: 4 is out of range\n"));
  CHECK(refused("tcgen05.ld.32x32b.x8 --of 'lane 16'") ==
        "swz: error: tcgen05.ld.32x32b.x8 takes all 32 lanes of the warp\nhint: lane is 0\n");
}

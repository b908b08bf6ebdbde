// SPDX-License-Identifier: Apache-2.0
// swz banks as a command: totals, the lanes, the figure, comparison, raw addresses, the JSON contract, refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "answers.hpp"
#include "cmd/asked.hpp"

using namespace swz;
using nlohmann::json;

namespace {

Words banks(std::initializer_list<const char*> options) {
  Words words{"banks"};
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

Figure figure_of(const Words& words) { return figure_in(asked(words).document); }

bool has_rule(const json& notes, const std::string& rule) {
  return std::any_of(notes.begin(), notes.end(), [&](const json& note) { return note["rule"] == rule; });
}

}  // namespace

TEST_SUITE("cmd") {
  TEST_CASE("banks: the linear layout") {
    const CliResult r = run_cli(banks({"--dtype", "bf16", "--layout", "(8,16):(16,1)", "--access", "ldmatrix.x1"}));
    CHECK(r.exit_code == 0);
    CHECK(r.out.find(R"(bf16 8x16 K-major, (8,16):(16,1), 2 ldmatrix.x1
wavefronts  4 where 2 would do: 2 too many

access       instructions  wavefronts  ideal  excess  conflict
ldmatrix.x1             2           4      2       2  2-way at (0,0)

the worst of 2 ldmatrix.x1: 2 wavefronts where 1 would do
lane  row  k  byte  banks  pass  collides with lanes
   0    0  0   0x0    0-3     0  4
   1    1  0  0x20   8-11     0  5
   2    2  0  0x40  16-19     0  6
   3    3  0  0x60  24-27     0  7
   4    4  0  0x80    0-3     1  0
   5    5  0  0xa0   8-11     1  1
   6    6  0  0xc0  16-19     1  2
   7    7  0  0xe0  24-27     1  3

shared memory
line\bank │   0-3   4-7  8-11 12-15 16-19 20-23 24-27 28-31
──────────┼─────────────────────────────────────────────────
      0x0 │    0!          1!          2!          3!
     0x80 │    4!          5!          6!          7!
──────────┼─────────────────────────────────────────────────
    words │    2!          2!          2!          2!
)") == 0);
    CHECK(r.out.find("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum") != std::string::npos);
    CHECK(r.out.find("lint[bank-conflict]: ldmatrix.x1: 4 wavefronts where 2 would do, 2-way at (0,0)\n") !=
          std::string::npos);
    const json swizzled =
        json_of(banks({"--dtype", "bf16", "--tile", "8x16", "--swizzle", "32B", "--access", "ldmatrix.x1"}));
    CHECK(swizzled["wavefronts"] == 2);
    CHECK(swizzled["lints"].empty());
  }

  TEST_CASE("banks: --strict") {
    const Words conflict = banks({"--layout", "(8,16):(16,1)", "--access", "ldmatrix.x1"});
    Words strict = conflict;
    strict.emplace_back("--strict");
    CHECK(run_cli(conflict).exit_code == 0);
    CHECK(run_cli(strict).exit_code == 1);
    CHECK(run_cli(banks({"--tile", "64x64", "--strict"})).exit_code == 0);
    CHECK(run_cli(banks({"--access", "ld.shared.b32", "--lanes", "0,128", "--strict"})).exit_code == 1);
    // A variant that conflicts is what one compares with, no lint.
    CHECK(run_cli(banks({"--tile", "64x64", "--compare", "none", "--strict"})).exit_code == 0);
    CHECK(run_cli(banks({"--tile", "64x64", "--access", "stmatrix.x4", "--arch", "sm_80", "--strict"})).exit_code == 1);
  }

  TEST_CASE("banks: --compare") {
    const Words words =
        banks({"--dtype", "f16", "--tile", "128x64", "--compare", "linear; Sw<3,4,3> ;pad 16;64B;mode none;none;rows"});
    const json d = json_of(words);
    CHECK(d["wavefronts"] == 128);
    REQUIRE(d["compare"].size() == 7);
    // A row of 128 B: eight rows share their banks; 144 B and the swizzles spread them.
    // none is mode none, core matrices; rows is another word for linear.
    const std::vector<std::pair<std::string, int>> wanted{{"linear", 1024},  {"Sw<3,4,3>", 128}, {"pad 16", 128},
                                                          {"mode 64B", 128}, {"mode none", 128}, {"mode none", 128},
                                                          {"linear", 1024}};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      CHECK(d["compare"][i]["name"] == wanted[i].first);
      CHECK(d["compare"][i]["wavefronts"] == wanted[i].second);
      CHECK(d["compare"][i]["ideal"] == 128);
      CHECK(d["compare"][i]["bytes"] == (wanted[i].first == "pad 16" ? 128 * 144 - 16 : 16384));
    }
    CHECK(has_rule(d["notes"], "mode-none"));
    CHECK_FALSE(has_rule(json_of(banks({"--tile", "64x64", "--compare", "linear"}))["notes"], "mode-none"));
    const json impossible = json_of(banks({"--tile", "64x64", "--compare", "pad 249;pad 16"}))["lints"];
    REQUIRE(impossible.size() == 1);
    CHECK(impossible[0]["rule"] == "impossible-variant");
    CHECK(impossible[0]["source"] == "swz banks --access list (derived)");
    CHECK(has_rule(json_of(banks({"--tile", "64x64", "--swizzle", "none"}))["notes"], "mode-none"));
    CHECK(d["compare"][1]["layout"] == "Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)");
    const std::string text = run_cli(words).out;
    CHECK(text.find("side by side\n"
                    "variant    access       wavefronts  ideal  excess  conflict  bytes\n"
                    "mode 128B  ldmatrix.x4         128    128       0  none      16384\n"
                    "linear     ldmatrix.x4        1024    128     896  8-way     16384\n") != std::string::npos);
    CHECK(figure_of(words).panels[0].size() == 8);
    // The title compares; below it is the access, and a panel is named by its placement alone. 16 ldmatrix.x4 take 4 wavefronts each, 32 of linear
    // rows, of which eight lie in the same banks.
    const Document two = asked(banks({"--dtype", "bf16", "--tile", "64x64", "--compare", "linear;pad 16"})).document;
    CHECK(two.headline == "mode 128B and pad 16 B take 64 wavefronts, linear takes 512");
    CHECK(two.title == "bf16 64x64 K-major, 16 ldmatrix.x4");
    const Figure compared = figure_in(two);
    CHECK(compared.caption.starts_with("Drawn: one of 16 ldmatrix.x4. Numbers: lanes."));
    CHECK(compared.panels[0][1].title == "linear: 16 x 32 wavefronts");
    // The titles have the counts that matter: 16 words of a bank are not 32 wavefronts.
    for (const Grid& grid : compared.panels[0]) CHECK(grid.row_labels.back() != "words");
    CHECK(compared.caption.find("Words") == std::string::npos);
    // Of more wavefronts than hues the caption says what a colour is.
    CHECK(compared.legend_title.empty());
    CHECK(compared.legend[0].mark == Mark::colliding);
    CHECK(compared.caption.find("Colour: the wavefront mod 8.") != std::string::npos);
    CHECK(compared.about_shades == " Another shade: 8 wavefronts later.");
    // They are compared to one scale: also linear, whose lanes touch two columns, has all eight.
    CHECK(compared.is_comparison);
    for (const Grid& grid : compared.panels[0]) CHECK(grid.column_labels.size() == 8);
    // Of a layout, Sw<0,4,3> takes its swizzle away.
    const json layout = json_of(banks({"--dtype", "f16", "--layout", "Sw<3,3,4> o 0 o (128,8):(1,128)", "--access",
                                       "ldmatrix.x4.trans", "--compare", "Sw<0,4,3>;Sw<3,4,4>"}));
    CHECK(layout["excess"] == 0);
    CHECK(layout["compare"][0]["wavefronts"] == 128);
    CHECK(layout["compare"][0]["accesses"][0]["ways"] == 8);
    CHECK(layout["compare"][1]["excess"] == 0);
  }

  TEST_CASE("banks: lines that go on as the first eight are folded, and how they go on is below them") {
    const auto grid_of = [](const char* swizzle) {
      return figure_in(asked(banks({"--tile", "64x64", "--swizzle", swizzle})).document, Medium::page).panels[0][0];
    };
    const Grid folded = grid_of("128B");
    CHECK(folded.key_rows == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 15, 16});
    CHECK(folded.below == "lines 0x400-0x780: lane + 8, wavefront + 1");
    for (std::size_t row = 0; row < 8; ++row)
      for (std::size_t column = 0; column < 8; ++column) {
        const Grid::Square &first = folded.squares[row][column], &next = folded.squares[row + 8][column];
        CHECK(first.text.empty() == next.text.empty());
        if (first.text.empty()) continue;
        CHECK(std::stoi(next.text) == std::stoi(first.text) + 8);
        CHECK(next.step == first.step + 1);
      }
    CHECK(folded.row_labels[8] == "0x400");
    CHECK(folded.row_labels[15] == "0x780");
    CHECK(grid_of("32B").below.empty());
  }

  TEST_CASE("banks: a mode beside a layout has the element type of its pointer") {
    const json d =
        json_of(banks({"--layout", "Sw<3,4,3> o smem_ptr[32b](unset) o (8,32):(32,1)", "--compare", "64B;none"}));
    for (const json& variant : d["compare"]) CHECK(variant["bytes"] == 1024);
  }

  TEST_CASE("banks: matrices of 16-bit elements tear others apart") {
    const auto lints = [](const char* dtype, const char* access) {
      const json d = json_of(banks({"--dtype", dtype, "--tile", "128x32", "--major", "mn", "--swizzle", "none",
                                    "--access", access, "--arch", "sm_100a"}));
      std::string text;
      for (const json& lint : d["lints"])
        if (lint["rule"] == "element-size") text += lint["message"].get<std::string>();
      return text;
    };
    CHECK(lints("tf32", "ldmatrix.x4.trans") ==
          "ldmatrix.x4.trans transposes elements of 16 bits; tf32 of 32 bits: it tears them apart");
    CHECK(lints("e4m3", "stmatrix.x4.trans") ==
          "stmatrix.x4.trans transposes elements of 16 bits; e4m3 of 8 bits: it moves several of them as one");
    CHECK(lints("bf16", "ldmatrix.m16n16.x1.trans") ==
          "ldmatrix.m16n16.x1.trans transposes elements of 8 bits; bf16 of 16 bits: it tears them apart");
    CHECK(lints("f64", "ldmatrix.x4") ==
          "ldmatrix.x4 gives each thread 4 B of a row; f64 of 64 bits is split between threads");
    for (const char* dtype : {"bf16", "f16"}) CHECK(lints(dtype, "ldmatrix.x4.trans").empty());
    CHECK(lints("e4m3", "ldmatrix.m16n16.x1.trans").empty());
    for (const char* dtype : {"e4m3", "tf32", "bf16"}) CHECK(lints(dtype, "ldmatrix.x4").empty());
    CHECK(run_cli(banks({"--dtype", "tf32", "--tile", "128x32", "--major", "mn", "--access", "ldmatrix.x4.trans",
                         "--strict"}))
              .exit_code == 1);
  }

  TEST_CASE("banks: raw addresses") {
    std::string column, line;
    for (int lane = 0; lane < 32; ++lane) {
      column += std::to_string(lane * 128) + ",";
      line += std::to_string(lane * 16) + " ";
    }
    const json down = json_of(banks({"--access", "ld.shared.b32", "--lanes", column.c_str()}));
    CHECK(down["wavefronts"] == 32);
    CHECK(down["ideal"] == 1);
    CHECK(down["groups"][0]["passes"] == 32);
    CHECK(down["groups"][0]["banks"].size() == 1);
    CHECK(down["groups"][0]["banks"][0]["words"][31] == json{{"byte", 31 * 128}, {"lanes", {31}}});
    CHECK(down["worst"]["lanes"][1]["collides_with"].size() == 31);
    CHECK(down["operand"].is_null());
    const json along = json_of(banks({"--access", "LDS.128", "--lanes", line.c_str()}));
    CHECK(along["wavefronts"] == 4);
    CHECK(along["excess"] == 0);
    REQUIRE(along["groups"].size() == 4);
    CHECK(along["groups"][1]["lanes"] == json{8, 9, 10, 11, 12, 13, 14, 15});
    // Two lanes with one address, the others inactive: the warp pairs.
    const json pair = json_of(banks({"--access", "ld.shared.b128", "--lanes", "64,64"}));
    CHECK(pair["worst"]["pairs"] == 1);
    CHECK(pair["groups"].size() == 2);
    CHECK(has_rule(pair["notes"], "pairing"));
    CHECK(has_rule(pair["notes"], "inactive-lanes"));
    const json none = json_of(banks({"--access", "ld.shared.b32", "--lanes", "0,4", "--active", "0"}));
    CHECK(none["wavefronts"] == 1);
    CHECK(none["ideal"] == 1);
    CHECK(has_rule(none["notes"], "no-active-lane"));
    CHECK(json_of(banks({"--access", "ld.shared.b32", "--lanes", "0,128,4", "--active", "0b101"}))["wavefronts"] == 1);
    const json x1 = json_of(banks({"--access", "ldmatrix.x1", "--lanes", line.c_str(), "--active", "0xff"}));
    CHECK(has_rule(x1["notes"], "ignored-lanes"));
    CHECK(has_rule(x1["lints"], "aligned-instruction"));
  }

  TEST_CASE("banks: the figure") {
    const Figure figure =
        figure_of(banks({"--tile", "8x16", "--swizzle", "32B", "--base", "0x400", "--access", "ldmatrix.x2"}));
    const Grid& grid = figure.panels[0][0];
    CHECK(grid.row_labels == std::vector<std::string>{"0x400", "0x480", "words"});
    CHECK(grid.column_labels.front() == "0-3");
    CHECK(grid.squares[1][0].text == "12");        // line 9 is odd: chunk 0 is row 4, k 8
    CHECK(grid.squares[1][0].tint == Tint{1, 0});  // lanes 8 to 15 are the second wavefront
    CHECK(grid.squares[1][0].step == 1);
    CHECK(grid.squares[1][0].mark == Mark::none);
    CHECK(grid.squares[1][0].tip == "byte 0x480, banks 0-3\nlane 12\nwavefront 1");
    CHECK(figure.title == "ldmatrix.x2: 2 wavefronts, the ideal");
    CHECK(figure.steps == std::vector<std::string>{"wavefront 0", "wavefront 1"});
    REQUIRE(figure.legend.size() == 2);
    CHECK(figure.legend[1].tint == Tint{1, 0});
    // A broadcast, and a far line: those between are left out.
    const Figure raw = figure_of(banks({"--access", "ld.shared.b32", "--lanes", "0,0,0,4,65536"}));
    REQUIRE(raw.panels[0][0].squares.size() == 3);
    CHECK(raw.panels[0][0].squares[0][0].text == "0-2");
    CHECK(raw.panels[0][0].squares[0][0].mark == Mark::colliding);
    CHECK(raw.panels[0][0].squares[0][1].mark == Mark::none);
    CHECK(raw.panels[0][0].squares[1][0].text == "4");
    CHECK(raw.caption.find("Lines that are not touched are left out.") != std::string::npos);
    CHECK(run_cli(banks({"--tile", "64x64", "-f", "svg"})).out.find("<svg") != std::string::npos);
  }

  TEST_CASE("banks: every cell has the colour and the step of its wavefront; the last row counts words") {
    // Line after line of 128 bytes: eight rows of a matrix meet in one chunk of 16 bytes.
    for (const char* access : {"ldmatrix.x4", "ld.shared.b128 rows", "ld.shared.b32 columns", "st.shared.b64 gmem"}) {
      const Words words = banks({"--layout", "(64,64):(64,1)", "--dtype", "bf16", "--access", access});
      CAPTURE(access);
      const json d = json_of(words);
      const Figure figure = figure_of(words);
      CHECK(figure.steps.size() == d["worst"]["wavefronts"].get<std::size_t>());
      const Grid& grid = figure.panels[0][0];

      std::map<int, std::int64_t> words_of_bank;
      for (const json& group : d["groups"])
        for (const json& bank : group["banks"])
          words_of_bank[bank["bank"].get<int>()] += static_cast<std::int64_t>(bank["words"].size());
      for (std::size_t c = 0; c < grid.column_labels.size(); ++c) {
        // "4-7", "0"
        const std::string& label = grid.column_labels[c];
        const int first = std::stoi(label), last = std::stoi(label.substr(label.find('-') + 1));
        std::int64_t most = 0;
        for (int b = first; b <= last; ++b) most = std::max(most, words_of_bank[b]);
        CHECK(grid.squares.back()[c].text == (most == 0 ? "" : std::to_string(most)));
        bool collides = false;
        for (std::size_t r = 0; r + 1 < grid.squares.size(); ++r) {
          const Grid::Square& square = grid.squares[r][c];
          collides = collides || square.mark == Mark::colliding;
          if (square.step < 0) continue;
          CHECK(square.tint == Tint{square.step & 7, square.step >> 3});
          CHECK(square.step < static_cast<int>(figure.steps.size()));
        }
        CHECK((grid.squares.back()[c].mark == Mark::colliding) == collides);
      }
    }
  }

  TEST_CASE("banks: the lanes of one word of an atomic are served below each other, red is what costs more") {
    const Figure figure = figure_of(banks({"--access", "red.shared.add.u32", "--lanes", "0,4,4,4,8,12,128,256"}));
    const Grid& grid = figure.panels[0][0];
    CHECK(grid.row_labels == std::vector<std::string>{"0x0", "0x0, turn 2", "0x0, turn 3", "0x80", "0x100", "passes"});
    CHECK(grid.column_labels == std::vector<std::string>{"0", "1", "2", "3", "4-31"});
    // Lanes 1 to 3 want one word: three wavefronts. Bank 0 has three words, no more than these three wavefronts.
    for (std::size_t turn = 0; turn < 3; ++turn) {
      CHECK(grid.squares[turn][1].text == std::to_string(1 + turn));
      CHECK(grid.squares[turn][1].tint == Tint{static_cast<int>(turn), 0});
      CHECK(grid.squares[turn][1].step == static_cast<int>(turn));
    }
    CHECK(grid.squares[5][0].text == "3");
    CHECK(grid.squares[5][1].text == "3");
    // The three words of bank 0 cost nothing, as no bank takes more passes than it must: nothing is red.
    for (const auto& row : grid.squares)
      for (const Grid::Square& square : row) CHECK(square.mark == Mark::none);
    for (const auto& row : grid.squares) CHECK(row[4].outside == 1);
    // With a fourth word in bank 0, which no lane shares, it needs more wavefronts than the shared word.
    const Figure worse = figure_of(banks({"--access", "red.shared.add.u32", "--lanes", "0,4,4,4,8,12,128,256,384"}));
    CHECK(worse.panels[0][0].squares.back()[0].mark == Mark::colliding);
    CHECK(worse.panels[0][0].squares.back()[1].mark == Mark::none);
    CHECK(worse.panels[0][0].squares[0][0].mark == Mark::colliding);
  }

  TEST_CASE("banks: every lane of an atomic is in one cell, in the wavefront that serves it") {
    for (const char* lanes : {"0,4,4,4,8,12,128,256", "0,0,0,0,128,128,4", "64,192,320,64,448"}) {
      const Words words = banks({"--access", "atom.shared.add.u32", "--lanes", lanes});
      const json d = json_of(words);
      const Grid grid = figure_of(words).panels[0][0];
      for (const json& lane : d["worst"]["lanes"]) {
        std::size_t found = 0;
        for (const auto& row : grid.squares)
          for (const Grid::Square& square : row)
            if (square.step >= 0 && square.text == std::to_string(lane["lane"].get<int>())) {
              ++found;
              CHECK(square.step == lane["pass"].get<int>());
            }
        CHECK(found == 1);
      }
    }
  }

  TEST_CASE("banks: a picture leaves out the lines that no lane touches, --full does not") {
    const Words line{"banks", "--dtype", "bf16", "--tile", "128x64", "--swizzle", "none", "-f", "svg"};
    Words full = line;
    full.emplace_back("--full");
    const std::string part = run_cli(line).out, whole = run_cli(full).out;
    for (const char* kept : {">0x0</text>", ">0x80</text>", ">0x800</text>", ">0x880</text>", ">words</text>"})
      CHECK(part.find(kept) != std::string::npos);
    CHECK(part.find(">0x100</text>") == std::string::npos);
    CHECK(whole.find(">0x100</text>") != std::string::npos);
  }

  TEST_CASE("banks: --highlight marks lanes, wavefronts and banks, the others turn faint") {
    const auto marks = [](const char* what) {
      const Figure figure =
          figure_of(banks({"--tile", "8x64", "--swizzle", "128B", "--access", "ldmatrix.x1", "--highlight", what}));
      std::string text;
      for (const auto& row : figure.panels[0][0].squares)
        for (const Grid::Square& square : row)
          if (square.mark == Mark::highlighted) text += square.text + " ";
          else CHECK((square.mark == Mark::faint) == (square.step >= 0));
      return text;
    };
    CHECK(marks("lanes 2-3") == "2 3 ");
    CHECK(marks("banks 0-3") == "0 ");
    CHECK(marks("wavefront 0") == "0 1 2 3 4 5 6 7 ");
    CHECK(marks("lanes 0-4; banks 8-15") == "2 3 ");
    const CliResult r = run_cli(banks({"--tile", "8x64", "--access", "ldmatrix.x1", "--highlight", "wavefronts 1"}));
    CHECK(r.exit_code == 2);
    CHECK(r.err.find("there is no wavefront 1") != std::string::npos);
    // What collides stays red.
    const Figure raw = figure_of(banks({"--access", "ld.shared.b32", "--lanes", "0,128,4", "--highlight", "lane 0"}));
    CHECK(raw.panels[0][0].squares[0][0].mark == Mark::colliding);
    CHECK(raw.panels[0][0].squares[1][0].mark == Mark::faint);
  }

  TEST_CASE("banks: lanes that collide come first, the others are one line") {
    const Words words = banks({"--access", "ld.shared.b128", "--lanes", "0,16,32,1024,48"});
    const std::string text = run_cli(words).out;
    CHECK(text.find("   0    0x0    0-3      0     0  3\n"
                    "   3  0x400    0-3      0     1  0\n"
                    "3 lanes without a collision: 1-2,4; --full lists them\n") != std::string::npos);
    Words all = words;
    all.emplace_back("--all");
    const std::string whole = run_cli(all).out;
    CHECK(whole.find("   3  0x400    0-3      0     1  0\n   1   0x10    4-7      0     0\n") != std::string::npos);
    CHECK(whole.find("--full lists") == std::string::npos);
  }

  TEST_CASE("banks: every atomic on one word is contention, and never called only free of conflicts") {
    std::string lanes = "0";
    for (int lane = 1; lane < 32; ++lane) lanes += ",0";
    // Passes of each lane, and how many groups go in sequence: 32 lanes of 4 bytes, 16 of 8.
    struct Form {
      std::string name;
      int passes, groups;
    };
    for (const Form& form : {Form{"atom.shared.add.u32", 1, 1},
                             {"red.shared.add.u32", 1, 1},
                             {"red.relaxed.cta.shared.min.s32", 1, 1},
                             {"atom.shared.inc.u32", 1, 1},
                             {"atom.shared.and.b32", 1, 1},
                             {"atom.shared.exch.b32", 1, 1},
                             {"ATOMS.ADD", 1, 1},
                             {"ATOMS.EXCH", 1, 1},
                             {"atom.shared.cas.b32", 2, 1},
                             {"ATOMS.CAS", 2, 1},
                             {"atom.shared.cas.b64", 2, 2},
                             {"atom.shared.exch.b64", 1, 2}}) {
      CAPTURE(form.name);
      const json d = json_of(Words{"banks", "--access", form.name, "--lanes", lanes});
      CHECK(d["wavefronts"] == 32 * form.passes);
      CHECK(d["accesses"][0]["contention"]["lanes"] == 32 / form.groups);
      CHECK(d["accesses"][0]["contention"]["combined"] == form.passes * form.groups);
      CHECK(d["worst"]["lanes"][5]["waits_with"].size() == 32 / static_cast<std::size_t>(form.groups) - 1);
      CHECK(d["notes"][0]["rule"] == "contention");
      const std::string text = run_cli(Words{"banks", "--access", form.name, "--lanes", lanes}).out;
      CHECK(text.find("the ideal: no bank conflict") == std::string::npos);
      CHECK(text.find(fmt::format("up to {} lanes share a word and take turns, {}", 32 / form.groups,
                                  form.passes * form.groups)) != std::string::npos);
    }
    const json counted = json_of(Words{"banks", "--access", "ATOMS.POPC.INC.32", "--lanes", lanes});
    CHECK(counted["wavefronts"] == 1);
    CHECK(counted["accesses"][0]["contention"].is_null());
    // Words of their own in one bank are a conflict and no contention.
    const json apart = json_of(banks({"--access", "atom.shared.add.u32", "--lanes", "0,128,256"}));
    CHECK(apart["excess"] == 2);
    CHECK(apart["accesses"][0]["contention"].is_null());
  }

  TEST_CASE("banks: mode none is said to be core matrices, with what the rows cost line after line") {
    const Words tile{"banks", "--dtype", "bf16", "--tile", "64x64", "--swizzle", "none"};
    Words beside = tile;
    beside.insert(beside.end(), {"--compare", "linear"});
    const auto linear = json_of(beside)["compare"][0]["wavefronts"].get<int>();
    CHECK(linear > 64);
    CHECK(run_cli(tile).out.find(fmt::format(
              "wavefronts  64, the ideal: no bank conflict in core matrices (mode none); line after line it takes {}\n",
              linear)) != std::string::npos);
  }

  TEST_CASE("banks: the JSON contract") {
    const json d = json_of(banks({"--dtype", "f32", "--layout", "(32,32):(32,1)", "--access", "transpose"}));
    CHECK(d["arch"] == "sm_90a");
    CHECK(d["wavefronts"] == 1056);
    CHECK(d["ideal"] == 64);
    CHECK(d["excess"] == 992);
    REQUIRE(d["accesses"].size() == 2);
    CHECK(d["accesses"][0]["access"] == "st.shared.b32 rows");
    CHECK(d["accesses"][1]["wavefronts"] == 1024);
    CHECK(d["accesses"][1]["ways"] == 32);
    CHECK(d["accesses"][1]["evidence"] == "measured");
    REQUIRE(d["accesses"][1]["each"].size() == 32);
    CHECK(d["accesses"][1]["each"][5] == json{{"row", 0}, {"k", 5}, {"wavefronts", 32}, {"ideal", 1}});
    CHECK(d["worst"]["access"] == "ld.shared.b32 columns");
    CHECK(d["worst"]["lanes"][3] == json{{"lane", 3},
                                         {"row", 3},
                                         {"k", 0},
                                         {"byte", 384},
                                         {"bank", 0},
                                         {"banks", 1},
                                         {"group", 0},
                                         {"pass", 3},
                                         {"collides_with", d["worst"]["lanes"][3]["collides_with"]},
                                         {"waits_with", json::array()}});
    CHECK(d["groups"].size() == 1);
    CHECK(d["groups"][0]["passes"] == 32);
    CHECK(d["operand"]["end"] == 4096);
    for (const json& counter : d["counters"]) {
      if (counter["counter"] == "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") CHECK(counter["value"] == 1024);
      if (counter["counter"] == "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum") CHECK(counter["value"] == 1056);
      if (counter["counter"] == "smsp__inst_executed_op_shared_st.sum") CHECK(counter["value"] == 32);
    }
    const json ampere = json_of(banks({"--tile", "64x64", "--arch", "sm_80"}));
    CHECK(ampere["accesses"][0]["evidence"] == "claimed");
    CHECK(has_rule(ampere["notes"], "evidence"));
    CHECK_FALSE(has_rule(json_of(banks({"--tile", "64x64"}))["notes"], "evidence"));
    CHECK(has_rule(json_of(banks({"--tile", "64x64", "--access", "cp.async"}))["notes"], "evidence"));
    const json list = json_of(banks({"--access", "list"}));
    CHECK(list["instructions"].size() == 38);
    CHECK(list["instructions"][4]["may_pair"] == true);
    CHECK(list["orders"].size() == 4);
  }

  TEST_CASE("banks: --tv, also repeated") {
    const json d = json_of(banks({"--dtype", "bf16", "--tile", "64x64", "--tv", "((4,8),(2,2)):((32,1),(16,8))",
                                  "--tv-tile", "16x8", "--compare", "linear"}));
    CHECK(d["accesses"][0]["access"] == "ld.shared.b32 tv");
    CHECK(d["accesses"][0]["instructions"] == 64);
    CHECK(d["excess"] == 0);
    CHECK(d["compare"][0]["accesses"][0]["ways"] == 8);
    CHECK(json_of(banks({"--tile", "64x64", "--access", "st.shared.b16", "--tv",
                         "(32,2):(1,64)"}))["accesses"][0]["access"] == "st.shared.b16 tv");
  }

  TEST_CASE("banks: refusals") {
    CHECK(error_of(banks({"--access", "ld.shared.b128", "--lanes", "0,16,40"})) ==
          "swz: error: lane 2: address 0x28 is not a multiple of 16: ld.shared.b128 faults (misaligned address)\n"
          "hint: align the address, or take a narrower access\n");
    for (const char* empty : {"0,,128,256", ",0,128", "0, ,128"})
      CHECK(error_of(banks({"--access", "ld.shared.b32", "--lanes", empty})) ==
            "swz: error: --lanes: an entry of '" + std::string(empty) + "' is empty\nhint: give each entry a number; " +
                "what follows an empty one would move to its place\n");
    CHECK(run_cli(banks({"--access", "ld.shared.b32", "--lanes", "(0, 4,)"})).exit_code == 2);
    CHECK(error_of(banks({"--lanes", "0,16"})) ==
          "swz: error: raw addresses need one --access\n"
          "hint: for example --access ld.shared.b128; --access list shows them\n");
    CHECK(error_of(banks({"--access", "ld.shared.b32", "--lanes", "0", "--tile", "8x8"})) ==
          "swz: error: --lanes and --tile cannot be combined\nhint: leave one of them out\n");
    CHECK(error_of(banks({"--tile", "64x64", "--active", "1"})).find("--active needs --lanes") != std::string::npos);
    CHECK(error_of(banks({"--tile", "64x64", "--tv-tile", "8x8"})).find("--tv-tile needs --tv") != std::string::npos);
    CHECK(error_of(banks({"--access", "ld.shared.b32", "--lanes", "0", "--active", "0x100000000"}))
              .find("--active: 0x100000000 is out of range") != std::string::npos);
    CHECK(error_of(banks({"--tile", "64x64", "--access", "ldmatirx.x4"})).find("did you mean 'ldmatrix.x4'?") !=
          std::string::npos);
    CHECK(error_of(banks({"--tile", "64x64", "--compare", "pad 3"})) ==
          "swz: error: pad 3: the padding must be whole elements of 16 bits\n"
          "hint: give the bytes after each line: pad 16\n");
    CHECK(error_of(banks({"--tile", "64x64", "--compare", "65B"})).find("65B: '65B' is neither a swizzle mode") !=
          std::string::npos);
    CHECK(
        error_of(banks({"--tile", "64x64", "--compare", "pad 4"})).find("pad 4: ldmatrix.x4 reads rows of 16 bytes") !=
        std::string::npos);
    CHECK(error_of(banks({})).find("no tile given") != std::string::npos);
  }
}

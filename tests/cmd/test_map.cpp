// SPDX-License-Identifier: Apache-2.0
// swz map as a command: the JSON contract, --against, its explanations, text and errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "answers.hpp"
#include "cmd/asked.hpp"
#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const char* const tile = "--tile 128x64 --swizzle 128B --base 0x400";

CliResult map_text(Words words) {
  words.insert(words.begin(), "map");
  return run_cli(words, {.variables = {{"COLUMNS", "80"}}});
}

Parsed map_json(Words words, int exit_code = 0) {
  words.insert(words.begin(), "map");
  words.insert(words.end(), {"-f", "json"});
  const CliResult r = run_cli(words);
  CAPTURE(r.err);
  CHECK(r.exit_code == exit_code);
  return Parsed::parse(r.exit_code == 2 ? r.err : r.out);
}

std::string error_of(Words words) {
  words.insert(words.begin(), "map");
  const CliResult r = run_cli(words);
  CHECK(r.exit_code == 2);
  CHECK(r.out.empty());
  return r.err;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string rules(const Parsed& explanations) {
  std::string out;
  for (const Parsed& e : explanations) out += (out.empty() ? "" : " ") + e["rule"].get<std::string>();
  return out;
}

TEST_CASE("the JSON contract: rows, cols and the address of every element, row by row") {
  const Parsed json = map_json({"0x4000004000010042", "--arch", "sm_90a", "--mma", "m64n16k16", "--dtype", "f16",
                                "--operand", "a", "--major", "k"});
  std::string keys;
  for (const auto& item : json.items()) keys += item.key() + " ";
  CHECK(keys ==
        "verdict word kind arch dtype operand major rows cols start_address leading_byte_offset leading "
        "stride_byte_offset "
        "stride swizzle base_offset bytes lowest highest inside repeated against addresses chunks notes lints ");
  CHECK(json["rows"] == 64);
  CHECK(json["cols"] == 16);
  CHECK(json["leading_byte_offset"].is_null());
  CHECK(json["against"].is_null());
  REQUIRE(json["addresses"].size() == 1024);
  for (std::int64_t row = 0; row < 64; ++row) {
    for (std::int64_t k = 0; k < 16; ++k) {
      const std::int64_t lin = 0x420 + row % 8 * 128 + row / 8 * 1024 + k * 2;
      REQUIRE(json["addresses"][static_cast<std::size_t>(row * 16 + k)] == (lin ^ (lin >> 7 & 7) << 4));
    }
  }
  CHECK(json["chunks"].size() == 128);
  CHECK(json["chunks"][19] ==
        Parsed{{"row", 9}, {"k", 8}, {"byte", 2208}, {"line", 17}, {"position", 2}, {"bank", 8}, {"reads", 1}});
}

TEST_CASE("operand b has the rows of N; without --mma the M of an MMA of the target and the K of a dense one") {
  const Parsed b = map_json({"0x4000004000010042", "--arch", "sm_90a", "--mma", "m64n24k16", "--operand", "b"});
  CHECK(b["rows"] == 24);
  CHECK(b["operand"] == "b");
  const Parsed fp8 = map_json({"0x4000404000010042", "--dtype", "e4m3"});
  CHECK(fp8["arch"] == "sm_100a");  // the word itself says which format
  CHECK(fp8["rows"] == 128);
  CHECK(fp8["cols"] == 32);
  CHECK(map_json({"0x4000004000010042"})["rows"] == 64);
  CHECK(fp8["notes"][0]["rule"] == "reading");
}

TEST_CASE("--start replaces the start address") {
  const Parsed json = map_json({"0x4000004000010000", "--start", "0x420", "--arch", "sm_90a"});
  CHECK(json["word"] == "0x4000004000010042");
  CHECK(json["addresses"] == map_json({"0x4000004000010042", "--arch", "sm_90a"})["addresses"]);
}

TEST_CASE("--against a tile: the same bytes, exit 0") {
  const Parsed json = map_json({"0x4000004000010042", "--arch", "sm_90a", "--against", tile})["against"];
  CHECK(json["same"] == true);
  CHECK(json["block"] == Parsed{{"row", 0}, {"k", 16}});
  CHECK(json["differing"] == 0);
  CHECK(json["first"].is_null());
  CHECK(json["explanations"] == Parsed::array());
  // Fewer where the tile has fewer.
  const std::string small = "--tile 64x64 --base 0x400";
  CHECK(map_json({"0x4000404000010040", "--against", small})["rows"] == 64);
  // The fourth k step of the second m block, and the defaults of the tile from outside.
  const Parsed last = map_json({"0x4000004000010246", "--against", "--tile 128x64", "--base", "0x400"})["against"];
  CHECK(last["same"] == true);
  CHECK(last["block"] == Parsed{{"row", 64}, {"k", 48}});
  // As the layout that CuTe prints.
  const Words layout{"0x4000004000010042", "--against", "Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),64):((64,512),1)",
                     "--base", "0x400"};
  CHECK(map_json(layout)["against"]["same"] == true);
}

TEST_CASE("--against another tile: the first element that differs, how many, what explains it, exit 1") {
  const Parsed json = map_json({"0x4000040000010040", "--arch", "sm_90a", "--against", tile}, 1)["against"];
  CHECK(json["same"] == false);
  CHECK(json["differing"] == 56 * 16);
  CHECK(json["first"]["row"] == 8);
  CHECK(json["first"]["read"] == 0x4400);
  CHECK(json["first"]["expected"] == 0x800);
  CHECK(json["first"]["holds"].is_null());
  CHECK(rules(json["explanations"]) == "fields-in-bytes");
  CHECK(json["explanations"][0]["word"] == "0x4000004000010040");
  CHECK(json["word"] == "0x4000004000010040");
}

TEST_CASE("what the element that is read instead holds") {
  // Unswizzled rows read with the swizzle: row 1 begins at its chunk 1.
  const Parsed json =
      map_json({"0x4000004000010040", "--mma", "8x16", "--against", "(8,64):(64,1)", "--base", "0x400"}, 1)["against"];
  CHECK(json["first"] ==
        Parsed{{"row", 1}, {"k", 0}, {"read", 0x490}, {"expected", 0x480}, {"holds", {{"row", 1}, {"k", 8}}}});
  CHECK(rules(json["explanations"]) == "other-swizzle");
  CHECK(json["word"].is_null());
}

TEST_CASE("explanations: one word or tile for each") {
  const auto explained = [](const std::string& word, const std::string& against, Words more = {}) {
    Words words{word, "--against", against, "--arch", "sm_90a"};
    words.insert(words.end(), more.begin(), more.end());
    return rules(map_json(words, 1)["against"]["explanations"]);
  };
  CHECK(explained("0x0000000800800040", tile) == "other-mode");
  CHECK(explained("0x4000000100400040", tile) == "strides-exchanged");
  CHECK(explained("0xc000004000010040", tile) == "other-mode");
  CHECK(explained("0x0000004000010040", tile) == "other-mode");
  CHECK(explained("0x4002004000010040", tile) == "base-offset");
  CHECK(explained("0x4000004000010000", tile) == "start-address");
  CHECK(explained("0x4000000400010040", tile) == "fields-shifted-twice");
  CHECK(explained("0x4000002000010040", tile) == "strides-in-elements");
  CHECK(explained("0x4000008000010040", tile) == "sbo");
  CHECK(explained("0x4000004000010040", tile, {"--block", "0,16"}) == "start-address other-block");
  CHECK(explained("0x4002004000010048", "--tile 64x64 --base 0x480") == "base-offset tile-relative-swizzle");
  CHECK(explained("0x4000004000010040", "Sw<3,4,3> o 0 o (8,64):(64,1)", {"--base", "0x400"}) ==
        "other-swizzle element-unit-swizzle");
}

TEST_CASE("text at 80 columns: summary, the answer, both panels") {
  const CliResult r = map_text({"0x4000004000010042", "--arch", "sm_90a", "--mma", "8x16", "--against", tile});
  CHECK(r.exit_code == 0);
  for (const char* part :
       {"0x4000004000010042  f16 8x16 K-major on sm_90a", "start    0x420 = 1056", "LBO      not used K-major",
        "verdict  all 128 elements are read from their places",
        "rows 0 to 7, k 16 to 31: its first element lies at the first", "0x4b0 0x4a0", "1,8   1,0"}) {
    CAPTURE(std::string(part));
    CHECK(contains(r.out, part));
  }
  const CliResult bad = map_text({"0x4000040000010040", "--against", tile});
  CHECK(bad.exit_code == 1);
  CHECK(contains(bad.out, "verdict     896 of 1024 elements are wrong; "));
  CHECK(contains(bad.out, "first       (8, 0) is read from 0x4400, where no element lies; it lies at 0x800"));
  CHECK(contains(bad.out, "fields-in-bytes  bytes were written without >> 4: SBO is 16384 B instead of"));
}

TEST_CASE("repeated bytes are a lint") {
  const Words words{"0x0000000000000040", "--mma", "8x16", "--arch", "sm_90a"};
  const Parsed json = map_json(words);
  CHECK(json["repeated"] ==
        Parsed{{"count", 64}, {"first", {{"row", 0}, {"k", 0}}}, {"second", {{"row", 0}, {"k", 8}}}, {"byte", 0x400}});
  CHECK(json["lints"][0]["rule"] == "repeated-reads");
  CHECK(json["chunks"][0]["reads"] == 2);
  Words strict = words;
  strict.emplace_back("--strict");
  CHECK(map_text(strict).exit_code == 1);
}

TEST_CASE("several words are the k steps of the operand") {
  const Parsed json = map_json({"0x4000004000010040", "0x4000004000010042", "0x4000004000010044", "0x4000004000010046",
                                "0x4000004000010240", "--arch", "sm_90a"});
  CHECK(json["loop"]["readings"][0]["major"] == "K-major");
  CHECK(json["loop"]["readings"][0]["next_atom"] == 8192);
  CHECK(json["loop"]["readings"][0]["most_rows"] == 64);
  CHECK(json["loop"]["advances"] == Parsed{32, 32, 32, 8096});
  CHECK(json["loop"]["mistakes"].empty());
  CHECK(json["steps"].size() == 5);
  CHECK(json["steps"][4]["k"] == 64);
  CHECK(json["steps"][4]["start_address"] == 0x2400);

  // 16 elements added to the field; a lint, and exit 1 under --strict.
  const CliResult r = map_text({"0x4000004000010040", "0x4000004000010050", "--arch", "sm_90a", "--strict"});
  CHECK(r.exit_code == 1);
  CHECK(r.out.find("advance-elements-unshifted") != std::string::npos);
  CHECK(r.out.find("word 2 is then") != std::string::npos);
  // K of e4m3 is 32 elements, K of tf32 eight: other advances.
  const auto first_mistake = [](const char* second, const char* dtype) {
    return map_json(
        {"0x4000004000010040", second, "--arch", "sm_90a", "--dtype", dtype})["loop"]["mistakes"][0]["rule"];
  };
  CHECK(first_mistake("0x4000004000010050", "e4m3") == "advance");
  CHECK(first_mistake("0x4000004000010060", "e4m3") == "advance-unshifted");
  CHECK(first_mistake("0x4000004000010048", "tf32") == "advance-elements-unshifted");
}

TEST_CASE("with --against each word is compared with its block, and the next atom is known") {
  const auto against = [](const Words& words, int exit_code) {
    Words all = words;
    all.insert(all.end(), {"--arch", "sm_90a", "--dtype", "bf16", "--against", "--tile 64x128 --base 0x400"});
    return map_json(all, exit_code);
  };
  const Parsed json = against({"0x4000004000010046", "0x4000004000010240"}, 0);
  CHECK(json["steps"][0]["block"] == Parsed{{"row", 0}, {"k", 48}});
  CHECK(json["steps"][1]["block"] == Parsed{{"row", 0}, {"k", 64}});
  CHECK(json["steps"][1]["differing"] == 0);

  const Parsed other = against({"0x4000004000010046", "0x4000004000010048"}, 1);
  CHECK(other["loop"]["mistakes"][0]["rule"] == "advance-past-atom");
  CHECK(other["loop"]["mistakes"][0]["word"] == "0x4000004000010240");
  CHECK(other["steps"][1]["differing"] == 1024);
  CHECK(other["steps"][1]["right_word"] == "0x4000004000010240");
}

// A chunk of the picture of words: what its tip says, and the step that it belongs to.
struct DrawnChunk {
  std::int64_t row = 0, k = 0, byte = 0;
  int step = -1;
};

std::vector<DrawnChunk> drawn_chunks(const Grid& grid) {
  std::vector<DrawnChunk> chunks;
  for (const auto& row : grid.squares)
    for (const Grid::Square& square : row) {
      if (square.tip.empty()) continue;
      std::smatch m;
      REQUIRE(std::regex_search(square.tip, m,
                                std::regex("rows? ([0-9]+)(?:-[0-9]+)?, k ([0-9]+).*\nbyte 0x[0-9a-f]+ = ([0-9]+)")));
      chunks.push_back({std::stoll(m[1]), std::stoll(m[2]), std::stoll(m[3]), square.step});
    }
  return chunks;
}

TEST_CASE("the picture of a k loop: each chunk lies where its word reads it and belongs to the step of its k") {
  struct Loop {
    Words words, options;
    std::int64_t k = 16;
    std::size_t panels = 1;  // of shared memory
  };
  const std::vector<Loop> loops{
      {{"0x4000004000010040", "0x4000004000010042", "0x4000004000010044", "0x4000004000010046"}, {}},
      {{"0x4000004000010044", "0x4000004000010046", "0x4000004000010240", "0x4000004000010242"}, {}, 16, 2},
      {{"0x4000004000010040", "0x4000004000010042"}, {"--dtype", "e4m3"}, 32},
      {{"0x0000000800400040", "0x00000008004000c0", "0x0000000800400140"}, {}, 16, 3},
      {{"0x4000004000010040", "0x40000040000100c0", "0x4000004000010140"}, {"--major", "mn"}, 16, 3}};
  for (const Loop& loop : loops) {
    Words line = loop.words;
    line.insert(line.end(), {"--arch", "sm_90a"});
    line.insert(line.end(), loop.options.begin(), loop.options.end());
    CAPTURE(line);
    Words asked_line = line;
    asked_line.insert(asked_line.begin(), "map");
    const Figure figure = figure_in(asked(asked_line).document);
    REQUIRE(figure.steps.size() == loop.words.size());
    CHECK(figure.steps[1] == fmt::format("k {}-{}", loop.k, 2 * loop.k - 1));
    std::vector<DrawnChunk> operand, smem;
    std::size_t smem_panels = 0;
    for (const auto& row : figure.panels)
      for (const Grid& grid : row) {
        const bool is_operand = grid.title.starts_with("operand");
        smem_panels += !is_operand;
        for (const DrawnChunk& chunk : drawn_chunks(grid)) (is_operand ? operand : smem).push_back(chunk);
      }
    CHECK(smem_panels == loop.panels);
    // Every chunk that a word reads is drawn once, as in the answer for only that word.
    std::size_t found = 0, wrong = 0;
    for (std::size_t i = 0; i < loop.words.size(); ++i) {
      Words one{loop.words[i], "--arch", "sm_90a"};
      one.insert(one.end(), loop.options.begin(), loop.options.end());
      const Parsed json = map_json(one);
      for (const Parsed& chunk : json["chunks"]) {
        const std::int64_t row = chunk["row"],
                           k = chunk["k"].get<std::int64_t>() + static_cast<std::int64_t>(i) * loop.k;
        const std::int64_t byte = chunk["byte"];
        const auto is_it = [&](const DrawnChunk& c) {
          return c.row == row && c.k == k && c.byte == byte && c.step == static_cast<int>(i) && c.k / loop.k == c.step;
        };
        wrong += std::count_if(smem.begin(), smem.end(), is_it) != 1;
        if (!operand.empty()) wrong += std::count_if(operand.begin(), operand.end(), is_it) != 1;
        ++found;
      }
    }
    CHECK(wrong == 0);
    CHECK(smem.size() == found);
    if (!operand.empty()) CHECK(operand.size() == found);
    const bool is_in_legend = !figure.legend.empty() && figure.legend[0].text.ends_with(loop.words[0]);
    CHECK((is_in_legend || figure.caption.find(loop.words[0]) != std::string::npos));
  }
}

TEST_CASE("the picture of words that overlap: what two of them read belongs to no step and is marked") {
  const Figure figure =
      figure_in(asked({"map", "0x4000004000010040", "0x4000004000010050", "--arch", "sm_90a"}).document);
  CHECK(figure.caption.find("Drawn: rows 0-15.") != std::string::npos);
  REQUIRE(figure.panels.size() == 1);
  std::size_t shared = 0, alone = 0;
  for (const auto& row : figure.panels[0].back().squares)
    for (const Grid::Square& square : row) {
      if (square.tip.empty()) continue;
      const bool is_read_twice = square.tip.find("\nrow ") != std::string::npos;
      if (is_read_twice) {
        ++shared;
        CHECK(square.step == -1);
        CHECK(square.mark == Mark::colliding);
      } else {
        ++alone;
        CHECK(square.step >= 0);
      }
    }
  // Of 32 chunks of each word the second begins 2 lines, 4 chunks, later.
  CHECK(shared == 28);
  CHECK(alone == 8);
  CHECK(figure.legend.back().text == "read more than once");
}

TEST_CASE("a picture of one word has no steps; its caption says what the word says") {
  const Figure figure = figure_in(
      asked({"map", "0x4000004000010042", "--arch", "sm_90a", "--mma", "m64n16k16", "--operand", "a"}).document);
  CHECK(figure.steps.empty());
  CHECK(figure.caption == "The word says: start 0x420, mode 128B, SBO 0x400. Empty cells are not read.");
  // Hues are k, as in swz place and swz desc: (0, 8) is the second.
  CHECK(figure.legend_title == "colour: k");
  CHECK(figure.panels[0][0].squares[0][1].tint.hue == 1);
  for (const Grid::Square& square : figure.panels[0][1].squares[0])
    if (square.text == "0,8") CHECK(square.tint.hue == 1);
}

TEST_CASE("a picture against a placement: what is read beside the element that lies there; red where it is another") {
  const auto document = [](const char* word) {
    return asked({"map", word, "--against", "--tile 128x64 --swizzle 64B --base 0x400"}).document;
  };
  const Document wrong = document("0x4000004000010048");
  CHECK(wrong.headline.starts_with("1024 of 1024 elements are wrong; right is 0x8000002000010040"));
  const Figure against = figure_in(wrong);
  const Grid& lies = against.panels[0][1];
  for (const auto& row : lies.squares)
    for (const Grid::Square& square : row) CHECK(square.mark == Mark::colliding);
  // Where they are has no colour, so that no two panels look alike.
  for (const std::size_t bytes : {0, 2})
    for (const auto& row : against.panels[0][bytes].squares)
      for (const Grid::Square& square : row) CHECK((square.mark == Mark::none && square.tint == Tint{}));
  // The word reads (0, 0) from 0x490. There lies (2, 0), as swz place says.
  CHECK(against.panels[0][0].squares[0][0].text == "0x490");
  CHECK(lies.squares[0][0].text == "2,0");
  const auto at =
      json_of({"place", "--dtype", "f16", "--tile", "128x64", "--swizzle", "64B", "--base", "0x400", "--at", "2,0"});
  CHECK(at["points"][0]["byte"] == 0x490);
  // The mode of 32 B XORs less: of some rows the chunks are where they were stored.
  const Grid partly = figure_in(document("0xc000002000010040")).panels[0][1];
  std::size_t red = 0, other = 0;
  for (const auto& row : partly.squares)
    for (const Grid::Square& square : row) (square.mark == Mark::colliding ? red : other) += 1;
  CHECK(red > 0);
  CHECK(other > 0);
  const Document right = document("0x8000002000010040");
  CHECK(right.headline == "all 1024 elements are read from their places");
  CHECK(figure_in(right).panels[0][1].title.starts_with("shared memory"));
}

TEST_CASE("words as they were pasted, and what several words cannot have") {
  CHECK(map_json({"0x00010042", "0x40000040", "--arch", "sm_90a"})["read_as"] ==
        "0x00010042 0x40000040 are read as the two 32-bit halves of one word");
  CHECK(map_json({"0x7ffe0a00: 0x4000004000010040 0x4000004000010042", "--arch", "sm_90a"})["steps"].size() == 2);
  CHECK(contains(error_of({"0x4000004000010040", "0x4000004000010042", "--start", "0x400"}),
                 "--start works with one word only"));
  CHECK(
      contains(map_text({"0x4000004000010040", "0x4000005000010042", "--arch", "sm_90a"}).out, "advance-other-field"));
}

TEST_CASE("what is refused, in whole messages") {
  const std::string word = "0x4000004000010040";
  CHECK(error_of({word, "--arch", "sm_90a", "--dtype", "e4m3", "--major", "mn"}) ==
        "swz: error: wgmma cannot read e4m3 MN-major: it transposes 16-bit types only\n"
        "hint: nearest legal choice: K-major e4m3 with mode 128B on sm_90a\n");
  CHECK(contains(error_of({word, "--mma", "m65n16k16", "--operand", "a", "--arch", "sm_90a"}),
                 "wgmma has no dense shape m65n16k16 for f16\nhint: nearest: m64n16k16\n"));
  CHECK(contains(error_of({word, "--mma", "12x16"}), "no MMA reads 12 rows of M or N"));
  CHECK(contains(error_of({word, "--mma", "soup"}), "cannot read 'soup' as an MMA shape"));
  CHECK(contains(error_of({"0x6000404000010040", "--arch", "sm_100a"}), "swizzle code 3 is illegal"));
  CHECK(contains(error_of({word, "--arch", "sm_80"}), "sm_80 does not read 64-bit SMEM descriptors"));
  CHECK(contains(error_of({word, "--start", "0x408"}), "start_address 1032 B is not a multiple of 16 B"));
  CHECK(contains(error_of({word, "--start", "0x40000"}), "0 to 262128 B in steps of 16 B; nearest: 262128"));
  CHECK(contains(error_of({word, "--block", "0,16"}), "--block needs --against"));
  CHECK(contains(error_of({word, "--against", tile, "--block", "16"}), "--block: cannot read '16'"));
  CHECK(
      contains(error_of({word, "--against", tile, "--block", "96,0"}),
               "the block of 64x16 at row 96, k 0 does not lie in f16 128x64 K-major, mode 128B, mn-first, at 0x400"));
  CHECK(contains(error_of({word, "--against", "--tile 128x64 --sizzle 128B"}),
                 "swz: error: in --against: unknown option '--sizzle'\nhint: did you mean '--swizzle'?"));
  CHECK(contains(error_of({word, "--against", "--tile '128x64"}), "--against: a quote is not closed"));
  CHECK(contains(error_of({word, "--against", "--tile"}), "in --against: option --tile needs a value"));
  CHECK(contains(error_of({word, "--against", "--swizzle 128B"}), "no tile given"));
  CHECK(contains(error_of({word, "--against", "--tile 128x128 --dtype e4m3"}),
                 "elements of 16 bits, e4m3 128x128 K-major, mode 128B, mn-first, at 0x0 has 8"));
  CHECK(contains(error_of({word, "--against", "(8,64:(64,1)"}), "error:"));
  CHECK(contains(error_of({word, "--against", "64:1"}), "an operand has two modes, rows and k; 64:1 has 1"));
  CHECK(contains(error_of({word, "--against", "(4096,4096):(4096,1)"}), "a layout of 16777216 elements does not fit"));
  CHECK(contains(error_of({word, "--against", "(64,64):(99999999999,1)"}), "outside of shared memory"));
  CHECK(contains(error_of({word, "--against", "(64,64):(64,1)", "--base", "0x404"}), "is not a multiple of 16 B"));
  CHECK(contains(error_of({word, "--against", "(64,8):(8,1)"}), "an operand of 64x16 is larger than (64,8):(8,1)"));
  CHECK(contains(error_of({word, "--against", "(64,16):(-16,1)"}), "element -16 from 0x0: outside of shared memory"));
}

TEST_CASE("the address in a pointer says where the array lies, unless --base does") {
  const std::string staged = "((8,8),(64,1),(1,3)):((64,512),(1,0),(0,4096))";
  const auto told = [](const std::string& word, const std::string& against, Words more = {}) {
    Words words{"map", word, "--mma", "64x16", "--against", "Sw<3,4,3> o smem_ptr[16b](" + against};
    words.insert(words.end(), more.begin(), more.end());
    const CliResult r = run_cli(words);
    return fmt::format("{} {}", r.exit_code,
                       r.out.find("note: the array lies at 0x400, the address of its pointer") != r.out.npos);
  };
  CHECK(told("0x4000004000000040", "0x400) o (64,64):(64,1)") == "0 true");
  CHECK(told("0x4000004000000040", "0x7f4200000400) o (64,64):(64,1)") == "0 true");
  CHECK(told("0x4000004000000240", "0x400) o " + staged) == "0 true");
  CHECK(told("0x4000004000000040", "0x800) o (64,64):(64,1)") == "1 false");
  CHECK(told("0x4000004000000040", "0x800) o (64,64):(64,1)", {"--base", "0x400"}) == "0 false");
  CHECK(told("0x4000004000000040", "unset) o (64,64):(64,1)") == "1 false");
}

}  // namespace
}  // namespace swz

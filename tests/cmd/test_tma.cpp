// SPDX-License-Identifier: Apache-2.0
// swz tma check, encode and plan as commands; what they say is judged in tests/tma.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

#include "answers.hpp"
#include "base/error.hpp"
#include "cmd/asked.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const Words gemm{"--dtype", "bf16", "--dims", "4096,8192", "--strides", "8192", "--box", "64,128", "--swizzle", "128B"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("check: accepted, refused, and the exit code") {
  CHECK(json_of(with({"tma", "check"}, gemm))["accepted"] == true);
  const nlohmann::json refused =
      json_of({"tma", "check", "--dims", "64,16,32,4096", "--strides", "(128, 2, 4096)", "--box", "64x16x1x1"}, 1);
  CHECK(refused["accepted"] == false);
  REQUIRE(refused["violations"].size() == 1);
  const nlohmann::json& v = refused["violations"][0];
  CHECK(v["rule"] == "stride-16");
  CHECK(v["argument"] == "strides[1]");
  CHECK(v["value"] == 2);
  CHECK(v["bound"] == 16);
  CHECK(v["documented"] == true);
  CHECK(json_of({"tma", "check", "--dtype", "f16", "--dims", "128,0,4", "--strides", "256,256", "--box", "64,1,1"},
                1)["violations"][0]["argument"] == "dims[1]");
  // The dump of a call that returned 715: legal, so that the error is an earlier kernel's.
  CHECK(json_of({"tma", "check", "--dtype", "6", "--dims", "64,16,32,23434", "--strides", "4096,128,65536", "--box",
                 "64,192,1,1", "--swizzle", "3"})["accepted"] == true);
  const Words f32{"tma", "check", "--dtype", "f32", "--dims", "4096,4096", "--strides", "16384", "--box"};
  json_of(with(f32, {"256,228"}), 0);
  CHECK(json_of(with(f32, {"256,230"}), 1)["violations"][0]["value"] == 233472 + 2048);
}

TEST_CASE("plan: LBO and SBO hold for a larger N, and the answer says which MMA it took") {
  const Words plan{"tma", "plan", "--dtype", "bf16", "--tile", "256x64", "--major", "mn", "--order", "k-first"};
  const nlohmann::json mma = json_of(plan)["mma"];
  CHECK(mma["lbo"] == 8192);
  CHECK(mma["sbo"] == 1024);
  CHECK(mma["mma"] == nlohmann::json{64, 16});
  CHECK(mma["default_of"] == "a");
  CHECK(run_cli(plan).out.find("mode 128B, LBO 8192 B, SBO 1024 B; 64x16, the default for A (M 64)") !=
        std::string::npos);
}

TEST_CASE("plan: tiles that reach past the end of the operand") {
  const Words plan{"tma", "plan", "--dtype", "bf16", "--tile", "64x64", "--operand"};
  CHECK(run_cli(with(plan, {"128x128"})).out.find("past the end") == std::string::npos);
  CHECK(run_cli(with(plan, {"100x128"}))
            .out.find("the last tiles reach past the end: MN 100 is not a multiple of 64\n") != std::string::npos);
}

TEST_CASE("check: text at 80 columns") {
  const CliResult r = run_cli({"tma", "check", "--dtype", "f16", "--dims", "4096,64", "--strides", "-2147483648",
                               "--box", "64,64", "--swizzle", "128B"},
                              {.variables = {{"COLUMNS", "80"}}});
  CHECK(r.exit_code == 1);
  CHECK(r.out == R"(verdict         refused on sm_90a: CUDA_ERROR_INVALID_VALUE, 1 violation
tensorDataType  CU_TENSOR_MAP_DATA_TYPE_FLOAT16
tensorRank      2
globalAddress   0x0
globalDim       4096, 64
globalStrides   18446744071562067968  B
boxDim          64, 64
elementStrides  1, 1
interleave      CU_TENSOR_MAP_INTERLEAVE_NONE
swizzle         CU_TENSOR_MAP_SWIZZLE_128B
l2Promotion     CU_TENSOR_MAP_L2_PROMOTION_NONE
oobFill         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE

lint[stride-40]: globalStrides[0] = 18446744071562067968 B is not below 2^40
  (-2147483648 as a signed number: a 32-bit product that overflowed and was then
  widened)
  hint: compute strides in 64 bits and in bytes; strides[0] is at most
        1099511627760
  source: documented and observed; H200, driver 580.159: 47,372 of 47,372
          verdicts
)");
}

TEST_CASE("check: what cannot be read") {
  const Words dims{"tma", "check", "--dims", "64,64"};
  CHECK(error_of({"tma", "check"}) ==
        "swz: error: no tensor given\n"
        "hint: --dims, --strides and --box, innermost dimension first: --dims 4096,8192\n");
  CHECK(error_of(with(dims, {"--strides", "2,128", "--box", "64,64"})) ==
        "swz: error: --strides has 2 numbers; with these --dims it must have 1\n"
        "hint: dimension 0 has no stride: the driver takes those of dimension 1 and later, in bytes\n");
  CHECK(error_of(with(dims, {"--strides", "99999999999999999999999", "--box", "64,64"})) ==
        "swz: error: --strides: '99999999999999999999999' does not fit in 64 bits\nhint: the driver takes 64 bits\n");
  CHECK(error_of({"tma", "check", "--dims", "64,x"}).find("swz: error: --dims: 'x'") == 0);
  CHECK(error_of({"tma", "check", "--dims", std::string(100000, '1')}).size() < 1000);
  CHECK(json_of({"tma", "check", "--dims", "1,1,1,1,1,1", "--strides", "0,0,0,0,0", "--box", "8,1,1,1,1,1"},
                1)["violations"][0]["rule"] == "rank-range");
  CHECK(json_of({"tma", "check", "--dims", ",", "--strides", "", "--box", ""}, 1)["violations"][0]["rule"] ==
        "rank-range");
}

TEST_CASE("encode: the words, and no words for what is refused") {
  const nlohmann::json json = json_of(with({"tma", "encode"}, gemm));
  CHECK(json["words"][1] == "0x0000020000006510");
  CHECK(json["tensor_map"].get<std::string>().substr(16, 16) == "1065000000020000");
  CHECK(json["box"] == nlohmann::json{64, 128});
  CHECK(error_of(with({"tma", "encode", "--address", "8"}, gemm)) ==
        "swz: error: globalAddress = 0x8 is not a multiple of 16\n"
        "hint: begin at 0x0 and copy from a coordinate inside, or align the allocation to 16 B\n");
}

TEST_CASE("encode --emit: only source as text, a field of JSON, and the command line in it gives it again") {
  const Words wide{"tma",
                   "encode",
                   "--dtype",
                   "f32.ftz",
                   "--dims",
                   "64,32,16,8,4",
                   "--strides",
                   "256,8192,131072,1048576",
                   "--box",
                   "16,8,2,2,1",
                   "--element-strides",
                   "1,2,1,1,1",
                   "--l2",
                   "256B",
                   "--oob",
                   "nan"};
  for (const char* emit : {"c", "cuda"})
    for (const Words& words : {with({"tma", "encode"}, gemm), wide}) {
      const Words asked = with(words, {"--address", "0x100", "--emit", emit});
      const CliResult text = run_cli(asked);
      CHECK(text.exit_code == 0);
      CHECK(json_of(asked)["source"] == text.out);
      std::istringstream lines(text.out);
      std::string line;
      std::getline(lines, line);
      std::getline(lines, line);
      REQUIRE(line.find("// swz tma encode ") == 0);
      Words again;
      std::istringstream parts(line.substr(7));
      for (std::string word; parts >> word;) again.push_back(word);
      CHECK(run_cli(again).out == text.out);
    }
  CHECK(json_of(with({"tma", "encode"}, gemm)).contains("source") == false);
  CHECK(run_cli(with({"tma", "encode", "--emit", "c"}, gemm)).out.find("0x0000000000000000, 0x0000020000006510,") !=
        std::string::npos);
  CHECK(run_cli(with(wide, {"--emit", "cuda"})).out.find("inline CUresult f32_ftz_64x32x16x8x4_tensor_map(") !=
        std::string::npos);
  CHECK(error_of(with({"tma", "encode", "--emit", "cuda", "-f", "svg"}, gemm)) ==
        "swz: error: source code cannot be drawn as a picture\nhint: leave -f out, or use -f json\n");
  CHECK(error_of(with({"tma", "encode", "--emit", "cuda", "--address", "8"}, gemm)).find("not a multiple of 16") !=
        std::string::npos);
}

TEST_CASE("encode --emit cuda: sub-byte types too, whose 128 bytes were never seen") {
  const Words padded{"tma",    "encode",    "--arch", "sm_100a", "--dtype", "b4x16_p64", "--dims",
                     "256,64", "--strides", "128",    "--box",   "128,64",  "--swizzle", "128B"};
  CHECK(run_cli(with(padded, {"--emit", "cuda"})).out.find("CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, rank") !=
        std::string::npos);
  CHECK(error_of(with(padded, {"--emit", "c"})) ==
        "swz: error: the code of 16U4_ALIGN16B inside a tensor map is not known\n"
        "hint: drivers refuse it on sm_90, where the 128 bytes were measured\n");
}

TEST_CASE("decode: what encode printed, what no driver wrote, too few bytes") {
  const nlohmann::json encoded = json_of(with({"tma", "encode", "--address", "0x7f0000000000"}, gemm));
  const std::string hex = encoded["tensor_map"];
  const nlohmann::json decoded = json_of({"decode", hex});
  for (const char* key : {"dtype", "rank", "address", "dims", "strides", "box", "element_strides", "interleave",
                          "swizzle", "l2", "oob", "tensor_map"})
    CHECK(decoded[key] == encoded[key]);
  CHECK(decoded["problems"].empty());
  std::string wrong = hex;
  wrong.replace(128, 4, "0041");
  CHECK(json_of({"decode", wrong})["problems"][0]["word"] == 8);
  CHECK(run_cli({"decode", wrong, "--strict"}).exit_code == 1);
  CHECK(error_of({"decode", hex.substr(2)}) ==
        "swz: error: 127 bytes; a tensor map has 128\n"
        "hint: 256 hexadecimal digits, or x/16gx of its address in cuda-gdb\n");
}

TEST_CASE("check: the tensor with its first box, and the box in shared memory; what is refused is red") {
  const Words map{"--dtype", "f16", "--dims", "4096,8192", "--strides", "8192", "--swizzle", "128B", "--box"};
  const auto document = [&](const std::string& box) {
    return asked(with({"tma", "check"}, with(map, {box}))).document;
  };
  const auto texts_of = [](const Sketch::Shapes& shapes) {
    std::vector<std::string> texts;
    for (const Sketch::Text& text : shapes.texts) texts.push_back(text.text);
    return texts;
  };
  const auto sketch_in = [](const Document& d) {
    for (const Block& block : d.blocks)
      if (const auto* drawing = std::get_if<Drawing>(&block))
        return std::get<Sketch>(drawing->draw(Medium::page).blocks.at(0));
    FAIL("no drawing");
    return Sketch();
  };
  const auto figure_of = [](const Document& d) {
    for (const Block& block : d.blocks)
      if (const auto* drawing = std::get_if<Drawing>(&block))
        for (const Block& drawn : drawing->draw(Medium::page).blocks)
          if (const auto* figure = std::get_if<Figure>(&drawn)) return *figure;
    FAIL("no figure");
    return Figure();
  };
  const Document accepted = document("64,128");
  CHECK(accepted.headline == "accepted on sm_90a: f16 box (64, 128), swizzle 128B");
  const Sketch::Shapes tensor = sketch_in(accepted).shapes(868);
  const auto first = std::ranges::find(tensor.boxes, "boxDim\n(64, 128)", &Sketch::Box::text);
  REQUIRE(first != tensor.boxes.end());
  CHECK(first->mark == Mark::none);
  CHECK(texts_of(tensor) == std::vector<std::string>{"global memory, not to scale", "globalDim[1] 8192",
                                                     "globalStrides[0]", "8192 B", "globalDim[0] 4096"});
  // Row 1 of a box of 8 chunks a row begins with chunk 8; line 1 of shared memory swaps neighbours.
  const Figure box_of_tensor = figure_of(accepted);
  CHECK(box_of_tensor.panels[0][0].squares[1][0].text == "8");
  CHECK(box_of_tensor.panels[0][1].squares[1][1].text == "8");
  // 82 boxes of 100 rows are 8200 rows, 8 more than there are.
  CHECK(texts_of(sketch_in(document("64,100")).shapes(868)).back() == "dimension 1: the last box goes 8 past the end");
  const Document wide = document("128,128");  // 256 B per row
  CHECK(wide.headline.starts_with("refused"));
  const Sketch::Shapes refused = sketch_in(wide).shapes(868);
  // A wrong box is hatched; its numbers are below it, in red.
  CHECK(std::ranges::count(refused.boxes, Mark::colliding, &Sketch::Box::mark) == 1);
  const auto numbers = std::ranges::find(refused.texts, "boxDim (128, 128)", &Sketch::Text::text);
  REQUIRE(numbers != refused.texts.end());
  CHECK(numbers->tone == Tone::bad);
  CHECK(std::ranges::count(refused.texts, Tone::bad, &Sketch::Text::tone) > 0);
  // What breaks no rule is a note: globalStrides[0] is shorter than a row, which the driver accepts.
  const Sketch::Shapes noted = sketch_in(asked({"tma", "check", "--dtype", "f16", "--dims", "128,2,4096", "--strides",
                                                "128,2", "--box", "64,2,1"})
                                             .document)
                                   .shapes(868);
  std::string plain;
  for (const Sketch::Text& text : noted.texts)
    if (text.tone == Tone::plain) plain += text.text + " ";
  CHECK(plain.find("globalStrides[0] = 128 B is less than") != std::string::npos);
  CHECK_THROWS_AS(document("64,256,2"), Error);  // 2 dims
  Words far{"tma",          "check",     "--dtype",      "f16",   "--dims",
            "4096,256,256", "--strides", "8192,2097152", "--box", "64,256,256"};
  CHECK(!sketch_in(asked(far).document).shapes(868).boxes.empty());  // the box is beyond shared memory
}

TEST_CASE("encode: each byte of the words has the colour of its field, as the table of fields says") {
  const Words map{"tma",       "encode", "--dtype", "bf16",   "--dims",    "4096,8192",
                  "--strides", "8192",   "--box",   "64,128", "--swizzle", "128B"};
  const Document document = asked(map).document;
  CHECK(document.headline == "words 0-9 of 16 hold the map: bf16, rank 2, box 64x128, 128B");
  const Grid grid = figure_in(document).panels[0][0];
  CHECK(grid.corner == "word\\bit");
  const nlohmann::json words = json_of(map)["words"];
  REQUIRE(grid.squares.size() == 16);
  for (std::size_t word = 0; word < 16; ++word) {
    std::string bytes = "0x";
    for (const Grid::Square& square : grid.squares[word]) bytes += square.text;
    CHECK(bytes == words[word].get<std::string>());
  }
  // Unused entries and reserved bits are plain: globalDim[2] in word 5, words 10 to 15.
  CHECK(grid.squares[4][0].tint.hue >= 0);
  CHECK(grid.squares[5][0].tint.hue < 0);
  CHECK(grid.squares[12][7].tint.hue < 0);
  std::vector<std::string> texts;
  for (const Grid::Arrow& arrow : grid.arrows) texts.push_back(arrow.text);
  CHECK(std::ranges::count(texts, "dims[1] 8192, dims[0] 4096") == 1);
  CHECK(std::ranges::count(texts, "box[0] 64, element strides 1,1") == 1);
}

TEST_CASE("plan: a published figure") {
  const Words tile{"tma", "plan", "--dtype", "bf16", "--tile", "64x32", "--swizzle", "32B", "--order"};
  const nlohmann::json k_first = json_of(with(tile, {"k-first"}));
  CHECK(k_first["rank"] == 2);
  CHECK(k_first["box"] == nlohmann::json{16, 8});
  CHECK(k_first["copies"].size() == 16);
  CHECK(k_first["copies"][1] == nlohmann::json{{"coordinate", {16, 0}}, {"smem_offset", 256}});
  CHECK(k_first["request_bytes"] == 32);
  CHECK(k_first["folded"]["rank"] == 4);
  CHECK(k_first["folded"]["copies"].size() == 1);
  const nlohmann::json mn_first = json_of(with(tile, {"mn-first"}));
  CHECK(mn_first["box"] == nlohmann::json{16, 64});
  CHECK(mn_first["copies"].size() == 2);
  CHECK(json_of(with(tile, {"mn-first", "--rank", "3"}))["folded"].is_null());
}

TEST_CASE("plan: a tile that TMA cannot make is a no") {
  const nlohmann::json json = json_of({"tma", "plan", "--tile", "64x64", "--base", "0x410"}, 1);
  CHECK(json["copies"].is_null());
  CHECK(json["refusal"]["rule"] == "smem-128");
  CHECK(json_of({"tma", "plan", "--tile", "64x64", "--arch", "sm_80"}, 1)["refusal"]["rule"] == "arch-tma");
  CHECK(json_of({"tma", "plan", "--tile", "64x64", "--operand", "64x100"}, 1)["refusal"]["rule"] == "stride-16");
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// swz tma check, encode and place --im2col as commands; what it says is judged in tests/tma/test_im2col_rules.cpp.
#include <doctest/doctest.h>

#include <string>

#include "answers.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

Words images(const Words& more) {
  Words words{"tma",       "check",           "--im2col",  "--dtype", "bf16",       "--dims", "64,56,56,8",
              "--strides", "128,7168,401408", "--swizzle", "128B",    "--channels", "64"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("accepted and refused; of the wide call not without a note that no driver was asked") {
  const Words corners{"--lower", "-1,-1", "--upper", "-1,-1", "--pixels", "128"};
  const nlohmann::json legal = json_of(images(corners));
  CHECK(legal["accepted"] == true);
  CHECK(legal["measured"] == true);
  CHECK(legal["kind"] == "im2col");
  CHECK(legal["lower"] == nlohmann::json{-1, -1});
  CHECK(legal["channels"] == 64);
  CHECK(legal["pixels"] == 128);
  CHECK_FALSE(legal.contains("box"));
  CHECK(run_cli(images(corners)).out.find("verdict              accepted on sm_90a\n") == 0);

  const nlohmann::json refused = json_of(images({"--lower", "-1,-129", "--upper", "-1,-1", "--pixels", "1025"}), 1);
  CHECK(refused["accepted"] == false);
  CHECK(refused["measured"] == true);
  REQUIRE(refused["violations"].size() == 2);
  CHECK(refused["violations"][0]["rule"] == "im2col-lower-range");
  CHECK(refused["violations"][0]["argument"] == "lower[1]");
  CHECK(refused["violations"][0]["value"] == -129);
  CHECK(refused["violations"][0]["bound"] == -128);
  CHECK(refused["violations"][0]["documented"] == true);
  CHECK(refused["violations"][0]["observed"] == true);
  CHECK(refused["violations"][1]["rule"] == "im2col-pixels-range");

  const Words wide_options{"--lower", "-1", "--upper", "-1", "--wide", "W128", "--arch", "sm_100a"};
  const nlohmann::json wide = json_of(images(wide_options));
  CHECK(wide["measured"] == false);
  CHECK(run_cli(images(wide_options))
            .out.find("accepted on sm_100a by the documented rules, which were not measured\n") != std::string::npos);
  CHECK(wide["kind"] == "im2col_w128");
  CHECK(json_of(images({"--lower", "-1", "--upper", "-1", "--wide", "w128"}), 1)["violations"][0]["rule"] ==
        "im2col-wide-arch");
  CHECK(json_of({"tma", "check", "--im2col", "--dims", "64,56", "--strides", "128", "--channels", "64", "--pixels", "1",
                 "--lower", "0"},
                1)["violations"][0]["rule"] == "im2col-rank");
}

TEST_CASE("text at 80 columns") {
  const CliResult r =
      run_cli(images({"--lower", "-1,0", "--upper", "-57,-1", "--pixels", "128"}), {.variables = {{"COLUMNS", "80"}}});
  CHECK(r.exit_code == 1);
  CHECK(r.out == R"(verdict              refused on sm_90a: 1 violation
call                 cuTensorMapEncodeIm2col
tensorDataType       CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
tensorRank           4
globalAddress        0x0
globalDim            64, 56, 56, 8
globalStrides        128, 7168, 401408  B
pixelBoxLowerCorner  -1, 0
pixelBoxUpperCorner  -57, -1
channelsPerPixel     64
pixelsPerColumn      128
elementStrides       1, 1, 1, 1
interleave           CU_TENSOR_MAP_INTERLEAVE_NONE
swizzle              CU_TENSOR_MAP_SWIZZLE_128B
l2Promotion          CU_TENSOR_MAP_L2_PROMOTION_NONE
oobFill              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE

lint[im2col-box-empty]: the box of pixels is empty along dimension 1:
  globalDim 56 + upper -57 - lower -1 = 0
  hint: upper[0] = -56 or more; of a filter of R entries it is padding - (R - 1)
        * dilation
  source: documented and observed; H200, driver 580.159: 180,000 of 180,000
          verdicts of cuTensorMapEncodeIm2col

note: entry 0 of the corners belongs to W (dimension 1), entry 1 to dimension
  2: the driver counts and CuTe passes them in this order; cuda.h lists them as
  {D, H, W}
)");
}

TEST_CASE("what cannot be read, what does not belong together") {
  const Words corners{"--lower", "-1,-1", "--upper", "-1,-1"};
  const auto both = [&](const Words& more) {
    Words words = images(corners);
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  CHECK(error_of(images({"--lower", "-1", "--upper", "-1,-1", "--pixels", "8"})) ==
        "swz: error: --lower has 1 number; with these --dims it must have 2\n"
        "hint: one offset for each dimension between the channels and the images, W first\n");
  CHECK(error_of(both({"--wide", "w", "--pixels", "8"})) ==
        "swz: error: --lower has 2 numbers; with these --dims it must have 1\n"
        "hint: Im2colWide has only the offset along W\n");
  CHECK(error_of(both({})) ==
        "swz: error: --pixels has 0 numbers; it must have 1\n"
        "hint: channelsPerPixel and pixelsPerColumn of an im2col map: --channels 64 --pixels "
        "128\n");
  CHECK(error_of(both({"--pixels", "8", "--box", "64"})) ==
        "swz: error: --im2col and --box cannot be combined\n"
        "hint: --lower, --upper, --channels and --pixels say what a copy loads\n");
  CHECK(error_of({"tma", "check", "--dims", "64", "--box", "64", "--channels", "8"}) ==
        "swz: error: --channels needs --im2col\nhint: give it, or leave --channels out\n");
  CHECK(error_of(both({"--pixels", "8", "--wide", "h"})) ==
        "swz: error: unknown value 'h' for --wide\nhint: did you mean 'w'? see 'swz tma check --help'\n");
  CHECK(error_of(both({"--pixels", "x"})).find("swz: error: --pixels: 'x'") == 0);
  CHECK(error_of({"tma", "check", "--im2col"}).find("swz: error: no tensor given") == 0);
  CHECK(json_of(images({"--lower", "-9223372036854775808,9223372036854775807", "--upper", "0,0", "--pixels", "8"}),
                1)["violations"][0]["value"] == INT64_MIN);
}

namespace {

// The words of a 3x3 filter with padding 1 over an image of 4 x 4 with 64 channels of f16.
Words encoded(const Words& more) {
  Words words{"tma", "encode", "--im2col", "--dims", "64,4,4,1", "--strides", "128,512,2048", "--swizzle", "128B"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
const Words corners_and_sizes{"--lower", "-1,-1", "--upper", "-1,-1", "--channels", "64", "--pixels", "16"};

}  // namespace

TEST_CASE("encode --im2col: the words, decode reads them back, check takes them") {
  const nlohmann::json json = json_of(encoded(corners_and_sizes));
  CHECK(json["kind"] == "im2col");
  CHECK(json["box"].is_null());
  CHECK(json["words"][7] == "0x0000000fffffffff");
  CHECK(json["words"][8] == "0x0000000000000800");
  const std::string hex = json["tensor_map"];
  const nlohmann::json decoded = json_of({"decode", hex});
  for (const char* key : {"kind", "dims", "strides", "box", "lower", "upper", "channels", "pixels", "element_strides",
                          "swizzle", "tensor_map"})
    CHECK(decoded[key] == json[key]);
  CHECK(decoded["problems"].empty());
  const nlohmann::json checked = json_of({"tma", "check", "--paste", hex});
  CHECK(checked["accepted"] == true);
  CHECK(checked["kind"] == "im2col");
  CHECK(checked["lower"] == nlohmann::json{-1, -1});
  CHECK(json_of({"tma", "encode", "--paste", hex})["tensor_map"] == hex);
  CHECK(run_cli({"decode", hex}).out.find("pixelBoxLowerCorner  -1, -1") != std::string::npos);
}

TEST_CASE("encode --im2col: source of both languages names the call and makes the same map again") {
  for (const char* language : {"c", "cuda"}) {
    Words words = encoded(corners_and_sizes);
    words.insert(words.end(), {"--emit", language});
    const std::string source = run_cli(words).out;
    CAPTURE(source);
    CHECK(source.find("cuTensorMapEncodeIm2col") != std::string::npos);
    CHECK(source.find("--im2col --lower -1,-1 --upper -1,-1 --channels 64 --pixels 16") != std::string::npos);
  }
}

TEST_CASE("encode --im2col: what is refused has its rule, its source and the nearest form") {
  CHECK(error_of(encoded({"--lower", "-129,-1", "--upper", "-1,-1", "--channels", "64", "--pixels", "16"})) ==
        "swz: error: pixelBoxLowerCorner[0] = -129 is not -128 to 127, the offsets of rank 4\n"
        "hint: lower[0] = -128; what reaches further is loaded by tiled maps; rule im2col-lower-range, documented and "
        "observed: H200, driver 580.159: 180,000 of 180,000 "
        "verdicts of cuTensorMapEncodeIm2col\n");
  CHECK(error_of(encoded({"--wide", "w", "--lower", "-1", "--upper", "-1", "--channels", "64", "--pixels", "16"})) ==
        "swz: error: the 128 bytes of cuTensorMapEncodeIm2colWide are not known\n"
        "hint: it needs Blackwell and was not measured; without --wide the map is that of cuTensorMapEncodeIm2col, and "
        "swz tma check judges the arguments of both\n");
  CHECK(error_of(encoded({"--box", "64,1,1,1"})).find("--im2col and --box cannot be combined") != std::string::npos);
  CHECK(error_of({"tma", "encode", "--dims", "64", "--box", "64", "--lower", "1"}).find("--lower needs --im2col") !=
        std::string::npos);
}

namespace {

// A 3x3 filter with padding 1 over an image of 4 x 4 with 64 channels of f16.
Words placed(const Words& more) {
  Words words{"tma",   "place",      "--dims", "64,4,4,1", "--im2col", "--lower",   "-1,-1", "--upper",
              "-1,-1", "--channels", "64",     "--pixels", "16",       "--swizzle", "128B"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("place --im2col: the pixel of each row, its bytes and what is filled") {
  const nlohmann::json json = json_of(placed({}));
  CHECK(json["form"] == "im2col");
  CHECK(json["rows"] == 16);
  CHECK(json["expect_bytes"] == 2048);
  CHECK(json["filled"] == 7 * 64);
  CHECK(json["start"] == nlohmann::json({0, -1, -1, 0}));  // the lower corner
  CHECK(json["coordinates"][5] == nlohmann::json({0, 0, 0, 0}));
  CHECK(json["addresses"][5 * 64 + 8] == 704);
  const nlohmann::json moved = json_of(placed({"--offsets", "2,0"}));
  CHECK(moved["coordinates"][4] == nlohmann::json({0, 1, 0, 0 - 0}));
  CHECK(moved["offsets"] == nlohmann::json({2, 0}));
  const nlohmann::json point = json_of(placed({"--at", "8,5"}));
  CHECK(point["points"][0]["byte"] == 704);
  CHECK(point["points"][0]["element"] == nlohmann::json({8, 0, 0, 0}));
}

TEST_CASE("place --im2col, --gather: what faults or cannot be said is refused with the nearest legal form") {
  CHECK(error_of(placed({"--start", "0,3,0,0"})) ==
        "swz: error: an im2col load that starts at 3 along W, outside of the box of pixels, faults\n"
        "hint: CUDA_ERROR_ILLEGAL_INSTRUCTION on H100; the box has -1 to 2, nearest: 2\n");
  CHECK(error_of(placed({"--offsets", "256,0"})).find("the offset 256 along W is not 0 to 255") != std::string::npos);
  CHECK(error_of(placed({"--offsets", "1"})).find("--offsets has 1 number; a map of rank 4 takes 2") !=
        std::string::npos);
  CHECK(error_of(placed({"--start", "4,0,0,0"})).find("not a multiple of 16 B, faults") != std::string::npos);
  CHECK(error_of(placed({"--halo", "2"})).find("--halo needs --wide") != std::string::npos);
  CHECK(json_of(placed({"--start", "64,0,0,0"}))["notes"][1]["rule"] == "channels-beyond");
  const Words gather{"tma",   "place", "--dtype",   "bf16", "--dims",  "256,1000",
                     "--box", "64,1",  "--swizzle", "128B", "--gather"};
  const auto gathered = [&](const Words& more) {
    Words words = gather;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  CHECK(error_of(gathered({"7,3,3"})).find("--gather has 3 rows; gather4 and scatter4 take 4") != std::string::npos);
  CHECK(error_of(gathered({"7,3,3,9", "--arch", "sm_90a"})).find("sm_90a has no tile::gather4 load") !=
        std::string::npos);
  const nlohmann::json json = json_of(gathered({"7,3,3,1000", "--start", "64", "--base", "0xe00"}));
  CHECK(json["form"] == "gather4");
  CHECK(json["coordinates"] == nlohmann::json({{64, 7}, {64, 3}, {64, 3}, {64, 1000}}));
  CHECK(json["filled"] == 64);
  CHECK(json["expect_bytes"] == 512);
  CHECK(json["addresses"][64 + 8] == 0xe00 + 128 + ((1 ^ 5) << 4));
  // No Blackwell GPU has run it, and the answer says so.
  CHECK(json["notes"].dump().find("no Blackwell GPU was available") != std::string::npos);
}

TEST_CASE("place --interleave: one slice, rows without gaps") {
  const nlohmann::json json =
      json_of({"tma", "place", "--dims", "16,8,4,2", "--box", "8,2,3,1", "--interleave", "16B", "--swizzle", "64B"});
  CHECK(json["rows"] == 2);
  CHECK(json["pitch"] == 128);
  CHECK(json["expect_bytes"] == 256);
  CHECK(json["addresses"].size() == 16);
  CHECK(json["addresses"][9] == 128 + 0);  // line 1 exchanges neighbours
  const nlohmann::json wide =
      json_of({"tma", "place", "--dims", "16,8,4,2", "--box", "8,1,1,1", "--interleave", "32B"});
  CHECK(wide["addresses"].size() == 16);
  CHECK(wide["expect_bytes"] == 256);
}

TEST_CASE("conv: the map of a convolution and the copies of its filter") {
  const Words conv{"tma", "conv", "--input", "8,56,56,64", "--filter", "3,3", "--pad", "1", "--stride", "2"};
  const nlohmann::json json = json_of(conv);
  CHECK(json["dims"] == nlohmann::json({64, 56, 56, 8}));
  CHECK(json["element_strides"] == nlohmann::json({1, 2, 2, 1}));
  CHECK(json["lower"] == nlohmann::json({-1, -1}));
  CHECK(json["upper"] == nlohmann::json({-1, -1}));
  CHECK(json["places"] == nlohmann::json({28, 28}));
  CHECK(json["gemm"] == nlohmann::json({{"rows", 8 * 28 * 28}, {"k", 9 * 64}}));
  CHECK(json["entries"].size() == 9);
  CHECK(json["entries"][5] == nlohmann::json({{"at", {2, 1}}, {"offsets", {2, 1}}, {"k", 320}, {"inside", 128}}));
  const auto error = [&](const Words& more) {
    Words words = conv;
    words.insert(words.end(), more.begin(), more.end());
    return error_of(words);
  };
  CHECK(error({"--entry", "0,3"}) == "swz: error: the filter has entries 0 to 2 along W, not 3\nhint: nearest: 2\n");
  CHECK(error({"--row", "6272"}) == "swz: error: row 6272 is not one of the GEMM's 6272\nhint: its last one is 6271\n");
  CHECK(error({"--op", "dgrad"}).find("dgrad with stride 2 is not one walk") != std::string::npos);
  CHECK(error({"--channels", "128"}).find("channelsPerPixel = 128 is 256 B; swizzle 128B takes at most 128 B") !=
        std::string::npos);
  CHECK(error_of({"tma", "plan", "--conv"}).find("hint: swz tma conv") != std::string::npos);
}

}  // namespace swz

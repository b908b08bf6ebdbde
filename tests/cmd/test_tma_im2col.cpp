// SPDX-License-Identifier: Apache-2.0
// swz tma check --im2col as a command; what it says is judged in tests/tma/test_im2col_rules.cpp.
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

TEST_CASE("encode and place refuse an im2col map in one sentence") {
  for (const char* command : {"encode", "place"})
    CHECK(error_of({"tma", command, "--im2col", "--dims", "64,56,8", "--strides", "128,7168"}) ==
          "swz: error: --im2col: im2col maps can only be checked; their 128 bytes and their loads were not measured\n"
          "hint: swz tma check --im2col shows which arguments are refused\n");
}

}  // namespace swz

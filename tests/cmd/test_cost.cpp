// SPDX-License-Identifier: Apache-2.0
// swz cost as a command; the numbers are judged in tests/pipeline.
#include <doctest/doctest.h>

#include <string>

#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

CliResult cost_of_words(Words words) {
  words.insert(words.begin(), "cost");
  return run_cli(words, {.variables = {{"COLUMNS", "300"}}});
}

Parsed cost_json(Words words) {
  words.insert(words.end(), {"-f", "json"});
  const CliResult r = cost_of_words(words);
  CAPTURE(r.err);
  CHECK(r.exit_code == 0);
  return Parsed::parse(r.out);
}

TEST_CASE("the bound, what is next to it, and each part with its evidence") {
  const Parsed json = cost_json({"--tile", "128x256x64", "--dtype", "bf16"});
  CHECK(json["instruction"] == "wgmma m64n256k16");
  CHECK(json["gpu"] == "H100");
  CHECK(json["bound"] == "tensor_core");
  CHECK(json["cycles"] == 1024);
  CHECK(json["next"] == "l2");
  CHECK(json["macs_per_cycle"] == 2048);
  CHECK(json["peak"] == 2048);
  CHECK(json["terms"][1]["cycles"] == 640);
  CHECK(json["terms"][1]["evidence"] == "measured");
  CHECK(json["changes"].empty());
  const Parsed pair = cost_json({"--tile", "256x256x64", "--mma", "m256n256k16", "--arch", "sm_100a"});
  CHECK(pair["cta_group"] == 2);
  CHECK(pair["bound"] == "l2");
  CHECK(pair["terms"][0]["evidence"] == "reported");
  CHECK(pair["changes"][0]["bound"] == "tensor_core");
  CHECK(cost_of_words({"--tile", "128x256x64", "--dtype", "bf16", "--brief"}).out == "tensor_core\n");
}

TEST_CASE("without --mma the largest MMA that divides the tile") {
  CHECK(cost_json({"--tile", "128x96x64"})["instruction"] == "wgmma m64n96k16");
  CHECK(cost_json({"--tile", "128x512x64", "--arch", "sm_100a"})["instruction"] == "tcgen05.mma m128n256k16");
  CHECK(cost_json({"--tile", "256x512x64", "--arch", "sm_100a", "--cta-group", "2"})["instruction"] ==
        "tcgen05.mma m256n256k16");
  CHECK(cost_json({"--tile", "64x64x64", "--arch", "sm_80"})["instruction"] == "mma.sync m16n8k16");
  CHECK(cost_json({"--tile", "64x64x64", "--sparse"})["instruction"] == "wgmma.sp m64n64k32");
}

TEST_CASE("a rate that no source has is said to be missing") {
  const Parsed json = cost_json({"--tile", "128x64x64", "--dtype", "s4"});
  CHECK(json["peak"].is_null());
  CHECK(json["terms"].size() == 2);
  CHECK(cost_of_words({"--tile", "128x64x64", "--dtype", "s4"}).out.find("the rate of the tensor core is not known") !=
        std::string::npos);
}

TEST_CASE("words that do not fit together name the rule and the way out") {
  struct Refused {
    Words words;
    std::string message;
  };
  const Refused refused[] = {
      {{"--tile", "64x64x64", "--a-in", "tmem"},
       "swz: error: --a-in tmem is for tcgen05.mma\nhint: wgmma takes A from smem or registers\n"},
      {{"--tile", "64x64x64", "--gpu", "v100"},
       "swz: error: --gpu: 'v100' is not a GPU whose rates are known\nhint: one of A100, RTX 4090, RTX 6000 Ada, "
       "H100, "
       "H200, B200, RTX 5090 and RTX PRO 6000; or only --arch\n"},
      {{"--tile", "128x128x64", "--mma", "m64n128k16", "--warp-tile", "64x64"},
       "swz: error: --warp-tile is for mma.sync\nhint: leave it out\n"},
      {{"--tile", "128x128x64", "--cta-group", "2"},
       "swz: error: --cta-group is for tcgen05.mma\nhint: leave it out\n"},
      {{"--tile", "128x128x64", "--mma", "m128n128k16", "--cta-group", "3", "--arch", "sm_100a"},
       "swz: error: --cta-group: 3 is out of range\nhint: it takes a whole number from 1 to 2\n"},
      {{"--tile", "128x100x64"},
       "swz: error: N = 100 of the tile is not a multiple of the 104 of m64n104k16\nhint: the smallest is N = 104\n"},
      {{"--tile", "128x128x64", "--arch", "sm_86"},
       "swz: error: no source has a rate of f16 with mma.sync on sm_86\nhint: give --warp-tile for what reading shared "
       "memory takes; 'swz help cost' lists the GPUs\n"},
      {{"--tile", "100x128x64", "--arch", "sm_80", "--mma", "m16n8k16"},
       "swz: error: M = 100 of the tile is not a multiple of the 16 of m16n8k16\nhint: take M = 96 or 112, or an MMA "
       "that "
       "divides it\n"},
  };
  for (const Refused& one : refused) {
    const CliResult r = cost_of_words(one.words);
    CHECK(r.exit_code == 2);
    CHECK(r.err == one.message);
  }
}

}  // namespace
}  // namespace swz

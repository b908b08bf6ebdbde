// SPDX-License-Identifier: Apache-2.0
// swz stage as a command; the numbers are judged in tests/pipeline.
#include <doctest/doctest.h>

#include <string>

#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

CliResult stage_of_words(Words words) {
  words.insert(words.begin(), "stage");
  return run_cli(words, {.variables = {{"COLUMNS", "300"}}});
}

Parsed stage_json(Words words) {
  words.insert(words.end(), {"-f", "json"});
  const CliResult r = stage_of_words(words);
  CAPTURE(r.err);
  CHECK(r.exit_code == 0);
  return Parsed::parse(r.out);
}

TEST_CASE("the stages, what the barrier expects, and each buffer") {
  const Parsed json =
      stage_json({"--tile", "256x128x64", "--cta-group", "2", "--arch", "sm_100a", "--epilogue", "33792"});
  CHECK(json["stages"] == 8);
  CHECK(json["cutlass_stages"] == 8);
  CHECK(json["expect_tx"] == 49152);
  CHECK(json["cluster"] == Parsed{2, 1});
  CHECK(json["arrivals"] == Parsed{{"full", 1}, {"empty", 1}});
  CHECK(json["buffers"][1]["part"] == "B");
  CHECK(json["buffers"][1]["bytes"] == 8192);
  CHECK(json["lints"].empty());
  CHECK(stage_of_words({"--tile", "128x128x64", "--brief"}).out == "7\n");
}

TEST_CASE("what a kernel expects is judged") {
  const auto rule_of = [&](const char* bytes) {
    const Parsed lints =
        stage_json({"--tile", "256x128x64", "--cta-group", "2", "--arch", "sm_100a", "--expect-tx", bytes})["lints"];
    return lints.empty() ? std::string() : lints[0]["rule"].get<std::string>();
  };
  CHECK(rule_of("49152").empty());
  CHECK(rule_of("24576") == "expect-one-cta");
  CHECK(rule_of("98304") == "expect-twice");
  CHECK(rule_of("49150") == "expect-tx");
}

TEST_CASE("a wrong total fails with --strict, the right one does not") {
  const Words words{"--tile", "128x128x64", "--strict", "--expect-tx"};
  const auto exit_code = [&](const std::string& bytes) {
    Words all = words;
    all.push_back(bytes);
    return stage_of_words(all).exit_code;
  };
  CHECK(exit_code("32768") == 0);
  CHECK(exit_code("16384") == 1);
  CHECK(stage_json({"--tile", "128x128x64", "--expect-tx", "16384"})["verdict"] == "error");
}

TEST_CASE("the mode of an operand is the largest whose line divides a row; its pattern is the alignment") {
  const Parsed json = stage_json({"--tile", "64x64x48", "--dtype", "f16"});
  CHECK(json["buffers"][0]["alignment"] == 256);
  CHECK(stage_json({"--tile", "64x64x48", "--swizzle-a", "none", "--swizzle-b", "none"})["buffers"][1]["alignment"] ==
        128);
}

TEST_CASE("targets without TMA have no barrier of bytes") {
  const Parsed json = stage_json({"--tile", "64x64x32", "--arch", "sm_80"});
  CHECK(json["expect_tx"].is_null());
  CHECK(json["arrivals"].is_null());
  CHECK(json["stages"] == 20);
}

TEST_CASE("words that do not fit together name the rule and the way out") {
  struct Refused {
    Words words;
    std::string message;
  };
  const Refused refused[] = {
      {{"--tile", "128x128x64", "--cta-group", "2"},
       "swz: error: sm_90a has no MMA of two CTAs\nhint: --arch sm_100a\n"},
      {{"--tile", "128x128x64", "--kind", "f8f6f4"},
       "swz: error: --kind is for tcgen05.mma and the mma.sync of sm_120a\nhint: leave it out\n"},
      {{"--tile", "128x128x64", "--vec", "16", "--arch", "sm_100a"},
       "swz: error: --vec is for block-scaled kinds\nhint: give --kind mxf8f6f4, mxf4 or mxf4nvf4\n"},
      {{"--tile", "128x128x64", "--cluster", "5x5"},
       "swz: error: --cluster: a cluster of 25 CTAs is larger than 16\nhint: for example 4x4\n"},
      {{"--tile", "512x512x512"},
       "swz: error: one stage of 1048576 B does not fit into the 232448 B of shared memory that sm_90a leaves beside "
       "the "
       "epilogue's 0 B\nhint: K 64 fits\n"},
  };
  for (const Refused& one : refused) {
    const CliResult r = stage_of_words(one.words);
    CHECK(r.exit_code == 2);
    CHECK(r.err == one.message);
  }
}

}  // namespace
}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// swz sparse: words of 8, 16 and 32 bits, rows and lanes of mma.sp and wgmma.sp, the range of the selector.
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <tuple>

#include "answers.hpp"
#include "sweep.hpp"

using nlohmann::json;

namespace swz {
namespace {

TEST_CASE("the digits of a word say how many bits it has; a part of a word reads as in the whole") {
  std::mt19937 random(22);
  for (const char* kind : {"f16", "tf32", "f8f6f4", "mxf4"})
    for (int i = 0; i < 100; ++i) {
      const std::uint32_t word = static_cast<std::uint32_t>(random());
      const auto chunks = [&](const std::string& text) {
        return json_of({"sparse", "--kind", kind, "--metadata", text});
      };
      const json whole = chunks(fmt::format("{:#010x}", word));
      CHECK(whole["bits"] == 32);
      REQUIRE(whole["chunks"].size() == 8);
      for (const int bits : {16, 8}) {
        const json part = chunks(fmt::format("0x{:0{}x}", word & ((1U << bits) - 1), bits / 4));
        CHECK(part["bits"] == bits);
        REQUIRE(part["chunks"].size() == static_cast<std::size_t>(bits / 4));
        std::size_t invalid = 0;
        for (std::size_t chunk = 0; chunk < part["chunks"].size(); ++chunk) {
          CHECK(part["chunks"][chunk] == whole["chunks"][chunk]);
          invalid += part["chunks"][chunk]["kept"].is_null() ? 1 : 0;
        }
        CHECK(part["lints"].size() == invalid);
      }
    }
}

TEST_CASE("four digits are four chunks; eight with zeros in front are eight, with the way out") {
  const json half = json_of({"sparse", "--kind", "f16", "--metadata", "0x9E4D"});
  CHECK(half["word"] == "0x9e4d");
  CHECK(half["lints"].empty());
  const json whole = json_of({"sparse", "--kind", "f16", "--metadata", "0x00009E4D"});
  REQUIRE(whole["lints"].size() == 4);
  CHECK(whole["lints"][0]["message"] == "bits 16-19: 0b0000 keeps nothing that the MMA defines");
  CHECK(whole["lints"][0]["hint"] == "a word of 16 bits is written with four digits: 0x9e4d");
  CHECK(json_of({"sparse", "--kind", "f16", "--metadata", "0b1001111001001101"})["chunks"] == half["chunks"]);
  CHECK(error_of({"sparse", "--kind", "f16", "--metadata", "0x123456789"}) ==
        "swz: error: --metadata: a word of metadata has at most 32 bits\nhint: for example 0x44444444\n");
}

TEST_CASE("the selector of 8 and 4 bits is 0; of 32 and 16 bits 0 or 1") {
  for (const char* kind : {"f8f6f4", "mxf8f6f4", "i8"})
    CHECK(error_of({"sparse", "--kind", kind, "--at", "5,4", "--selector", "1"}) ==
          "swz: error: mma.sp.m16n8k64 has no selector 1: every thread of a quad has metadata\n"
          "hint: its selector is 0\n");
  CHECK(error_of({"sparse", "--kind", "mxf4", "--at", "5,8", "--selector", "1"}) ==
        "swz: error: mma.sp.m16n8k128 has no selector 1: every thread of a quad has metadata\n"
        "hint: its selector is 0\n");
  for (const char* kind : {"tf32", "f16"})
    for (const int selector : {0, 1})
      CHECK(json_of({"sparse", "--kind", kind, "--at", "5,4", "--selector",
                     std::to_string(selector)})["register"]["selector"] == selector);
}

// Every 16 rows of mma.sp fill the lanes of a warp once; wgmma.sp has 64 rows and no fp4.
TEST_CASE("rows of mma.sp are modulo 16 and its lanes below 32; of wgmma.sp modulo 64") {
  struct Row {
    const char* kind;
    int k, chunk, nibbles;  // of a lane
  };
  Sweep every{8};
  for (const Row& row :
       {Row{"tf32", 16, 2, 8}, Row{"f16", 32, 4, 8}, Row{"f8f6f4", 64, 4, 8}, Row{"mxf4", 128, 8, 8}}) {
    std::set<std::pair<int, int>> taken;
    for (int m = 0; m < 128; ++m)
      for (int k = 0; k < row.k; k += row.chunk) {
        if (!every.takes()) continue;
        CAPTURE(row.kind);
        CAPTURE(m);
        CAPTURE(k);
        const json r = json_of({"sparse", "--kind", row.kind, "--at", fmt::format("{},{}", m, k)})["register"];
        const int lane = r["lane"], bit = r["bits"][0];
        CHECK(lane >= 0);
        CHECK(lane < 32);
        CHECK(lane / 4 == m % 8);
        if (m < 16) CHECK(taken.insert({lane, bit}).second);
        if (std::string(row.kind) == "mxf4") CHECK(r["thread"].is_null());
        else CHECK(r["thread"] == lane + m % 64 / 16 * 32);
      }
  }
  const std::string text = run_cli({"sparse", "--kind", "mxf4", "--at", "37,20"}).out;
  CHECK(text.find("register       lane 20 of mma.sp.m16n8k128 (row 5 of 16): bits 8-11 with selector 0\n") !=
        std::string::npos);
  CHECK(text.find("wgmma") == std::string::npos);
}

TEST_CASE("rows of the whole A of a pair: the CTA and the row in it") {
  for (const int row : {0, 100, 127, 128, 200, 255}) {
    const json of_pair =
        json_of({"sparse", "--kind", "f16", "--m", "256", "--cta-group", "2", "--at", fmt::format("{},20", row)});
    const json of_one = json_of({"sparse", "--kind", "f16", "--at", fmt::format("{},20", row % 128)});
    CHECK(of_pair["cta"] == row / 128);
    for (const char* key : {"lane", "column", "bits", "selector"}) CHECK(of_pair[key] == of_one[key]);
    const json back = json_of({"sparse", "--kind", "f16", "--m", "256", "--cta-group", "2", "--cta",
                               std::to_string(row / 128), "--cell",
                               fmt::format("{},{},{}", of_pair["lane"].get<int>(), of_pair["column"].get<int>(),
                                           of_pair["bits"][0].get<int>())});
    CHECK(back["row"] == row);
  }
}

}  // namespace
}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Transcripts of swz choose, and its JSON contract.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "answers.hpp"

using namespace swz;
using nlohmann::json;

TEST_SUITE("cmd") {
  TEST_CASE("choose: text") {
    const CliResult r = run_cli({"choose", "--dtype", "bf16", "--tile", "64x32", "--major", "k"});
    CHECK(r.exit_code == 0);
    CHECK(r.out ==
          "bf16 64x32 K-major on sm_90a\n"
          "take  64B: GMEM requests of 64 B, 1 TMA copy of 64x32 in either order\n"
          "\n"
          "mode      fits  GMEM request  TMA mn-first  TMA k-first  why not\n"
          "128B_32B  no           128 B             -            -  sm_90a has no swizzle mode 128B_32B\n"
          "128B      no           128 B             -            -  K 32 is 64 B, not a multiple of 128 B\n"
          "64B       yes           64 B     1 x 64x32    1 x 64x32  the one to take\n"
          "32B       yes           32 B     2 x 64x16    16 x 8x16  fits, but 64B makes larger requests\n"
          "none      yes           16 B      4 x 64x8     32 x 8x8  fits, but 64B makes larger requests\n"
          "\n"
          "go on: swz place --dtype bf16 --tile 64x32 --major k --swizzle 64B\n"
          "       swz desc --arch sm_90a --dtype bf16 --tile 64x32 --major k --swizzle 64B\n");
  }

  TEST_CASE("choose: the JSON contract") {
    const json d = json_of({"choose", "--dtype", "bf16", "--tile", "64x128"});
    CHECK(d["swizzle"] == "128B");
    CHECK(d["request_bytes"] == 128);
    // Reference 000, section 9.2: two boxes of 64x128 B.
    CHECK(d["box_mn_first"] == json{{"mn", 64}, {"k", 64}, {"count", 2}});
    CHECK(d["box_k_first"] == json{{"mn", 8}, {"k", 64}, {"count", 16}});
    CHECK(d["modes"].size() == 5);
    CHECK(d["modes"][1]["mode"] == "128B");
    CHECK(d["modes"][1]["why_not"].is_null());
    CHECK(d["modes"][3]["copies_mn_first"] == 8);
    CHECK(d["notes"].empty());
  }

  TEST_CASE("choose: notes where GMEM packs the type, and where nothing reads by descriptor or copies by TMA") {
    const json slots = json_of({"choose", "--dtype", "fp4", "--tile", "128x128", "--slots", "--arch", "sm_100a"});
    CHECK(slots["request_bytes"] == 64);
    CHECK(slots["notes"][0]["rule"] == "gmem-bytes");
    const json ampere = json_of({"choose", "--tile", "64x64", "--arch", "sm_80"});
    CHECK(ampere["swizzle"] == "128B");
    CHECK(ampere["box_mn_first"].is_null());
    CHECK(ampere["notes"][0]["rule"] == "no-descriptor");
    CHECK(ampere["notes"][1]["rule"] == "no-tma");
    const json padded = json_of({"choose", "--dtype", "e2m3", "--tile", "64x32", "--arch", "sm_100a"});
    CHECK(padded["swizzle"] == "32B");
    CHECK(padded["request_bytes"] == 24);
    CHECK(padded["box_mn_first"].is_null());
    CHECK(padded["notes"][1]["message"] ==
          "a box of e2m3 in 8-bit slots is 128 elements wide: no TMA copies are counted");
  }

  TEST_CASE("choose: a tile that no MMA reads leads to no descriptor, and one that cannot be read is refused first") {
    const CliResult small = run_cli({"choose", "--tile", "8x8"});
    CHECK(small.exit_code == 0);
    CHECK(small.out.find("swz place") != std::string::npos);
    CHECK(small.out.find("swz desc") == std::string::npos);
    CHECK(small.out.find("note: no MMA reads it by descriptor: K 8 is not a multiple of 16\n"
                         "  hint: an MMA reads 32 B of every row: take K 16\n") != std::string::npos);
    // MN 80 divides no atom either, but no extent would help.
    CHECK(error_of({"choose", "--dtype", "e2m1", "--tile", "80x256", "--major", "mn", "--arch", "sm_100a"})
              .find("swz: error: packed e2m1 is read K-major only\n") == 0);
    CHECK(error_of({"desc", "--dtype", "f32", "--tile", "24x64", "--major", "mn", "--swizzle", "64B"}) ==
          "swz: error: wgmma of sm_90a does not read f32\n"
          "hint: the same bytes are read as tf32: wgmma reads f16, bf16, tf32, e4m3, e5m2, s8, u8 and b1\n");
  }

  TEST_CASE("choose: refusals") {
    CHECK(error_of({"choose", "--dtype", "e4m3", "--tile", "128x64", "--major", "mn"}) ==
          "swz: error: wgmma cannot read e4m3 MN-major: it transposes 16-bit types only\n"
          "hint: nearest legal choice: K-major e4m3 with mode 128B on sm_90a\n");
    CHECK(error_of({"choose", "--tile", "60x64"}) ==
          "swz: error: MN 60 is not a multiple of 8: the K-major atom of mode none has 8x8 elements of f16\n"
          "hint: take MN 56 or 64\n");
    CHECK(error_of({"choose"}).find("no tile given") != std::string::npos);
    CHECK(error_of({"choose", "--tile", "64x64", "--swizzle", "32B"}).find("unknown option '--swizzle'") !=
          std::string::npos);
  }
}

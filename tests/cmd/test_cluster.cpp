// SPDX-License-Identifier: Apache-2.0
// swz cluster: the contract, and what is refused with the nearest that is not.
#include <doctest/doctest.h>

#include <sstream>

#include "answers.hpp"
#include "asked.hpp"

using namespace swz;
using nlohmann::json;

namespace {

Words words_of(const std::string& line) {
  Words words{"cluster"};
  std::stringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

json answered(const std::string& line, int exit_code = 0) { return json_of(words_of(line), exit_code); }
std::string refused(const std::string& line) { return error_of(words_of(line)); }

}  // namespace

TEST_CASE("a cluster: masks, slices and bytes of every CTA") {
  const json d = answered("--shape 2x2 --tile 128x128x64 --rank 1");
  CHECK(d["loads"] == true);
  CHECK(d["barrier"] == json{{"a", 16384}, {"b", 16384}, {"ctas", 1}, {"at", "every CTA"}, {"bytes", 32768}});
  REQUIRE(d["ctas"].size() == 4);
  const json& one = d["ctas"][1];
  CHECK(one["a_mask"] == "0xa");
  CHECK(one["b_mask"] == "0x3");
  CHECK(one["release"] == "0xb");
  CHECK(one["a"]["slice"] == 0);
  CHECK(one["b"]["copies"] == json::array({{{"offset", 8192}, {"coordinate", {0, 64}}}}));
  CHECK(one["b"]["row"] == 0);

  const json pair = answered("--shape 4x2 --cta-group 2 --tile 256x128x64 --rank 5");
  CHECK(pair["arch"] == "sm_100a");
  CHECK(pair["barrier"]["bytes"] == 49152);
  CHECK(pair["barrier"]["at"] == "leader");
  CHECK(pair["ctas"][5]["leader"] == 4);
  CHECK(pair["ctas"][5]["a"]["row"] == 128);
  CHECK(pair["ctas"][5]["a"]["copies"][0]["coordinate"] == json{0, 64});
  CHECK(pair["ctas"][5]["peer_mask"] == "0x30");
  CHECK(pair["operands"]["b"]["box"] == json{64, 32});
}

TEST_CASE("scale factors come to the same barrier") {
  const json pair = answered("--shape 2x1 --cta-group 2 --tile 256x256x256 --kind mxf4nvf4");
  CHECK(
      pair["barrier"] ==
      json{{"a", 16384}, {"b", 16384}, {"sfa", 2048}, {"sfb", 4096}, {"ctas", 2}, {"at", "leader"}, {"bytes", 77824}});
  CHECK(pair["operands"]["sfb"] == json{{"bytes", 4096}, {"slice_bytes", 4096}});
  const json shared = answered("--shape 2x4 --tile 128x128x256 --kind mxf8f6f4 --dtype e4m3");
  CHECK(shared["operands"]["sfa"] == json{{"bytes", 1024}, {"slice_bytes", 256}});
  CHECK(answered("--shape 2x16 --arch sm_107a --tile 128x128x256 --kind mxf8f6f4")["operands"]["sfa"]["slice_bytes"]
            .is_null());
  CHECK(refused("--shape 2x1 --tile 128x128x256 --vec 20 --kind mxf4nvf4").find("--vec is 16 or 32") !=
        std::string::npos);
  CHECK(refused("--shape 2x1 --tile 128x128x64 --vec 16 --kind f16").find("--vec is for block-scaled kinds") !=
        std::string::npos);
}

TEST_CASE("a tile that CTAs cannot share has no answer but the reason") {
  const json d = answered("--shape 1x16 --tile 256x128x64 --major mn", 1);
  CHECK(d["loads"] == false);
  CHECK(d["lints"][0]["rule"] == "slice-128");
  CHECK(d["operands"]["a"]["box"].is_null());
  CHECK(d["operands"]["a"]["legal_sharers"] == json{2, 4, 8});
  CHECK(answered("--shape 2x3 --tile 128x128x64", 1)["lints"][0]["rule"] == "slice-division");
}

TEST_CASE("a mask, an address, a response") {
  const json mask = answered("0x0033 --shape 4x2");
  CHECK(mask["is_known"] == true);
  CHECK(mask["receivers"] == json{0, 1, 4, 5});
  CHECK(mask["meanings"][0]["kind"] == "kRow");
  CHECK(mask["meanings"][0]["ranks"] == json{0, 1, 4, 5});
  const json near = answered("0x0035 --shape 4x2", 1);
  CHECK(near["is_known"] == false);
  CHECK(near["verdict"] == "error");
  for (const json& one : near["meanings"]) CHECK(one["differs"].size() == near["meanings"][0]["differs"].size());
  CHECK(answered("0x11")["shapes"].size() == 2);
  CHECK(answered("0x10001 --arch sm_107a")["receivers"] == json{0, 16});

  const json address = answered("--address 0x05000400 --rank 0");
  CHECK(address["rank"] == 5);
  CHECK(address["offset"] == 1024);
  CHECK(address["even"] == "0x04000400");
  CHECK(address["mapped"] == "0x00000400");
  CHECK(answered("--address 0x05000400")["mapped"].is_null());

  const json response = answered("--response 0x7,0x20001,0x1,0");
  CHECK(response["is_canceled"] == true);
  CHECK(response["ctaid"] == json{7, 1, 2});
  CHECK(answered("--response 0x0002000100000007,1") == response);
  CHECK(answered("--response 0,0")["ctaid"].is_null());
}

TEST_CASE("what is not in a cluster is refused with the rule and the nearest") {
  CHECK(refused("0x133 --shape 4x2") ==
        "swz: error: 0x133 names rank 8, and a cluster of 4x2 has ranks 0 to 7\n"
        "hint: inside of the cluster: 0x33; with a bit beyond it the "
        "kernel ends with CUDA_ERROR_LAUNCH_FAILED, also if another bit is inside (measured on NVIDIA H100 and NVIDIA "
        "H200, driver 580.159.04)\n");
  CHECK(refused("--shape 4x8") ==
        "swz: error: a cluster of 4x8 has more CTAs than sm_90a allows: 16\n"
        "hint: for example 4x4; above 8 a kernel needs cudaFuncAttributeNonPortableClusterSizeAllowed (CUDA "
        "Programming Guide; 8, 9 and 16 ran on H100, 17 did not (measured))\n");
  CHECK(refused("--shape 3x2 --cta-group 2").find("for example 4x2") != std::string::npos);
  CHECK(refused("--shape 4x2 --rank 8") == "swz: error: a cluster of 4x2 has no rank 8\nhint: its ranks are 0 to 7\n");
  CHECK(refused("--shape 4x2 --cta-group 2 --arch sm_90a") ==
        "swz: error: sm_90a has no cta_group::2\n"
        "hint: MMAs of CTA pairs begin with sm_100a: --arch sm_100a, or --cta-group 1\n");
  CHECK(refused("--shape 4x2 --cta-group 2 --tile 255x128x64").find("255 rows are not two halves") !=
        std::string::npos);
  CHECK(refused("0x10001").find("more than 16 bits") != std::string::npos);
  CHECK(refused("0").find("a mask of 0 names no CTA") != std::string::npos);
  CHECK(refused("--shape 0x2").find("a cluster of 0x2 has no CTA") != std::string::npos);
  CHECK(refused("--address 0x1ff000000400").find("more than 32 bits") != std::string::npos);
  CHECK(refused("--address 0x05000400 --shape 2x2").find("a cluster of 2x2 has no rank 5") != std::string::npos);
  CHECK(refused("--response 1,2,3").find("not a response of 128 bits") != std::string::npos);
  CHECK(refused("--shape 2x1 --consumers 96").find("96 consumer threads") != std::string::npos);
  CHECK(refused("").find("nothing to ask") != std::string::npos);
}

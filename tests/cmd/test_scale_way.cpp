// SPDX-License-Identifier: Apache-2.0
// swz sf way: the contract, one factor against sf place and sf tmem, the words of the k loop, what is refused.
#include <doctest/doctest.h>

#include "answers.hpp"

using namespace swz;
using nlohmann::json;

namespace {

json answered(const std::string& line) { return json_of(words_of(line)); }

std::string refused(const std::string& line) { return error_of(words_of("sf way " + line)); }

}  // namespace

TEST_CASE("the contract: the descriptor and the copies of the CTA's stage in order") {
  const json way = answered("sf way --kind mxf4nvf4 --vec 16 --operand b --m 128 --n 256 --k 256 --cta-group 1");
  CHECK(way["descriptor"] == "0x0000400800010000");
  CHECK(way["copies"] == json::parse("[[0,0],[512,4],[1024,8],[1536,12],[2048,16],[2560,20],[3072,24],[3584,28]]"));
  // Rows first in shared memory, K first in global memory.
  CHECK(way["tiles"] == json::parse("[[0],[2048],[512],[2560],[1024],[3072],[1536],[3584]]"));
  CHECK(way["copy_shape"] == "32x128b.warpx4");
  CHECK(way["bytes"] == 4096);
  CHECK(way["columns"] == json{0, 31});
  REQUIRE(way["mmas"].size() == 4);
  for (int mma = 0; mma < 4; ++mma) {
    const json& step = way["mmas"][static_cast<std::size_t>(mma)];
    CHECK(step["address_column"] == 8 * mma);
    CHECK(step["sf_id"] == 0);
    CHECK(step["k"] == json{64 * mma, 64 * mma + 63});
  }
  const json pair = answered("sf way --kind mxf4nvf4 --vec 16 --operand b --n 256 --k 256 --cta-group 2 --base 0x400");
  CHECK(pair["copy_shape"] == "64x128b.warpx2::01_23");
  CHECK(pair["copies"] == json::parse("[[0,0],[1024,4],[2048,8],[3072,12]]"));
  CHECK(pair["descriptor"] == "0x0000400800010040");
}

TEST_CASE("one factor: as sf place and sf tmem say") {
  const json stop =
      answered("sf way --kind mxf4nvf4 --vec 16 --operand b --n 256 --k 256 --row 200 --kb 6 --column 80");
  const json memory = answered("sf place --vec 16 --shape 256x256 --at 200,96");
  const json stage = answered("sf place --layout 128x4_stage --vec 16 --shape 256x256 --at 200,96");
  const json tensor = answered("sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256 --row 200 --kb 6 --column 80");
  CHECK(stop["gmem"] == 2698);
  CHECK(stop["gmem"] == memory["offset"]);
  CHECK(stop["smem"] == stage["offset"]);
  CHECK(stop["copy"] == 3);
  for (const char* key : {"lanes", "column", "byte", "mma", "address_column", "sf_id"}) CHECK(stop[key] == tensor[key]);
  // A tile of a larger operand.
  const json tile = answered("sf way --kind mxf8f6f4 --shape 1024x4096 --origin 256x1024 --row 5 --kb 3");
  CHECK(tile["gmem"] == answered("sf place --shape 1024x4096 --at 261,1120")["offset"]);
  CHECK(tile["smem"] == 5 * 16 + 3);
  // The second CTA of a pair has rows of its own of A.
  CHECK(answered("sf way --kind mxf8f6f4 --m 256 --cta-group 2 --cta 1 --row 5")["gmem"] == 512 + 5 * 16);
  CHECK(answered("sf way --kind mxf8f6f4 --operand b --m 256 --cta-group 2 --cta 1 --row 5")["gmem"] == 5 * 16);
}

TEST_CASE("the instruction descriptors of the k loop, read back") {
  struct Kernel {
    std::string line, arch;
    std::vector<int> ids;
  };
  for (const Kernel& kernel : {Kernel{"--kind mxf8f6f4 --n 64 --dtype e5m2 --dtype-b e2m1", "sm_100a", {0, 1, 2, 3}},
                               Kernel{"--kind mxf4 --n 256", "sm_100a", {0, 2, 0, 2}},
                               Kernel{"--kind mxf4nvf4 --vec 16 --n 128", "sm_100a", {0, 0, 0, 0}},
                               Kernel{"--kind mxf4 --k96 --m 256 --cta-group 2", "sm_103a", {0, 3, 2, 1}}}) {
    CAPTURE(kernel.line);
    const json way = answered("sf way " + kernel.line);
    REQUIRE(way["mmas"].size() == kernel.ids.size());
    for (std::size_t i = 0; i < kernel.ids.size(); ++i) {
      CHECK(way["mmas"][i]["sf_id"] == kernel.ids[i]);
      const Words words = words_of(kernel.line);
      const json word =
          json_of({"decode", way["mmas"][i]["idesc"], "--as", "idesc", "--kind", words[1], "--arch", kernel.arch});
      REQUIRE(word["fields"].size() > 8);
      for (const json& field : word["fields"])
        if (field["name"] == "scale_a_id" || field["name"] == "scale_b_id") CHECK(field["value"] == kernel.ids[i]);
      CHECK(word["lints"].empty());
    }
  }
  // Bit by bit: e2m1 is code 1 in bits 7 and 10, N 128 >> 3 from bit 17, M 128 >> 7 from bit 27, ue4m3 is 0.
  CHECK(answered("sf way --kind mxf4nvf4 --vec 16")["mmas"][0]["idesc"] == "0x08200480");
  CHECK(answered("sf way --kind mxf4nvf4 --vec 16 --scale-type ue8m0")["mmas"][0]["idesc"] == "0x08a00480");
}

TEST_CASE("what sources leave open is named") {
  CHECK(answered("sf way --kind mxf4")["open"].size() == 1);
  const json a = answered("sf way --kind mxf4 --cta-group 2 --cta 1");
  REQUIRE(a["open"].size() == 2);
  CHECK(a["open"][1]["question"] == "the columns of scale factors of A, M 128 with cta_group::2");
  CHECK(a["tiles"][0] == json::parse("[null]"));  // rows 64-127 are half of a tile
  CHECK(answered("sf way --kind mxf4 --k96")["open"].size() == 2);
}

TEST_CASE("B of a pair with M 128: halves of N, with what speaks against it") {
  const json halves = answered("sf way --kind mxf8f6f4 --operand b --cta-group 2 --n 64");
  CHECK(halves["copy_shape"] == "64x128b.warpx2::01_23");
  CHECK(halves["tiles"][0] == json::parse("[null,null]"));
  CHECK(halves["evidence"] == "reported");
  REQUIRE(halves["open"].size() == 2);
  CHECK(halves["open"][1]["answers"][0] == "at N/2 (JAX)");
  CHECK(answered("sf way --kind mxf8f6f4 --operand b --cta-group 2 --n 64 --row 40")["lanes"] == json{72, 104});
}

TEST_CASE("what has no way") {
  CHECK(refused("--kind mxf8f6f4 --n 20") ==
        "swz: error: kind mxf8f6f4, M 128, cta_group::1 has no N 20\nhint: the nearest is 16\n");
  CHECK(refused("--kind f16") ==
        "swz: error: kind f16 has no scale factors\nhint: kinds mxf8f6f4, mxf4 and mxf4nvf4 have them\n");
  CHECK(refused("--kind mxf8f6f4 --base 24") ==
        "swz: error: --base 0x18 is not a multiple of 16 B\nhint: tcgen05.cp reads from such addresses; tiles "
        "begin at "
        "multiples of 128 B\n");
  CHECK(refused("--kind mxf8f6f4 --shape 1024x4096 --origin 192x1024") ==
        "swz: error: the tile begins inside a 128x4 tile: row 192, factor 32\nhint: --origin is a multiple of 128 "
        "rows and of 128 elements of K: a 128x4 tile is 512 bytes that are copied whole, and rows 32 apart lie in the "
        "same 16 (cuBLAS 3.1.4.4.2)\n");
  CHECK(refused("--kind mxf8f6f4 --cta 1") == "swz: error: --cta 1 is for --cta-group 2\nhint: leave it out\n");
  CHECK(refused("--kind mxf8f6f4 --scale-type ue4m3") ==
        "swz: error: kind mxf8f6f4 does not take ue4m3\nhint: 1 ue8m0\n");
  CHECK(refused("--kind mxf8f6f4 --row 128") == "swz: error: there is no row 128\nhint: row is 0 to 127\n");
  CHECK(refused("--kind mxf8f6f4 --row 0 --kb 4") == "swz: error: there is no factor 4\nhint: --kb is 0 to 3\n");
}

TEST_CASE("K 96, K 128 and sparse MMAs, on the target that has them") {
  const json k128 = answered("sf way --kind mxf4nvf4 --vec 16 --k128 --at 70,80");
  CHECK(k128["lanes"] == json{6, 38, 70, 102});
  CHECK(k128["column"] == 6);
  CHECK(k128["lints"].empty());
  const json sparse = answered("sf way --kind mxf4 --sparse");
  REQUIRE(sparse["mmas"].size() == 4);
  CHECK(sparse["mmas"][1]["k"] == json{128, 255});
  CHECK(sparse["mmas"][1]["sf_id"] == 2);
  CHECK(answered("decode --kind mxf4 --arch sm_100a " + sparse["mmas"][0]["idesc"].get<std::string>())["summary"]
            .get<std::string>()
            .find("K 128") != std::string::npos);
  for (const char* line : {"--kind mxf4 --k96 --arch sm_100a", "--kind mxf4 --k128 --arch sm_103a",
                           "--kind mxf8f6f4 --arch sm_90a", "--vec 128 --arch sm_100a"})
    CHECK(answered(std::string("sf way ") + line)["lints"][0]["rule"] == "target-lacks-instruction");
  CHECK(refused("--kind mxf8f6f4 --k128").find("is not settled") != std::string::npos);
  CHECK(refused("--kind mxf4 --arch sm_120a --k96").find("has one K") != std::string::npos);
  CHECK(refused("--vec 128 --sparse").find("are of tcgen05.mma") != std::string::npos);
  CHECK(refused("--vec 16").find("--kind is missing") != std::string::npos);
  CHECK(refused("--kind mxf4 --vec 128").find("of no block-scaled MMA") != std::string::npos);
}

TEST_CASE("fp32 factors: as sf place says where they are") {
  const json a = answered("sf way --vec 128 --shape 4096x7168 --origin 256x512 --k 256 --at 70,130");
  CHECK(a["gmem"] == answered("sf place --layout mn_major_tma_f32 --vec 128 --shape 4096x7168 --at 326,642")["offset"]);
  const json b = answered("sf way --vec 128 --operand b --shape 7168x4096 --origin 96x32 --k 256 --at 40,100");
  // A row of the layout is 128 rows of B.
  CHECK(b["gmem"] == answered("sf place --layout linear_f32 --vec 128 --shape 56x4096 --at 1,132")["offset"]);
  CHECK(b["rows"] == json{32, 127});
  CHECK(b["smem"].is_null());
}

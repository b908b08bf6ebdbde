// SPDX-License-Identifier: Apache-2.0
// swz tmem, sf, narrow, sparse and pair: the worked examples of the fact sheets as JSON, and what is refused.
#include <doctest/doctest.h>

#include <sstream>

#include "answers.hpp"

using namespace swz;
using nlohmann::json;

namespace {

json answered(const std::string& line) { return json_of(words_of(line)); }

// Whether the answer has every key of `part` with its value.
bool has(const json& answer, const json& part) {
  for (const auto& [key, value] : part.items())
    if (!answer.contains(key) || answer[key] != value) return false;
  return true;
}

std::string refused(const std::string& line) { return error_of(words_of(line)); }

}  // namespace

TEST_CASE("tmem d: the contract, there and back, and the map") {
  CHECK(has(answered("tmem d --m 128 --n 256 --cta-group 2 --at 100,200"),
            json::parse(R"({"layout":"B","cta":1,"lane":100,"column":72,"address":"0x00640048","columns":128})")));
  CHECK(has(answered("tmem d --m 128 --n 256 --cta-group 2 --lane 100 --column 72 --cta 1"),
            json::parse(R"({"row":100,"col":200})")));
  CHECK(has(answered("tmem d --m 64 --n 128 --at 37,5"), json::parse(R"({"cta":0,"lane":69,"column":5})")));
  CHECK(has(answered("tmem d --m 32 --n 64 --ws --at 7,40"), json::parse(R"({"lane":71,"column":8})")));
  const json all = answered("tmem d --m 64 --n 32 --map");
  REQUIRE(all["map"].size() == 64 * 32);
  for (const int row : {0, 16, 63})
    for (const int n : {0, 31})
      CHECK(all["map"][static_cast<std::size_t>(32 * row + n)] == json{0, 32 * (row / 16) + row % 16, n});
  CHECK(answered("tmem d --n 64 --dtype f16")["columns"] == 64);
  CHECK(answered("tmem d --n 64 --dtype f16")["bits"] == json{0, 15});
  CHECK(refused("tmem d --dtype e4m3") == "swz: error: tcgen05.mma has no D of e4m3\nhint: D is f16, f32 and s32\n");
  CHECK(answered("tmem d --m 128 --cta-group 2 --sparse")["open"].size() == 1);
  CHECK(answered("tmem d")["open"].empty());
}

TEST_CASE("tmem a: the contract; where sources disagree, all answers") {
  CHECK(has(answered("tmem a --m 128 --cta-group 1 --dtype f16 --column 128 --at 40,11"),
            json::parse(R"({"cta":0,"lanes":[40],"column":133,"bits":[16,31]})")));
  // The evidence is that of the weaker source: of the lanes, or of the container.
  CHECK(answered("tmem a --dtype f16")["evidence"] == "reported");
  CHECK(answered("tmem a --dtype e2m1")["evidence"] == "reported");
  CHECK(answered("tmem a --dtype f16 --m 64 --ws")["evidence"] == "reported");
  CHECK(answered("tmem a --dtype f16 --m 32 --ws")["evidence"] == "derived");
  const json m64 = answered("tmem a --m 64 --dtype f16 --at 40,0");
  CHECK(m64["lanes"] == json{72});
  REQUIRE(m64["open"].size() == 1);
  CHECK(m64["open"][0]["answers"].size() == 2);
}

TEST_CASE("tmem cp: the contract") {
  CHECK(has(answered("tmem cp 64x128b.warpx2::01_23 --row 40"), json::parse(R"({"lanes":[72,104],"columns":[0,3]})")));
  CHECK(answered("tmem cp 32x128b.warpx4")["descriptor"] == "0x0000400800010000");
  CHECK(has(answered("tmem cp 128x256b.b8x16.b4x16_p64 --row 3 --element 22"),
            json::parse(R"({"lanes":[3],"column":5,"byte":2,"bits":"5:2"})")));
  CHECK(answered("tmem cp tcgen05.cp.4x256b --map")["map"] == json::parse("[[0],[32],[64],[96]]"));
}

TEST_CASE("sf: the contract") {
  CHECK(has(answered("sf place --layout 128x4 --vec 16 --shape 256x1024 --at 200,1000"),
            json::parse(R"({"kb":62,"offset":16010,"bytes":16384})")));
  CHECK(answered("sf place --shape 300x1000")["bytes"] == 12288);
  const json map = answered("sf place --vec 16 --shape 8x128 --map")["map"];
  REQUIRE(map.size() == 64);
  CHECK(map[5 * 8 + 2] == 82);
  CHECK(map[5 * 8 + 5] == 593);
  CHECK(has(answered("sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256 --row 200 --kb 6 --column 80"),
            json::parse(R"({"lanes":[8,40,72,104],"column":94,"byte":2,"mma":1,"address_column":88,"sf_id":0})")));
}

TEST_CASE("narrow, sparse and pair: the contract") {
  CHECK(has(answered("narrow --kind mxf8f6f4 --dtype e2m1 --k 37"),
            json::parse(R"({"gmem":{"byte":18,"bits":"7:4"},"smem":{"byte":34,"bits":"7:4"},"tx_bytes_per_128":64})")));
  CHECK(answered("narrow --kind mxf8f6f4 --dtype e3m2 --k 37")["smem"] == json::parse(R"({"byte":35,"bits":"11:6"})"));
  CHECK(has(answered("sparse --kind f16 --at 13,20 --mma 3"),
            json::parse(R"({"lane":13,"column":3,"bits":[20,23],"address_column":2,"selector":1})")));
  const json word = answered("sparse --kind f16 --metadata 0x44e49c80");
  CHECK(word["chunks"][0]["kept"].is_null());
  CHECK(word["chunks"][3]["kept"] == json{1, 2});
  CHECK(word["lints"].size() == 1);
  CHECK(has(answered("pair --m 256 --n 192 --cta 1"),
            json::parse(R"({"a_rows":[128,255],"b_cols":[96,191],"d_rows":[128,255],"sfb_cols":[0,191]})")));
}

TEST_CASE("there and back: what lies in a cell") {
  CHECK(has(answered("tmem a --dtype f16 --cell 40,133,31 --column 128"), json{{"row", 40}, {"k", 11}, {"mma", 0}}));
  CHECK(
      has(answered("tmem a --m 128 --cta-group 2 --dtype e2m1 --cell 70,3,12 --cta 1"), json{{"row", 70}, {"k", 13}}));
  CHECK(has(answered("tmem cp 64x128b.warpx2::01_23 --cell 104,2"), json{{"row", 40}, {"word", 2}}));
  CHECK(has(answered("sf place --vec 16 --shape 256x1024 --offset 16010"),
            json{{"row", 200}, {"kb", 62}, {"k", {992, 1007}}, {"padding", false}}));
  CHECK(answered("sf place --shape 4x4 --offset 511")["padding"] == true);
  // Global memory is larger than an address of shared memory can express.
  const json beyond = answered("sf place --shape 1048576x1048576 --vec 16 --offset 68719476735");
  CHECK(has(beyond, json{{"row", 1048575}, {"kb", 65535}, {"padding", false}}));
  CHECK(answered("sf place --shape 1048577x32 --at 1048576,0")["offset"] == 1 << 22);
  CHECK(answered("sf place --shape 4294967296x32 --at 4294967295,0")["offset"] == (std::int64_t{1} << 34) - 1 - 3);
  CHECK(has(answered("sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256 --cell 104,94,2 --column 80"),
            json{{"row", 200}, {"kb", 6}, {"mma", 1}, {"sf_id", 0}}));
  CHECK(answered("narrow --kind mxf8f6f4 --dtype e3m2 --smem 35")["elements"] == json{36, 37});
  CHECK(answered("narrow --kind mxf8f6f4 --dtype e3m2 --smem 14")["elements"] == json::array());
  CHECK(answered("narrow --kind mxf4 --dtype e2m1 --tmem 4")["elements"] == json{32, 33, 34, 35, 36, 37, 38, 39});
  CHECK(has(answered("sparse --kind f16 --cell 13,3,20"), json{{"row", 13}, {"k", {20, 23}}, {"mma", 3}}));
  CHECK(has(answered("pair --at 200,100"), json{{"cta", 1}, {"row", 72}, {"b_cta", 0}, {"col", 100}}));
}

TEST_CASE("maps are the points") {
  const json a = answered("tmem a --m 128 --cta-group 2 --dtype bf16 --map")["map"];
  REQUIRE(a.size() == 128 * 16);
  CHECK(a[70 * 16 + 11] == json{1, 6, 5, 16});
  const json factors = answered("sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256 --column 80 --map")["map"];
  REQUIRE(factors.size() == 256 * 4);
  CHECK(factors[200 * 4 + 2] == json{8, 86, 2});
  const json elements = answered("narrow --kind mxf8f6f4 --dtype e2m1 --map")["map"];
  REQUIRE(elements.size() == 128);
  CHECK(elements[37] == json{148, 34 * 8 + 4, 37 * 8 + 2});
  const json chunks = answered("sparse --kind f16 --mma 3 --map")["map"];
  REQUIRE(chunks.size() == 128 * 8);
  CHECK(chunks[13 * 8 + 5] == json{13, 3, 20});
}

TEST_CASE("metadata in global memory and in registers") {
  CHECK(answered("sparse --kind f16 --at 127,28 --mma 7")["gmem"] == json{{"byte", 4095}, {"bits", "7:4"}});
  // The second 128 rows are between the two atoms along K.
  CHECK(answered("sparse --kind f16 --at 255,28 --mma 7 --rows 256")["gmem"] ==
        json{{"byte", 4 * 2048 - 1}, {"bits", "7:4"}});
  CHECK(answered("sparse --kind f16 --at 13,20 --selector 1")["register"] ==
        json{{"thread", 23}, {"lane", 23}, {"bits", {20, 23}}, {"selector", 1}});
}

TEST_CASE("metadata of .ws has a copy for each part of N; without a source there is no answer") {
  CHECK(answered("sparse --kind f16 --m 64 --ws --at 13,20")["lanes"] == json{13, 77});
  CHECK(answered("sparse --kind f8f6f4 --m 32 --ws --at 13,20")["lanes"] == json{13, 45, 77, 109});
  CHECK(answered("sparse --kind f16 --m 64 --ws --cell 77,0,20")["row"] == 13);
  CHECK(refused("sparse --kind f16 --m 64 --at 13,20") ==
        "swz: error: no source says where the metadata of data path F lies in tensor memory\nhint: an open question: "
        "'swz arch open'; take M 128, or .ws\n");
}

TEST_CASE("what does not exist says what does") {
  CHECK(refused("tmem a --dtype f16 --column 510 --at 0,60") ==
        "swz: error: k 60 would lie in column 540; there are 512\nhint: from column 510 on k is at most 3\n");
  CHECK(refused("sf tmem --kind mxf4 --row 0 --kb 12 --column 502") ==
        "swz: error: factor 12 would lie in column 514; there are 512\nhint: from column 502 on a row has 8 "
        "factors\n");
  CHECK(refused("tmem cp 128x256b.warpx4") ==
        "swz: error: tcgen05.cp of 128x256b takes no multicast: '128x256b.warpx4'\nhint: 128x256b\n");
  CHECK(refused("tmem a --dtype e2m1 --cell 0,0,0") ==
        "swz: error: no element of A lies in CTA 0, lane 0, column 0, bit 0\nhint: A begins in column 0; a container "
        "of 8 bits has its value in bits 2-5\n");
  CHECK(refused("tmem a --dtype f16 --cell 40") ==
        "swz: error: --cell: '40' is not a lane and a column\nhint: for example 100,72, or 100,72,16 for what begins "
        "inside the column\n");
  CHECK(refused("tmem cp 4x256b --cell 1,0") ==
        "swz: error: 4x256b does not write lane 1, column 0\nhint: it writes columns 0-7 of lanes 0, 32, 64 and "
        "96\n");
  CHECK(refused("sf tmem --kind mxf4 --n 64 --operand b --cell 0,2") ==
        "swz: error: no factor lies in lane 0, column 2\nhint: factors begin at column 0, a row in each lane of a "
        "quarter; rows are 0 to 63\n");
  CHECK(
      refused("sf place --shape 4294967297x32") ==
      "swz: error: --shape: one extent of a whole operand: 4294967297 elements are more than the limit of 4294967296\n"
      "hint: no tensor map has more along a dimension\n");
  CHECK(refused("sf place --shape 9223372036854775807x32") ==
        "swz: error: --shape: one extent of a whole operand has at most 4294967296 elements\n"
        "hint: no tensor map has more along a dimension\n");
  CHECK(refused("tmem plan --expect-tx 99999999999") ==
        "swz: error: --expect-tx: 99999999999 is out of range\nhint: it takes a whole number from 0 to 1048575\n");
  CHECK(refused("sf place --shape 4x4 --offset 512") == "swz: error: there is no byte 512\nhint: byte is 0 to 511\n");

  CHECK(refused("tmem d --m 64 --cta-group 2") ==
        "swz: error: tcgen05.mma has no M 64 with cta_group::2\nhint: M is 128 and 256; nearest: 128; M 64 exists "
        "with cta_group::1 and .ws\n");
  CHECK(refused("tmem d --m 64 --lane 20") ==
        "swz: error: no element of D lies in CTA 0, lane 20, column 0\nhint: D takes lanes 0-15 of each quarter of "
        "32\n");
  CHECK(refused("tmem d --at 128,0") == "swz: error: there is no row 128\nhint: row is 0 to 127\n");
  CHECK(refused("tmem d --at 1") == "swz: error: --at: '1' is not two numbers\nhint: for example 100,200\n");
  CHECK(refused("tmem cp 64x128b") ==
        "swz: error: tcgen05.cp of 64x128b needs its multicast\nhint: 64x128b.warpx2::02_13 and "
        "64x128b.warpx2::01_23\n");
  CHECK(refused("tmem cp 32x128b.warpx4 --row 32") ==
        "swz: error: 32x128b.warpx4 has no row 32\nhint: rows are 0 to 31\n");
  CHECK(
      refused("sf place --layout linaer --shape 8x64") ==
      "swz: error: --layout: 'linaer' is not a known layout of scale factors\nhint: did you mean 'linear'? swz sf list "
      "shows them\n");
  CHECK(refused("sf tmem --kind f16") ==
        "swz: error: kind f16 has no scale factors\nhint: kinds mxf8f6f4, mxf4 and mxf4nvf4 have them\n");
  CHECK(refused("narrow --kind mxf4 --dtype e3m2") == "swz: error: kind mxf4 does not take e3m2\nhint: e2m1\n");
  CHECK(refused("sparse --kind f16") ==
        "swz: error: --at, --cell, --map or --metadata is missing\nhint: --at 13,20, or --metadata 0x44444444\n");
  CHECK(refused("pair --n 24") ==
        "swz: error: tcgen05.mma has no N 24 with M 256, cta_group::2\nhint: N is 16..256 step 16; nearest: 16 and "
        "32\n");
}

TEST_CASE("--at in every command says what the older names say, and JSON has the question") {
  const std::string tmem = "sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256 --column 80";
  const std::string way = "sf way --kind mxf4nvf4 --vec 16 --operand b --n 256 --k 256";
  for (int row = 0; row < 256; row += 37)
    for (int kb = 0; kb < 16; ++kb)
      for (const std::string& line : {tmem, way}) {
        const std::string old = fmt::format(" --row {} --kb {}", row, kb);
        for (const int k : {16 * kb, 16 * kb + 15})
          CHECK(answered(line + fmt::format(" --at {},{}", row, k)) == answered(line + old));
      }
  const json factor = answered(tmem + " --at 200,100");
  CHECK(factor["row"] == 200);
  CHECK(factor["kb"] == 6);
  CHECK(factor["k"] == json{96, 111});
  CHECK(refused("sf tmem --kind mxf4 --at 0,0 --row 0") ==
        "swz: error: --at and --row cannot be combined\nhint: leave one of them out\n");
  const json place = answered("sf place --vec 16 --shape 256x1024 --at 200,1000");
  CHECK(place["row"] == 200);
  CHECK(place["k"] == 1000);
  for (const int k : {0, 5, 37, 127}) {
    const json narrow = answered(fmt::format("narrow --kind mxf8f6f4 --dtype e2m1 --at {}", k));
    CHECK(narrow == answered(fmt::format("narrow --kind mxf8f6f4 --dtype e2m1 --k {}", k)));
    CHECK(narrow["k"] == k);
    CHECK(narrow["kind"] == "mxf8f6f4");
    CHECK(narrow["dtype"] == "e2m1");
  }
  CHECK(answered("narrow --kind mxf8f6f4 --dtype e2m1 --smem 3")["place"] == 3);
}

TEST_CASE("--brief keeps the name of every value, also where it is a list") {
  for (const char* line : {"pair", "sf tmem --kind mxf4 --at 200,0 --operand b --n 256", "sparse --kind f16 --at 13,20",
                           "tmem cp 64x128b.warpx2::01_23 --row 40", "tmem d --m 128 --at 5,5",
                           "place --dtype bf16 --tile 128x64 --swizzle 128B --at 37,20",
                           "layout (8,64):(64,1) --at 3,4", "frag mma.m16n8k16 --dtype bf16 --at T5,R1"}) {
    CAPTURE(std::string(line));
    Words words = words_of(line);
    words.emplace_back("--brief");
    std::stringstream lines(run_cli(words).out);
    int count = 0;
    for (std::string shown; std::getline(lines, shown); ++count)
      CHECK(std::isalpha(static_cast<unsigned char>(shown[0])) != 0);
    CHECK(count <= 8);
  }
  CHECK(run_cli(words_of("layout (8,64):(64,1) --at 3,4 --brief")).out == "at [3,4] index 35 offset 196\n");
}

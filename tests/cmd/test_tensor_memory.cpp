// swz tmem, sf, narrow, sparse and pair: the worked examples of the fact sheets as JSON, and what is refused.
#include <doctest/doctest.h>

#include <sstream>

#include "answers.hpp"

using namespace swz;
using nlohmann::json;

namespace {

Words words_of(const std::string& line) {
  Words words;
  std::stringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

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
  CHECK(answered("tmem d --m 128 --cta-group 2 --sparse")["open"].size() == 1);
  CHECK(answered("tmem d")["open"].empty());
}

TEST_CASE("tmem a: the contract; where sources disagree, all answers") {
  CHECK(has(answered("tmem a --m 128 --cta-group 1 --dtype f16 --column 128 --at 40,11"),
            json::parse(R"({"cta":0,"lanes":[40],"column":133,"bits":[16,31]})")));
  const json m64 = answered("tmem a --m 64 --dtype f16 --at 40,0");
  CHECK(m64["lanes"] == json{72});
  REQUIRE(m64["open"].size() == 1);
  CHECK(m64["open"][0]["answers"].size() == 2);
}

TEST_CASE("tmem cp: the contract") {
  CHECK(has(answered("tmem cp 64x128b.warpx2::01_23 --row 40"),
            json::parse(R"({"lanes":[72,104],"columns":[0,3]})")));
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
  CHECK(has(
      answered("narrow --kind mxf8f6f4 --dtype e2m1 --k 37"),
      json::parse(R"({"gmem":{"byte":18,"bits":"7:4"},"smem":{"byte":34,"bits":"7:4"},"tx_bytes_per_128":64})")));
  CHECK(answered("narrow --kind mxf8f6f4 --dtype e3m2 --k 37")["smem"] ==
        json::parse(R"({"byte":35,"bits":"11:6"})"));
  CHECK(has(answered("sparse --kind f16 --at 13,20 --mma 3"),
            json::parse(R"({"lane":13,"column":3,"bits":[20,23],"address_column":2,"selector":1})")));
  const json word = answered("sparse --kind f16 --metadata 0x44e49c80");
  CHECK(word["chunks"][0]["kept"].is_null());
  CHECK(word["chunks"][3]["kept"] == json{1, 2});
  CHECK(word["lints"].size() == 1);
  CHECK(has(answered("pair --m 256 --n 192 --cta 1"),
            json::parse(R"({"a_rows":[128,255],"b_cols":[96,191],"d_rows":[128,255],"sfb_cols":[0,191]})")));
}

TEST_CASE("what does not exist says what does") {
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
  CHECK(refused("sf place --layout linear --memory smem --shape 8x64")
            .starts_with("swz: error: the MMA does not take scale factors of layout linear from shared memory\n"));
  CHECK(refused("sf tmem --kind f16") ==
        "swz: error: kind f16 has no scale factors\nhint: those of mxf8f6f4, mxf4 and mxf4nvf4 have\n");
  CHECK(refused("narrow --kind mxf4 --dtype e3m2") == "swz: error: kind mxf4 does not take e3m2\nhint: e2m1\n");
  CHECK(refused("sparse --kind f16") ==
        "swz: error: --at or --metadata is missing\nhint: --at 13,20, or --metadata 0x44444444\n");
  CHECK(refused("pair --n 24") ==
        "swz: error: tcgen05.mma has no N 24 with M 256, cta_group::2\nhint: N is 16..256 step 16; nearest: 16 and 32\n");
}

// SPDX-License-Identifier: Apache-2.0
// desc, place, banks, choose, tma plan, tma place and tma check of fp4, fp6 and pairs of CTAs: worked examples of the fact
// sheets as JSON, and what is refused.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "answers.hpp"

using namespace swz;
using nlohmann::json;

namespace {

json answered(const std::string& line, int exit_code = 0) { return json_of(words_of(line), exit_code); }
std::string refused(const std::string& line) { return error_of(words_of(line)); }
std::string said(const std::string& line) { return run_cli(words_of(line)).out; }

std::vector<std::string> rules_of(const json& findings) {
  std::vector<std::string> rules;
  for (const json& finding : findings) rules.push_back(finding["rule"]);
  return rules;
}

using Rules = std::vector<std::string>;

// The parts of an answer that `part` names.
json parts(const json& answer, const json& part) {
  json out = json::object();
  for (const auto& [key, value] : part.items()) out[key] = answer.contains(key) ? answer[key] : json("missing");
  return out;
}

void check_has(const json& answer, const char* part) {
  const json expected = json::parse(part);
  CHECK(parts(answer, expected) == expected);
}

}  // namespace

TEST_CASE("place: the byte and bits of an element, packed and beside gaps, and which elements a byte holds") {
  const auto point = [](const std::string& line) { return answered(line)["points"][0]; };
  check_has(point("place --kind mxf8f6f4 --dtype e2m1 --tile 8x128 --at 0,37"),
            R"({"byte":34,"bits":"7:4","slot":37})");
  check_has(point("place --kind f8f6f4 --dtype e3m2 --tile 8x128 --at 0,37"), R"({"byte":35,"bits":"11:6","slot":37})");
  check_has(point("place --kind mxf4 --dtype e2m1 --tile 8x256 --at 0,37"), R"({"byte":18,"bits":"7:4","bit":4})");
  check_has(point("place --kind mxf8f6f4 --dtype e2m1 --tile 8x128 --at 1,37"), R"({"byte":178,"slot":181})");
  const json both = answered("place --kind mxf8f6f4 --dtype e2m1 --tile 8x128 --at-byte 34");
  REQUIRE(both["points"].size() == 2);
  CHECK(both["points"][0]["at"] == json{0, 36});
  CHECK(both["points"][1]["at"] == json{0, 37});
  const json gap = answered("place --kind mxf8f6f4 --dtype e2m1 --tile 8x128 --at-byte 40");
  CHECK(gap["points"].empty());
  CHECK(rules_of(gap["notes"]) == Rules{"no-element", "gap"});
  // Any layout of slots.
  const json layout =
      run_cli(
          {"place", "--kind", "mxf8f6f4", "--dtype", "e2m1", "--layout", "(8,32):(32,1)", "--at", "1,5", "-f", "json"})
                  .exit_code == 0
          ? json_of({"place", "--kind", "mxf8f6f4", "--dtype", "e2m1", "--layout", "(8,32):(32,1)", "--at", "1,5"})
          : json();
  check_has(layout["points"][0], R"({"byte":34,"bits":"7:4","slot":37})");
}

TEST_CASE("place: the picture marks gaps, and a cell of elements is a byte") {
  const std::string text = said("place --kind mxf8f6f4 --dtype e2m1 --tile 8x128 --cells element --label coordinate");
  CHECK(text.find("0,36-37") != std::string::npos);
  CHECK(text.find("gap") != std::string::npos);
  CHECK(text.find("The first 8 B of every 16 hold 16 elements, the last 8 are a gap.") != std::string::npos);
  const std::string svg =
      run_cli({"place", "--kind", "mxf8f6f4", "--dtype", "e3m2", "--tile", "8x128", "-f", "svg"}).out;
  CHECK(svg.find("gap: holds no element") != std::string::npos);
  CHECK(svg.find("gap bytes 4") != std::string::npos);
  CHECK(said("place --dtype e4m3 --tile 8x128").find("gap") == std::string::npos);
}

TEST_CASE("without a kind the default is said, with the other forms; with one, nothing") {
  const json packed = answered("place --dtype e2m1 --tile 8x256");
  REQUIRE(rules_of(packed["notes"]) == Rules{"narrow-kind"});
  CHECK(packed["notes"][0]["message"] ==
        "e2m1 without --kind: 2 elements in a byte, as kinds mxf4 and mxf4nvf4 read it; for sm_100a, as --arch is "
        "not "
        "given");
  CHECK(packed["notes"][0]["hint"] == "kinds f8f6f4 and mxf8f6f4: 16 elements in every 16 B: 8 B and a gap of 8");
  const json fp6 = answered("place --arch sm_100a --dtype e2m3 --tile 8x128");
  CHECK(fp6["notes"][0]["message"] ==
        "e2m3 without --kind: 16 elements in every 16 B: 12 B and a gap of 4, as kinds f8f6f4 and mxf8f6f4 read it");
  CHECK(fp6["notes"][0]["hint"] == "no other form of it exists");
  check_has(fp6["form"],
            R"({"kind":null,"bits":6,"chunk_bytes":12,"gap_bytes":4,"tx_bytes_per_128":96,"evidence":"reported"})");
  for (const char* line : {"place --kind mxf4 --dtype e2m1 --tile 8x256", "place --slots --dtype e2m1 --tile 8x128",
                           "place --kind f8f6f4 --dtype e4m3 --tile 8x128", "place --dtype bf16 --tile 8x64"})
    CHECK_MESSAGE(answered(line)["notes"].empty(), line);
  CHECK_FALSE(answered("place --dtype bf16 --tile 8x64").contains("form"));
}

TEST_CASE("desc: words of fp4 and fp6 are those of 8-bit elements, K steps of 32 B") {
  const json fp8 = answered("desc --arch sm_100a --dtype e4m3 --tile 128x128");
  for (const char* dtype : {"e2m1", "e2m3", "e3m2", "e4m3"})
    for (const char* kind : {"f8f6f4", "mxf8f6f4"}) {
      const json narrow =
          answered(std::string("desc --kind ") + kind + " --dtype " + dtype + " --tile 128x128 --mma m128n256k32");
      CHECK(narrow["descriptors"] == fp8["descriptors"]);
      CHECK(narrow["lbo"] == fp8["lbo"]);
      CHECK(narrow["sbo"] == 1024);
      CHECK(narrow["mma"] == json{128, 32});
    }
  const json packed = answered("desc --kind mxf4nvf4 --dtype e2m1 --tile 128x256 --mma m128n256k64");
  CHECK(packed["descriptors"] == fp8["descriptors"]);
  CHECK(packed["atom"] == json{8, 256});
  CHECK(packed["mma"] == json{128, 64});
}

TEST_CASE("desc: K 96 on sm_103a, with the second chunk of a step that runs past its line") {
  const json answer = answered("desc --arch sm_103a --kind mxf4nvf4 --dtype e2m1 --tile 128x768 --mma m128n256k96");
  struct Step {
    int offset;
    json second;
    const char* word;
  };
  const Step steps[] = {{0, nullptr, "0x4000404000010000"},     {48, nullptr, "0x4000404000010003"},
                        {96, 16384, "0x4010404004000006"},      {16400, nullptr, "0x4000404000010401"},
                        {16448, nullptr, "0x4000404000010404"}, {16496, 32768, "0x4010404008000407"},
                        {32800, nullptr, "0x4000404000010802"}, {32848, nullptr, "0x4000404000010805"}};
  REQUIRE(answer["descriptors"].size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    const json& step = answer["descriptors"][i];
    CHECK(step["byte_offset"] == steps[i].offset);
    CHECK(step["second_chunk"] == steps[i].second);
    CHECK(step["word"] == steps[i].word);
  }
  CHECK(refused("desc --arch sm_100a --kind mxf4nvf4 --dtype e2m1 --tile 128x768 --mma m128n256k96") ==
        "swz: error: tcgen05.mma kind::mxf4nvf4 has no dense shape m128n256k96 for e2m1\n"
        "hint: nearest: m128n256k64; K 96 is one of sm_103a and sm_107a\n");
  CHECK(refused("desc --arch sm_103a --kind mxf4 --dtype e2m1 --tile 128x384 --swizzle 64B --mma 128x96") ==
        "swz: error: K 96 is not covered in mode 64B: a step of 48 B runs past the end of a line, which absolute LBO "
        "mode allows in mode 128B only\nhint: take mode 128B\n");
  CHECK(refused("desc --arch sm_103a --kind mxf4 --dtype e2m1 --tile 128x512 --mma 128x96") ==
        "swz: error: K 512 of the tile is not a multiple of K 96 of the MMA\nhint: take a tile with K 768\n");
}

TEST_CASE("desc: MN-major is refused packed, and an open question beside gaps") {
  CHECK(refused("desc --kind mxf4 --dtype e2m1 --major mn --tile 256x64") ==
        "swz: error: packed e2m1 is read K-major only\n"
        "hint: nearest legal choice: K-major e2m1 with mode 128B on sm_100a\n");
  const json padded = answered("desc --kind mxf8f6f4 --dtype e2m1 --major mn --tile 128x64");
  CHECK(padded["descriptors"] == answered("desc --arch sm_100a --dtype e4m3 --major mn --tile 128x64")["descriptors"]);
  REQUIRE(padded["open"].size() == 1);
  CHECK(padded["open"][0]["answers"].size() == 2);
  CHECK(rules_of(padded["notes"]) == Rules{"open-question"});
  CHECK(answered("desc --kind mxf8f6f4 --dtype e2m1 --tile 128x128")["open"].empty());
}

TEST_CASE("a pair: each CTA holds half of the rows, at the same offsets") {
  const json a = answered("desc --kind mxf4nvf4 --dtype e2m1 --tile 256x256 --cta-group 2 --cta 1");
  check_has(a, R"({"pair":{"cta":1,"rows":[128,255],"of":256},"tile":[128,256],"mma":[128,64],"default_of":"a"})");
  const json one = answered("desc --kind mxf4nvf4 --dtype e2m1 --tile 128x256");
  CHECK(a["descriptors"] == one["descriptors"]);
  // M 256, N 192, K 64 of bf16 (narrow.md, 5).
  const json b = answered("desc --dtype bf16 --tile 192x64 --cta-group 2 --cta 1 --operand b --mma m256n192k16");
  check_has(b, R"({"pair":{"cta":1,"rows":[96,191],"of":192},"tile":[96,64],"mma":[96,16],"arch":"sm_100a"})");
  CHECK(b["notes"].empty());
  // M 128 of a pair is half of what a single CTA runs.
  CHECK(answered("desc --dtype bf16 --tile 128x64 --cta-group 2 --mma m128n128k16")["mma"] == json{64, 16});
  CHECK(refused("desc --kind mxf8f6f4 --dtype e2m1 --tile 128x128 --mma m64n128k32") ==
        "swz: error: tcgen05.mma kind::mxf8f6f4 has no dense shape m64n128k32 for e2m1\nhint: nearest: "
        "m128n128k32\n");
  CHECK(refused("desc --dtype bf16 --tile 255x64 --cta-group 2") ==
        "swz: error: 255 rows are not halves for two CTAs\nhint: take an even number\n");
  CHECK(refused("desc --arch sm_90a --dtype bf16 --tile 128x64 --cta-group 2")
            .starts_with("swz: error: sm_90a has no cta_group::2\n"));
  for (const char* line :
       {"place --dtype bf16 --tile 256x64", "banks --dtype bf16 --tile 256x64", "choose --dtype bf16 --tile 256x64"})
    check_has(answered(std::string(line) + " --cta-group 2"), R"({"pair":{"cta":0,"rows":[0,127],"of":256}})");
}

TEST_CASE("kinds: of the type, of the target, and without either") {
  CHECK(refused("place --kind f16 --dtype e2m1 --tile 8x128") ==
        "swz: error: kind f16 does not take e2m1\nhint: it takes f16 and bf16\n");
  CHECK(refused("place --kind mxf4 --dtype e3m2 --tile 8x128") ==
        "swz: error: kind mxf4 does not take e3m2\nhint: it takes e2m1\n");
  CHECK(refused("choose --arch sm_90a --kind mxf4 --dtype e2m1 --tile 8x256") ==
        "swz: error: sm_90a has no tcgen05.mma of kind mxf4\n"
        "hint: sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, sm_107f, sm_110a and sm_110f have it\n");
  CHECK(refused("place --kind mxf8f6f4 --slots --dtype e2m1 --tile 8x128").find("--slots") != std::string::npos);
  CHECK(refused("place --dtype bf16 --tile 8x64 --cta 1").find("--cta-group") != std::string::npos);
}

TEST_CASE("banks: chunks of 16 bytes are read as those of 8-bit elements are; less does not find elements") {
  const json narrow = answered("banks --kind mxf8f6f4 --dtype e3m2 --tile 128x128");
  const json fp8 = answered("banks --arch sm_100a --dtype e4m3 --tile 128x128");
  for (const char* key : {"wavefronts", "ideal", "excess"}) CHECK(narrow[key] == fp8[key]);
  const CliResult less =
      run_cli({"banks", "--kind", "mxf8f6f4", "--dtype", "e3m2", "--tile", "128x128", "--access", "ld.shared.b32"});
  CHECK(less.exit_code == 2);
  CHECK(less.err.find("ld.shared.b32 moves 4 B a lane; 16 elements of 6 bits lie in 12 of every 16 B") !=
        std::string::npos);
}

TEST_CASE("choose: fp4 beside gaps takes 128B, whose request is 64 B of global memory") {
  const json choice = answered("choose --kind mxf8f6f4 --dtype e2m1 --tile 128x128");
  check_has(choice, R"({"swizzle":"128B","request_bytes":64,"arch":"sm_100a"})");
  CHECK(choice["box_mn_first"]["k"] == 128);
  CHECK(choice["open"].size() == 2);  // the bytes of the mbarrier, and the swizzles of the types
  CHECK(said("choose --kind mxf8f6f4 --dtype e2m1 --tile 128x128")
            .find("swz desc --arch sm_100a --dtype e2m1 --tile "
                  "128x128 --major k --kind mxf8f6f4 --swizzle "
                  "128B") != std::string::npos);
}

TEST_CASE("tma plan: half boxes of a pair, and what the mbarrier counts of a stage") {
  const json fp4 = answered("tma plan --kind mxf8f6f4 --dtype e2m1 --tile 256x128 --cta-group 2 --cta 1");
  check_has(fp4, R"({"dtype":"b4x16_p64","dims":[128,256],"strides":[64],"box":[128,128],"copy_bytes":8192,
                     "copies":[{"coordinate":[0,128],"smem_offset":0}],
                     "stage":{"smem_bytes":16384,"expect_bytes":8192},"pair":{"cta":1,"rows":[128,255],"of":256}})");
  CHECK(fp4["open"].size() == 2);
  check_has(answered("tma plan --kind f8f6f4 --dtype e3m2 --tile 128x128"),
            R"({"dtype":"b6x16_p32","copy_bytes":12288,"stage":{"smem_bytes":16384,"expect_bytes":12288}})");
  check_has(answered("tma plan --kind mxf4nvf4 --dtype e2m1 --tile 128x256"),
            R"({"dtype":"b4x16","copy_bytes":16384})");
  // M 256, N 192, K 64 of bf16: 128 * 64 * 2 and 96 * 64 * 2 bytes for each CTA.
  check_has(answered("tma plan --dtype bf16 --tile 256x64 --cta-group 2"),
            R"({"stage":{"smem_bytes":16384,"expect_bytes":16384}})");
  check_has(answered("tma plan --dtype bf16 --tile 192x64 --cta-group 2 --cta 1"),
            R"({"stage":{"smem_bytes":12288,"expect_bytes":12288},"copies":[{"coordinate":[0,96],"smem_offset":0}]})");
  CHECK_FALSE(answered("tma plan --dtype bf16 --tile 128x64").contains("stage"));
}

TEST_CASE("tma place: gaps in the picture, bits of an element, and coordinates in multiples of 128") {
  const std::string box = "tma place --arch sm_100a --dtype b4x16_p64 --box 128,8 --swizzle 128B";
  check_has(answered(box), R"({"allocate":1024,"expect_bytes":512,"row_bytes":128})");
  CHECK(answered(box)["open"].size() == 2);
  CHECK(answered(box)["addresses"][128 + 37] == 178);
  check_has(answered(box + " --at 37,1")["points"][0], R"({"byte":178,"bits":"7:4","slot":181})");
  CHECK(said(box).find("The first 8 B of a chunk hold its elements, the last 8 are not written.") != std::string::npos);
  check_has(answered("tma place --arch sm_100a --dtype b6x16_p32 --box 128,8 --swizzle 128B --at 37,0")["points"][0],
            R"({"byte":35,"bits":"11:6"})");
  CHECK(refused(box + " --dims 256,8 --start 64,0") ==
        "swz: error: a copy of 16U4_ALIGN16B cannot start at element 64 of dimension 0\n"
        "hint: its first coordinate is a multiple of 128: PTX ISA 9.1, 9.7.9.27.1.1\n");
}

TEST_CASE("tma check: every rule of the types with gaps") {
  const auto rules = [](const std::string& rest) {
    return rules_of(answered("tma check --arch sm_100a --dtype b4x16_p64 " + rest, 1)["violations"]);
  };
  CHECK(rules("--dims 4096,4096 --strides 2048 --box 64,8") == Rules{"box-128-padded"});
  CHECK(rules("--dims 4000,4096 --strides 2048 --box 128,8") == Rules{"dim-128-padded"});
  CHECK(rules("--dims 4096,4096 --strides 2064 --box 128,8") == Rules{"stride-32-padded"});
  CHECK(rules("--dims 4096,4096 --strides 2048 --box 128,8 --swizzle 64B").back() == "swizzle-padded");
  CHECK(rules("--dims 4096,4096 --strides 2048 --box 128,8 --address 0x10") == Rules{"address-32-padded"});
  const json fine = answered(
      "tma check --arch sm_100a --dtype b4x16_p64 --dims 4096,4096 --strides 2048 --box 128,8 "
      "--swizzle 128B");
  CHECK(fine["accepted"] == true);
  CHECK(fine["open"].size() == 1);
}

// swz tma place and the figure and MMA line of swz tma plan, as commands.
#include <doctest/doctest.h>

#include <string>

#include "answers.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const Words place{"tma", "place", "--dtype", "bf16"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("place: the numbers of the contract") {
  const nlohmann::json json = json_of(with(place, {"--box", "16,4", "--swizzle", "64B", "--base", "0x400"}));
  CHECK(json["pitch"] == 64);
  CHECK(json["row_bytes"] == 32);
  CHECK(json["rows"] == 4);
  CHECK(json["allocate"] == 256);
  CHECK(json["expect_bytes"] == 128);
  CHECK(json["alignment"] == 128);
  CHECK(json["pattern"] == 512);
  CHECK(json["addresses"].size() == 64);
  // Element (8, 2): 0x400 + 2 * 64 + 16 = 0x490 in line 9; 9 & 3 = 1 moves it to 0x480.
  CHECK(json["addresses"][2 * 16 + 8] == 0x480);
  CHECK(json["addresses"][0] == 0x400);
  CHECK(json["filled"] == 0);
  CHECK(json["mma"]["read"] == false);  // 4 rows
  CHECK(json["notes"][0]["rule"] == "gap");
}

TEST_CASE("place: text at 80 columns, and the exit code under --strict") {
  const CliResult r = run_cli(with(place, {"--box", "32,4"}), {.variables = {{"COLUMNS", "80"}}});
  CHECK(r.exit_code == 0);
  CHECK(r.out == R"(bf16 box (32, 4), swizzle none
rows      4 of 64 B, 64 B apart
allocate  256 B
mbarrier  expects 256 B
align     128 B

box in the tensor
dim 1\0 │   0-7  8-15 16-23 24-31
────────┼─────────────────────────
      0 │     0     1     2     3
      1 │     4     5     6     7
      2 │     8     9    10    11
      3 │    12    13    14    15

shared memory
byte\bank │   0-3   4-7  8-11 12-15 16-19 20-23 24-27 28-31
──────────┼─────────────────────────────────────────────────
      0x0 │     0     1     2     3     4     5     6     7
     0x80 │     8     9    10    11    12    13    14    15

A cell is 16 bytes (8 elements) and shows the number of its chunk in the tensor.
Colour: 16-byte column of the box.

MMA  no descriptor reads it

lint[no-descriptor]: MN 4 is not a multiple of 8, the smallest block of rows
  an MMA reads
)");
  CHECK(run_cli(with(place, {"--box", "32,4", "--strict"})).exit_code == 1);
  CHECK(run_cli(with(place, {"--box", "64,8", "--swizzle", "128B", "--strict"})).exit_code == 0);
}

TEST_CASE("place: at the corner of a tensor") {
  const nlohmann::json json = json_of(with(place, {"--box", "64,8", "--dims", "100,100", "--start", "64,96"}));
  // 4 rows lie inside with 36 elements each, of 8 x 64.
  CHECK(json["filled"] == 512 - 4 * 36);
  CHECK(json["start"] == nlohmann::json{64, 96});
  // A row of 100 elements is 13 chunks: 96 * 13 + 64 / 8 = 1256. Line 1 of shared memory swaps neighbours.
  const std::string text =
      run_cli(with(place, {"--box", "64,8", "--swizzle", "128B", "--dims", "100,100", "--start", "64,96"})).out;
  CHECK(text.find("     96 │    1256    1257") != std::string::npos);
  CHECK(text.find("     97 │    1269    1270") != std::string::npos);
  CHECK(text.find("     0x80 │  1270  1269  1272  1271   oob  1273") != std::string::npos);
  // Rank 3 with an element stride: rows 0, 2 of dimension 1, then those of dimension 2; a row is two chunks.
  const std::string strided =
      run_cli({"tma", "place", "--dtype", "f32", "--box", "8,4,2", "--element-strides", "1,2,1"}).out;
  CHECK(strided.find("      0,0 │   0   1") != std::string::npos);
  CHECK(strided.find("      2,0 │   4   5") != std::string::npos);
  CHECK(strided.find("      2,1 │  12  13") != std::string::npos);
  CHECK(json_of(with(place, {"--box", "64,8", "--start", "-64,-8"}))["filled"] == 512);
}

// Measured on an H100: rows end at a multiple of 16 B for a store, and none begins before the tensor.
TEST_CASE("place: what a store does at the ends of a tensor") {
  const auto rules = [](const Words& more) {
    std::string text;
    const nlohmann::json json = json_of(with(place, more));
    for (const nlohmann::json& note : json["notes"])
      text += (text.empty() ? "" : " ") + note["rule"].get<std::string>();
    return text;
  };
  CHECK(rules({"--box", "64,8", "--dims", "100,100", "--start", "64,96"}) == "filled store-end-of-row");
  CHECK(rules({"--box", "64,8", "--dims", "100,100", "--start", "0,96"}) == "filled");
  CHECK(rules({"--box", "64,8", "--dims", "104,100", "--start", "64,96"}) == "filled");
  CHECK(rules({"--box", "64,8", "--dims", "104,100", "--start", "-8,0"}) == "filled store-start");
  CHECK(json_of(with(place, {"--box", "64,8", "--dims", "100,100", "--start", "64,96"}))["notes"][0]["message"] ==
        "368 elements lie outside the tensor: a load fills them with 0 and counts them on the mbarrier, a store "
        "leaves "
        "them out");
}

TEST_CASE("place: the words that read a box have no lint") {
  const nlohmann::json mma = json_of(with(place, {"--box", "32,8", "--swizzle", "128B"}))["mma"];
  CHECK(mma["sbo"] == 1024);
  CHECK(mma["mma"] == nlohmann::json{8, 16});
  CHECK(mma["default_of"] == "b");
}

TEST_CASE("place: what cannot be placed") {
  CHECK(error_of(place) ==
        "swz: error: no box given\n"
        "hint: the elements of a box along each dimension, innermost first: --box 64,128\n");
  CHECK(error_of(with(place, {"--box", "0,8"})).find("swz: error: boxDim[0] = 0 is not 1 to 256") == 0);
  CHECK(error_of(with(place, {"--box", "8,-1"})).find("swz: error: boxDim[1] = 18446744073709551615") == 0);
  CHECK(error_of(with(place, {"--box", ","})).find("swz: error: no box given") == 0);
  CHECK(error_of(with(place, {"--box", "64,8", "--base", "0x40"})) ==
        "swz: error: the SMEM address 0x40 of a tensor copy is not a multiple of 128\n"
        "hint: align the buffer to 128 B\n");
  CHECK(
      error_of(with(place, {"--box", "64,8", "--swizzle", "64B"})).find("swz: error: boxDim[0] = 64 is 64 x 2 B") ==
      0);
  CHECK(error_of(with(place, {"--box", "64,8", "--start", "4,0"})) ==
        "swz: error: a copy that starts at element 4 of dimension 0, which is not a multiple of 16 B, faults\n"
        "hint: CUDA_ERROR_ILLEGAL_INSTRUCTION on H200; start at a multiple of 8 elements\n");
  CHECK(error_of(with(place, {"--box", "64,8", "--start", "0"}))
            .find("swz: error: --start has 1 number; the box has 2") == 0);
  CHECK(error_of(with(place, {"--box", "64,8", "--start", "0,4294967296"})).find("does not fit in 32 bits") !=
        std::string::npos);
  CHECK(error_of(with(place, {"--box", "64,8", "--strides", "128"})).find("--strides needs --dims") !=
        std::string::npos);
  CHECK(error_of(with(place, {"--box", "64,8", "--dims", "99999999999999999,2"})).find("globalDim[0]") !=
        std::string::npos);
  CHECK(error_of(with(place, {"--box", "8,8,8", "--interleave", "16B"})).find("interleaved") != std::string::npos);
  CHECK(error_of({"tma", "place", "--arch", "sm_80", "--box", "64,8"}).find("sm_80 has no TMA") !=
        std::string::npos);
}

TEST_CASE("plan: a layout, and what an MMA makes of it") {
  const Words plan{"tma", "plan", "--dtype", "bf16", "--layout"};
  const nlohmann::json box = json_of(with(plan, {"(8,32):(32,1)"}));
  CHECK(box["box"] == nlohmann::json{32, 8});
  CHECK(box["copies"].size() == 1);
  CHECK(box["mma"]["read"] == false);
  CHECK(box["mma"]["reason"] == "rows are 64 B apart; mode none needs 16 B");
  CHECK(box["mma"]["instead"][0] ==
        nlohmann::json{
            {"swizzle", "none"}, {"order", "mn-first"}, {"box", {8, 8}}, {"copies", 4}, {"request_bytes", 16}});
  const nlohmann::json swizzled = json_of(with(plan, {"Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)"}));
  CHECK(swizzled["swizzle"] == "128B");
  CHECK(swizzled["mma"]["read"] == true);
  CHECK(swizzled["mma"]["sbo"] == 1024);
  // Three dimensions are needed: what is left over in two would be copied to addresses that are not multiples of
  // 128.
  const nlohmann::json folded = json_of(with(plan, {"(4,(8,4)):(32,(1,8))"}));
  CHECK(folded["rank"] == 2);
  const nlohmann::json three = json_of(with(plan, {"((2,4),(8,2)):((8,32),(1,16))"}));
  CHECK(three["rank"] == 4);
  CHECK(three["copies"].size() == 1);
  CHECK(json_of(with(plan, {"((2,4),(8,2)):((8,32),(1,16))", "--rank", "2"}), 1)["refusal"]["rule"] == "smem-128");
  CHECK(error_of(with(plan, {"(8,32):(32,1)", "--tile", "8x32"})).find("--layout and --tile cannot be combined") !=
        std::string::npos);
  CHECK(run_cli(with(plan, {"(8,32):(32,1)", "--strict"})).exit_code == 1);
  CHECK(run_cli({"tma", "plan", "--dtype", "bf16", "--tile", "64x64", "--strict"}).exit_code == 0);
}

TEST_CASE("plan: the figure has the numbers of reference 000, figure 9.1 and 9.2") {
  const std::string none = run_cli({"tma", "plan", "--dtype", "bf16", "--tile", "8x32", "--swizzle", "none"}).out;
  CHECK(none.find("      0x0 │     0     4     8    12    16    20    24    28\n") != std::string::npos);
  CHECK(none.find("    0x180 │     3     7    11    15    19    23    27    31\n") != std::string::npos);
  const std::string b32 = run_cli({"tma", "plan", "--dtype", "bf16", "--tile", "8x32", "--swizzle", "32B"}).out;
  CHECK(b32.find("      0x0 │     0     1     4     5     8     9    12    13\n") != std::string::npos);
  CHECK(b32.find("     0x80 │    17    16    21    20    25    24    29    28\n") != std::string::npos);
}

}  // namespace swz

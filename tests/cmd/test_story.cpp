// SPDX-License-Identifier: Apache-2.0
// swz story as a command: its ten lines, its refusals, and that text, JSON and picture say the same.
#include <doctest/doctest.h>

#include <string>

#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

Words story(Words words) {
  words.insert(words.begin(), "story");
  return words;
}

Parsed json_of(Words words) {
  words.insert(words.end(), {"-f", "json"});
  return Parsed::parse(run_cli(story(std::move(words))).out);
}

struct Refusal {
  Words words;
  const char* text;
};

TEST_CASE("the way of a tile in ten lines") {
  const CliResult r = run_cli(story({"--arch", "sm_100a", "--dtype", "bf16", "--tile", "128x128", "--tensor",
                                     "8192x4096", "--mma", "m128n256k16", "--at", "37,84"}));
  CHECK(r.exit_code == 0);
  CHECK(r.out ==
        R"(bf16 A 128x128 of 8192x4096, K-major, mode 128B, mn-first, tcgen05.mma m128n256k16 on sm_100a
verdict    2 TMA copies, 8 MMAs: every element is read where it is written
global     8192x4096, K contiguous, lines 8192 B apart; the tile is rows 0-127, k 0-127
copies     2 TMA copies of a box 128x64, requests of 128 B; the barrier expects 32768 B
           why several: a box is at most as wide as a line of mode 128B: 128 B = 64 k
shared     0x0 to 0x7fff, atoms of 8x64 = 1024 B; 8 rows further +1024 B; 64 k further +16384 B
banks      one read of 8 rows x 16 B: 8 groups of 4 banks, no conflict (without the swizzle 8 in one group)
words      0x4000404000010000, the k steps after it start at +32 +64 +96 +16384 +16416 +16448 +16480 B
MMAs       tcgen05.mma m128n256k16: 1 block of 128 rows x 8 steps of k 16; instruction descriptor 0x08400490
A[37][84]  byte 0x4a0a8 of the operand → box 1, row 37, k 20 of it → byte 0x52f8, bank 30 → k step 5, word 0x4000404000010402 → row 37 of D: lane 37 of tensor memory, warp 1
)");
}

TEST_CASE("each generation has its own copies, reader and result") {
  const auto text = [](const char* arch) {
    return run_cli(story({"--arch", arch, "--dtype", "f16", "--tile", "64x64", "--at", "5,20"})).out;
  };
  CHECK(text("sm_75").find("512 st.shared.v4 of 16 B") != std::string::npos);
  CHECK(text("sm_75").find("mma.m16n8k8") != std::string::npos);
  CHECK(text("sm_80").find("512 cp.async of 16 B") != std::string::npos);
  // Wavefronts are those of ldmatrix; an MMA that reads by descriptors has none.
  CHECK(text("sm_80").find("8 groups of 4 banks, 1 wavefront (8 without") != std::string::npos);
  CHECK(text("sm_90a").find("wavefront") == std::string::npos);
  CHECK(text("sm_80").find("mma.m16n8k16 on sm_80") != std::string::npos);
  CHECK(text("sm_90a").find("wgmma.m64n128k16 on sm_90a") != std::string::npos);
  CHECK(text("sm_100a").find("lane 5 of tensor memory") != std::string::npos);
  CHECK(text("sm_120a").find("1 TMA copy, 16 MMAs") != std::string::npos);
}

TEST_CASE("a break is the verdict, the exit code, a lint and an entry of JSON, and its first element is followed") {
  const Words words{"--dtype", "bf16", "--tile", "64x64", "--read-as", "--swizzle 64B"};
  const CliResult r = run_cli(story(words));
  CHECK(r.exit_code == 1);
  const std::string message =
      "the copies write mode 128B, the MMAs read mode 64B: 4064 of 4096 elements are read from another place";
  CHECK(r.out.find(message) != std::string::npos);
  CHECK(r.out.find("lint[other-mode]: " + message) != std::string::npos);
  const Parsed json = json_of(words);
  REQUIRE(json["breaks"].size() == 1);
  CHECK(json["breaks"][0]["message"] == message);
  CHECK(json["breaks"][0]["link"] == "shared-to-mma");
  CHECK(json["breaks"][0]["wrong"] == 4064);
  CHECK(json["way"]["global"]["element"] == json["breaks"][0]["first"]);
  // The first element that is wrong is of k step 2: its word is that of the tile without --read-as.
  CHECK(json["breaks"][0]["word"] == json_of({"--dtype", "bf16", "--tile", "64x64"})["words"][2]["word"]);
  const CliResult svg =
      run_cli(story({"--dtype", "bf16", "--tile", "64x64", "--read-as", "--swizzle 64B", "-f", "svg"}));
  CHECK(svg.out.find("<title>" + message.substr(0, message.find(": ")) + "; 4064 of 4096 wrong</title>") !=
        std::string::npos);
}

TEST_CASE("four words that are the same are four words") {
  const CliResult r = run_cli(story(
      {"--tile", "64x64", "--words", "0x4000004000010000,0x4000004000010000,0x4000004000010000,0x4000004000010000"}));
  CHECK(r.exit_code == 1);
  CHECK(r.out.find("lint[advance") != std::string::npos);
}

TEST_CASE("the title of a break says what it means, with a capital") {
  const auto title = [](Words words) {
    words.insert(words.begin(), {"--dtype", "bf16", "--tile", "64x64"});
    words.insert(words.end(), {"-f", "svg"});
    const std::string svg = run_cli(story(std::move(words))).out;
    const std::size_t begin = svg.find("<title>") + 7;
    return svg.substr(begin, svg.find("</title>") - begin);
  };
  CHECK(title({"--words", "0x4000004000010000,0x4000004000010001,0x4000004000010002,0x4000004000010003"}) ==
        "16 elements of 16 bits a step were taken for bytes; 3072 of 4096 wrong");
  CHECK(title({"--box", "64x32"}) == "boxes of 64x32 one after another are not the tile; 2048 of 4096 wrong");
  CHECK(title({"--expect", "4096"}) == "the barrier expects 4096 B and the copies bring 8192 B");
}

TEST_CASE("an element by its byte") {
  const Parsed json = json_of({"--tile", "64x64", "--at-byte", "0x2f8"});
  CHECK(json["way"]["global"]["element"] == Parsed{5, 20});
}

TEST_CASE("beside a compiled kernel nothing is taken that would not be read") {
  const Words kernel{"--kernel", SWZ_SOURCE_DIR "/docs/tutorial/gemm_right.ptx", "--line", "272"};
  CHECK(run_cli(story(kernel)).exit_code == 0);
  const Words options[] = {
      {"--tile", "64x64"},   {"--mma", "m64n128k16"}, {"--words", "0x1"},  {"--read-as", "--tile 8x8"},
      {"--dtype", "bf16"},   {"--major", "k"},        {"--slots"},         {"--kind", "f16"},
      {"--swizzle", "64B"},  {"--order", "k-first"},  {"--base", "0"},     {"--idesc", "1"},
      {"--tensor", "64x64"}, {"--start", "0,0"},      {"--stride", "128"}, {"--box", "32x64"},
      {"--expect", "8192"}};
  for (const Words& option : options) {
    Words words = kernel;
    words.insert(words.end(), option.begin(), option.end());
    const CliResult r = run_cli(story(words));
    CAPTURE(option.front());
    CHECK(r.exit_code == 2);
    CHECK(r.err.find("cannot be combined") != std::string::npos);
  }
}

TEST_CASE("what no kernel can do is refused with the way out") {
  const Refusal refusals[] = {
      {{}, "swz: error: no tile given\nhint: its rows of M or N and its K in elements, for example --tile 128x64\n"},
      {{"--tile", "64x64", "--mma", "m64n8k32"},
       "swz: error: wgmma has no dense shape m64n8k32 for f16\nhint: nearest: m64n8k16\n"},
      {{"--tile", "64x64", "--mma", "64x16"},
       "swz: error: '64x16' is not a whole instruction\nhint: M, N and K: m128n256k16\n"},
      {{"--tile", "64x64", "--at", "64,0"},
       "swz: error: the tile of 64x64 has no element (64, 0)\nhint: rows are 0 to 63, k is 0 to 63\n"},
      {{"--tile", "64x64", "--at-byte", "1"},
       "swz: error: no element of the tile begins at byte 0x1\nhint: --at ROW,K names it by its place in the tile\n"},
      {{"--tile", "64x64", "--words", "0x4000004000010000 0x4000004000010002"},
       "swz: error: 2 words given; the tile has 4 k steps\n"
       "hint: give the first word, one for each k step, or one for each MMA\n"},
      {{"--tile", "64x64", "--tensor", "32x64"},
       "swz: error: a tile of 64x64 at (0, 0) is not inside of the operand of 32x64\n"
       "hint: --tensor takes the extents of the operand, --start a place in it; swz tma place shows the edge\n"},
      {{"--tile", "64x64", "--box", "48x64"},
       "swz: error: a box of 48x64 does not divide the tile of 64x64\n"
       "hint: --box takes rows, then K, in elements of the tile\n"},
      {{"--arch", "sm_80", "--tile", "64x64", "--mma", "m16n8k32"},
       "swz: error: sm_80 has no mma.sync m16n8k32 of f16\nhint: nearest: m16n8k16\n"},
      {{"--arch", "sm_80", "--dtype", "s8", "--tile", "64x64", "--major", "mn", "--swizzle", "64B"},
       "swz: error: ldmatrix.trans moves 16-bit elements; this tile is MN-major with 8 bits\nhint: take a K-major "
       "tile\n"},
      {{"--arch", "sm_103a", "--kind", "mxf4nvf4", "--dtype", "e2m1", "--tile", "128x768", "--mma", "m128n256k96"},
       "swz: error: a story does not follow K 96: its words hold absolute addresses\nhint: swz desc has the words\n"},
      {{"--arch", "sm_100a", "--tile", "128x64", "--idesc", "0x100000000"},
       "swz: error: 0x100000000 has more than 32 bits\nhint: an instruction descriptor has 32\n"},
  };
  for (const Refusal& refusal : refusals) {
    const CliResult r = run_cli(story(refusal.words));
    CHECK(r.exit_code == 2);
    CHECK(r.err == refusal.text);
  }
}

}  // namespace
}  // namespace swz

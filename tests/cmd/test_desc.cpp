// SPDX-License-Identifier: Apache-2.0
// swz desc as a command: published tables, the JSON contract, layouts, whole error messages, CUDA
// source.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text.hpp"
#include "cmd/parsed.hpp"
#include "run_cli.hpp"
#include "view/document/document.hpp"

namespace swz {
namespace {

CliResult desc(Words words) {
  words.insert(words.begin(), "desc");
  return run_cli(words);
}

Parsed answer(Words words, int exit_code = 0) {
  words.insert(words.end(), {"-f", "json"});
  const CliResult r = desc(words);
  INFO(r.err);
  CHECK(r.exit_code == exit_code);
  return Parsed::parse(r.out);
}

std::string refused(const Words& words) {
  const CliResult r = desc(words);
  CHECK(r.exit_code == 2);
  CHECK(r.out.empty());
  return r.err;
}

std::string keys(const Parsed& object) {
  std::string out;
  for (const auto& item : object.items()) out += (out.empty() ? "" : " ") + item.key();
  return out;
}

struct Printed {
  const char *major, *mode;
  std::uint64_t first;
  int m_step;                // in 16 bytes
  std::vector<int> k_steps;  // start addresses of m 0, in 16 bytes from the first
};

TEST_CASE("eight published tables, f16 128x64 at 0x400: all 64 words") {
  // First word, step of the m block, steps along k.
  const Printed tables[] = {
      {"k", "none", 0x0000000800800040, 64, {0, 256, 512, 768}},
      {"k", "32B", 0xc000001000010040, 128, {0, 256, 512, 768}},
      {"k", "64B", 0x8000002000010040, 256, {0, 2, 512, 514}},
      {"k", "128B", 0x4000004000010040, 512, {0, 2, 4, 6}},
      {"mn", "none", 0x0000000800800040, 64, {0, 256, 512, 768}},
      {"mn", "32B", 0xc000008000100040, 64, {0, 256, 512, 768}},
      {"mn", "64B", 0x8000008000200040, 64, {0, 256, 512, 768}},
      // CuTe's word has LBO 0 here, for an MMA of 64 rows does not step over it.
      {"mn", "128B", 0x4000008000400040, 64, {0, 256, 512, 768}},
  };
  int words = 0;
  for (const Printed& table : tables) {
    const Parsed json = answer({"--arch", "sm_90a", "--dtype", "f16", "--tile", "128x64", "--major", table.major,
                                "--swizzle", table.mode, "--mma", "64x16", "--base", "0x400"});
    INFO(table.major << " " << table.mode);
    REQUIRE(json["descriptors"].size() == 8);
    for (int i = 0; i < 8; ++i) {
      const Parsed& row = json["descriptors"][static_cast<std::size_t>(i)];
      const int steps = i % 2 * table.m_step + table.k_steps[static_cast<std::size_t>(i / 2)];
      CHECK(row["m"] == i % 2);
      CHECK(row["k"] == i / 2);
      CHECK(row["byte_offset"] == 16 * steps);
      CHECK(row["word"] == hex64(table.first + static_cast<std::uint64_t>(steps)));
      ++words;
    }
  }
  CHECK(words == 64);
}

TEST_CASE("tcgen05: bf16 128x128, the contract of JSON") {
  const Parsed json = answer({"--arch", "sm_100a", "--dtype", "bf16", "--tile", "128x128", "--major", "k", "--swizzle",
                              "128B", "--order", "mn-first", "--mma", "64x16", "--base", "0x400"});
  CHECK(keys(json) ==
        "verdict lbo sbo descriptors swizzle leading stride arch kind dtype major tile order base layout atom mma "
        "default_of "
        "m_blocks k_steps legal_swizzles notes");
  CHECK(json["default_of"].is_null());
  CHECK(json["lbo"] == 16);
  CHECK(json["sbo"] == 1024);
  CHECK(json["swizzle"] == "128B");
  CHECK(json["kind"] == "tcgen05-smem");
  CHECK(json["tile"] == Parsed{128, 128});
  CHECK(json["layout"] == "Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,2)):((64,512),(1,8192))");
  std::vector<int> offsets;
  for (const Parsed& row : json["descriptors"])
    if (row["m"] == 0) offsets.push_back(row["byte_offset"].get<int>());
  CHECK(offsets == std::vector<int>{0, 32, 64, 96, 16384, 16416, 16448, 16480});
  CHECK(json["descriptors"].front()["word"] == "0x4000404000010040");
  CHECK(json["descriptors"].back() == Parsed{{"m", 1},
                                             {"k", 7},
                                             {"byte_offset", 24672},
                                             {"advance", 32},
                                             {"next_atom", false},
                                             {"word", "0x4000404000010646"}});
  CHECK(json["descriptors"][8]["next_atom"] == true);
  CHECK(json["descriptors"][8]["advance"] == 16288);
  CHECK(json["notes"] == Parsed::array());
}

TEST_CASE("a whole instruction: its A, its B, and the half of it that a CTA of a pair holds") {
  const Words tile{"--arch", "sm_100a", "--dtype", "bf16", "--tile", "256x64"};
  const auto mma = [&](const char* shape, const char* operand) {
    Words words = tile;
    words.insert(words.end(), {"--mma", shape, "--operand", operand});
    return answer(words);
  };
  CHECK(mma("m128n64k16", "a")["mma"] == Parsed{128, 16});
  CHECK(mma("m128n64k16", "b")["mma"] == Parsed{64, 16});
  const Parsed pair = mma("m256n128k16", "b");
  CHECK(pair["mma"] == Parsed{64, 16});
  CHECK(pair["notes"][0]["rule"] == "cta-pair");
  CHECK(answer({"--tile", "256x64", "--mma", "64x256x16", "--operand", "b"})["mma"] == Parsed{256, 16});
}

TEST_CASE("without --mma: what a kernel would use, and strides that hold for it") {
  // Four blocks of 64 rows: m64n256k16 steps over LBO three times.
  const Parsed b =
      answer({"--arch", "sm_90a", "--dtype", "bf16", "--tile", "256x64", "--major", "mn", "--operand", "b"});
  CHECK(b["mma"] == Parsed{256, 16});
  CHECK(b["default_of"] == "b");
  CHECK(b["lbo"] == 1024);
  CHECK(b["sbo"] == 4096);
  const Parsed a = answer({"--arch", "sm_90a", "--dtype", "bf16", "--tile", "256x64", "--major", "mn"});
  CHECK(a["mma"] == Parsed{64, 16});
  CHECK(a["default_of"] == "a");
  CHECK(a["lbo"] == 1024);
  CHECK(answer({"--arch", "sm_100a", "--tile", "256x64"})["mma"] == Parsed{128, 16});
  // Packed atoms: no SBO of 0, which would be a lint.
  const Parsed small = answer({"--tile", "8x64"});
  CHECK(small["sbo"] == 1024);
  CHECK(small["default_of"] == "b");
  CHECK(desc({"--tile", "8x64"}).out.find("MMA     8x16, the default for B (N 8): m 0 to 0") != std::string::npos);
  // Whole lines of 128 B: no word begins inside one.
  const Parsed lines = answer({"--arch", "sm_100a", "--dtype", "e4m3", "--tile", "128x64", "--major", "mn"});
  for (const Parsed& row : lines["descriptors"]) CHECK(row["byte_offset"].get<int>() % 1024 == 0);
}

TEST_CASE("text: the derivation in words and numbers, and the jump between atoms") {
  const CliResult r = desc({"--tile", "64x128", "--base", "0x400"});
  CHECK(r.exit_code == 0);
  CHECK(r.err.empty());
  CHECK(r.out ==
        R"(f16 64x128, K-major, mode 128B, mn-first, at 0x400: wgmma descriptors on sm_90a
word  0x4000004000010040; k step +32 B, to the next atom +8096 B
LBO   16 B: not used by a swizzled K-major operand; 16 B (field 1) as CuTe writes it
SBO   1024 B: from one group of 8 rows to the next: an atom is 8 x 128 B = 1024 B, and the next one along MN follows it (mn-first)

m  k  byte offset          advance  word
0  0            0                   0x4000004000010040
0  1           32              +32  0x4000004000010042
0  2           64              +32  0x4000004000010044
0  3           96              +32  0x4000004000010046
0  4         8192  next atom +8096  0x4000004000010240
0  5         8224              +32  0x4000004000010242
0  6         8256              +32  0x4000004000010244
0  7         8288              +32  0x4000004000010246

layout  Sw<3,4,3> o smem_ptr[16b](unset) o ((8,8),(64,2)):((64,512),(1,4096))
atom    8x64: 8 lines of 128 B
MMA     64x16, the default for A (M 64): m 0 to 0 along MN, k 0 to 7 along K
legal   wgmma on sm_90a reads K-major f16 in modes none, 32B, 64B and 128B
)");
}

TEST_CASE("a base between patterns is noted") {
  const Parsed json = answer({"--tile", "64x64", "--base", "0x410"});
  REQUIRE(json["notes"].size() == 1);
  CHECK(json["notes"][0]["rule"] == "off-pattern");
  // What swz decode says of such words, desc says beforehand: a word does not show how its tile was filled.
  const Parsed past_line = answer({"--tile", "64x128", "--swizzle", "64B", "--base", "1920"});
  const std::string hint = past_line["notes"][0]["hint"].get<std::string>();
  CHECK(hint.ends_with(". swz decode has start-off-pattern for them: a word does not show how its tile was filled"));
  const Parsed word =
      Parsed::parse(run_cli({"decode", past_line["descriptors"][0]["word"].get<std::string>(), "-f", "json"}).out);
  CHECK(word["lints"][0]["rule"] == "start-off-pattern");
  CHECK(word["lints"][0]["hint"].get<std::string>().starts_with(
      "right only if the writer swizzles by absolute address, as TMA does;"));
  CHECK(json["notes"][0]["message"] ==
        "the base 0x410 lies 16 B past a multiple of 1024 B, after which the pattern of mode 128B repeats");
}

TEST_CASE("--from: a layout that has words, as the tile has them") {
  const Parsed tile = answer({"--tile", "128x64", "--base", "0x400"});
  const Parsed layout = answer({"--from", tile["layout"].get<std::string>(), "--base", "0x400"});
  CHECK(keys(layout) == keys(tile));
  for (const char* key : {"lbo", "sbo", "swizzle", "descriptors", "layout", "mma", "atom", "tile"})
    CHECK(layout[key] == tile[key]);
  CHECK(layout["order"].is_null());
}

TEST_CASE("--from: none, with the reason and exit code 1") {
  const Parsed json = answer({"--dtype", "f16", "--major", "mn", "--from", "(16,64):(1,16)"}, 1);
  CHECK(keys(json) == "verdict layout arch dtype major reason hint nearest modes");
  CHECK(json["reason"] == "steps of k are 32 B apart; mode none needs 16 B");
  CHECK(json["hint"].is_null());
  REQUIRE(json["modes"].size() == 4);
  CHECK(json["modes"][1] == Parsed{{"swizzle", "32B"},
                                   {"layout", "Sw<1,4,3> o smem_ptr[16b](unset) o (16,64):(1,16)"},
                                   {"lbo", 0},
                                   {"sbo", 256},
                                   {"word", "0xc000001000000000"},
                                   {"reason", nullptr}});
  CHECK(json["modes"][0]["word"].is_null());
  CHECK(keys(json["nearest"]) == "layout swizzle order lbo sbo word agreeing elements");

  const Parsed none = answer({"--major", "mn", "--from", "(24,64):(1,24)"}, 1);
  CHECK(none["nearest"]["lbo"] == 384);
  CHECK(none["nearest"]["sbo"] == 128);
  for (const Parsed& mode : none["modes"]) CHECK(mode["word"].is_null());
  CHECK(answer({"--from", "(64,128):(128,1)"}, 1)["reason"] == "rows are 256 B apart; mode none needs 16 B");
  const Parsed illegal =
      answer({"--dtype", "e4m3", "--major", "mn", "--from", "(64,64):(1,64)", "--mma", "m64n64k32"}, 1);
  CHECK(illegal["nearest"].is_null());
  CHECK(illegal["hint"] == "nearest legal choice: K-major e4m3 with mode none on sm_90a");
}

TEST_CASE("--from in text") {
  const CliResult r = desc({"--major", "mn", "--from", "(16,64):(1,16)"});
  CHECK(r.exit_code == 1);
  CHECK(r.err.empty());
  CHECK(r.out ==
        R"(f16 (16,64):(1,16), MN-major on sm_90a
as given   no descriptor: steps of k are 32 B apart; mode none needs 16 B
under 32B  Sw<1,4,3> o smem_ptr[16b](unset) o (16,64):(1,16) has LBO 0 B, SBO 256 B, 0xc000001000000000
nearest    Sw<1,4,3> o smem_ptr[16b](unset) o ((16,1),(8,8)):((1,0),(16,128))
           mode 32B, mn-first: LBO 0 B, SBO 256 B, 0xc000001000000000; 1024 of 1024 elements lie where the layout puts them before its swizzle

the layout before its swizzle, under each mode
mode  LBO  SBO  first word          why not
none    -    -  -                   steps of k are 32 B apart; mode none needs 16 B
32B     0  256  0xc000001000000000
64B     -    -  -                   steps of k are 32 B apart; mode 64B needs 64 B
128B    -    -  -                   steps of k are 32 B apart; mode 128B needs 128 B
)");
}

TEST_CASE("--emit cuda: only the source in text, beside the words in JSON") {
  const Words words{"--tile", "128x64", "--major", "mn", "--emit", "cuda"};
  const CliResult text = desc(words);
  CHECK(text.exit_code == 0);
  CHECK(
      text.out.starts_with("// wgmma-smem on sm_90a: f16 128x64, MN-major, mode 128B, mn-first\n"
                           "// swz desc --arch sm_90a --dtype f16 --major mn --tile 128x64 --swizzle 128B --order "
                           "mn-first --mma 64x16 --emit cuda\n"));
  CHECK(text.out.ends_with(" << start_address_bit;\n}\n"));
  const Parsed json = answer(words);
  CHECK(json["source"] == text.out);
  CHECK(json["descriptors"].size() == 8);
  // Lines of source are never broken.
  Environment narrow;
  narrow.variables["COLUMNS"] = "40";
  Words all = words;
  all.insert(all.begin(), "desc");
  CHECK(run_cli(all, narrow).out == text.out);
  // The command line in the source makes the same source.
  CHECK(desc({"--arch", "sm_90a", "--dtype", "f16", "--major", "mn", "--tile", "128x64", "--swizzle", "128B", "--order",
              "mn-first", "--mma", "64x16", "--emit", "cuda"})
            .out == text.out);
  CHECK(desc({"--from", "(64,64):(64,1)", "--emit", "cuda"}).exit_code == 1);
  CHECK(desc({"--from", "Sw<3,3,3> o 0 o (64,64):(64,1)", "--emit", "cuda"})
            .out.find("--from 'Sw<3,3,3> o 0 o (64,64):(64,1)' --mma 64x16 --emit cuda\n") != std::string::npos);
}

TEST_CASE("a picture: every word, the k steps in colours, and what is highlighted") {
  const CliResult r = desc({"--tile", "128x128", "-f", "svg"});
  CHECK(r.exit_code == 0);
  CHECK(r.out.find("0x4000004000010000") != std::string::npos);
  CHECK(
      r.out.find("m 1, k step 7: rows 64-127, k 112-127\n24672 B from the base, address 0x6060\n0x4000004000010606") !=
      std::string::npos);
  for (const char* text : {">k</text>", ">+0x4000</text>", ">SBO 0x400</text>", ">k step +0x20</text>"}) {
    CAPTURE(std::string(text));
    CHECK(r.out.find(text) != std::string::npos);
  }
  CHECK(r.out.find("LBO 16 B</text>") == std::string::npos);
  CHECK(r.out.find("not used") != std::string::npos);
  CHECK(desc({"--tile", "128x64", "--base", "0x400", "--highlight", "bytes 0x480-0x4ff"})
            .out.find("highlighted  8 chunks in 0x480 to 0x4ff; the first in GMEM order, (1, 0), at 0x490\n") !=
        std::string::npos);
  CHECK(refused({"--tile", "128x64", "--highlight", "ks 64"}).find("there is no k 64") != std::string::npos);
}

TEST_CASE("what is refused: the rule and the way out") {
  CHECK(refused({"--dtype", "e4m3", "--tile", "128x128", "--major", "mn"}) ==
        "swz: error: wgmma cannot read e4m3 MN-major: it transposes 16-bit types only\n"
        "hint: nearest legal choice: K-major e4m3 with mode 128B on sm_90a\n");
  CHECK(refused({"--tile", "100x64"}) ==
        "swz: error: MN 100 is not a multiple of 8: the K-major atom of mode 128B has 8x64 elements of f16\n"
        "hint: take MN 96 or 104\n");
  CHECK(refused({"--tile", "128x64", "--base", "0x408"}) ==
        "swz: error: the base address 0x408 is not a multiple of 16 B\n"
        "hint: descriptors count 16-byte chunks; mode 128B repeats every 1024 B\n");
  CHECK(refused({"--tile", "1024x256"}) ==
        "swz: error: the tile takes 524288 B; a CTA has at most 232448 B (227 KiB) of shared memory\n"
        "hint: take a smaller tile\n");
  CHECK(refused({"--tile", "256x64", "--mma", "m64n260k16", "--operand", "b"}) ==
        "swz: error: wgmma has no dense shape m64n260k16 for f16\nhint: nearest: m64n256k16\n");
  CHECK(refused({"--tile", "128x64", "--mma", "m128n128k16"}) ==
        "swz: error: wgmma has no dense shape m128n128k16 for f16\nhint: nearest: m64n128k16\n");
  CHECK(refused({"--dtype", "s8", "--tile", "64x128", "--mma", "m64n40k32"}) ==
        "swz: error: wgmma has no dense shape m64n40k32 for s8\nhint: nearest: m64n48k32\n");
  CHECK(refused({"--arch", "sm_100a", "--tile", "128x64", "--mma", "m100n64k16"}) ==
        "swz: error: tcgen05.mma has no dense shape m100n64k16 for f16\nhint: nearest: m128n64k16\n");
  CHECK(refused({"--tile", "128x64", "--mma", "64x8"}) ==
        "swz: error: no dense MMA of f16 has K 8: it reads 32 B of every row, K 16\n"
        "hint: nearest: 64x16; sparse operands and K 96 are not covered\n");
  CHECK(refused({"--tile", "128x64", "--mma", "big"}) ==
        "swz: error: --mma: cannot read 'big' as an MMA shape\n"
        "hint: m64n256k16, or the rows and K of the operand itself: 64x16\n");
  CHECK(refused({"--tile", "128x64", "--from", "8:1"}) ==
        "swz: error: --from and --tile cannot be combined\nhint: a layout has its own extents, swizzle and order\n");
  CHECK(refused({"--from", "(64,64):(64,1)", "--swizzle", "128B"}) ==
        "swz: error: --from and --swizzle cannot be combined\nhint: a layout has its own extents, swizzle and "
        "order\n");
  CHECK(refused({"--tile", "128x64", "--arch", "sm_80"}) ==
        "swz: error: sm_80 has neither wgmma nor tcgen05\n"
        "hint: wgmma: sm_90a; tcgen05: sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, sm_107f, sm_110a and sm_110f\n");
  CHECK(refused({"--from", "(64,64):(64,1)", "--arch", "sm_80"}).starts_with("swz: error: sm_80 has neither"));
  CHECK(refused({}) ==
        "swz: error: no operand given\nhint: a tile: --tile 128x64; or a layout: --from '(16,64):(1,16)'\n");
  CHECK(refused({"--tile", "128x64", "--emit", "cuda", "-f", "svg"}) ==
        "swz: error: source code cannot be drawn as a picture\nhint: leave -f out, or use -f json\n");
}

}  // namespace
}  // namespace swz

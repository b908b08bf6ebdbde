// SPDX-License-Identifier: Apache-2.0
// swz tiles as a command.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "cmd/asked.hpp"
#include "cmd/parsed.hpp"
#include "highlight.hpp"
#include "run_cli.hpp"
#include "smem/mma_operand.hpp"
#include "view/tile/tile.hpp"

namespace swz {
namespace {

Parsed json_of(Words words) {
  words.insert(words.begin(), {"tiles", "-f", "json"});
  const CliResult r = run_cli(words);
  return Parsed::parse(r.exit_code == 0 ? r.out : r.err);
}

std::string error_of(const Words& words) { return json_of(words)["error"]["message"]; }
std::string hint_of(const Words& words) { return json_of(words)["error"]["hint"]; }

// 8 MMAs
TEST_CASE("a tile of 256 x 256 x 64 with MMAs of 128 x 256 x 16") {
  const Parsed json = json_of({"--tile", "256x256x64", "--mma", "m128n256k16", "--arch", "sm_100a"});
  CHECK(json["total"] == 8);
  CHECK(json["blocks"] == Parsed{{"m", 2}, {"n", 1}, {"k", 4}});
  CHECK(json["instructions"][0]["instruction"] == "tcgen05.mma kind::f16");
  REQUIRE(json["mmas"].size() == 8);
  CHECK(json["mmas"][5] == Parsed::parse(R"({"m":1,"n":0,"k":2,"a":[128,32],"b":[32,0],"c":[128,0]})"));
  CHECK(json == json_of({"--tile", "(256,256,64)", "--mma", "128x256x16", "--arch", "b200", "--dtype", "half"}));
}

TEST_CASE("every element of A, B and C is in as many MMAs as it has partners") {
  const Parsed json = json_of({"--tile", "128x96x48", "--mma", "m64n48k16"});
  std::multiset<std::string> a, b, c;
  for (const Parsed& mma : json["mmas"]) {
    a.insert(mma["a"].dump());
    b.insert(mma["b"].dump());
    c.insert(mma["c"].dump());
  }
  CHECK(json["mmas"].size() == 2 * 2 * 3);
  for (int m = 0; m < 128; m += 64)
    for (int k = 0; k < 48; k += 16) CHECK(a.count(Parsed{m, k}.dump()) == 2);
  for (int k = 0; k < 48; k += 16)
    for (int n = 0; n < 96; n += 48) CHECK(b.count(Parsed{k, n}.dump()) == 2);
  for (int m = 0; m < 128; m += 64)
    for (int n = 0; n < 96; n += 48) CHECK(c.count(Parsed{m, n}.dump()) == 3);
}

TEST_CASE("the figure is to scale, and what meets in an MMA has one colour") {
  const MmaTiling tiling({256, 512, 64}, {128, 256, 16});
  const MmaTilingReport report{tiling, &require_dtype("f16"), &require_target("sm_100a"),
                               mma_forms(tiling.mma(), require_dtype("f16"))};
  const Document document = view_mma_tiling(report, parse_highlight("m-block 1; k-step 2", highlight_kinds(tiling)));
  {
    const Figure drawn = figure_in(document);
    const Figure* figure = &drawn;
    CHECK(figure->panels[0][0].squares.empty());
    const Grid &b = figure->panels[0][1], &a = figure->panels[1][0], &c = figure->panels[1][1];
    CHECK(a.cell_rows * static_cast<int>(a.squares.size()) == 256);
    CHECK(a.cell_columns * static_cast<int>(a.squares[0].size()) == 64);
    CHECK(b.cell_rows * static_cast<int>(b.squares.size()) == 64);
    CHECK(c.cell_columns * static_cast<int>(c.squares[0].size()) == 512);
    for (std::size_t m = 0; m < 2; ++m)
      for (std::size_t n = 0; n < 2; ++n) {
        for (std::size_t k = 0; k < 4; ++k) {
          CHECK(a.squares[m][k].tint.hue == b.squares[k][n].tint.hue);
          CHECK(c.squares[m][n].tint.hue == -1);  // all steps end there
          CHECK((a.squares[m][k].mark == Mark::highlighted) == (m == 1 && k == 2));
          CHECK((b.squares[k][n].mark == Mark::highlighted) == (k == 2));
        }
        CHECK((c.squares[m][n].mark == Mark::highlighted) == (m == 1));
      }
    CHECK(a.squares[1][2].text == "k2");
    CHECK(c.squares[1][0].text == "m1 n0");
    CHECK(a.title == "A 256x64");
    CHECK(a.row_labels == std::vector<std::string>{"0", "128"});
    CHECK(c.column_labels == std::vector<std::string>{"0", "256"});
    CHECK(a.squares[1][2].tip == "A (M x K): m 128-255, k 32-47");
    return;
  }
  FAIL("no figure");
}

TEST_CASE("the heading of the only block is its range") {
  const MmaTiling tiling({256, 256, 64}, {128, 256, 16});
  const MmaTilingReport report{tiling, &require_dtype("f16"), &require_target("sm_100a"),
                               mma_forms(tiling.mma(), require_dtype("f16"))};
  const Figure figure = figure_in(view_mma_tiling(report, {}));
  CHECK(figure.panels[1][1].column_labels == std::vector<std::string>{"0-255"});
  CHECK(figure.panels[1][1].row_labels == std::vector<std::string>{"0", "128"});
}

TEST_CASE("the bytes of A, B and C, and the stages that fit") {
  const Parsed json = json_of({"--tile", "256x256x64", "--mma", "m128n256k16", "--arch", "sm_100a"});
  CHECK(json["bytes"] == Parsed{{"a", 32768}, {"b", 32768}, {"c", 262144}});
  CHECK(json["stage_bytes"] == 65536);
  CHECK(json["stages"] == 3);  // 232448 / 65536
  // Each of two CTAs holds half.
  const Parsed pair = json_of({"--tile", "256x256x64", "--mma", "m256n256k16", "--arch", "sm_100a"});
  CHECK(pair["stage_bytes"] == 32768);
  CHECK(pair["stages"] == 7);
  const Parsed large = json_of({"--tile", "512x512x256", "--mma", "m64n256k16"});
  CHECK(large["stages"] == 0);
  const CliResult text = run_cli({"tiles", "--tile", "512x512x256", "--mma", "m64n256k16"});
  CHECK(text.out.find("A 256 KiB + B 256 KiB = 512 KiB per stage; none fits in the 227 KiB of shared memory") !=
        std::string::npos);
}

TEST_CASE("a pair of CTAs is noted") {
  CHECK(json_of({"--tile", "256x256x64", "--mma", "m256n256k16", "--arch", "sm_100a"})["notes"][0]["rule"] ==
        "cta-pair");
  CHECK(json_of({"--tile", "256x256x64", "--mma", "m128n256k16", "--arch", "sm_100a"})["notes"].empty());
  CHECK(json_of({"--tile", "128x256x64", "--mma", "m64n256k16"})["notes"].empty());
}

TEST_CASE("bad input") {
  const Words elsewhere{"--tile", "256x256x64", "--mma", "m128n256k16"};
  CHECK(error_of(elsewhere) == "sm_90a has no MMA of the shape m128n256k16 for f16");
  CHECK(hint_of(elsewhere) ==
        "tcgen05.mma kind::f16 has it on sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, sm_107f, sm_110a and sm_110f: "
        "--arch sm_100a; "
        "the nearest on sm_90a is m64n256k16 (wgmma)");
  CHECK(hint_of({"--tile", "64x64x64", "--mma", "m65n64k16"}) == "the nearest on sm_90a is m64n64k16 (wgmma)");
  CHECK(hint_of({"--tile", "64x64x64", "--mma", "m16n8k16", "--dtype", "e4m3", "--arch", "sm_80"})
            .ends_with("sm_80 has no MMA for e4m3"));
  CHECK(error_of({"--tile", "200x64x64", "--mma", "m64n64k16"}) ==
        "M = 200 of the tile is not a multiple of the 64 of m64n64k16");
  CHECK(hint_of({"--tile", "200x64x64", "--mma", "m64n64k16"}) == "take M = 192 or 256, or an MMA that divides it");
  CHECK(hint_of({"--tile", "32x64x64", "--mma", "m64n64k16"}) == "the smallest is M = 64");
  CHECK(error_of({"--tile", "256x64", "--mma", "m64n64k16"}) == "--tile: cannot read '256x64' as M, N and K");
  CHECK(error_of({"--tile", "0x64x64", "--mma", "m64n64k16"}) == "--tile: cannot read '0x64x64' as M, N and K");
  CHECK(error_of({"--tile", "64x64x64", "--mma", "nonsense"}) == "--mma: cannot read 'nonsense' as an MMA shape");
  CHECK(error_of({"--tile", "1048576x1048576x1048576", "--mma", "m64n64k16"}) ==
        "swz tiles: 17592186044416 MMAs are more than the limit of 16384");
  CHECK(error_of({"--tile", "64x64x64", "--mma", "m64n64k16", "--highlight", "k-step 4"}) == "there is no k-step 4");
}

}  // namespace
}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Transcripts of swz verify tile, desc and layout, on recordings of simulated hardware.
#include <doctest/doctest.h>

#include "answers.hpp"
#include "expr/evaluate.hpp"
#include "probe/simulated.hpp"
#include "scratch.hpp"

using namespace swz;
using nlohmann::json;

namespace {

// A recording of plans, as hardware would answer that does what the hypothesis says.
class Recorded {
 public:
  explicit Recorded(const std::vector<ProbePlan>& plans, Hypothesis hypothesis = Hypothesis::none)
      : file_(text_of(plans, hypothesis)) {}
  std::string path() const { return file_.path; }

 private:
  static std::string text_of(const std::vector<ProbePlan>& plans, Hypothesis hypothesis) {
    std::string text = recording_head({"NVIDIA H200", "sm_90a", "580.159.04", "13.0", "0.1.0"}, 1);
    for (const ProbePlan& plan : plans)
      text += recording_line(plan, simulated_observer(hypothesis)(std::vector{plan}).front(), true);
    return text;
  }

  ScratchFile file_;
};

TileProbePlan small_tile(TileWay way) {
  return {SmemTile({.dtype = "bf16", .mn = 16, .k = 32, .swizzle = "32B", .base = Bytes{0x400}}), way};
}

// Rows of 32 B, 4 of them in a line of banks.
std::vector<ProbePlan> small_layout() {
  const LayoutOperand operand{.layout = parse_layout("(8,16):(16,1)"),
                              .target = &require_target("sm_90a"),
                              .dtype = &require_dtype("f16"),
                              .base = Bytes{0x800}};
  std::vector<ProbePlan> out;
  for (const LayoutQuestion& question : layout_questions(operand, parse_accesses("ldmatrix.x1")))
    out.insert(out.end(), question.plans.begin(), question.plans.end());
  return out;
}

WgmmaPlan small_word() { return {{16, "f16", "f16", "f32", false}, OperandRole::a, Major::K, 0x4000004000010048}; }

}  // namespace

TEST_SUITE("cmd") {
  TEST_CASE("verify tile: a sentence and a table") {
    const Recorded recorded({small_tile(TileWay::tma)});
    const CliResult r = run_cli(
        {"verify", "tile", "--dtype", "bf16", "--tile", "16x32", "--swizzle", "32B", "--replay", recorded.path()});
    CHECK(r.exit_code == 0);
    CHECK(r.err.empty());
    CHECK(r.out ==
          "bf16 16x32 K-major, mode 32B, mn-first, at 0x400, via tma\n"
          "confirmed  every one of 512 elements reached the MMA by 1 TMA copy of rank 3 and 2 words\n"
          "on         recorded on NVIDIA H200 (sm_90a), driver 580.159.04, NVRTC 13.0\n"
          "read by    wgmma.m64n16k16.f32.bf16.bf16, as B\n"
          "\n"
          "block  k step  word                elements  confirmed\n"
          "    0       0  0xc000001000010040       256        256\n"
          "    0       1  0xc000001000010060       256        256\n");
  }

  TEST_CASE("verify tile: a mismatch is drawn, and exits with 1") {
    const Recorded recorded({small_tile(TileWay::store)}, Hypothesis::strides_swapped);
    const Words words{"verify",    "tile", "--dtype", "bf16",  "--tile",   "16x32",
                      "--swizzle", "32B",  "--via",   "store", "--replay", recorded.path()};
    const json d = json_of(words, 1);
    CHECK(d["confirmed"] == false);
    CHECK(d["elements"] == 512);
    CHECK(d["mismatch"]["element"] == "(8, 0)");
    CHECK(d["mismatch"]["expected"] == "element (8, 0)");
    CHECK(d["steps"][0]["confirmed"] == 128);
    const CliResult r = run_cli(words);
    CHECK(r.exit_code == 1);
    CHECK(r.out.find("elements that came from elsewhere") != std::string::npos);
  }

  TEST_CASE("verify tile: what no probe can ask is refused before the GPU is looked for") {
    CHECK(error_of({"verify", "tile", "--tile", "128x64", "--base", "0"}) ==
          "swz: error: a tile of 16384 B at 0x0 does not lie between 0x400 and 0x37000\n"
          "hint: below lies what the system reserves, above the identity operand of the probe: take another "
          "--base\n");
    CHECK(error_of({"verify", "tile", "--tile", "128x64", "--via", "magic"}).find("magic") != std::string::npos);
    const Recorded recorded({small_tile(TileWay::tma)});
    CHECK(error_of({"verify", "tile", "--tile", "128x64", "--replay", recorded.path()})
              .find("the recording does not hold f16 128x64") != std::string::npos);
  }

  TEST_CASE("verify desc: the bytes that were read, as swz map shows them") {
    const Recorded recorded({small_word()});
    const Words words{"verify", "desc", "0x4000004000010048", "--mma", "64x16", "--replay", recorded.path()};
    const json d = json_of(words);
    CHECK(d["confirmed"] == true);
    CHECK(d["mma"] == "wgmma.m64n16k16.f32.f16.f16");
    CHECK(d["mismatch"].is_null());
    const json map = json_of({"map", "0x4000004000010048", "--arch", "sm_90a", "--mma", "64x16", "--operand", "a"});
    REQUIRE(d["read"].size() == 1);
    CHECK(d["read"][0]["addresses"] == map["addresses"]);
    const CliResult r = run_cli(words);
    CHECK(r.exit_code == 0);
    CHECK(
        r.out.starts_with("wgmma.m64n16k16.f32.f16.f16, A K-major, 0x4000004000010048\n"
                          "confirmed  every one of 1024 elements is read from where swz map shows\n"));
  }

  TEST_CASE("verify desc: words that the probe cannot see are refused") {
    CHECK(error_of({"verify", "desc", "0x4000004000010000"}).find("the word reads from 0x0 to") != std::string::npos);
    CHECK(error_of({"verify", "desc", "0x4000004000010048", "--dtype", "e4m3", "--major", "mn"}).find("K-major") !=
          std::string::npos);
  }

  TEST_CASE("verify layout: a sentence, what was asked, and what was not") {
    const Recorded recorded(small_layout());
    const Words words{"verify", "layout", "(8,16):(16,1)", "--access", "ldmatrix.x1", "--replay", recorded.path()};
    const CliResult r = run_cli(words);
    CHECK(r.exit_code == 0);
    CHECK(r.err.empty());
    // Rows 0 and 4 lie in the same banks: two wavefronts for each of the two instructions.
    CHECK(r.out.starts_with(
        "f16 (8,16):(16,1), K-major, at 0x800\n"
        "confirmed  2 of 3 ways were checked: every one of 128 elements lies where the layout puts it, and 1 took the "
        "wavefronts of swz banks\n"
        "on         recorded on NVIDIA H200 (sm_90a), driver 580.159.04, NVRTC 13.0\n"
        "\n"
        "by           steps  elements  confirmed  wavefronts  timed\n"
        "tma              1       128        128           -      -\n"
        "ldmatrix.x1      2       128        128           4      4\n"
        "\n"
        "not asked\n"
        "by     reason\n"
        "wgmma  "));
    const json d = json_of(words);
    CHECK(d["confirmed"] == true);
    CHECK(d["ways"][1]["timed"] == 4);
    CHECK(d["not_asked"][0]["by"] == "wgmma");
  }

  TEST_CASE("verify layout: a mismatch is drawn, and exits with 1") {
    const Recorded recorded(small_layout());
    const Words words{"verify",   "layout",        "(8,16):(16,1)", "--access",      "ldmatrix.x1",
                      "--replay", recorded.path(), "--planted",     "one-stride-off"};
    const json d = json_of(words, 1);
    CHECK(d["mismatch"]["element"] == "(1, 0) by tma");
    CHECK(d["mismatch"]["expected"] == "byte 2078");
    CHECK(d["mismatch"]["observed"] == "byte 2080");
    CHECK(d["ways"][0]["confirmed"] == 16);
    CHECK(d["ways"][1]["timed"] == 4);
    const CliResult r = run_cli(words);
    CHECK(r.exit_code == 1);
    CHECK(r.out.find("elements that came from elsewhere") != std::string::npos);
    CHECK(r.out.find("0x820") != std::string::npos);
  }

  TEST_CASE("verify layout: what cannot be asked is refused before the GPU is looked for") {
    CHECK(error_of({"verify", "layout", "8:1"}).find("an operand has two modes") != std::string::npos);
    CHECK(error_of({"verify", "layout", "(8,16):(16,1)", "--dtype", "f17"}).find("f16") != std::string::npos);
    CHECK(error_of({"verify", "layout", "(8,16):(16,1)", "--access", "ldmatrix.x3"}).find("ldmatrix.x") !=
          std::string::npos);
  }
}

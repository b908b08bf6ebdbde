// SPDX-License-Identifier: Apache-2.0
// swz tmem plan: the contract, every lint caught on a kernel that breaks only it and not on the kernel put right, what is
// refused.
#include <doctest/doctest.h>

#include <sstream>

#include "answers.hpp"
#include "asked.hpp"
#include "tmem/plan_lints.hpp"

using namespace swz;
using nlohmann::json;

namespace {

Words plan_words(const std::string& line) {
  Words words{"tmem", "plan"};
  std::stringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

json answered(const std::string& line, int exit_code = 0) { return json_of(plan_words(line), exit_code); }

std::vector<std::string> rules_of(const json& answer) {
  std::vector<std::string> rules;
  for (const json& lint : answer["lints"]) rules.push_back(lint["rule"]);
  return rules;
}

std::string refused(const std::string& line) { return error_of(plan_words(line)); }

}  // namespace

TEST_CASE("K 128 and factors of A in 128 lanes, as sm_107 has them") {
  const std::string fp4 = "--kind mxf4nvf4 --vec 16 --k128 --n 256";
  const json usual = answered(fp4);  // 4 MMAs of 8 factors: 8 words of four
  CHECK(usual["regions"][1]["columns"] == 4 * 8);
  CHECK(usual["regions"][2]["columns"] == 8 * 8);
  CHECK(answered(fp4 + " --sfa-layout 128-lane")["regions"][1]["columns"] == 1 * 8);
  // Metadata of fp4: a nibble for 4 k on sm_107, for 8 k before; 8 nibbles in a column, 4 MMAs of K 128 or 192.
  CHECK(answered("--kind mxf4 --sparse --arch sm_107a")["regions"][3]["columns"] == 4 * 128 / 4 / 8);
  CHECK(answered("--kind mxf4 --sparse --arch sm_100a")["regions"][3]["columns"] == 4 * 128 / 8 / 8);
  CHECK(answered("--kind mxf4 --sparse --k96")["regions"][3]["columns"] == 4 * 192 / 4 / 8);
  CHECK(refused(fp4 + " --arch sm_103a") ==
        "swz: error: K 128 does not exist on sm_103a\nhint: sm_107a and sm_107f have it\n");
  const json without = answered("--arch sm_120a");
  CHECK(without["lints"][0]["rule"] == "target-lacks-instruction");
  CHECK(refused("--k128") == "swz: error: --k128 is for mxf4 and mxf4nvf4\nhint: leave it out\n");
  CHECK(refused("--kind mxf4 --sfa-layout 128-lane --arch sm_100a") ==
        "swz: error: sm_100a has no factors of A in 128 lanes: sm_107a and sm_107f have\n"
        "hint: leave --sfa-layout out (PTX ISA 9.4, tables 52 and 53)\n");
}

TEST_CASE("the contract: regions, allocation, what fits nearest") {
  const json full = answered("--kind mxf8f6f4 --n 256 --stages 2", 1);
  CHECK(full["fits"] == false);
  CHECK(full["columns"] == 524);
  CHECK(full["allocation"].is_null());
  CHECK(full["free"].is_null());
  CHECK(full["regions"][0] ==
        json::parse(R"({"name":"D","stages":2,"columns":256,"first":0,"last":511,"lanes":[0,31],"bytes":262144,
                        "formula":"N"})"));
  CHECK(full["regions"][2] ==
        json::parse(R"({"name":"SFB","stages":1,"columns":8,"first":516,"last":523,"lanes":[0,31],"bytes":4096,
                        "formula":"8 for every 4 of 4 factors"})"));
  CHECK(full["nearest"] == json::parse(R"([
    {"changes":[{"option":"--n","from":256,"to":248}],"columns":508,"allocation":512},
    {"changes":[{"option":"--stages","from":2,"to":1}],"columns":268,"allocation":512}])"));
  // The first of them, as it says.
  const json less = answered("--kind mxf8f6f4 --n 248 --stages 2");
  CHECK(less["fits"] == true);
  CHECK(less["free"] == 4);
  CHECK(less["nearest"].empty());
  // The columns that the other commands give.
  CHECK(answered("--m 128 --n 256 --cta-group 2")["columns"] ==
        json_of({"tmem", "d", "--m", "128", "--n", "256", "--cta-group", "2"})["columns"]);
  CHECK(answered("--n 64 --a-in tmem --k 64")["regions"][1]["columns"] ==
        4 * json_of({"tmem", "a", "--dtype", "f16"})["columns_per_mma"].get<int>());
}

// PTX 9.4, 9.7.18.7: nCols of alloc.exclusive is a multiple of 32 up to 512, on sm_107 up to 576.
TEST_CASE("alloc.exclusive: 524 columns fit on sm_107, in 544") {
  const std::string kernel = "--kind mxf8f6f4 --n 256 --stages 2 ";
  const json all = answered(kernel + "--exclusive --arch sm_107a");
  CHECK(all["fits"] == true);
  CHECK(all["allocation"] == 544);
  CHECK(all["free"] == 20);
  CHECK(answered(kernel + "--exclusive", 1)["allocation"].is_null());
  CHECK(answered(kernel + "--arch sm_107a", 1)["nearest"][0] ==
        json::parse(R"({"changes":[{"option":"--exclusive","from":"alloc","to":"alloc.exclusive"}],
                        "columns":524,"allocation":544})"));
  CHECK(answered("--n 72 --exclusive")["allocation"] == 96);
  CHECK(refused("--kind mxf4 --k96 --arch sm_100a") ==
        "swz: error: K 96 does not exist on sm_100a\nhint: sm_103a and sm_107a have it\n");
  CHECK(answered("--kind mxf4 --k96 --arch sm_107a")["fits"] == true);
  CHECK(answered("--kind ti16")["fits"] == true);
}

TEST_CASE("text says the verdict first, and the picture is the columns") {
  const CliResult r = run_cli(plan_words("--kind mxf8f6f4 --n 256 --stages 2"));
  CHECK(r.exit_code == 1);
  CHECK(
      r.out.starts_with("tensor memory of kind mxf8f6f4, M 128, N 256, K 128, cta_group::1\n"
                        "fits        no: 524 columns, 12 more than there are\n"));
  CHECK(r.out.find("would fit  --n 248 instead of 256: 508 columns\n") != std::string::npos);
  // Columns between regions are free: picture and text count the same, 128 + 128 of 512.
  const std::string gap = "--n 128 --region S=0+128 --region P=64+64 --region O=256+128 --allocate 512";
  const std::string out = run_cli(plan_words(gap)).out;
  CHECK(out.find("fits        yes: 256 of 512 columns are used, the last is 383\n") != std::string::npos);
  CHECK(out.find("free        256, 128 of them after the last region\n") != std::string::npos);
  CHECK(asked(plan_words(gap)).document.headline == "S and P share columns 64-127; 256 of 512 columns are used");
  const Figure figure = figure_in(asked(plan_words("--kind mxf8f6f4 --n 256 --stages 2")).document);
  const Grid& grid = figure.panels[0][0];
  REQUIRE(grid.squares.size() == 17);
  CHECK(grid.squares[7][7].text == "D0");
  CHECK(grid.squares[8][0].text == "D1");
  CHECK(grid.squares[15][7].mark == Mark::none);
  CHECK(grid.squares[16][0].text == "SFA");
  CHECK(grid.squares[16][2].text == "SFB");
  CHECK(grid.squares[16][2].mark == Mark::colliding);
  CHECK(grid.squares[16][3].text.empty());
  const Figure half = figure_in(asked(plan_words("--m 64 --n 64 --stages 2")).document);
  CHECK(half.panels[0][0].squares[0][0].text == "D0 D1");
}

TEST_CASE("every lint is raised by a kernel that breaks only it, and not by the same kernel put right") {
  struct Kernel {
    std::string rule, wrong, right;
    int exit_code = 0;  // of the wrong one
  };
  const std::string regions = "--kind mxf8f6f4 --region D=0+256 ";
  const Kernel kernels[] = {
      {"allocation-size", "--n 64 --allocate 96", "--n 64 --allocate 128"},
      {"allocation-size", "--n 8 --allocate 16", "--n 8 --allocate 32"},
      {"allocation-size", "--exclusive --n 8 --allocate 48", "--exclusive --n 8 --allocate 96"},
      {"allocation-exclusive", "--exclusive --n 64 --allocate 96,32", "--exclusive --n 64 --allocate 128"},
      {"allocation-exclusive", "--exclusive --n 64 --ctas-per-sm 2", "--exclusive --n 64 --ctas-per-sm 1", 1},
      {"allocation-small", "--n 64 --allocate 32", "--n 64 --allocate 64", 1},
      {"allocation-grows", "--n 64 --allocate 32,64", "--n 64 --allocate 64,32"},
      {"allocation-total", "--n 64 --allocate 512,32", "--n 64 --allocate 256,32", 1},
      {"allocation-total", "--n 256 --ctas-per-sm 3", "--n 256 --ctas-per-sm 2", 1},
      {"d-packed", "--dtype-d f16 --region D=0+128", "--dtype-d f16 --region D=0+256"},
      {"d-packed", "--region D1=256+128 --stages 2", "--region D1=256+256 --stages 2"},
      {"region-small", "--dtype-d f32 --region D=0+128", "--dtype-d f32 --region D=0+256"},
      {"region-small", regions + "--region SFA=256+4 --region SFB=260+4",
       regions + "--region SFA=256+4 --region SFB=260+8"},
      {"region-alignment", regions + "--region SFA=257+4 --region SFB=264+8",
       regions + "--region SFA=260+4 --region SFB=264+8"},
      {"region-missing", regions + "--region SFA=256+4", regions + "--region SFA=256+4 --region SFB=260+8"},
      {"region-overlap", "--n 128 --region D=0+128 --region P=64+64", "--n 128 --region D=0+128 --region P=128+64"},
      {"region-overlap", "--m 64 --n 64 --stages 2 --region D0=0+64 --region D1=32+64",
       "--m 64 --n 64 --stages 2 --region D0=0+64 --region D1=32+64@16"},
      {"warp-lanes", "--read 1:0-31", "--read 1:32-63"},
      {"warp-lanes", "--read 4:100-127", "--read 7:100-127"},
      {"warp-lanes", "--read 2:60-70", "--read 2:64-70"},
      {"sfb-copy", "--kind mxf4 --cta-group 2 --copy-sfb 32x128b.warpx4",
       "--kind mxf4 --cta-group 2 --copy-sfb 64x128b.warpx2::01_23"},
      {"sfb-copy", "--kind mxf4 --copy-sfb 64x128b.warpx2::01_23", "--kind mxf4 --copy-sfb 32x128b.warpx4"},
      {"sfb-copy", "--kind mxf4 --m 256 --cta-group 2 --copy-sfb 64x128b.warpx2::02_13",
       "--kind mxf4 --m 256 --cta-group 2 --copy-sfb 32x128b.warpx4"},
      {"sfb-both", "--kind mxf4 --m 256 --cta-group 2 --sfb-in one", "--kind mxf4 --m 256 --cta-group 2 --sfb-in both"},
      {"scale-layout", "--kind mxf4 --scale-layout linear --scales-for cublas",
       "--kind mxf4 --scale-layout 128x4 --scales-for cublas"},
      {"scale-layout", "--kind mxf4 --scale-layout 8x4", "--kind mxf4 --scale-layout 128x4"},
      {"scale-layout", "--kind mxf8f6f4 --scale-layout deepgemm --scales-for cublas",
       "--kind mxf8f6f4 --scale-layout deepgemm"},
      // 128 rows and 128 columns of 128 elements of 4 bits; in shared memory 16 bytes hold 16.
      {"tx-padding", "--kind mxf8f6f4 --n 128 --dtype e2m1 --expect-tx 32768",
       "--kind mxf8f6f4 --n 128 --dtype e2m1 --expect-tx 16384"},
      {"tx-padding", "--kind f8f6f4 --n 128 --dtype e4m3 --dtype-b e3m2 --expect-tx 32768",
       "--kind f8f6f4 --n 128 --dtype e4m3 --dtype-b e3m2 --expect-tx 28672"},
      {"tx-bytes", "--n 128 --expect-tx 1000", "--n 128 --expect-tx 32768"},
  };
  std::vector<std::string> seen;
  for (const Kernel& kernel : kernels) {
    CAPTURE(kernel.wrong);
    CHECK(rules_of(answered(kernel.wrong, kernel.exit_code)) == std::vector<std::string>{kernel.rule});
    CHECK(rules_of(answered(kernel.right)).empty());
    CHECK(run_cli(plan_words(kernel.wrong + " --strict")).exit_code == 1);
    CHECK(run_cli(plan_words(kernel.right + " --strict")).exit_code == 0);
    seen.push_back(kernel.rule);
  }
  for (const PlanRule& rule : plan_rules()) {
    CAPTURE(rule.name);
    CHECK(std::ranges::find(seen, rule.name) != seen.end());
  }
}

TEST_CASE("the bytes that an mbarrier counts") {
  CHECK(answered("--kind mxf4nvf4 --vec 16 --n 256")["tx_bytes"] ==
        json::parse(R"({"a":16384,"b":32768,"sfa":2048,"sfb":4096,"metadata":0,"sum":55296})"));
  // Half of A and of B in each CTA, the factors of B whole.
  CHECK(answered("--kind mxf8f6f4 --m 256 --n 192 --cta-group 2")["tx_bytes"] ==
        json::parse(R"({"a":16384,"b":12288,"sfa":512,"sfb":1024,"metadata":0,"sum":30208})"));
  CHECK(answered("--sparse --n 128")["tx_bytes"] ==
        json::parse(R"({"a":16384,"b":32768,"sfa":0,"sfb":0,"metadata":2048,"sum":51200})"));
  CHECK(answered("--a-in tmem --n 128")["tx_bytes"]["a"] == 0);
}

TEST_CASE("what sources leave open is named") {
  const auto questions = [](const std::string& line) { return answered(line)["open"].size(); };
  CHECK(questions("--n 128") == 0);
  CHECK(questions("--kind mxf4") == 1);
  CHECK(questions("--kind mxf4 --cta-group 2") == 3);
  CHECK(questions("--m 64 --n 64 --a-in tmem") == 1);
  CHECK(questions("--cta-group 2 --sparse") == 1);
  CHECK(questions("--read 1:0-31") == 1);
  CHECK(questions("--kind f8f6f4 --dtype e2m1 --expect-tx 16384 --n 128") == 1);
  CHECK(answered("--m 64 --n 64 --stages 3 --stacking interleaved")["notes"][0]["rule"] == "odd-interleaved");
  CHECK(answered("--kind mxf4 --n 128")["evidence"] == "header");
  CHECK(answered("--n 128")["evidence"] == "documented");
}

TEST_CASE("the words of lints, whole") {
  const CliResult r = run_cli(plan_words("--n 64 --dtype-d f16 --region D=0+32 --read 1:0-31 --brief"));
  CHECK(r.out ==
        "fits yes\ncolumns 32\nallocation 32\n"
        "lint[d-packed]: D (columns 0-31) has 32 columns; D takes 64, with elements of 16 bits as of 32\n"
        "lint[warp-lanes]: warp 1 reaches lanes 32-63, not 0-31\n");
}

TEST_CASE("what cannot be asked") {
  CHECK(refused("--region D=300") ==
        "swz: error: --region: 'D=300' is not NAME=FIRST+COUNT\nhint: for example D0=0+256, or of a half-used data "
        "path D1=0+64@16\n");
  CHECK(refused("--region D0=0+64 --region D1=64+64") ==
        "swz: error: --region D1: there is no stage 1 of D\nhint: this kernel has 1 stage, counted from 0\n");
  CHECK(refused("--region D=0+64@16") ==
        "swz: error: --region D: the data path of M 128 takes all lanes\nhint: @16 is for data paths F and C, "
        "which take "
        "16 lanes of each quarter\n");
  CHECK(refused("--region X=0+64 --region x=64+64") ==
        "swz: error: --region x is given twice\nhint: stages have numbers: D0, D1\n");
  CHECK(refused("--n 250") == "swz: error: kind f16, M 128, cta_group::1 has no N 250\nhint: the nearest is 248\n");
  CHECK(refused("--k 100") == "swz: error: --k 100 is not a whole number of MMAs of K 16\nhint: the nearest is 96\n");
  CHECK(refused("--kind mxf4 --m 64") ==
        "swz: error: tcgen05.mma has no kind mxf4, M 64, cta_group::1\nhint: cta_group::1: M 128; cta_group::2: M "
        "128, "
        "256; cta_group::2 sparse: M 256\n");
  CHECK(refused("--m 64 --cta-group 2 --sparse") ==
        "swz: error: tcgen05.mma has no M 64 with cta_group::2, sparse\nhint: M is 128 and 256; nearest: 128; M 64 "
        "exists with cta_group::1 and .ws\n");
  CHECK(refused("--read hello") ==
        "swz: error: --read: 'hello' is not a warp and its lanes\nhint: for example 1:32-63\n");
  CHECK(refused("--allocate 0") ==
        "swz: error: --allocate: 0 is out of range\nhint: it takes a whole number from 1 to 1024\n");
  CHECK(refused("--copy-sfb 32x128b.warpx4") ==
        "swz: error: --copy-sfb is for block-scaled kinds\nhint: leave it out\n");
  CHECK(refused("--stacking apart") ==
        "swz: error: --stacking is for data paths F and C: M 64, and sparse M 128 with two CTAs\nhint: leave it "
        "out\n");
  CHECK(refused("--kind mxf4 --sfb-in one") ==
        "swz: error: --sfb-in is for block-scaled kinds with --cta-group 2\nhint: leave it out\n");
  CHECK(refused("--dtype-d s32") == "swz: error: kind f16 has no D of s32\nhint: for example f16\n");
  CHECK(refused("--dtype e4m3") == "swz: error: kind f16 does not take e4m3\nhint: 0 f16 and 1 bf16\n");
  CHECK(refused("--cta-group 2 --sparse --a-in tmem") ==
        "swz: error: no source says where A of a sparse MMA of M 128 with cta_group::2 lies in tensor "
        "memory\nhint: take "
        "M 256, or A from shared memory\n");
}

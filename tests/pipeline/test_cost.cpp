// SPDX-License-Identifier: Apache-2.0
// What bounds a tile: the tiles of cost.md with their numbers, and laws over random ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "pipeline/cost.hpp"

namespace swz {
namespace {

struct Row {
  std::string_view name;
  CostQuestion question;
  double tensor, smem, l2, dram;  // 0: the sheet has none
  CostPart bound;
};

CostQuestion on(std::string_view target, MmaFamily family, std::string_view dtype, MmaExtents tile, MmaExtents mma) {
  const Target& t = require_target(target);
  return {.target = &t, .gpu = gpu_of(t), .family = family, .tile = tile, .mma = mma, .dtype = &require_dtype(dtype)};
}

std::vector<Row> rows_of_the_sheet() {
  constexpr auto tcgen05 = MmaFamily::tcgen05;
  const auto b200 = [](std::string_view dtype, MmaExtents tile, MmaExtents mma, int cta_group) {
    CostQuestion q = on("sm_100a", tcgen05, dtype, tile, mma);
    q.cta_group = cta_group;
    return q;
  };
  CostQuestion attention = b200("bf16", {128, 64, 64}, {128, 64, 16}, 1);
  attention.a = OperandSource::tmem;
  attention.is_a_copied = false;
  CostQuestion rtx = on("sm_120a", MmaFamily::mma_sync, "bf16", {128, 128, 32}, {16, 8, 16});
  CostQuestion a100 = on("sm_80", MmaFamily::mma_sync, "bf16", {128, 128, 32}, {16, 8, 16});
  rtx.warp_tile = TileExtents{64, 64};
  a100.warp_tile = TileExtents{32, 64};
  return {
      {"128x128x64", b200("bf16", {128, 128, 64}, {128, 128, 16}, 1), 256, 256, 565, 1311, CostPart::l2},
      {"128x256x64", b200("bf16", {128, 256, 64}, {128, 256, 16}, 1), 512, 384, 847, 1966, CostPart::l2},
      {"pair 256x256x64", b200("bf16", {256, 256, 64}, {256, 256, 16}, 2), 512, 256, 565, 1311, CostPart::l2},
      {"pair fp8", b200("e4m3", {256, 256, 128}, {256, 256, 32}, 2), 512, 256, 565, 1311, CostPart::l2},
      {"64x256x64", b200("bf16", {64, 256, 64}, {64, 256, 16}, 1), 512, 320, 706, 1638, CostPart::l2},
      {"attention", attention, 128, 64, 141, 328, CostPart::l2},
      {"wgmma 2 x 64x256x64", on("sm_90a", MmaFamily::wgmma, "bf16", {128, 256, 64}, {64, 256, 16}), 1024, 640, 0, 0,
       CostPart::tensor_core},
      // cost.md counts no writes of the RTX's stage: 256 + 128.
      {"RTX 5090, four warps", rtx, 2048, 256 + 128, 0, 0, CostPart::tensor_core},
      {"A100, eight warps", a100, 512, 384 + 128, 0, 0, CostPart::tensor_core},
  };
}

TEST_CASE("every tile of the sheet has its numbers") {
  for (const Row& row : rows_of_the_sheet()) {
    CAPTURE(row.name);
    const Cost cost = cost_of(row.question);
    const auto check = [&](CostPart part, double want) {
      if (want == 0) return;
      const CostTerm* term = cost.term(part);
      REQUIRE(term != nullptr);
      CHECK(std::abs(term->cycles - want) <= 0.01 * want);
    };
    check(CostPart::tensor_core, row.tensor);
    check(CostPart::smem_read, row.smem);
    check(CostPart::l2, row.l2);
    check(CostPart::dram, row.dram);
    CHECK(cost.bound().part == row.bound);
  }
}

// A random tile of MMAs that exist.
CostQuestion drawn(Random& random) {
  const bool is_wgmma = random.below(2) == 0;
  const int cta_group = is_wgmma ? 1 : 1 + static_cast<int>(random.below(2));
  const std::int64_t m = is_wgmma ? 64 : 128 * cta_group, n = 32 * (1 + static_cast<std::int64_t>(random.below(8)));
  const std::int64_t k = 16 * (1 + static_cast<std::int64_t>(random.below(8)));
  CostQuestion q = on(is_wgmma ? "sm_90a" : "sm_100a", is_wgmma ? MmaFamily::wgmma : MmaFamily::tcgen05, "bf16",
                      {m * (1 + static_cast<std::int64_t>(random.below(2))), n, k}, {m, n, 16});
  q.cta_group = cta_group;
  if (random.below(3) == 0) q.a = is_wgmma ? OperandSource::registers : OperandSource::tmem;
  q.is_a_copied = random.below(4) != 0;
  return q;
}

TEST_CASE("twice the K costs twice as much of everything, and each term is at most the bound or DRAM") {
  Random random(33);
  for (int i = 0; i < 2000; ++i) {
    const CostQuestion q = drawn(random);
    CostQuestion twice = q;
    twice.tile.k *= 2;
    const Cost one = cost_of(q), two = cost_of(twice);
    CAPTURE(i);
    REQUIRE(one.terms.size() == two.terms.size());
    for (std::size_t t = 0; t < one.terms.size(); ++t) {
      CHECK(std::abs(two.terms[t].cycles - 2 * one.terms[t].cycles) < 1e-6);
      if (one.terms[t].part != CostPart::dram) CHECK(one.terms[t].cycles <= one.bound().cycles);
    }
    CHECK(one.macs_per_cycle() <= *one.peak * 1.0001);
  }
}

TEST_CASE("what is offered is faster, exists, and has room") {
  Random random(34);
  int offered = 0;
  for (int i = 0; i < 2000; ++i) {
    const CostQuestion q = drawn(random);
    const double now = cost_of(q).macs_per_cycle();
    double last = 1e9;
    for (const CostChange& change : faster_changes(q)) {
      CAPTURE(change.what);
      ++offered;
      CHECK(change.faster <= last);
      last = change.faster;
      CHECK(change.cost.macs_per_cycle() > 1.01 * now);
      CHECK_FALSE(mma_forms(change.question.mma, *change.question.dtype).empty());
      CHECK(2 * change.cost.stage_bytes <= change.question.target->max_smem_per_cta.count);
    }
  }
  CHECK(offered > 1000);
}

// What was counted: {kind, or the place that copies came from; the most of all rows with all SMs}.
std::map<std::string, double> most_counted(const std::string& gpu) {
  std::ifstream in(SWZ_SOURCE_DIR "/tests/data/rates/" + gpu + ".jsonl");
  REQUIRE(in);
  std::map<std::string, double> most;
  for (std::string line; std::getline(in, line);) {
    const Json row = Json::parse(line);
    const auto text = [&](std::string_view key) { return row.at(key).get<std::string>(); };
    const auto keep = [&](const std::string& what, double value) { most[what] = std::max(most[what], value); };
    if (text("what") == "mma.sync") keep(text("kind"), row.at("macs_per_cycle").get<int>());
    if (text("what") != "copy" || row.at("mma_interval_x100").get<int>() != 0) continue;
    const double bytes = row.at("bytes_per_cycle_x100").get<int>() / 100.0;
    if (row.at("blocks").get<int>() == 132) keep(text("from"), bytes);
    const bool is_one = row.at("blocks").get<int>() == 1 && row.at("in_flight").get<int>() == 1;
    if (is_one && text("from") == "DRAM" && text("form") == "bulk") keep("latency", 8192 / bytes);
  }
  return most;
}

TEST_CASE("an H100 and an H200 are as they were counted") {
  for (const std::string_view name : {"H100", "H200"}) {
    CAPTURE(name);
    const Gpu& gpu = require_gpu(name);
    const auto most = most_counted(lower_case(name));
    CHECK(gpu.l2_bytes <= most.at("L2"));
    CHECK(gpu.l2_bytes >= 0.9 * most.at("L2"));
    CHECK(gpu.dram_bytes <= most.at("DRAM"));
    CHECK(gpu.dram_bytes >= 0.95 * most.at("DRAM"));
    CHECK(gpu.copy_latency == doctest::Approx(most.at("latency")).epsilon(0.02));
    const std::pair<RateClass, const char*> rates[] = {
        {RateClass::f16, "f16"}, {RateClass::f16, "bf16"}, {RateClass::tf32, "tf32"}, {RateClass::f16_f16, "f16-f16"},
        {RateClass::int8, "s8"}, {RateClass::f64, "f64"},  {RateClass::fp8, "e4m3"}};
    for (const auto& row : rates) {
      const RateClass rate = row.first;
      const char* kind = row.second;
      CAPTURE(kind);
      // The run on the H100 had neither e4m3 nor the wide shapes of f64.
      const bool is_missing = name == "H100" && (rate == RateClass::f64 || rate == RateClass::fp8);
      if (!is_missing) CHECK(*gpu.rate(rate) == doctest::Approx(most.at(kind)).epsilon(0.02));
    }
  }
}

TEST_CASE("GPUs by name") {
  CHECK(require_gpu("rtx-4090").rate(RateClass::f16) == 256.0);
  CHECK(require_gpu("RTX 4090").rate(RateClass::f16_f16) == 512.0);
  CHECK_FALSE(require_gpu("B200").rate(RateClass::f16).has_value());
  CHECK(gpu_of(require_target("sm_90a"))->name == "H100");
  CHECK(gpu_of(require_target("sm_100f"))->name == "B200");
  CHECK(gpu_of(require_target("sm_86")) == nullptr);
  CHECK_THROWS_WITH_AS(require_gpu("V100"), "'V100' is not a GPU whose rates are known", Error);
}

}  // namespace
}  // namespace swz

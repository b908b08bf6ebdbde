// SPDX-License-Identifier: Apache-2.0
// The PTX that a disassembly is read as does what the disassembly does: both run side by side, and after each instruction every
// register that it may write holds the same in every lane. What swz claims of the PTX is not contradicted.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ptx/kernel_report.hpp"
#include "ptx/lane_claims.hpp"
#include "ptx/site_claims.hpp"
#include "sass/beside.hpp"
#include "sass/lift.hpp"
#include "sass/random_sass.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

TEST_CASE("random SASS and the PTX that it is read as hold the same in every register") {
  Sweep every{40};
  BesideRun all;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    if (!every.takes()) continue;
    const SassModule sass = read_sass(random_sass(seed));
    const BesideRun ran = run_beside(sass, lift_sass(sass), seed, 3);
    CAPTURE(seed);
    CHECK(ran.contradiction == "");
    if (!ran.contradiction.empty()) MESSAGE(random_sass(seed));
    if (!ran.contradiction.empty()) break;
    all.executions += ran.executions;
    all.ended += ran.ended;
    all.compared += ran.compared;
    all.unknown += ran.unknown;
  }
  CHECK(all.ended == all.executions);
  CHECK(all.compared > at_least(10'000'000, 40));
  CHECK(all.unknown * 20 < all.compared);
}

TEST_CASE("real machine code: registers, lanes and sites hold what is said of them") {
  long kernels = 0, compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SWZ_SOURCE_DIR "/tests/data/sass")) {
    CAPTURE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const SassModule sass = read_sass(text);
    const PtxModule ptx = lift_sass(sass);
    const BesideRun ran = run_beside(sass, ptx, 1, 3);
    CHECK(ran.contradiction == "");
    compared += ran.compared;
    for (const PtxKernel& kernel : ptx.kernels) {
      if (!kernel.is_entry) continue;
      ++kernels;
      constexpr std::array<std::int64_t, 3> threads = {128, 1, 1};
      const PtxValues values(ptx, kernel, {.threads = threads, .registers = {}});
      PtxInterpreter warp(ptx, kernel, threads);
      const std::vector<SmemSite> sites =
          kernel_reports(ptx, {.entry = std::string(kernel.name), .threads = threads, .registers = {}}).at(0).smem;
      SiteWatcher site_watcher(warp, values);
      site_watcher.begin(5);
      (void)warp.run(5, 5000, site_watcher);
      CHECK(site_watcher.contradiction == "");
      for (std::int64_t w = 0; w < 4; ++w) {
        WarpValues lanes(values, WarpOfBlock{threads, w});
        LaneWatcher watcher(warp, values, lanes, sites);
        (void)warp.run(7, 5000, watcher, w);
        CHECK(watcher.contradiction == "");
      }
    }
  }
  CHECK(kernels > 2);
  CHECK(compared > 10'000);
}

}  // namespace
}  // namespace swz

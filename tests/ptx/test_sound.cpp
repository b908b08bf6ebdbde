// What swz claims of the registers of a kernel, of the lanes of its warps and of the wavefronts of its accesses holds in every
// execution: random programs and real kernels run with random values for all that is unknown, and nothing is contradicted.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "ptx/claims.hpp"
#include "ptx/lane_claims.hpp"
#include "ptx/random_program.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

struct Ran {
  std::string contradiction;
  long executions = 0, ended = 0, counts = 0;
};

void run_values(const PtxModule& module, std::uint64_t seed, int executions, int most_steps, Ran& out) {
  for (const PtxKernel& kernel : module.kernels) {
    const PtxValues values(module, kernel, {});
    PtxInterpreter warp(module, kernel);
    ClaimWatcher watcher(warp, values);
    for (int i = 0; i < executions && watcher.contradiction.empty(); ++i) {
      watcher.begin(static_cast<int>((seed + static_cast<std::uint64_t>(i)) * 11 % 32));
      out.ended += warp.run(seed * 1000 + static_cast<std::uint64_t>(i), most_steps, watcher);
      ++out.executions;
    }
    if (out.contradiction.empty()) out.contradiction = watcher.contradiction;
  }
}

// The wavefronts of each visit of a site, of all warps of a block that ran once; those that are proven are the mean.
std::string compare_counts(const std::vector<SmemSite>& sites, const std::map<std::uint32_t, std::vector<std::vector<int>>>& visits, long& compared) {
  for (const SmemSite& site : sites) {
    const auto found = visits.find(site.instruction);
    if (site.proof != SmemProof::all || found == visits.end() || static_cast<std::int64_t>(found->second.size()) != site.warps) continue;
    for (std::size_t visit = 0;; ++visit) {
      double sum = 0;
      bool all_there = true;
      for (const std::vector<int>& warp : found->second) {
        all_there = all_there && visit < warp.size() && warp[visit] != 0;
        if (all_there) sum += warp[visit];
      }
      if (!all_there) break;
      ++compared;
      if (sum != *site.wavefronts * static_cast<double>(site.warps))
        return fmt::format("line {}: {}: {} wavefronts on all warps in visit {}, said are {} a warp of {}", site.line, site.opcode, sum, visit, *site.wavefronts, site.warps);
    }
  }
  return "";
}

void run_lanes(const PtxModule& module, std::uint64_t seed, int executions, int most_steps, Ran& out) {
  for (const PtxKernel& kernel : module.kernels) {
    if (!kernel.is_entry) continue;
    const auto threads = kernel.threads && !kernel.threads_are_most ? *kernel.threads : std::array<std::int64_t, 3>{128, 1, 1};
    const std::vector<SmemSite> sites = kernel_reports(module, {.entry = std::string(kernel.name), .threads = threads, .registers = {}}).at(0).smem;
    const PtxValues values(module, kernel, {.threads = threads, .registers = {}});
    PtxInterpreter interpreter(module, kernel, threads);
    const std::int64_t count = (threads[0] * threads[1] * threads[2] + 31) / 32;
    std::vector<std::unique_ptr<WarpValues>> warps;
    for (std::int64_t w = 0; w < count; ++w) warps.push_back(std::make_unique<WarpValues>(values, threads, w));
    for (int i = 0; i < executions && out.contradiction.empty(); ++i) {
      std::map<std::uint32_t, std::vector<std::vector<int>>> visits;
      for (std::int64_t w = 0; w < count && out.contradiction.empty(); ++w) {
        LaneWatcher watcher(interpreter, values, *warps[static_cast<std::size_t>(w)], sites);
        out.ended += interpreter.run(seed * 1000 + static_cast<std::uint64_t>(i), most_steps, watcher, w);
        ++out.executions;
        out.contradiction = watcher.contradiction;
        for (const auto& [site, counted] : watcher.counted) visits[site].push_back(counted);
      }
      if (out.contradiction.empty()) out.contradiction = compare_counts(sites, visits, out.counts);
    }
  }
}

TEST_CASE("no claim of a register of a random program is contradicted") {
  Sweep every{20};
  Ran ran;
  for (std::uint64_t seed = 0; seed < 3500; ++seed) {
    if (!every.takes()) continue;
    const std::string text = random_ptx(seed, {.statements = 15 + static_cast<int>(seed % 4) * 15, .loops = seed % 5 != 0, .branches = seed % 7 != 0});
    run_values(read_ptx(text), seed, 30, 3000, ran);
    INFO(text);
    REQUIRE(ran.contradiction == "");
  }
  CHECK(ran.executions > at_least(100'000, 20));
  CHECK(ran.ended == ran.executions);
}

TEST_CASE("no claim of lanes and wavefronts of a random program is contradicted") {
  Sweep every{20};
  Ran ran;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    if (!every.takes()) continue;
    const std::string text = seed % 4 == 0 ? random_ptx(seed, {.statements = 40}) : random_accesses(seed);
    run_lanes(read_ptx(text), seed, 2, 3000, ran);
    INFO(text);
    REQUIRE(ran.contradiction == "");
  }
  CHECK(ran.executions > at_least(8000, 20));
  CHECK(ran.counts > at_least(3000, 20));
}

TEST_CASE("no claim of a real kernel is contradicted") {
  long kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SWZ_SOURCE_DIR "/tests/data/ptx")) {
    if (entry.path().extension() != ".ptx") continue;
    CAPTURE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const PtxModule module = read_ptx({std::istreambuf_iterator<char>(file), {}});
    Ran ran;
    run_values(module, 1, 10, 5000, ran);
    CHECK(ran.contradiction == "");
    run_lanes(module, 1, 2, 5000, ran);
    CHECK(ran.contradiction == "");
    ++kernels;
  }
  CHECK(kernels > 5);
}

}  // namespace
}  // namespace swz

// NVRTC compiles every probe for every target that has it; it needs no GPU. Every instruction row: all of
// wavefront, matrix, mma, tcgen05, TMA; of wgmma every pair of types at the smallest, a middle and the largest N,
// with A in shared memory and in registers.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "probe/cuda/kernels.hpp"
#include "probe/cuda/nvrtc.hpp"
#include "probe/suite.hpp"

using namespace swz;

namespace {

bool is_sampled(const WgmmaInstruction& instruction) {
  const int middle = instruction.d_type == "s32" ? 48 : 72;
  return instruction.n == 8 || instruction.n == middle || instruction.n == 256;
}

// Of a target, each kernel once.
std::vector<Kernel> kernels_on(const Target& target) {
  Suite suite;
  for (const std::string& probe : probes_on(target)) {
    SuiteOptions options;
    options.only = {probe};
    // The tiles of wgmma have kernels for the shapes that are drawn: a few of them.
    if (probe == "tile") options.cases = 40;
    std::vector<ProbePlan> plans = std::move(make_suite(options, target).front().plans);
    if (probe == "wgmma")
      std::erase_if(plans, [](const ProbePlan& plan) { return !is_sampled(std::get<WgmmaPlan>(plan).instruction); });
    suite.emplace_back(probe, std::move(plans));
  }
  return kernels_of(suite);
}

}  // namespace

TEST_CASE("nvrtc: every kernel of every target compiles") {
  const Nvrtc nvrtc;
  MESSAGE("NVRTC " << nvrtc.version() << ", " << nvrtc.path());
  std::size_t all = 0;
  for (const Target& target : targets()) {
    CAPTURE(target.name);
    REQUIRE_MESSAGE(nvrtc.knows(target), "this NVRTC does not compile for " << target.name);
    const std::vector<Kernel> kernels = kernels_on(target);
    REQUIRE(kernels.size() >= 20);
    const std::vector<CompiledKernel> compiled = nvrtc.compile(kernels, target, [](std::size_t) {});
    REQUIRE(compiled.size() == kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      CAPTURE(kernels[i].file);
      CAPTURE(kernels[i].statement);
      CAPTURE(compiled[i].log);
      REQUIRE(compiled[i].cubin.size() > 4);
      CHECK(std::equal(compiled[i].cubin.begin(), compiled[i].cubin.begin() + 4,
                       "\x7f"
                       "ELF"));
    }
    all += kernels.size();
  }
  MESSAGE(all << " kernels for " << targets().size() << " targets");
}

TEST_CASE("nvrtc: every kernel file is compiled, and every kind of wgmma") {
  std::set<std::string> files;
  std::size_t wgmma = 0;
  for (const Target& target : targets())
    for (const Kernel& kernel : kernels_on(target)) {
      files.insert(kernel.file + ".cu");
      if (target.name == "sm_90a" && kernel.file == "wgmma") ++wgmma;
    }
  std::set<std::string> there;
  for (const KernelFile& file : kernel_files())
    if (file.name.ends_with(".cu")) there.insert(std::string(file.name));
  CHECK(files == there);
  CHECK(wgmma == 2 * 3 * 17 + 32);  // and the sparse ones: those of f16 to u8 but b1
}

TEST_CASE("nvrtc: what does not compile is refused, with the reason") {
  const Nvrtc nvrtc;
  const Target& hopper = require_target("sm_90a");
  const std::vector<Kernel> kernels = kernels_on(hopper);
  const auto good = std::ranges::find(kernels, std::string("wgmma"), &Kernel::file);
  REQUIRE(good != kernels.end());
  CHECK_FALSE(nvrtc.compile(*good, hopper).cubin.empty());
  // An instruction that the target does not have: ptxas says so.
  const CompiledKernel elsewhere = nvrtc.compile(*good, require_target("sm_100a"));
  CHECK(elsewhere.cubin.empty());
  CHECK(elsewhere.log.find("wgmma") != std::string::npos);
  Kernel broken = *good;
  const std::size_t at = broken.statement.find("m64n");
  REQUIRE(at != std::string::npos);
  broken.statement.replace(at, 4, "m63n");
  CHECK(nvrtc.compile(broken, hopper).cubin.empty());
  CHECK_FALSE(nvrtc.compile(broken, hopper).log.empty());
}

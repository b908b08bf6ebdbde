// SPDX-License-Identifier: Apache-2.0
// NVRTC compiles every probe for every target that has it; it needs no GPU. Every instruction row: all of
// wavefront, matrix, mma, tcgen05, TMA, tensor memory; of wgmma every pair of types at the smallest, a middle and the
// largest N, with A in shared memory and in registers. A change compiles one row of four, another quarter for each
// target, and of each file at least one; SWZ_WHOLE_SWEEPS=1 compiles all.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "arch/target.hpp"
#include "arch/tensor_memory.hpp"
#include "base/error.hpp"
#include "probe/cuda/nvrtc.hpp"
#include "probe/suite.hpp"
#include "sweep.hpp"

using namespace swz;
namespace fs = std::filesystem;

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
    // A family has the forms of its members.
    if (probe == "tmem-access" && target.name.ends_with('f')) options.cases = 20;
    std::vector<ProbePlan> plans = std::move(make_suite(options, target).front().plans);
    if (probe == "wgmma")
      std::erase_if(plans, [](const ProbePlan& plan) { return !is_sampled(std::get<WgmmaPlan>(plan).instruction); });
    suite.emplace_back(probe, std::move(plans));
  }
  return kernels_of(suite);
}

// The files of this process's shared libraries whose names begin with `name`.
std::set<std::string> open_libraries(const std::string& name) {
  std::set<std::string> out;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const std::size_t at = line.find('/'); at != std::string::npos)
      if (fs::path(line.substr(at)).filename().string().starts_with(name)) out.insert(line.substr(at));
  return out;
}

// Sets a variable of the environment for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

}  // namespace

// A CUDA toolkit on the machine must not be what makes a wheel work.
TEST_CASE("nvrtc: its built-in headers come from its own folder") {
  const Nvrtc nvrtc;
  const Target& hopper = require_target("sm_90a");
  CHECK_FALSE(nvrtc.compile(kernels_on(hopper).front(), hopper).cubin.empty());
  const std::set<std::string> opened = open_libraries("libnvrtc-builtins");
  REQUIRE(opened.size() == 1);
  const std::set<std::string> compilers = open_libraries("libnvrtc.so");
  REQUIRE(compilers.size() == 1);
  CHECK(fs::path(*opened.begin()).parent_path() == fs::path(*compilers.begin()).parent_path());
}

TEST_CASE("nvrtc: it is looked for where pip puts it") {
  const fs::path prefix = fs::temp_directory_path() / fmt::format("swz_nvrtc_{}", getpid());
  const Variable no_choice("SWZ_NVRTC", "");
  for (const char* wheel : {"nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"}) {
    const fs::path library = prefix / "lib/python3.12/site-packages" / wheel;
    fs::create_directories(library.parent_path());
    fs::create_directories(prefix / "bin");
    std::ofstream(library).close();
    std::ofstream(prefix / "bin/python3").close();
    const auto is_looked_for = [&] {
      const std::vector<std::string> paths = nvrtc_paths();
      return std::find(paths.begin(), paths.end(), library.string()) != paths.end();
    };
    CHECK_FALSE(is_looked_for());
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      const Variable environment(name, prefix.string());
      CHECK(is_looked_for());
    }
    const Variable path("PATH", fmt::format("/nowhere:{}", (prefix / "bin").string()));
    CHECK(is_looked_for());
  }
  fs::remove_all(prefix);
}

TEST_CASE("nvrtc: every kernel of every target compiles") {
  const Nvrtc nvrtc;
  MESSAGE("NVRTC " << nvrtc.version() << ", " << nvrtc.path());
  std::size_t all = 0;
  Sweep every{1, 4};
  for (const Target& target : targets()) {
    CAPTURE(target.name);
    REQUIRE_MESSAGE(nvrtc.knows(target), "this NVRTC does not compile for " << target.name);
    std::vector<Kernel> kernels = kernels_on(target);
    REQUIRE(kernels.size() >= 20);
    std::set<std::string> files;
    std::erase_if(kernels, [&](const Kernel& kernel) {
      const bool is_first = files.insert(kernel.file).second;
      return !every.takes() && !is_first;
    });
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
  // 17 types of A, B and D, each with three N and A in shared memory or in registers. Sparse, the 16 that are not b1
  // with N 8 and 256: others have N 24 and 96 between. Of the 40 layouts of seed 1 wgmma reads 7, two of them by an N
  // that is not sampled: m64n32k32 of e4m3 and m64n64k8 of tf32.
  CHECK(wgmma == 2 * 3 * 17 + 16 * 2 + 2);
}

TEST_CASE("nvrtc: every form of tcgen05.ld, st and cp is among them") {
  for (const char* target : {"sm_100a", "sm_103a", "sm_110a"}) {
    std::set<std::string> of_target;
    for (const Kernel& kernel : kernels_on(require_target(target))) {
      const std::size_t begin = kernel.statement.find("\"tcgen05.");
      if (kernel.file == "tmem_access" || kernel.file == "tmem_copy")
        of_target.insert(kernel.statement.substr(begin + 1, kernel.statement.find(' ', begin) - begin - 1));
    }
    // ld and st: 148; ld.red: two shapes of 7 N, min and max; cp: 6 shapes, as they are and decompressed in two ways, of one
    // CTA and of a pair; shift.
    const std::size_t reductions = runs_on(reducing_targets, require_target(target)) ? 2 * 7 * 2 : 0;
    CHECK(of_target.size() == 148 + reductions + 6 * 3 * 2 + 1);
    CHECK(of_target.contains("tcgen05.st.sync.aligned.16x32bx2.x64.unpack::16b.b32"));
    CHECK(of_target.contains("tcgen05.cp.cta_group::2.4x256b.b8x16.b6x16_p32"));
    CHECK(of_target.contains("tcgen05.shift.cta_group::1.down"));
  }
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

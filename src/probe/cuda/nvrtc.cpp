// SPDX-License-Identifier: Apache-2.0
#include "probe/cuda/nvrtc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/cuda/cuda_files.hpp"
#include "probe/cuda/library.hpp"

namespace swz {

namespace fs = std::filesystem;

namespace {

std::string_view kernel_text(std::string_view name) {
  for (const KernelFile& file : kernel_files())
    if (file.name == name) return file.text;
  throw Error(fmt::format("there is no kernel file {}", name));
}

}  // namespace

std::string whole_source(const Kernel& kernel) {
  std::string source(kernel_text(kernel.file + ".cu"));
  std::vector<std::string> taken;
  constexpr std::string_view directive = "#include \"";
  for (std::size_t at = source.find(directive); at != std::string::npos; at = source.find(directive, at)) {
    const std::size_t begin = at + directive.size();
    const std::size_t end = source.find('"', begin);
    const std::string name = source.substr(begin, end - begin);
    const bool is_new = std::find(taken.begin(), taken.end(), name) == taken.end();
    std::string text;
    if (is_new)
      text = fmt::format("// ---- {}\n{}", name, name == "statement.cuh" ? kernel.statement : kernel_text(name));
    taken.push_back(name);
    source.replace(at, end + 1 - at, text);
  }
  // Each file is included once, so the guards are not needed.
  constexpr std::string_view guard = "#pragma once\n";
  for (std::size_t at = source.find(guard); at != std::string::npos; at = source.find(guard))
    source.erase(at, guard.size());
  return source;
}

std::vector<std::string> nvrtc_paths() {
  if (const std::string chosen = environment("SWZ_NVRTC"); !chosen.empty()) return {chosen};
  constexpr std::array<const char*, 3> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::vector<std::string> out(names.begin(), names.end());
  const std::vector<std::string> found =
      files_of_cuda(std::array{"lib64", "lib"}, std::array{"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"}, names);
  out.insert(out.end(), found.begin(), found.end());
  return out;
}

// The parts of nvrtc.h that are used. 0 is success.
struct Nvrtc::Api {
  using Program = void*;
  Library library{nvrtc_paths()};
  std::optional<Library> builtins;
  int (*version)(int*, int*) = library.symbol("nvrtcVersion");
  int (*create)(Program*, const char*, const char*, int, const char* const*,
                const char* const*) = library.symbol("nvrtcCreateProgram");
  int (*destroy)(Program*) = library.symbol("nvrtcDestroyProgram");
  int (*compile)(Program, int, const char* const*) = library.symbol("nvrtcCompileProgram");
  int (*log_size)(Program, std::size_t*) = library.symbol("nvrtcGetProgramLogSize");
  int (*log)(Program, char*) = library.symbol("nvrtcGetProgramLog");
  int (*cubin_size)(Program, std::size_t*) = library.symbol("nvrtcGetCUBINSize");
  int (*cubin)(Program, char*) = library.symbol("nvrtcGetCUBIN");
  int (*arch_count)(int*) = library.symbol("nvrtcGetNumSupportedArchs");
  int (*archs)(int*) = library.symbol("nvrtcGetSupportedArchs");

  // NVRTC opens its built-in headers by name when it first compiles. The loader searches for that name only in the
  // system's folders, not in a wheel, but it does not search for a library that is already open.
  void open_builtins() {
    std::vector<std::string> paths;
    for (const std::string& folder : library.folders())
      paths.push_back(fmt::format("{}/libnvrtc-builtins.so.{}", folder, version_text()));
    builtins.emplace(paths);
  }

  std::string version_text() const {
    int major = 0, minor = 0;
    version(&major, &minor);
    return fmt::format("{}.{}", major, minor);
  }
};

Nvrtc::Nvrtc() : api_(std::make_unique<Api>()) {
  const std::string chosen = environment("SWZ_NVRTC");
  if (!api_->library.is_open()) {
    const std::string where = chosen.empty() ? "NVRTC (libnvrtc.so, CUDA 12 or 13) was not found"
                                             : fmt::format("SWZ_NVRTC: {}", api_->library.error());
    throw Error(where, "install it (pip install nvidia-cuda-nvrtc, or the CUDA toolkit) or set SWZ_NVRTC to its path",
                {}, ErrorKind::hardware);
  }
  if (!api_->library.missing().empty())
    throw Error(
        fmt::format("{} has no {}: it is not an NVRTC of CUDA 12 or 13", api_->library.path(), api_->library.missing()),
        "set SWZ_NVRTC to the path of another one", {}, ErrorKind::hardware);
  api_->open_builtins();
}

Nvrtc::~Nvrtc() = default;

const std::string& Nvrtc::path() const { return api_->library.path(); }

std::string Nvrtc::version() const { return api_->version_text(); }

bool Nvrtc::knows(const Target& target) const {
  int count = 0;
  if (api_->arch_count(&count) != 0 || count <= 0) return false;
  std::vector<int> archs(static_cast<std::size_t>(count));
  if (api_->archs(archs.data()) != 0) return false;
  const int number = std::atoi(std::string(target.name.substr(3)).c_str());
  return std::find(archs.begin(), archs.end(), number) != archs.end();
}

CompiledKernel Nvrtc::compile(const Kernel& kernel, const Target& target) const {
  CompiledKernel out;
  const std::string source = whole_source(kernel);
  Api::Program program = nullptr;
  const std::string name = kernel.file + ".cu";
  if (api_->create(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr) != 0) {
    out.log = "NVRTC made no program";
    return out;
  }
  const std::string arch = fmt::format("--gpu-architecture={}", target.name);
  const std::array<const char*, 2> options{arch.c_str(), "--std=c++17"};
  const int result = api_->compile(program, static_cast<int>(options.size()), options.data());
  std::size_t size = 0;
  if (api_->log_size(program, &size) == 0 && size > 1) {
    out.log.resize(size);
    api_->log(program, out.log.data());
    out.log.resize(size - 1);  // removes its NUL
  }
  if (result == 0 && api_->cubin_size(program, &size) == 0) {
    out.cubin.resize(size);
    api_->cubin(program, reinterpret_cast<char*>(out.cubin.data()));
  }
  api_->destroy(&program);
  return out;
}

std::vector<CompiledKernel> Nvrtc::compile(std::span<const Kernel> kernels, const Target& target,
                                           const std::function<void(std::size_t)>& progress) const {
  std::vector<CompiledKernel> out(kernels.size());
  std::atomic<std::size_t> next = 0, done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < kernels.size(); i = next++) {
      out[i] = compile(kernels[i], target);
      ++done;
    }
  };
  const std::size_t count = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), kernels.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
  while (done < kernels.size()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (progress) progress(done);
  }
  return out;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// NVRTC: the run-time compiler of CUDA C++, found and opened, which compiles kernels to machine code. It needs no GPU.
//
// It is searched for in this order:
//   $SWZ_NVRTC                    a file; nothing else is tried
//   libnvrtc.so.13, .12, .so      where the loader looks
//   the CUDA toolkit and wheels   cuda_files.hpp
//
// libnvrtc-builtins is opened from the same folder, so that a wheel is complete without a CUDA toolkit.
//
// It compiles the kernels; the build puts their text (kernels/*.cu, *.cuh) into the binary.
#pragma once

#include <memory>

#include "probe/launch.hpp"

namespace swz {

struct KernelFile {
  std::string_view name;  // "wgmma.cu"
  std::string_view text;
};

std::span<const KernelFile> kernel_files();

// One self-contained file for NVRTC, with the includes replaced by their text.
std::string whole_source(const Kernel& kernel);

// The libraries that are tried, in order.
std::vector<std::string> nvrtc_paths();

struct CompiledKernel {
  ByteBuffer cubin;  // empty if refused
  std::string log;
};

class Nvrtc {
 public:
  // Throws Error of kind hardware if it is not found, with a hint.
  Nvrtc();
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  std::string version() const;  // "13.0"
  const std::string& path() const;
  bool knows(const Target& target) const;

  CompiledKernel compile(const Kernel& kernel, const Target& target) const;
  // Compiles in as many threads as there are processors. `progress` is called from this thread with the number done.
  std::vector<CompiledKernel> compile(std::span<const Kernel> kernels, const Target& target,
                                      const std::function<void(std::size_t)>& progress) const;

 private:
  struct Api;
  std::unique_ptr<Api> api_;
};

}  // namespace swz

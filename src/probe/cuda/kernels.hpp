// The text of the kernels (kernels/*.cu, *.cuh), which the build puts into the binary.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "probe/launch.hpp"

namespace swz {

struct KernelFile {
  std::string_view name;  // "wgmma.cu"
  std::string_view text;
};

std::span<const KernelFile> kernel_files();

// Throws Error when there is no such file.
std::string_view kernel_text(std::string_view name);

// One self-contained file: what NVRTC compiles, with the includes in their places.
std::string whole_source(const Kernel& kernel);

}  // namespace swz

#include "probe/cuda/kernels.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

std::string_view kernel_text(std::string_view name) {
  for (const KernelFile& file : kernel_files())
    if (file.name == name) return file.text;
  throw Error(fmt::format("there is no kernel file {}", name));
}

std::string whole_source(const Kernel& kernel) {
  std::string source(kernel_text(kernel.file + ".cu"));
  const auto put = [&](std::string_view include, std::string_view text) {
    const std::string line = fmt::format("#include \"{}\"\n", include);
    if (const std::size_t at = source.find(line); at != std::string::npos)
      source.replace(at, line.size(), fmt::format("// ---- {}\n{}\n// ----\n", include, text));
  };
  put("probe.cuh", kernel_text("probe.cuh"));
  put("statement.cuh", kernel.statement);
  // Included once, so the guard has nothing left to guard.
  if (const std::size_t at = source.find("#pragma once\n"); at != std::string::npos) source.erase(at, 13);
  return source;
}

}  // namespace swz

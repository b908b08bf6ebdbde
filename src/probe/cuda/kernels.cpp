#include "probe/cuda/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"

namespace swz {

std::string_view kernel_text(std::string_view name) {
  for (const KernelFile& file : kernel_files())
    if (file.name == name) return file.text;
  throw Error(fmt::format("there is no kernel file {}", name));
}

std::string whole_source(const Kernel& kernel) {
  std::string source(kernel_text(kernel.file + ".cu"));
  std::vector<std::string> taken;
  constexpr std::string_view directive = "#include \"";
  for (std::size_t at = source.find(directive); at != std::string::npos; at = source.find(directive, at)) {
    const std::size_t begin = at + directive.size();
    const std::size_t end = source.find('"', begin);
    const std::string name = source.substr(begin, end - begin);
    const bool is_new = std::find(taken.begin(), taken.end(), name) == taken.end();
    std::string text = "";
    if (is_new)
      text = fmt::format("// ---- {}\n{}", name, name == "statement.cuh" ? kernel.statement : kernel_text(name));
    taken.push_back(name);
    source.replace(at, end + 1 - at, text);
  }
  // Each file is there once, so the guards have nothing left to guard.
  constexpr std::string_view guard = "#pragma once\n";
  for (std::size_t at = source.find(guard); at != std::string::npos; at = source.find(guard))
    source.erase(at, guard.size());
  return source;
}

}  // namespace swz

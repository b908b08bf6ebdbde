// SPDX-License-Identifier: Apache-2.0
#include "probe/cuda/cuda_files.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "probe/cuda/library.hpp"

namespace swz {

namespace fs = std::filesystem;

namespace {

// The directories directly below `parent` whose name begins with `prefix`, in the order of their names.
std::vector<fs::path> below(const fs::path& parent, const std::string& prefix) {
  std::vector<fs::path> out;
  std::error_code ignored;
  for (fs::directory_iterator it(parent, ignored), end; it != end && !ignored; it.increment(ignored))
    if (it->path().filename().string().starts_with(prefix)) out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

// The directories that these variables name.
std::vector<fs::path> named(std::initializer_list<const char*> variables) {
  std::vector<fs::path> out;
  for (const char* name : variables)
    if (const std::string path = environment(name); !path.empty()) out.emplace_back(path);
  return out;
}

void append_toolkits(std::span<const char* const> below_root, std::vector<fs::path>& folders) {
  std::vector<fs::path> roots = named({"CUDA_HOME", "CUDA_PATH"});
  roots.emplace_back("/usr/local/cuda");
  for (const fs::path& root : below("/usr/local", "cuda-")) roots.push_back(root);
  roots.emplace_back("/opt/cuda");
  for (const fs::path& root : roots)
    for (const char* folder : below_root) folders.push_back(root / folder);
}

void append_wheels(std::span<const char* const> below_packages, std::vector<fs::path>& folders) {
  std::vector<fs::path> prefixes = named({"VIRTUAL_ENV", "CONDA_PREFIX"});
  for (const fs::path& home : named({"HOME"})) prefixes.push_back(home / ".local");
  // The wheel of swz is beside the other packages, and bin/swz is next to lib/python3.x.
  std::error_code none;
  fs::path above = fs::read_symlink("/proc/self/exe", none);
  constexpr int most_above = 6;
  for (int i = 0; i < most_above && above.has_relative_path(); ++i) prefixes.push_back(above = above.parent_path());
  // For the python3 of the PATH, bin/python3 is next to lib/python3.x.
  std::error_code ignored;
  for (const fs::path folder : split(environment("PATH"), ':'))
    if (!folder.empty() && fs::exists(folder / "python3", ignored)) prefixes.push_back(folder.parent_path());
  prefixes.emplace_back("/usr/local");
  prefixes.emplace_back("/usr");
  for (const fs::path& prefix : prefixes)
    for (const fs::path& python : below(prefix / "lib", "python3"))
      for (const char* packages : {"site-packages", "dist-packages"})
        for (const char* wheel : below_packages) folders.push_back(python / packages / wheel);
}

}  // namespace

std::vector<std::string> files_of_cuda(std::span<const char* const> below_root,
                                       std::span<const char* const> below_packages,
                                       std::span<const char* const> names) {
  std::vector<fs::path> folders;
  append_toolkits(below_root, folders);
  append_wheels(below_packages, folders);
  std::vector<std::string> files;
  std::error_code ignored;
  for (const fs::path& folder : folders)
    for (const char* name : names)
      if (fs::exists(folder / name, ignored)) files.push_back((folder / name).string());
  return files;
}

}  // namespace swz

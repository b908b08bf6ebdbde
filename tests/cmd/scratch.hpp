// SPDX-License-Identifier: Apache-2.0
// A folder or a file of its own for a test, removed at the end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

struct ScratchFolder {
  std::filesystem::path path;
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "swz-test-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const std::string& name) const { return (path / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return file(name);
  }
  std::string content(const std::string& name) const {
    std::ifstream in(path / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::ptrdiff_t entries() const { return std::distance(std::filesystem::directory_iterator(path), {}); }
};

struct ScratchFile {
  ScratchFolder folder;
  std::string path;
  explicit ScratchFile(const std::string& text) : path(folder.file("file", text)) {}
};

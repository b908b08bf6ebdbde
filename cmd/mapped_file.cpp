// SPDX-License-Identifier: Apache-2.0
#include "mapped_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

void add_files(const std::string& folder, const std::string& way_out, int depth, std::vector<std::string>& files) {
  DIR* open_folder = opendir(folder.c_str());
  if (open_folder == nullptr)
    throw Error(fmt::format("cannot open {}: {}", swz::quoted(folder), std::strerror(errno)), way_out);
  std::vector<std::string> folders, names;
  while (const dirent* entry = readdir(open_folder)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
    if (std::ssize(names) > limits::folder_files.most) break;
  }
  closedir(open_folder);
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::string path = fmt::format("{}/{}", folder, name);
    struct stat status = {};
    if (lstat(path.c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) folders.push_back(path);
    // A link to a file is one.
    else if (kind_of_path(path) == PathKind::file) files.push_back(path);
    require_within(limits::folder_files, std::ssize(files));
  }
  constexpr int deepest = 8;
  if (depth == deepest) return;
  for (const std::string& path : folders) add_files(path, way_out, depth + 1, files);
}

}  // namespace

PathKind kind_of_path(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return PathKind::other;
  return S_ISREG(status.st_mode) ? PathKind::file : S_ISDIR(status.st_mode) ? PathKind::folder : PathKind::other;
}

std::vector<std::string> files_of_folder(const std::string& folder, const std::string& way_out) {
  std::vector<std::string> files;
  add_files(folder.ends_with('/') && folder.size() > 1 ? folder.substr(0, folder.size() - 1) : folder, way_out, 0,
            files);
  return files;
}

MappedFile::MappedFile(const std::string& path, const std::string& way_out) {
  const auto fail = [&](const char* what) {
    throw Error(fmt::format("cannot {} {}: {}", what, swz::quoted(path), std::strerror(errno)), way_out);
  };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail("open");
  struct stat status = {};
  void* place = nullptr;
  const bool is_known = fstat(descriptor, &status) == 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (is_known && size > 0) place = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int reason = errno;
  close(descriptor);
  errno = reason;
  if (!is_known || place == MAP_FAILED) fail("read");
  if (size > 0) bytes_ = {static_cast<const char*>(place), size};
}

void MappedFile::release() const {
  if (!bytes_.empty()) madvise(const_cast<char*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  // The view is all that is kept of the mapping, which is not const.
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace swz

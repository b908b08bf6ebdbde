// SPDX-License-Identifier: Apache-2.0
// MappedFile: the bytes of a file of any size, which are read from the disk only where they are looked at.
//
//   const MappedFile file("libfoo.so", "FILE is …");
//   file.bytes()        a gigabyte, of which a few pages are in memory
//   files_of_folder("/root/.triton/cache", "…")     the paths of its files and of those in its folders, sorted
//
// Only regular files are mapped and listed; links to folders are not followed. Throws Error with the way out for what
// cannot be opened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace swz {

enum class PathKind { file, folder, other };
PathKind kind_of_path(const std::string& path);
// No more than base/limits.hpp allows.
std::vector<std::string> files_of_folder(const std::string& folder, const std::string& way_out);

class MappedFile {
 public:
  MappedFile(const std::string& path, const std::string& way_out);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }
  // Gives back the memory of what was read; the bytes stay valid.
  void release() const;

 private:
  std::string_view bytes_;
};

}  // namespace swz

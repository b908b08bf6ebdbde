// SPDX-License-Identifier: Apache-2.0
// Library: a shared library opened at run time, so that swz links no CUDA and starts without it.
#pragma once

#include <string>
#include <vector>

namespace swz {

// The value of a variable; empty if it is not set.
std::string environment(const char* name);

// A function of a library: int (*init)(unsigned) = library.symbol("cuInit"). Null if the library does not have it.
struct Symbol {
  void* address = nullptr;
  template <class Function>
  operator Function*() const {
    return reinterpret_cast<Function*>(address);
  }
};

class Library {
 public:
  // Opens the first of the paths that can be opened. If none can, it is not open, and error() gives the reason for the
  // last.
  explicit Library(const std::vector<std::string>& paths);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }
  const std::string& error() const { return error_; }
  // The folders of the opened file: that of the name by which the loader found it, and that of the file to which a
  // symbolic link leads. Empty if it is not open.
  std::vector<std::string> folders() const;

  Symbol symbol(const char* name);
  Symbol optional_symbol(const char* name) const;
  // The last symbol that was not found; empty if all were found.
  const std::string& missing() const { return missing_; }

 private:
  void* handle_ = nullptr;
  std::string path_, error_, missing_;
};

}  // namespace swz

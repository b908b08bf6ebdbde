// SPDX-License-Identifier: Apache-2.0
// A shared library opened at run time, so that swz links no CUDA and starts without one.
#pragma once

#include <string>
#include <vector>

namespace swz {

// Empty: not set.
std::string environment(const char* name);

// A function of a library: int (*init)(unsigned) = library.symbol("cuInit"). Null: the library does not have it.
struct Symbol {
  void* address = nullptr;
  template <class Function>
  operator Function*() const {
    return reinterpret_cast<Function*>(address);
  }
};

class Library {
 public:
  // The first of the paths that opens. Not open: none did, and error() says why the last one failed.
  explicit Library(const std::vector<std::string>& paths);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }
  const std::string& error() const { return error_; }
  // The folders that hold the opened file: that of the name by which the loader found it, and that of the file to
  // which a symbolic link leads. Empty when not open.
  std::vector<std::string> folders() const;

  Symbol symbol(const char* name);
  Symbol optional_symbol(const char* name) const;
  // The last one that was not found; empty: all were found.
  const std::string& missing() const { return missing_; }

 private:
  void* handle_ = nullptr;
  std::string path_, error_, missing_;
};

}  // namespace swz

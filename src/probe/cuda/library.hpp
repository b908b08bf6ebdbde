// A shared library opened at run time, so that swz links no CUDA and starts without one.
#pragma once

#include <string>
#include <vector>

namespace swz {

// Empty: not set.
std::string environment(const char* name);

class Library {
 public:
  // The first of the paths that opens. Not open: none did, and error() says why the last one failed.
  explicit Library(const std::vector<std::string>& paths);
  ~Library();
  Library(Library&& other) noexcept;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  Library& operator=(Library&&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }
  const std::string& error() const { return error_; }
  // The folders that hold the opened file: that of the name by which the loader found it, and that of the file to
  // which a symbolic link leads. Empty when not open.
  std::vector<std::string> folders() const;

  // Null: the library has no such symbol.
  void* find(const char* symbol) const;
  template <class Function>
  void bind(Function*& function, const char* symbol, std::string& missing) const {
    function = reinterpret_cast<Function*>(find(symbol));
    if (function == nullptr) missing = symbol;
  }

 private:
  void* handle_ = nullptr;
  std::string path_, error_;
};

}  // namespace swz

#include "probe/cuda/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace swz {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Library::Library(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      path_ = path;
      return;
    }
    if (const char* why = dlerror()) error_ = why;
  }
}

Library::~Library() {
  if (handle_ != nullptr) dlclose(handle_);
}

Library::Library(Library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      path_(std::move(other.path_)),
      error_(std::move(other.error_)) {}

std::vector<std::string> Library::folders() const {
  link_map* map = nullptr;
  if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return {};
  const std::filesystem::path named = map->l_name;
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(named, ignored);
  return {named.parent_path().string(), real.parent_path().string()};
}

void* Library::find(const char* symbol) const { return handle_ == nullptr ? nullptr : dlsym(handle_, symbol); }

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "probe/cuda/library.hpp"

#include <dlfcn.h>
#ifdef __linux__
#include <link.h>
#endif

#include <cstdlib>
#include <filesystem>

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

std::vector<std::string> Library::folders() const {
#ifdef __linux__
  link_map* map = nullptr;
  if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return {};
  const std::filesystem::path named = map->l_name;
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(named, ignored);
  return {named.parent_path().string(), real.parent_path().string()};
#else
  return {};  // NVRTC, which asks for them, is not on other systems.
#endif
}

Symbol Library::optional_symbol(const char* name) const {
  return {handle_ == nullptr ? nullptr : dlsym(handle_, name)};
}

Symbol Library::symbol(const char* name) {
  const Symbol found = optional_symbol(name);
  if (found.address == nullptr) missing_ = name;
  return found;
}

}  // namespace swz

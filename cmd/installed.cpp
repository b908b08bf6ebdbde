// SPDX-License-Identifier: Apache-2.0
#include "installed.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace swz {

std::optional<std::string> installed_path(std::string_view name) {
  std::array<char, 4096> program;
  const ssize_t size = readlink("/proc/self/exe", program.data(), program.size());
  std::string path(program.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  for (int level = 0; level < 2; ++level) path.erase(std::min(path.rfind('/'), path.size()));
  path.append("/share/swz/").append(name);
  if (size <= 0 || access(path.c_str(), R_OK) != 0) return std::nullopt;
  return path;
}

std::vector<std::string> installed_files(std::string_view folder) {
  std::vector<std::string> names;
  const std::optional<std::string> path = installed_path(folder);
  DIR* const opened = path ? opendir(path->c_str()) : nullptr;
  if (opened == nullptr) return names;
  while (const dirent* entry = readdir(opened))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  closedir(opened);
  std::ranges::sort(names);
  return names;
}

bool open_in_browser(const std::string& path) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return false;
  const pid_t child = fork();
  if (child == 0) {
    // Its messages are not part of swz's answer.
    const int nothing = open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) dup2(nothing, stream);
    execlp("xdg-open", "xdg-open", path.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  return child > 0;
}

}  // namespace swz

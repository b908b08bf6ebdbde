#include "installed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace swz {

std::optional<std::string> installed_path(std::string_view name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path path = program.parent_path().parent_path() / "share/swz" / name;
  if (error || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  return path.string();
}

bool open_in_browser(const std::string& path) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return false;
  const pid_t child = fork();
  if (child == 0) {
    // Its messages are not swz's answer.
    const int nothing = open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) dup2(nothing, stream);
    execlp("xdg-open", "xdg-open", path.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  return child > 0;
}

}  // namespace swz

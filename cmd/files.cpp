// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"

namespace swz {
namespace {

[[noreturn]] void refuse_standard_input() {
  throw Error("a batch line cannot read standard input, which holds the next lines",
              "name a file, or put the text itself into the line");
}

void check_file_of_batch_line(const std::string& path, const std::string& way_out) {
  struct stat file = {}, standard = {};
  if (stat(path.c_str(), &file) != 0) return;  // open gives the reason
  if (fstat(STDIN_FILENO, &standard) == 0 && file.st_dev == standard.st_dev && file.st_ino == standard.st_ino)
    refuse_standard_input();
  if (!S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode))
    throw Error(fmt::format("cannot open {}: a batch line reads regular files only", swz::quoted(path)), way_out);
}

}  // namespace

Input::Input(const std::string& path, int standard, const std::string& way_out) : descriptor_(standard) {
  if (path == "-") return;
  if (path.find('\0') != std::string::npos) throw Error("the name of a file holds a NUL byte", way_out);
  if (standard < 0) check_file_of_batch_line(path, way_out);
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw Error(fmt::format("cannot open {}: {}", swz::quoted(path), std::strerror(errno)), way_out);
  is_owned_ = true;
}

Input::~Input() {
  if (is_owned_) close(descriptor_);
}

std::size_t Input::read(std::span<char> to, std::string_view what) const {
  ssize_t count = 0;
  do count = ::read(descriptor_, to.data(), to.size());
  while (count < 0 && errno == EINTR);
  if (count < 0) throw Error(fmt::format("cannot read {}: {}", what, std::strerror(errno)));
  return static_cast<std::size_t>(count);
}

std::string file_path(const std::string& name) { return name.starts_with('@') ? name.substr(1) : name; }

std::string read_text(const std::string& path, const Context& context, const TextLimits& limits) {
  const bool is_standard = path == "-";
  if (is_standard && context.input_text) return *context.input_text;
  if (is_standard && context.input < 0) refuse_standard_input();
  const Input input(path, context.input, std::string(limits.way_out));
  if (is_standard && isatty(context.input) != 0)
    context.prompt(fmt::format("paste {}, then press Ctrl-D", limits.what));
  const std::string name = is_standard ? "standard input" : swz::quoted(path);
  std::string text;
  std::size_t filled = 0;
  do {
    constexpr std::size_t block = 1 << 16;
    text.resize(filled + block);
    const std::size_t count = input.read(std::span(text).subspan(filled), name);
    if (count == 0) break;
    filled += count;
  } while (filled <= limits.most_bytes);
  text.resize(filled);
  if (filled > limits.most_bytes)
    throw Error(fmt::format("{} is larger than {} KiB, the limit of {}", name, limits.most_bytes >> 10, limits.what),
                "give the part that matters");
  return text;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <algorithm>
#include <cstdlib>

#include "render/display.hpp"

namespace swz {
namespace {

// On less than this nothing is readable, wrapped or not.
constexpr int narrowest_terminal = 40;

}  // namespace

std::string variable(const Environment& environment, const char* name) {
  const auto found = environment.variables.find(name);
  return found == environment.variables.end() ? std::string() : found->second;
}

TextStyle style_of(const Environment& environment, ColorMode mode, bool is_terminal) {
  TextStyle style;
  const bool may = is_terminal && variable(environment, "NO_COLOR").empty() && variable(environment, "TERM") != "dumb";
  style.color = mode == ColorMode::always || (mode == ColorMode::automatic && may);
  const int asked = std::atoi(variable(environment, "COLUMNS").c_str());
  const int width = asked > 0 ? asked : is_terminal ? environment.terminal_width : 0;
  if (width > 0) style.width = std::max(width, narrowest_terminal);
  return style;
}

void write_error(std::string_view text, const Environment& environment) {
  std::fwrite(text.data(), 1, text.size(), environment.err);
  std::fflush(environment.err);
}

void ProgressLine::show(const Progress& progress) {
  constexpr int bar = 30;
  if (width_ > 0 && width_ < bar + 40) return;
  const std::size_t of = std::max<std::size_t>(progress.of, 1);
  const auto filled = static_cast<int>(bar * std::min(progress.done, of) / of);
  const std::string line = fmt::format("\r{:<12} {}{} {}/{}\x1b[K", progress.what, repeated("#", filled),
                                       repeated(".", bar - filled), progress.done, progress.of);
  std::fputs(line.c_str(), file_);
  std::fflush(file_);
  is_shown_ = true;
}

void ProgressLine::wipe() {
  if (is_shown_) std::fputs("\r\x1b[K", file_);
  is_shown_ = false;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Terminal: its width and colours, the error stream, and the line that shows progress.
#pragma once

#include "command.hpp"
#include "line.hpp"
#include "render/text.hpp"
#include "run.hpp"

namespace swz {

// The value of a variable, or an empty text.
std::string variable(const Environment& environment, const char* name);

// How text is written: NO_COLOR, TERM and COLUMNS considered.
TextStyle style_of(const Environment& environment, ColorMode mode, bool is_terminal);

void write_error(std::string_view text, const Environment& environment);

// One line that is written over, and wiped before the answer is written.
class ProgressLine {
 public:
  ProgressLine(std::FILE* file, int width) : file_(file), width_(width) {}
  ~ProgressLine() { wipe(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  void wipe();

 private:
  std::FILE* file_;
  int width_;
  bool is_shown_ = false;
};

}  // namespace swz

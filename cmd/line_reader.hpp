// SPDX-License-Identifier: Apache-2.0
// LineReader: the lines of an input, for commands that converse (batch, mcp).
//
//   LineReader reader(input, "the batch");
//   while (auto line = reader.next(console.output)) …
//
// Before it waits for more input it flushes the output: a program that converses waits for the answers before it writes
// the next line, and a file is answered at full speed. A line over limits::line_bytes is never held in memory.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "files.hpp"

namespace swz {

struct InputLine {
  std::string text;       // without the newline
  bool too_long = false;  // then text is empty
};

class LineReader {
 public:
  // what: the input in the error of one that cannot be read
  LineReader(const Input& input, std::string_view what) : input_(input), what_(what) {}

  // The next line; none at the end of the input.
  std::optional<InputLine> next(Output& answers);

  // Whether a whole line has arrived already, so that next() would not wait.
  bool has_line() const { return rest_.find('\n') != std::string_view::npos; }

 private:
  const Input& input_;
  std::string_view what_;
  std::array<char, 1 << 16> block_;
  std::string_view rest_;  // of the block
};

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// example_lines: the command lines of the examples of every command that need no file, no GPU and no pipe.
//
//   swz place --dtype bf16 --tile 8x64    is the words {"place", "--dtype", "bf16", "--tile", "8x64"}
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace swz {

// The words of "place --layout '(8,8):(8,1)'"; quotes keep blanks.
inline Words line_words(const std::string& line) {
  Words words;
  bool quoted = false, inside = false;
  for (const char c : line) {
    if (c == '\'') quoted = !quoted;
    if (c == '\'' || (c == ' ' && !quoted)) {
      inside = inside && c == '\'';
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c;
  }
  return words;
}

// Without "swz ".
inline std::vector<std::string> example_lines() {
  std::vector<std::string> lines;
  for (const Command& command : commands())
    for (const Example& example : command.examples) {
      const std::string line(example.line);
      bool is_drawable = line.starts_with("swz ") && line.find(" | ") == std::string::npos;
      for (const char* file : {".txt", ".ptx", ".bin", ".so", ".csv", ".swz"})
        is_drawable = is_drawable && line.find(file) == std::string::npos;
      if (is_drawable && !command.needs_system) lines.push_back(line.substr(4));
    }
  return lines;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// The kinds of text that somebody pastes, each with the command that reads it: the table behind `swz TEXT` (cmd/door.hpp).
//
//   {"a C expression of an address", "swizzle lint", no_address, as_address}
//
// To add a kind is to add a row: whether a text is of it is asked of the reader that the command has itself, so that what
// is recognised is what can be read. A reason that a reader gives is what is said where no kind fits.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "option.hpp"

namespace swz {

// A word of the line with what it stands for.
struct Pasted {
  std::string text;           // what is to be read: the word itself, or what its file holds
  std::string path = {};      // of that file; "-": standard input; empty: no file
  std::string unopened = {};  // why a file that it names cannot be read

  std::string bare() const { return std::string(trimmed(text)); }
  bool has_lines() const { return !path.empty() || text.find('\n') != std::string::npos; }
  // As a command takes it whose argument is a file, and whose argument is a text or @FILE. A text of several lines goes
  // the way of standard input.
  std::string file() const { return path.empty() ? "-" : path; }
  std::string or_file() const { return has_lines() ? "@" + file() : text; }
};

struct TextKind {
  std::string_view what, command;
  std::string (*why_not)(const Pasted&);  // empty: it is
  Words (*words)(const Pasted&);          // behind the command; options stand first
  std::string_view lacks = {};            // what it needs besides
  bool is_sure = false;                   // such a text is nothing else
  std::string_view also = {};             // others that read it, where more is said: "layout,frag"
};

// In the order in which they are asked. What cannot be mistaken for another stands first.
std::span<const TextKind> text_kinds();

}  // namespace swz

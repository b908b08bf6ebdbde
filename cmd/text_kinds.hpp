// SPDX-License-Identifier: Apache-2.0
// The kinds of text that may be pasted, each with the command that reads it: the table behind `swz TEXT`
// (cmd/door.hpp).
//
//   {"a C expression of an address", "swizzle lint", no_address, as_address}
//
// To add a kind is to add a row. The reader of the command itself decides whether a text is of the kind, so that what
// is recognised can also be read. If no kind fits, the error gives the reasons of the readers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "option.hpp"

namespace swz {

// A word of the line, with the text that it names.
struct Pasted {
  std::string text;           // what is to be read: the word itself, or the content of its file
  std::string path = {};      // of that file; "-": standard input; empty: no file
  std::string unopened = {};  // why a file that it names cannot be read

  std::string bare() const { return std::string(trimmed(text)); }
  bool has_lines() const { return !path.empty() || text.find('\n') != std::string::npos; }
  // The word for a command whose argument is a file, and for one whose argument is a text or @FILE. A text of several
  // lines is passed through standard input.
  std::string file() const { return path.empty() ? "-" : path; }
  std::string or_file() const { return has_lines() ? "@" + file() : text; }
};

struct TextKind {
  std::string_view what, command;
  std::string (*why_not)(const Pasted&);  // empty if the text is of this kind
  Words (*words)(const Pasted&);          // after the command; options are first
  std::string_view lacks = {};            // what else it needs
  bool is_sure = false;                   // such a text is nothing else
  std::string_view also = {};             // other commands that read it, and answer more: "layout,frag"
};

// In the order in which they are asked: first those that cannot be mistaken for another.
std::span<const TextKind> text_kinds();

}  // namespace swz

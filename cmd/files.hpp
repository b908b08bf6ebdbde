// SPDX-License-Identifier: Apache-2.0
// Files: what a command reads, and where its answer is written.
//
// Input is a file, or standard input under the name "-":
//
//   read_text("dump.txt", context, {1 << 16, "a dump"})      whole, or an Error that names the file and the reason
//
// No more is read than the limit allows, so that /dev/zero ends as a file that is too large. A batch line
// (context.input is -1) reads only regular files, and never the standard input under another name: a named pipe
// would delay all the lines that follow.
//
// Output is the standard stream, or a file that appears completely or not at all:
//
//   Output out("layout.json", stdout);
//   out.write(text);
//   out.commit();   // only now is there a layout.json; before, or without it, an old one is unchanged
//
// How a file is written, "x" being what the path leads to through symbolic links, whether it exists or not:
//
//   x does not exist, or is a file of ours     a temporary in x's directory, renamed to x, with the mode that x had
//   x has other hard links, another owner,     an unnamed temporary, copied into x, which stays the same file
//   or a directory that we cannot write to
//   x is not a regular file (a named pipe)     written directly
//
// A failed write throws Error. If the reader of a pipe on the standard stream has gone (`swz … | head`), write
// and flush throw ReaderGone: this is not an error, as no process reads any more. A signal that ends the program
// removes the temporary first, if handle_signals() was called.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "command.hpp"

namespace swz {

// An open file, which is closed at the end; standard input stays open.
class Input {
 public:
  // standard: the file descriptor that "-" names; -1 in a batch line. Throws Error with `way_out` for a file that
  // cannot be opened.
  Input(const std::string& path, int standard, const std::string& way_out);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // The number of bytes of `to` that were filled; 0 at the end. Throws Error naming `what` if it cannot be read.
  std::size_t read(std::span<char> to, std::string_view what) const;

 private:
  int descriptor_;
  bool is_owned_ = false;
};

struct TextLimits {
  std::size_t most_bytes = 0;
  std::string_view what;     // "a dump"
  std::string_view way_out;  // if there is no such file
};

// The path in a name: "@dump.txt", as other commands name a file, is the file dump.txt.
std::string file_path(const std::string& name);

// The whole text. On a terminal it first shows what it waits for.
std::string read_text(const std::string& path, const Context& context, const TextLimits& limits);

struct ReaderGone {};

// For the whole process, called once by main: SIGPIPE and SIGXFSZ become errors of write; SIGINT, SIGTERM and the like
// remove the temporaries of open Outputs, then end the process as they do by default. An ignored signal stays
// ignored.
void handle_signals();

// Throws Error for a name after -o that cannot be valid: an empty one, or a picture format that swz does not write.
void check_output_name(std::string_view path);

class Output {
 public:
  // path empty or "-": the standard stream, which stays open
  Output(const std::string& path, std::FILE* standard);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void flush();
  void commit();

 private:
  [[noreturn]] void fail(int error_number);
  void open_beside(int mode);
  void open_in_place();
  int copy_in_place();

  std::string path_;       // as the user wrote it; empty for the standard stream
  std::string target_;     // the file to which path_ leads
  std::string temporary_;  // in the directory of target_; empty when written directly or in place
  int in_place_ = -1;      // file descriptor of target_
  std::FILE* file_;
};

}  // namespace swz

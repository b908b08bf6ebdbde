// What a command reads: a file, or standard input under the name "-".
//
//   read_text("dump.txt", context, {1 << 16, "a dump"})      whole, or an Error that names the file and the reason
//
// No more is read than the limit allows, so that /dev/zero ends as a file that is too large. A batch line
// (context.input is -1) reads regular files alone, and never the standard input under another name: a named pipe
// would hold up all the lines that follow.
#pragma once

#include <span>
#include <string>

#include "command.hpp"

namespace swz {

// An open file, closed again; standard input stays open.
class Input {
 public:
  // standard: the file descriptor that "-" names; -1 in a batch line. Throws Error with `way_out` for what cannot
  // be opened.
  Input(const std::string& path, int standard, const std::string& way_out);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // How many bytes of `to` were filled; 0 at the end. Throws Error naming `what` when it cannot be read.
  std::size_t read(std::span<char> to, std::string_view what) const;

 private:
  int descriptor_;
  bool is_owned_ = false;
};

struct TextLimits {
  std::size_t most_bytes = 0;
  std::string_view what;     // "a dump"
  std::string_view way_out;  // when there is no such file
};

// On a terminal it says what is waited for.
std::string read_text(const std::string& path, const Context& context, const TextLimits& limits);

}  // namespace swz

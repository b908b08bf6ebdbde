// Output: where an answer goes, the standard stream or a file that appears whole or not at all.
//
//   Output out("layout.json", stdout);
//   out.write(text);
//   out.commit();   // only now is there a layout.json; before, or without it, an old one stays as it was
//
// A file is written to a temporary beside it and renamed, with the mode an old file had, through a symbolic link if
// it was one. What is not a regular file (/dev/full, a named pipe) is written directly. A failed write throws
// Error. When the reader of a pipe on the standard stream has gone (`swz … | head`), write and flush throw
// ReaderGone: nothing is wrong, nobody listens any more.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace swz {

struct ReaderGone {};

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
  void open_temporary(int mode);

  std::string path_;       // as the user wrote it; empty for the standard stream
  std::string target_;     // what rename replaces; empty when written directly
  std::string temporary_;  // beside target_
  std::FILE* file_;
  bool owned_ = false;
};

}  // namespace swz

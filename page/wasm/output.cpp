// SPDX-License-Identifier: Apache-2.0
// In place of cmd/output.cpp: a page writes no files. What is written to the standard stream it shows.
#include <cerrno>
#include <cstring>

#include "files.hpp"

namespace swz {

void check_output_name(std::string_view) {}  // Output refuses all of them

Output::Output(const std::string& path, std::FILE* standard) : path_(path == "-" ? "" : path), file_(standard) {
  if (!path_.empty())
    throw usage_error("a page writes no files", "leave this option out; what a page shows can be copied");
}

Output::~Output() = default;

void Output::fail(int error_number) {
  throw usage_error(fmt::format("cannot write to standard output: {}", std::strerror(error_number)));
}

void Output::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void Output::flush() {
  if (std::fflush(file_) != 0) fail(errno);
}

void Output::commit() { flush(); }

}  // namespace swz

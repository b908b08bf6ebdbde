// SPDX-License-Identifier: Apache-2.0
// run_cli: runs a command line in process and returns what it wrote; as text and as JSON it has the same exit code.
//
//   const CliResult r = run_cli({"layout", "(8,64):(64,1)", "-f", "json"});
//   r.exit_code == 0; r.out and r.err are the content of the two streams
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "run.hpp"

namespace swz {

struct CliResult {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// A stream whose content becomes a string.
class CapturedStream {
 public:
  CapturedStream() : file_(open_memstream(&data_, &size_)) {}
  ~CapturedStream() {
    std::fclose(file_);
    std::free(data_);
  }
  CapturedStream(const CapturedStream&) = delete;
  CapturedStream& operator=(const CapturedStream&) = delete;

  std::FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    return std::string(data_, size_);
  }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

// input: the content of standard input. The environment's streams are replaced.
inline CliResult run_once(const Words& words, Environment environment = {}, const std::string& input = {}) {
  CapturedStream out;
  CapturedStream err;
  std::FILE* file = std::tmpfile();
  std::fwrite(input.data(), 1, input.size(), file);
  std::fflush(file);
  lseek(fileno(file), 0, SEEK_SET);
  environment.out = out.file();
  environment.err = err.file();
  environment.input = fileno(file);
  CliResult result;
  result.exit_code = run(words, environment);
  result.out = out.text();
  result.err = err.text();
  std::fclose(file);
  return result;
}

// The same line in the other of text and JSON; empty if it names another format or a file, or answers in only one.
inline Words in_other_format(Words words) {
  for (const char* only : {"batch", "--generate", "--complete", "--page", "--record", "-o", "--output"})
    for (const std::string& word : words)
      if (word.starts_with(only)) return {};
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto format = std::find_if(words.begin(), end, [](const std::string& word) {
    return word.starts_with("-f") || word.starts_with("--format");
  });
  if (format == end) {
    words.insert(words.begin(), {"-f", "json"});
    return words;
  }
  if (format + 1 == words.end() || *format != "-f" || *(format + 1) != "json") return {};
  *(format + 1) = "text";
  return words;
}

// Runs the line as text and as JSON, which must have the same exit code: every line of every test is run as both.
inline CliResult run_cli(const Words& words, Environment environment = {}, const std::string& input = {}) {
  CliResult result = run_once(words, environment, input);
  const Words other = in_other_format(words);
  if (!other.empty()) {
    const CliResult o = run_once(other, environment, input);
    INFO(o.out, o.err);
    CAPTURE(other);
    CHECK(o.exit_code == result.exit_code);
  }
  return result;
}

}  // namespace swz

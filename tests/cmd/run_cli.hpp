// run_cli: a command line in process, with what it wrote.
//
//   const CliResult r = run_cli({"layout", "(8,64):(64,1)", "-f", "json"});
//   r.exit_code == 0; r.out and r.err are what stood on the two streams
#pragma once

#include <unistd.h>

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

// A stream that ends up in a string.
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

// input: what standard input holds. The environment's streams are replaced.
inline CliResult run_cli(const Words& words, Environment environment = {}, const std::string& input = {}) {
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

}  // namespace swz

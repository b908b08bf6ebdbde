#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

int mode_for_new_file() {
  const mode_t mask = umask(0);
  umask(mask);
  return static_cast<int>(0666 & ~mask);
}

std::string resolved(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string out = real;
  std::free(real);
  return out;
}

}  // namespace

Output::Output(const std::string& path, std::FILE* standard) : path_(path == "-" ? "" : path), file_(standard) {
  if (path_.empty()) return;
  if (path_.find('\0') != std::string::npos) throw Error("the name of the output file holds a NUL byte");
  owned_ = true;
  struct stat old = {};
  const bool exists = stat(path_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    file_ = std::fopen(path_.c_str(), "we");
    if (file_ == nullptr) fail(errno);
    return;
  }
  // A read-only file says "keep me"; rename would not ask.
  if (exists && access(path_.c_str(), W_OK) != 0) fail(errno);
  target_ = exists ? resolved(path_) : path_;
  open_temporary(exists ? static_cast<int>(old.st_mode & 07777) : mode_for_new_file());
}

Output::~Output() {
  if (!owned_ || file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void Output::open_temporary(int mode) {
  temporary_ = target_ + ".XXXXXX";
  const int descriptor = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor < 0) {
    const int reason = errno;
    temporary_.clear();
    file_ = nullptr;
    fail(reason);
  }
  // Not being able to keep the mode is no reason to withhold the answer.
  if (fchmod(descriptor, static_cast<mode_t>(mode)) != 0) errno = 0;
  file_ = fdopen(descriptor, "w");
  if (file_ == nullptr) {
    const int reason = errno;
    close(descriptor);
    unlink(temporary_.c_str());
    fail(reason);
  }
}

void Output::fail(int error_number) {
  if (path_.empty() && error_number == EPIPE) throw ReaderGone{};
  const std::string where = path_.empty() ? "standard output" : swz::quoted(path_);
  const std::string hint = path_.empty() ? "" : "no file was changed; choose another one with -o";
  throw Error(fmt::format("cannot write to {}: {}", where, std::strerror(error_number)), hint, {},
              ErrorKind::usage);
}

void Output::write(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void Output::flush() {
  errno = 0;
  if (std::fflush(file_) != 0) fail(errno);
}

void Output::commit() {
  flush();
  if (!owned_) return;
  std::FILE* file = file_;
  file_ = nullptr;
  errno = 0;
  int reason = std::fclose(file) == 0 ? 0 : errno;
  if (temporary_.empty()) {
    if (reason != 0) fail(reason);
    return;
  }
  if (reason == 0 && std::rename(temporary_.c_str(), target_.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  unlink(temporary_.c_str());
  fail(reason);
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Where answers are written (files.hpp); the web page has page/wasm/output.cpp in its place.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "files.hpp"

namespace swz {
namespace {

namespace fs = std::filesystem;

constexpr std::array ending_signals{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM};

// The temporaries that exist, for the signal handler, which may touch nothing else; "" is a free place. At most two are
// open: the answer, and a recording.
char temporaries[4][4096] = {};

extern "C" void end_by_signal(int number) {
  for (const auto& name : temporaries)
    if (name[0] != '\0') unlink(name);
  raise(number);  // the handler is reset: this ends the process once the handler returns
}

// Blocks the signals that end the program between the making of a temporary and its entry in the list.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int number : ending_signals) sigaddset(&held, number);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

void list_temporary(const std::string& name) {
  for (auto& place : temporaries)
    if (place[0] == '\0' && name.size() < sizeof place) {
      std::memcpy(place, name.c_str(), name.size() + 1);
      return;
    }
}

void unlist_temporary(const std::string& name) {
  for (auto& place : temporaries)
    if (name == place) place[0] = '\0';
}

mode_t mode_for_new_file() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// Where a path leads through symbolic links, also if the last of them leads to a file that does not exist.
std::string followed(fs::path path) {
  constexpr int longest_chain = 40;  // as in Linux
  std::error_code is_no_link;
  for (int i = 0; i < longest_chain; ++i) {
    const fs::path next = fs::read_symlink(path, is_no_link);
    if (is_no_link) break;
    path = path.parent_path() / next;  // an absolute `next` replaces the directory
  }
  return path.string();
}

std::string directory_of(const std::string& file) {
  const std::string parent = fs::path(file).parent_path().string();
  return parent.empty() ? "." : parent;
}

// True if a new file of the same name would not be the same file.
bool must_stay(const struct stat& old, const std::string& target) {
  return old.st_nlink > 1 || old.st_uid != geteuid() || old.st_gid != getegid() ||
         access(directory_of(target).c_str(), W_OK | X_OK) != 0;
}

}  // namespace

void handle_signals() {
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
  for (const int number : ending_signals) {
    struct sigaction action = {}, before = {};
    action.sa_handler = end_by_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(number, &action, &before);
    if (before.sa_handler == SIG_IGN) sigaction(number, &before, nullptr);
  }
}

void check_output_name(std::string_view path) {
  if (path.empty()) throw usage_error("-o needs the name of a file", "-o - is standard output");
  const std::string suffix = lower_case(fs::path(path).extension().string());
  for (const std::string_view foreign : {".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".eps", ".ps"})
    if (suffix == foreign)
      throw usage_error(fmt::format("swz does not write {} files", foreign),
                        "pictures are .svg, .png, .pdf, .tex or .html; -f text writes text to a file of any name");
}

Output::Output(const std::string& path, std::FILE* standard) : path_(path == "-" ? "" : path), file_(standard) {
  if (path_.empty()) return;
  if (path_.find('\0') != std::string::npos) throw Error("the name of the output file holds a NUL byte");
  file_ = nullptr;
  struct stat old = {};
  const bool exists = stat(path_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) fail(errno);
  if (exists && S_ISDIR(old.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    file_ = std::fopen(path_.c_str(), "we");
    if (file_ == nullptr) fail(errno);
    return;
  }
  // A read-only file is not meant to be replaced, but rename would not check that.
  if (exists && access(path_.c_str(), W_OK) != 0) fail(errno);
  target_ = followed(path_);
  if (exists && must_stay(old, target_)) open_in_place();
  else open_beside(static_cast<int>(exists ? old.st_mode & 07777 : mode_for_new_file()));
}

Output::~Output() {
  if (in_place_ >= 0) close(in_place_);
  if (!path_.empty() && file_ != nullptr) std::fclose(file_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  unlist_temporary(temporary_);
}

void Output::open_beside(int mode) {
  // The name is short, so that it fits in every directory that has a file of the target's name.
  temporary_ = directory_of(target_) + "/.swz.XXXXXX";
  int descriptor = -1;
  {
    const SignalsHeld held;
    descriptor = mkostemp(temporary_.data(), O_CLOEXEC);
    if (descriptor >= 0) list_temporary(temporary_);
  }
  if (descriptor < 0) fail(errno);
  // The answer is written even if the mode cannot be kept.
  if (fchmod(descriptor, static_cast<mode_t>(mode)) != 0) errno = 0;
  file_ = fdopen(descriptor, "w");
  if (file_ == nullptr) {
    unlink(temporary_.c_str());
    fail(ENOMEM);
  }
}

void Output::open_in_place() {
  in_place_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (in_place_ < 0) fail(errno);
  file_ = std::tmpfile();
  if (file_ == nullptr) fail(errno);
}

// 0, or the error number of the call that failed.
int Output::copy_in_place() {
  std::rewind(file_);
  if (ftruncate(in_place_, 0) != 0) return errno;
  std::array<char, 1 << 16> block;
  while (const std::size_t filled = std::fread(block.data(), 1, block.size(), file_))
    for (std::size_t at = 0; at < filled;) {
      const ssize_t count = ::write(in_place_, block.data() + at, filled - at);
      if (count < 0 && errno != EINTR) return errno;
      if (count > 0) at += static_cast<std::size_t>(count);
    }
  return std::ferror(file_) != 0 ? EIO : 0;
}

void Output::fail(int error_number) {
  if (path_.empty() && error_number == EPIPE) throw ReaderGone{};
  const std::string where = path_.empty() ? "standard output" : swz::quoted(path_);
  const std::string hint = path_.empty() ? "" : "no file was changed; choose another one with -o";
  throw usage_error(fmt::format("cannot write to {}: {}", where, std::strerror(error_number)), hint);
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
  if (path_.empty()) return;
  if (in_place_ >= 0) {
    if (const int reason = copy_in_place(); reason != 0)
      throw usage_error(fmt::format("cannot write to {}: {}", swz::quoted(path_), std::strerror(reason)),
                        "the file is incomplete");
    return;
  }
  errno = 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  unlist_temporary(temporary_);
  temporary_.clear();
}

}  // namespace swz

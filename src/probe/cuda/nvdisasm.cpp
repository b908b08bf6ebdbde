// SPDX-License-Identifier: Apache-2.0
#include "probe/cuda/nvdisasm.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/cuda/cuda_files.hpp"
#include "probe/cuda/library.hpp"

namespace swz {

namespace {

constexpr unsigned most_seconds = 300;  // then it is ended
constexpr const char* how_to_get_it =
    "install it (pip install nvidia-cuda-nvdisasm, or the CUDA toolkit) or set SWZ_NVDISASM to its path";

bool can_run(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

std::string found_nvdisasm() {
  for (const std::string& folder : split(environment("PATH"), ':'))
    if (!folder.empty() && can_run(folder + "/nvdisasm")) return folder + "/nvdisasm";
  // A wheel that was unpacked by hand may have lost the right to be run.
  for (const std::string& path : files_of_cuda(
           std::array{"bin"}, std::array{"nvidia/cu13/bin", "nvidia/cuda_nvdisasm/bin"}, std::array{"nvdisasm"}))
    if (can_run(path)) return path;
  return {};
}

// Closed at the end of its life.
struct Descriptor {
  int number = -1;
  explicit Descriptor(int of = -1) : number(of) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close_it(); }
  void close_it() {
    if (number >= 0) ::close(number);
    number = -1;
  }
};

[[noreturn]] void throw_failed(std::string_view what) {
  throw Error(fmt::format("{} failed: {}", what, std::strerror(errno)), {}, {}, ErrorKind::hardware);
}

// A file that has no name and that a new process gets with this number.
void put_in_memory(std::string_view bytes, Descriptor& file) {
#ifdef __linux__
  file.number = static_cast<int>(syscall(SYS_memfd_create, "cubin", 0U));
#endif
  if (file.number < 0) throw_failed("a file in memory for nvdisasm");
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t count = ::write(file.number, bytes.data() + written, bytes.size() - written);
    if (count <= 0) throw_failed("a file in memory for nvdisasm");
    written += static_cast<std::size_t>(count);
  }
}

struct Pipe {
  Descriptor read, write;
  Pipe() {
    int both[2];
    if (::pipe(both) != 0) throw_failed("a pipe to nvdisasm");
    read.number = both[0];
    write.number = both[1];
  }
};

std::string all_of(int from, std::int64_t most, bool& is_whole) {
  std::string text;
  std::array<char, 1 << 16> part;
  is_whole = true;
  while (true) {
    const ssize_t count = ::read(from, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    if (std::int64_t(text.size()) + count > most) {
      is_whole = false;
      return text;
    }
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

bool Nvdisasm::is_switched_off() { return environment("SWZ_NVDISASM") == "none"; }

Nvdisasm::Nvdisasm() : path_(environment("SWZ_NVDISASM")) {
  if (!path_.empty() && !can_run(path_))
    throw Error(fmt::format("SWZ_NVDISASM: {} cannot be run", swz::quoted(path_)), how_to_get_it, {},
                ErrorKind::hardware);
  if (path_.empty()) path_ = found_nvdisasm();
  if (path_.empty())
    throw Error("nvdisasm was not found, and machine code cannot be read without it", how_to_get_it, {},
                ErrorKind::hardware);
}

std::string Nvdisasm::disassembled(std::string_view cubin, std::uint32_t symbol, std::int64_t most) const {
  Descriptor file;
  put_in_memory(cubin, file);
  Pipe pipe;
  const std::string function = fmt::format("{}", symbol), name = fmt::format("/dev/fd/{}", file.number);
  const std::array<const char*, 8> words{path_.c_str(),    "-c",         "-g",   "-gp", "-fun",
                                         function.c_str(), name.c_str(), nullptr};
  const pid_t child = ::fork();
  if (child < 0) throw_failed("nvdisasm");
  if (child == 0) {
    // Errors come after the text, in the same pipe.
    ::dup2(pipe.write.number, 1);
    ::dup2(pipe.write.number, 2);
    ::close(pipe.read.number);
    ::alarm(most_seconds);
    ::execv(path_.c_str(), const_cast<char* const*>(words.data()));
    ::_exit(127);
  }
  pipe.write.close_it();
  bool is_whole = true;
  std::string text = all_of(pipe.read.number, most, is_whole);
  if (!is_whole) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!is_whole)
    throw Error(fmt::format("nvdisasm printed more than {} bytes", most), "ask for one kernel with --entry", {},
                ErrorKind::hardware);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  const std::size_t fatal = text.find("nvdisasm ");
  const std::string said(
      trimmed(fatal == text.npos ? text.substr(0, 200) : text.substr(fatal, text.find('\n', fatal) - fatal)));
  throw Error(fmt::format("{} failed: {}", path_, said.empty() ? "it says nothing" : said),
              "a cubin of a newer toolkit needs a newer nvdisasm: pip install -U nvidia-cuda-nvdisasm", {},
              ErrorKind::hardware);
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Where an answer goes: what becomes of links, owners and names, and of the temporary when a signal comes.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cmd/run_cli.hpp"
#include "cmd/scratch.hpp"
#include "files.hpp"

using namespace swz;
namespace fs = std::filesystem;

namespace {

// `swz diff 8:1 8:1 -o path`.
CliResult diff_into(const std::string& path) { return run_cli({"diff", "8:1", "8:1", "-o", path}); }

const std::string& answer() {
  static const std::string text = run_cli({"diff", "8:1", "8:1"}).out;
  return text;
}

// The wait status of a child process that does `work` and then exits with 0.
int status_of_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("output: a dangling link gets the file to which it leads, through every link on the way") {
  const ScratchFolder scratch;
  fs::create_directory(scratch.path / "sub");
  fs::create_symlink("sub/second", scratch.file("first"));
  fs::create_symlink("../made", scratch.file("sub/second"));
  for (int i = 0; i < 2; ++i) {  // the second time the file exists
    CHECK(diff_into(scratch.file("first")).exit_code == 0);
    CHECK(fs::is_symlink(scratch.file("first")));
    CHECK(fs::is_symlink(scratch.file("sub/second")));
    CHECK(scratch.content("made") == answer());
  }
  CHECK(scratch.entries() == 3);
  fs::create_symlink("loop", scratch.file("loop"));
  CHECK(diff_into(scratch.file("loop")).err.find("Too many levels of symbolic links") != std::string::npos);
}

TEST_CASE("output: a file with other hard links stays the same file") {
  const ScratchFolder scratch;
  scratch.file("one", std::string(100000, 'x'));
  fs::create_hard_link(scratch.file("one"), scratch.file("two"));
  CHECK(diff_into(scratch.file("one")).exit_code == 0);
  CHECK(scratch.content("one") == answer());
  CHECK(scratch.content("two") == answer());
  CHECK(fs::hard_link_count(scratch.file("one")) == 2);
  CHECK(scratch.entries() == 2);
  // What fails before the end leaves it as it was.
  CHECK(run_cli({"layout", "(8", "-o", scratch.file("one")}).exit_code == 2);
  CHECK(scratch.content("two") == answer());
}

TEST_CASE("output: a file of another owner keeps him") {
  if (geteuid() != 0) return;  // only root can give a file away
  const ScratchFolder scratch;
  const std::string file = scratch.file("theirs", "old");
  REQUIRE(chown(file.c_str(), 12345, 23456) == 0);
  CHECK(diff_into(file).exit_code == 0);
  struct stat status = {};
  stat(file.c_str(), &status);
  CHECK(status.st_uid == 12345);
  CHECK(status.st_gid == 23456);
  CHECK(scratch.content("theirs") == answer());
}

TEST_CASE("output: every name that a file can have can be written") {
  const ScratchFolder scratch;
  for (const std::size_t length : {1, 249, 254, 255}) {
    CAPTURE(length);
    const std::string name(length, 'n');
    CHECK(diff_into(scratch.file(name)).exit_code == 0);
    CHECK(scratch.content(name) == answer());
  }
  CHECK(scratch.entries() == 4);
  CHECK(diff_into(scratch.file(std::string(256, 'n'))).err.find("File name too long") != std::string::npos);
  CHECK(scratch.entries() == 4);
}

TEST_CASE("output: a name that cannot be meant is refused") {
  const CliResult empty = diff_into("");
  CHECK(empty.exit_code == 2);
  CHECK(empty.out.empty());
  CHECK(empty.err == "swz: error: -o needs the name of a file\nhint: -o - is standard output\n");
  const ScratchFolder scratch;
  for (const char* suffix : {".jpg", ".JPEG", ".gif", ".eps"}) {
    const CliResult r = diff_into(scratch.file(std::string("picture") + suffix));
    CHECK(r.exit_code == 2);
    CHECK(r.err.starts_with("swz: error: --output: swz does not write ."));
  }
  CHECK(diff_into(scratch.file("picture.jpg")).err ==
        "swz: error: --output: swz does not write .jpg files\n"
        "hint: pictures are .svg, .png, .pdf, .tex or .html; -f text writes text to a file of any name\n");
  CHECK(scratch.entries() == 0);
  for (const char* name : {"answer", "answer.txt", "descriptor.cu", "notes.md", ".jpg"})
    CHECK(diff_into(scratch.file(name)).exit_code == 0);
  CHECK(scratch.entries() == 5);
}

TEST_CASE("output: a signal that ends the program removes its temporaries") {
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM}) {
    CAPTURE(number);
    const ScratchFolder scratch;
    scratch.file("old", "old");
    const int status = status_of_child([&] {
      handle_signals();
      Output answer(scratch.file("old"), stdout), recording(scratch.file("new"), stdout);
      answer.write(std::string(1 << 20, 'x'));
      recording.write("y");
      if (scratch.entries() == 3) raise(number);  // otherwise the child exits with 0
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == number);
    CHECK(scratch.entries() == 1);
    CHECK(scratch.content("old") == "old");
  }
}

TEST_CASE("output: what nohup made deaf stays deaf; after the answer nothing is removed") {
  const ScratchFolder scratch;
  const int status = status_of_child([&] {
    std::signal(SIGHUP, SIG_IGN);
    handle_signals();
    {
      Output answer(scratch.file("answer"), stdout);
      answer.write("x");
      raise(SIGHUP);
      answer.commit();
    }
    raise(SIGTERM);
  });
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK(scratch.content("answer") == "x");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("output: a file size limit is an error like a full disk") {
  const ScratchFolder scratch;
  const int status = status_of_child([&] {
    handle_signals();
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string message;
    try {
      Output answer(scratch.file("answer"), stdout);
      answer.write(std::string(1 << 20, 'x'));
      answer.commit();
    } catch (const Error& error) {
      message = error.message();
    }
    _exit(message == "cannot write to " + swz::quoted(scratch.file("answer")) + ": File too large" ? 0 : 1);
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(scratch.entries() == 0);
}

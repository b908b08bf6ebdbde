// SPDX-License-Identifier: Apache-2.0
// What a command reads: files without an end, files that are not files, and a batch line that must not wait.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "base/limits.hpp"
#include "cmd/run_cli.hpp"
#include "cmd/scratch.hpp"
#include "probe/recording.hpp"

using namespace swz;

namespace {

std::string batch(const std::string& lines) { return run_cli({"batch", "-"}, {}, lines).out; }

}  // namespace

TEST_CASE("input: a recording has an end") {
  const CliResult endless = run_cli({"verify", "--replay", "/dev/zero"});
  CHECK(endless.exit_code == 2);
  CHECK(endless.err ==
        "swz: error: '/dev/zero' is larger than 32768 KiB, the limit of a recording\n"
        "hint: give the part that matters\n");
}

TEST_CASE("input: a line of a recording is bounded, and read up to the bound") {
  const ScratchFolder scratch;
  const std::string head = recording_head({"GPU", "sm_90a", "580", "13.0", "0.1.0"}, 1);
  const std::string at_bound(static_cast<std::size_t>(limits::recording_line_bytes.most), 'x');
  const CliResult within = run_cli({"verify", "--replay", scratch.file("within", head + at_bound)});
  CHECK(within.exit_code == 2);
  CHECK(within.err.starts_with("swz: error: line 2 of the recording: not JSON at byte "));
  const CliResult above = run_cli({"verify", "--replay", scratch.file("above", head + at_bound + "x")});
  CHECK(above.exit_code == 2);
  CHECK(above.err ==
        "swz: error: line 2 of the recording: a line of a recording: 1048577 bytes are more than the limit of "
        "1048576\n"
        "hint: a recording is one JSON object a line, as --record writes it\n");
}

TEST_CASE("input: a recording that cannot be read is named") {
  const CliResult r = run_cli({"verify", "--replay", "/nowhere/x.jsonl"});
  CHECK(r.exit_code == 2);
  CHECK(r.err ==
        "swz: error: cannot open '/nowhere/x.jsonl': No such file or directory\n"
        "hint: --replay takes a file that --record wrote\n");
  CHECK(run_cli({"verify", "--replay", "/"}).err.starts_with("swz: error: cannot read '/': Is a directory\n"));
}

TEST_CASE("input: a batch line reads regular files only") {
  const ScratchFolder scratch;
  const std::string pipe = scratch.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  // Opened as a file it would wait for a writer, for ever.
  for (const std::string& line : {"decode @" + pipe, "verify --replay " + pipe, "tma check --paste " + pipe})
    CHECK(batch(line + "\n").find(": a batch line reads regular files only\"") != std::string::npos);
  CHECK(batch("decode @/dev/zero\n").find("a batch line reads regular files only") != std::string::npos);
  const std::string word = scratch.file("word", "0x4000004000010042");
  CHECK(batch("decode @" + word + "\n").starts_with("{\"exit\":0,"));
  CHECK(batch("decode @" + scratch.path.string() + "\n").find("Is a directory") != std::string::npos);
}

TEST_CASE("input: a batch line cannot take the lines that follow it") {
  for (const char* name : {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}) {
    CAPTURE(name);
    CHECK(batch("decode @" + std::string(name) + "\n") ==
          "{\"exit\":2,\"error\":{\"message\":\"a batch line cannot read standard input, which holds the next lines\","
          "\"hint\":\"name a file, or put the text itself into the line\"}}\n");
  }
}

TEST_CASE("input: a word with a NUL byte is refused, in either form of a batch line") {
  const std::string refusal =
      "{\"exit\":2,\"error\":{\"message\":\"the line holds a NUL byte\","
      "\"hint\":\"no file name and no expression can hold one\"}}\n";
  CHECK(batch("[\"layout\", \"(8\\u0000\"]\n") == refusal);
  CHECK(batch(std::string("layout 8\0 8\n", 12)) == refusal);
  CHECK(batch("[\"verify\", \"--replay\", \"file\\u0000x\"]\n") == refusal);
}

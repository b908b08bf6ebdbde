// SPDX-License-Identifier: Apache-2.0
// The man page, the schema of requests and the completions: that they have everything. What mandoc, bash, zsh and
// fish make of the installed ones is tested in tests/install.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cmd/mock_commands.hpp"
#include "cmd/parsed.hpp"
#include "cmd/run_cli.hpp"
#include "cmd/scratch.hpp"
#include "help.hpp"

using namespace swz;

namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  pclose(pipe);
  return out;
}

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace

TEST_CASE("the man page names every command, option, choice and example, and no line is a stray macro") {
  const std::string page = man_page(mock_commands());
  for (const char* part :
       {".TH SWZ 1 ", ".SH NAME", ".SS swz echo", ".SS swz tile bytes", "\\fB\\-\\-kind\\fR", "\\fIf16|tf32\\fR",
        "swz echo a b", ".SH EXIT STATUS", ".SH ENVIRONMENT", "\\fB\\-f\\fR, \\fB\\-\\-format\\fR \\fIFORMAT\\fR"}) {
    CAPTURE(part);
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(page.find("  \n") == std::string::npos);
  CHECK(page.find("\n\n") == std::string::npos);
  if (has_program("mandoc")) {
    for (const Commands* table : {&mock_commands(), &commands()}) {
      const ScratchFile file(man_page(*table));
      CHECK(output_of("mandoc -T lint " + file.path + " 2>&1") == "");
    }
  }
}

TEST_CASE("shells accept the completion scripts") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (!has_program(shell)) continue;
    const ScratchFile file(completion_script(shell));
    CAPTURE(shell);
    CHECK(output_of(shell + " -n " + file.path + " 2>&1; echo $?") == "0\n");
  }
}

TEST_CASE("what is completed") {
  const auto candidates = [](const std::string& shell, const Words& words) {
    std::string out;
    const std::string text = completions(shell, words, mock_commands());
    for (const std::string& line : split(text, '\n'))
      if (!line.empty()) out += (out.empty() ? "" : " ") + line.substr(0, line.find('\t'));
    return out;
  };
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const auto completed = [&](const Words& words) { return candidates(shell, words); };
    CAPTURE(shell);
    CHECK(completed({"ec"}) == "echo");
    CHECK(completed({""}) == "help echo fail tile topic batch");
    CHECK(completed({}) == "help echo fail tile topic batch");
    CHECK(completed({"topic", "s"}) == "second");
    CHECK(completed({"topic", "first", ""}) == "");
    CHECK(completed({"tile", ""}) == "bytes echo");
    CHECK(completed({"tile", "e"}) == "echo");
    CHECK(completed({"--arch", "sm_90a", "ec"}) == "echo");
    CHECK(completed({"--arch", "sm_90"}) == "sm_90a");
    CHECK(completed({"help", "fa"}) == "fail");
    CHECK(completed({"echo", "--kind", ""}) == "f16 tf32");
    CHECK(completed({"tile", "echo", "--kind", "t"}) == "tf32");
    CHECK(completed({"echo", "--k"}) == "--kind");
    CHECK(completed({"fail", "--k"}) == "");
    CHECK(completed({"--v"}) == "--version");
    CHECK(completed({"echo", ""}) == "");
    CHECK(completed({"batch", "a"}) == ":file");
    CHECK(completed({"echo", "-o", "a"}) == ":file");
    CHECK(completed({"nothing", ""}) == "");
  }
  CHECK(candidates("zsh", {"echo", "--format=j"}) == "--format=json");
  CHECK(candidates("fish", {"echo", "--format="}) ==
        "--format=text --format=json --format=svg --format=png --format=pdf --format=tex --format=html");
  CHECK(candidates("bash", {"echo", "--format", "=", "j"}) == "json");
  CHECK(candidates("bash", {"echo", "--format", "="}) == "text json svg png pdf tex html");
  CHECK(candidates("bash", {"--format", "=", "json", "ec"}) == "echo");
  CHECK(completions("fish", {"ec"}, mock_commands()) == "echo\tsay the words\n");
}

// Shell functions replace the program: what it prints is tested above.
TEST_CASE("what the scripts make of the candidates") {
  if (!has_program("bash")) return;
  const ScratchFile file(completion_script("bash"));
  const std::string most_of_path = file.path.substr(0, file.path.size() - 1);
  const auto completed = [&](const std::string& printed, const std::string& current) {
    return output_of("bash --norc -c 'set -u; swz() { printf \"" + printed + "\"; }; source " + file.path +
                     "; COMP_WORDS=(swz " + current +
                     "); COMP_CWORD=1; _swz swz; for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; done' 2>&1");
  };
  CHECK(completed("echo\\tsay the words\\ntile\\t\\n", "x") == "echo\ntile\n");
  CHECK(completed(":file\\n", most_of_path) == file.path + "\n");
}

TEST_CASE("completions run the swz of the PATH or an absolute path, never one of the directory, and do not glob") {
  const ScratchFolder folder;
  const std::string here = folder.file("swz", "#!/bin/sh\necho here\n"),
                    script = folder.file("script", completion_script("bash"));
  std::filesystem::permissions(here, std::filesystem::perms::owner_all);
  const std::string in_folder = "cd " + folder.path.string() + " && ";
  const auto by_bash = [&](const std::string& typed) {
    return output_of(in_folder + "bash --norc -c 'shopt -s failglob; swz() { echo \"--tv * of x\"; }; source " +
                     script + "; COMP_WORDS=(" + typed + " --); COMP_CWORD=1; _swz " + typed +
                     "; echo \"${COMPREPLY[*]}\"' 2>&1");
  };
  const auto by_zsh = [&](const std::string& typed) {
    return output_of(in_folder +
                     "zsh -fc 'compdef() { : }; _describe() { print -l -- $described }; swz() { echo path }; source " +
                     folder.file("zsh", completion_script("zsh")) + "; words=(" + typed + " p); CURRENT=2; _swz' 2>&1");
  };
  const auto by_fish = [&](const std::string& typed) {
    return output_of(in_folder + "HOME=. fish --no-config -c 'function swz; echo path; end; source " +
                     folder.file("fish", completion_script("fish")) + "; complete -C \"" + typed + " \"' 2>&1");
  };
  if (has_program("bash")) {
    for (const char* typed : {"swz", "./swz", "folder/swz"}) CHECK(by_bash(typed) == "--tv * of x\n");
    CHECK(by_bash(here) == "here\n");
  }
  if (has_program("zsh")) {
    for (const char* typed : {"swz", "./swz"}) CHECK(by_zsh(typed) == "path:path\n");
    CHECK(by_zsh(here) == "here:here\n");
  }
  if (has_program("fish")) {
    for (const char* typed : {"swz", "./swz"}) CHECK(by_fish(typed) == "path\n");
    CHECK(by_fish(here) == "here\n");
  }
}

TEST_CASE("the schema of requests has every option of every command, and its rules") {
  const Parsed schema = Parsed::parse(generate("requests", mock_commands()));
  REQUIRE(schema["oneOf"].size() == mock_commands().size());
  const Parsed& echo = schema["oneOf"][0];
  CHECK(echo["properties"]["command"] == Parsed{{"const", "echo"}});
  CHECK(echo["properties"]["WORD"]["type"] == "array");
  CHECK(echo["properties"]["kind"]["enum"] == Parsed{"f16", "tf32"});
  CHECK(echo["properties"]["strict"]["type"] == "boolean");
  CHECK(echo["required"] == Parsed{"command", "WORD"});
  CHECK(echo["allOf"][0].dump() == R"({"anyOf":[{"not":{"required":["count"]}},{"required":["kind"]}]})");
  CHECK(schema["oneOf"][2]["allOf"][0].dump() == R"({"not":{"required":["limit","from"]}})");
}

TEST_CASE("--generate is the way to them") {
  Environment environment;
  environment.table = &mock_commands();
  for (const std::string kind : {"man", "requests", "bash", "zsh", "fish"}) {
    const CliResult r = run_cli({"--generate", kind}, environment);
    CHECK(r.exit_code == 0);
    CHECK(r.out == generate(kind, mock_commands()));
  }
}

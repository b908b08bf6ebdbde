// The man page and the completions: that they have everything, and that bash completes what it should. What
// mandoc, zsh and fish make of the installed ones is tested in tests/install.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "cmd/mock_commands.hpp"
#include "cmd/run_cli.hpp"
#include "manual.hpp"

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

struct ScratchFile {
  std::string path;
  explicit ScratchFile(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "swz-test-XXXXXX").string();
    close(mkstemp(pattern.data()));
    path = pattern;
    std::ofstream(path) << text;
  }
  ~ScratchFile() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("the man page names every command, option, choice and example, and no line is a stray macro") {
  const std::string page = man_page(mock_commands());
  for (const char* part : {".TH SWZ 1 ", ".SH NAME", ".SS swz echo", ".SS swz tile bytes", "\\fB\\-\\-kind\\fR",
                           "\\fIf16|tf32\\fR", "swz echo a b", ".SH EXIT STATUS", ".SH ENVIRONMENT",
                           "\\fB\\-f\\fR, \\fB\\-\\-format\\fR \\fItext|json|svg|png|pdf\\fR"}) {
    CAPTURE(part);
    CHECK(page.find(part) != std::string::npos);
  }
  CHECK(page.find("  \n") == std::string::npos);
  CHECK(page.find("\n\n") == std::string::npos);
  if (has_program("mandoc")) {
    for (const std::vector<Command>* table : {&mock_commands(), &commands()}) {
      const ScratchFile file(man_page(*table));
      CHECK(output_of("mandoc -T lint " + file.path + " 2>&1") == "");
    }
  }
}

TEST_CASE("shells accept the completions") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (!has_program(shell)) continue;
    for (const std::vector<Command>* table : {&mock_commands(), &commands()}) {
      const ScratchFile file(generate(shell, *table));
      CAPTURE(shell);
      CHECK(output_of(shell + " -n " + file.path + " 2>&1; echo $?") == "0\n");
    }
  }
}

TEST_CASE("what bash completes") {
  if (!has_program("bash")) return;
  const ScratchFile file(bash_completion(mock_commands()));
  const auto completed = [&file](const std::string& words) {
    return output_of("bash --norc -c 'set -u; source " + file.path + "; COMP_WORDS=(swz " + words +
                     "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMPREPLY=(); _swz; "
                     "echo \"${COMPREPLY[*]}\"' 2>&1");
  };
  CHECK(completed("ec") == "echo\n");
  CHECK(completed("\"\"") == "help echo fail tile topic batch\n");
  CHECK(completed("topic s") == "second\n");
  CHECK(completed("tile \"\"") == "bytes echo\n");
  CHECK(completed("tile e") == "echo\n");
  CHECK(completed("--arch sm_90a ec") == "echo\n");
  CHECK(completed("help fa") == "fail\n");
  CHECK(completed("echo --kind \"\"") == "f16 tf32\n");
  CHECK(completed("tile echo --kind t") == "tf32\n");
  CHECK(completed("echo --format = j") == "json\n");
  CHECK(completed("echo --format =") == "text json svg png pdf\n");
  CHECK(completed("--format = json ec") == "echo\n");
  CHECK(completed("echo --k") == "--kind\n");
  CHECK(completed("fail --k") == "\n");
  CHECK(completed("--v") == "--version\n");
  CHECK(completed("echo \"\"") == "\n");
  const std::string most_of_path = file.path.substr(0, file.path.size() - 1);
  CHECK(completed("batch " + most_of_path) == file.path + "\n");
  CHECK(completed("echo -o " + most_of_path) == file.path + "\n");
}

TEST_CASE("--generate is the way to them") {
  Environment environment;
  environment.table = &mock_commands();
  for (const std::string kind : {"man", "bash", "zsh", "fish"}) {
    const CliResult r = run_cli({"--generate", kind}, environment);
    CHECK(r.exit_code == 0);
    CHECK(r.out == generate(kind, mock_commands()));
  }
}

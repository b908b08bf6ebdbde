// SPDX-License-Identifier: Apache-2.0
// The frame around commands: dispatch, options, errors, exit codes, output.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "cmd/mock_commands.hpp"
#include "cmd/parsed.hpp"
#include "cmd/run_cli.hpp"
#include "cmd/scratch.hpp"

using namespace swz;

namespace {

Environment mock() {
  Environment environment;
  environment.table = &mock_commands();
  return environment;
}

CliResult cli(const Words& words) { return run_cli(words, mock()); }

Environment mock_with(const std::string& name, const std::string& value) {
  Environment environment = mock();
  environment.variables[name] = value;
  return environment;
}

std::string line(const std::string& text) { return text + "\n"; }

}  // namespace

TEST_CASE("an answer as text and as JSON") {
  CliResult r = cli({"echo", "hi"});
  CHECK(r.exit_code == 0);
  CHECK(r.out == "words  [\"hi\"]\narch\n");
  CHECK(r.err.empty());
  r = cli({"echo", "hi", "-f", "json"});
  CHECK(r.out == "{\"verdict\":\"clean\",\"words\":[\"hi\"],\"arch\":\"\"}\n");
}

TEST_CASE("common options come before or after the command's name, in every spelling") {
  const std::string json = "{\"verdict\":\"clean\",\"words\":[\"hi\"],\"arch\":\"sm_100a\"}\n";
  for (const Words& words : std::vector<Words>{
           {"--arch", "sm_100a", "-f", "json", "echo", "hi"},
           {"echo", "--arch=sm_100a", "hi", "--format=json"},
           {"-fjson", "echo", "hi", "--arch", "sm_100a"},
           {"--arch", "sm_100a", "tile", "-f", "json", "echo", "hi"},
           {"tile", "echo", "-f", "json", "--arch", "sm_100a", "--", "hi"},
       }) {
    const CliResult r = cli(words);
    CAPTURE(words);
    CHECK(r.exit_code == 0);
    CHECK(r.out == json);
  }
}

TEST_CASE("arguments that begin with a parenthesis, a minus and a digit, a single dash, or anything after --") {
  const CliResult r = cli({"echo", "(8,64):(64,1)", "-5", "-", "-f", "json", "--", "--arch", "-x", "--", "--help"});
  CHECK(r.err.empty());
  CHECK(r.out == line("{\"verdict\":\"error\",\"words\":[\"(8,64):(64,1)\",\"-5\",\"-\",\"--arch\",\"-x\",\"--\",\"--"
                      "help\"],\"arch\":\"\"}"));
}

TEST_CASE("SWZ_ARCH holds where --arch is not given") {
  CHECK(run_cli({"echo", "x", "-f", "json"}, mock_with("SWZ_ARCH", "sm_103a")).out ==
        "{\"verdict\":\"clean\",\"words\":[\"x\"],\"arch\":\"sm_103a\"}\n");
  CHECK(run_cli({"echo", "x", "-f", "json", "--arch", "hopper"}, mock_with("SWZ_ARCH", "sm_103a")).out ==
        "{\"verdict\":\"clean\",\"words\":[\"x\"],\"arch\":\"sm_90a\"}\n");
  const CliResult r = run_cli({"echo", "x"}, mock_with("SWZ_ARCH", "sm_90b"));
  CHECK(r.exit_code == 2);
  CHECK(r.err.rfind("swz: error: SWZ_ARCH: 'sm_90b' is not a known target\nhint: did you mean 'sm_90a'?", 0) == 0);
  CHECK(cli({"echo", "x", "--arch", "sm_90b"}).err.rfind("swz: error: --arch: 'sm_90b' is not a known target\n", 0) ==
        0);
}

TEST_CASE("whole error messages") {
  const struct {
    Words words;
    std::string err;
  } rows[] = {
      {{"ehco"}, "swz: error: unknown command 'ehco'\nhint: did you mean 'echo'? see 'swz --help'\n"},
      {{"tiel"}, "swz: error: unknown command 'tiel'\nhint: did you mean 'tile'? see 'swz --help'\n"},
      {{"zzzzzzz"}, "swz: error: unknown command 'zzzzzzz'\nhint: see 'swz --help'\n"},
      {{"tile", "ehco"},
       "swz: error: unknown command 'tile ehco'\nhint: did you mean 'tile echo'? see 'swz tile --help'\n"},
      {{"echo", "--achr", "x", "y"},
       "swz: error: unknown option '--achr'\nhint: did you mean '--arch'? see 'swz echo --help'\n"},
      {{"--strcit", "echo"},
       "swz: error: unknown option '--strcit'\nhint: did you mean '--strict'? see 'swz --help'\n"},
      {{"echo", "--knid=f16", "y"},
       "swz: error: unknown option '--knid'\nhint: did you mean '--kind'? see 'swz echo --help'\n"},
      {{"echo", "y", "--json"}, "swz: error: unknown option '--json'\nhint: JSON is -f json; see 'swz echo --help'\n"},
      {{"echo", "-q"},
       "swz: error: unknown option '-q'\nhint: swz echo takes --kind, --count; see 'swz echo --help'\n"},
      {{"echo", "-(q)"},
       "swz: error: unknown option '-('\n"
       "hint: write '--' before an argument that begins with '-'; see 'swz echo --help'\n"},
      {{"echo"}, "swz: error: missing argument WORD\nhint: usage: swz echo [options] WORD...; see 'swz echo --help'\n"},
      {{"fail", "no", "more"},
       "swz: error: unexpected argument 'more'\nhint: usage: swz fail [options] WHAT; see 'swz fail --help'\n"},
      {{"echo", "x", "--kind"},
       "swz: error: option --kind needs a value\nhint: --kind f16|tf32; see 'swz echo --help'\n"},
      {{"echo", "x", "-o", "--"}, "swz: error: option -o needs a value\nhint: -o FILE; see 'swz echo --help'\n"},
      {{"echo", "x", "--kind", "f61"},
       "swz: error: unknown value 'f61' for --kind\nhint: did you mean 'f16'? see 'swz echo --help'\n"},
      {{"echo", "x", "--kind", "zzzz", "--arch", "hopper"},
       "swz: error: unknown value 'zzzz' for --kind\nhint: it takes f16 and tf32; see 'swz echo --help'\n"},
      {{"topic", "frist"},
       "swz: error: unknown value 'frist' for TOPIC\nhint: did you mean 'first'? see 'swz topic --help'\n"},
      {{"echo", "x", "-f", "jsno"},
       "swz: error: unknown value 'jsno' for --format\nhint: did you mean 'json'? see 'swz echo --help'\n"},
      {{"echo", "x", "--color", "allways"},
       "swz: error: unknown value 'allways' for --color\nhint: did you mean 'always'? see 'swz echo --help'\n"},
      {{"echo", "x", "--arch", "sm_103a", "--arch", "hopper"},
       "swz: error: option --arch is given more than once\nhint: see 'swz echo --help'\n"},
      {{"--arch", "sm_103a", "tile", "--arch", "hopper", "echo", "x"},
       "swz: error: option --arch is given more than once\nhint: see 'swz tile echo --help'\n"},
      {{"echo", "x", "--kind", "f16", "--count", "1x"},
       "swz: error: --count: '1x' is not a decimal number: 'x' is not a decimal digit\n"
       "hint: it takes a whole number from 1 to 1000000\n"},
      {{"echo", "x", "--count", "1"}, "swz: error: --count needs --kind\nhint: give it, or leave --count out\n"},
      {{"tile", "bytes", "--from", "a", "--limit=2"},
       "swz: error: --limit and --from cannot be combined\nhint: leave one of them out\n"},
      {{"tile", "bytes", "--limit", "10"},
       "swz: error: --limit: 10 is out of range\nhint: it takes a whole number from 1 to 9\n"},
      {{"tile", "bytes", "--limit", "-1"},
       "swz: error: --limit: -1 is out of range\nhint: it takes a whole number from 1 to 9\n"},
      {{"tile", "bytes", "--limit", "18446744073709551616"},
       "swz: error: --limit: '18446744073709551616' does not fit in 64 bits\n"
       "hint: it takes a whole number from 1 to 9\n"},
      {{"echo", "x", "--strict=yes"}, "swz: error: option --strict takes no value\nhint: see 'swz echo --help'\n"},
      {{"fail", "abc"}, "swz: error: expected a digit\n  abc\n   ^\nhint: write a number\n"},
      {{"fail", "memory"}, "swz: error: not enough memory for this input\n"},
      {{"fail", "bug"}, "swz: error: internal error: a broken promise\nhint: please report it with the command line\n"},
      {{"help", "nothing"}, "swz: error: unknown command 'nothing'\nhint: see 'swz --help'\n"},
      {{"--generate", "powershell"},
       "swz: error: cannot generate 'powershell'\nhint: it takes man, requests, bash, zsh and fish\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.words);
    const CliResult r = cli(row.words);
    CHECK(r.exit_code == 2);
    CHECK(r.out.empty());
    CHECK(r.err == row.err);
  }
}

TEST_CASE("brackets and braces are no syntax of the command line") {
  CHECK(cli({"echo", "[8,64]", "{}", "%%", "-f", "json", "--", "[a]"}).out ==
        line(R"({"verdict":"error","words":["[8,64]","{}","%%","[a]"],"arch":""})"));
}

TEST_CASE("an option whose value is left out reads standard input") {
  CHECK(cli({"tile", "bytes", "--from"}).out.rfind("from   -\n", 0) == 0);
  CHECK(cli({"tile", "bytes", "--from", "--strict"}).out.rfind("from   -\n", 0) == 0);
  CHECK(cli({"tile", "bytes", "--from", "--", "a"}).out.rfind("from   -\n", 0) == 0);
  CHECK(cli({"tile", "bytes", "--from", "true"}).out.rfind("from   true\n", 0) == 0);
  CHECK(cli({"tile", "bytes", "--from=x"}).out.rfind("from   x\n", 0) == 0);
}

TEST_CASE("exit codes") {
  CHECK(cli({"fail", "no"}).exit_code == 1);
  CHECK(cli({"fail", "no"}).out == "equal  no\n");
  CHECK(cli({"fail", "hardware"}).exit_code == 3);
  CHECK(cli({"echo", "a", "b"}).exit_code == 0);
  CHECK(cli({"echo", "a", "b", "--strict"}).exit_code == 1);
  CHECK(cli({"--strict", "echo", "a"}).exit_code == 0);
}

TEST_CASE("errors are JSON when JSON was asked for") {
  for (const Words& words : std::vector<Words>{{"fail", "abc", "-f", "json"},
                                               {"--format=json", "fail", "abc"},
                                               {"-fjson", "fail", "abc"},
                                               {"fail", "abc", "-o", "/nowhere/x.json"},
                                               {"fail", "abc", "--output=/nowhere/x.json"},
                                               {"-o/nowhere/x.json", "fail", "abc"}}) {
    const CliResult r = cli(words);
    CAPTURE(words);
    CHECK(r.exit_code == 2);
    CHECK(r.out.empty());
    CHECK(r.err == line("{\"error\":{\"message\":\"expected a digit\",\"hint\":\"write a number\",\"span\":[1,2]}}"));
  }
  CHECK(cli({"-f", "json", "fail"}).err ==
        line("{\"error\":{\"message\":\"missing argument WHAT\",\"hint\":\"usage: swz fail [options] WHAT; see "
             "'swz fail --help'\"}}"));
  CHECK(cli({"-f", "json"}).err ==
        line("{\"error\":{\"message\":\"no command given\",\"hint\":\"see 'swz --help'\"}}"));
  CHECK(cli({"-f", "json", "tile"}).err ==
        line("{\"error\":{\"message\":\"no command given\",\"hint\":\"see 'swz tile --help'\"}}"));
  CHECK(cli({"fail", "abc", "--", "-f", "json"}).err.rfind("swz: error: ", 0) == 0);
}

TEST_CASE("no command: what could follow, on the error stream, exit 2") {
  CliResult r = cli({});
  CHECK(r.exit_code == 2);
  CHECK(r.out.empty());
  CHECK(r.err == cli({"--help"}).out);
  r = cli({"tile"});
  CHECK(r.exit_code == 2);
  CHECK(r.err ==
        "swz tile: choose one of these commands\n"
        "Commands\n"
        "  tile bytes  bytes that are no text\n"
        "  tile echo   say the words, too\n"
        "\n"
        "'swz tile COMMAND --help' shows a command's options and examples.\n");
  CHECK(cli({"tile", "--help"}).out == r.err);
  CHECK(cli({"tile", "--help"}).exit_code == 0);
}

TEST_CASE("help of a command, however it is asked for") {
  const std::string help =
      "swz echo: say the words\n"
      "usage: swz echo [options] WORD...\n"
      "\n"
      "Says every word.\n"
      "\n"
      "And nothing else.\n"
      "\n"
      "Arguments\n"
      "  WORD  what to say\n"
      "\n"
      "Options\n"
      "  --kind f16|tf32  a kind\n"
      "  --count N        a number\n"
      "\n"
      "Options of every command\n"
      "  --arch SM                  target, for example sm_90a or sm_100a (default: SWZ_ARCH, otherwise the "
      "command decides)\n"
      "  -f, --format FORMAT        output format: text, json, svg, png, pdf, tex, html (default: text, or the "
      "suffix of the file name of -o)\n"
      "  -o, --output FILE          write the answer to a file, all of it or nothing\n"
      "  --strict                   exit with 1 when the verdict is not clean: there are lints, or the verdict rests "
      "on something unknown\n"
      "  --brief                    as text only the answer: one value per line, then one line per lint\n"
      "  --link                     print the address of this question on the web page, in the view of -f, instead of "
      "the answer\n"
      "  --color auto|always|never  when text is coloured (default: auto, on a terminal unless NO_COLOR is set)\n"
      "  -h, --help                 show help; after a command, the help of that command\n"
      "  -V, --version              show the version\n"
      "\n"
      "Options of every picture: 'swz help pictures'\n"
      "\n"
      "Examples\n"
      "  swz echo a b\n"
      "      two words\n";
  for (const Words& words : std::vector<Words>{{"echo", "--help"},
                                               {"echo", "-h"},
                                               {"help", "echo"},
                                               {"--help", "echo"},
                                               {"echo", "x", "--kind", "f16", "--help"}}) {
    const CliResult r = cli(words);
    CAPTURE(words);
    CHECK(r.exit_code == 0);
    CHECK(r.out == help);
  }
  CHECK(cli({"help", "tile", "echo"}).out.rfind("swz tile echo: ", 0) == 0);
  CHECK(cli({"help"}).out == cli({"--help"}).out);
  const Parsed json = Parsed::parse(cli({"help", "echo", "-f", "json"}).out);
  CHECK(json["usage"] == "swz echo [options] WORD...");
  CHECK(json["arguments"].dump() == R"([{"name":"WORD","description":"what to say","required":true,"repeats":true}])");
  CHECK(json["options"].back().dump() ==
        R"({"name":"--count","description":"a number","value":"N","needs":["--kind"]})");
  const auto bytes = nlohmann::json::parse(cli({"help", "tile", "bytes", "-f", "json"}).out)["options"];
  CHECK(bytes[bytes.size() - 2].dump() ==
        R"({"default":"1","description":"most lines","excludes":["--from"],"name":"--limit","value":"N"})");
  CHECK(bytes.back().dump() ==
        R"({"description":"another file","file":true,"name":"--from","value":"FILE","value_optional":true})");
}

TEST_CASE("the version") {
  CHECK(cli({"--version"}).out.rfind("swz ", 0) == 0);
  CHECK(Parsed::parse(cli({"--version", "-f", "json"}).out).contains("version"));
}

TEST_CASE("every command of the program has a summary, details and an example") {
  for (const Command& command : commands()) {
    CAPTURE(std::string(command.name));
    CHECK(command.summary.size() > 10);
    CHECK(command.summary.size() <= 80);
    CHECK_FALSE(command.summary.ends_with('.'));
    CHECK_FALSE(command.details.empty());
    CHECK_FALSE(command.examples.empty());
    std::stringstream details{std::string(command.details)};
    for (std::string line; std::getline(details, line);) CHECK(line.size() <= 80);
    CHECK(run_cli({"help", std::string(command.name.substr(0, command.name.find(' ')))}).exit_code == 0);
  }
}

TEST_CASE("colour") {
  const auto colored = [](Words words, Environment environment) {
    return run_cli(words, environment).err.find('\x1b') != std::string::npos;
  };
  Environment terminal = mock();
  terminal.err_is_terminal = true;
  Environment no_color = terminal;
  no_color.variables["NO_COLOR"] = "1";
  Environment empty_no_color = terminal;
  empty_no_color.variables["NO_COLOR"] = "";
  Environment dumb = terminal;
  dumb.variables["TERM"] = "dumb";
  CHECK(colored({"fail", "x"}, terminal));
  CHECK(colored({"fail", "x"}, empty_no_color));
  CHECK_FALSE(colored({"fail", "x"}, mock()));
  CHECK_FALSE(colored({"fail", "x"}, no_color));
  CHECK_FALSE(colored({"fail", "x"}, dumb));
  CHECK_FALSE(colored({"fail", "x", "--color", "never"}, terminal));
  CHECK(colored({"fail", "x", "--color=always"}, mock()));
  CHECK(colored({"fail", "x", "--color=always"}, no_color));
}

TEST_CASE("text is wrapped on a terminal, or where COLUMNS says so") {
  const auto longest = [](const std::string& text) {
    std::size_t columns = 0;
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) columns = std::max(columns, line.size());
    return columns;
  };
  Environment terminal = mock();
  terminal.out_is_terminal = true;
  terminal.terminal_width = 60;
  CHECK(longest(cli({"help", "echo"}).out) > 90);
  CHECK(longest(run_cli({"help", "echo", "--color=never"}, terminal).out) <= 60);
  CHECK(longest(run_cli({"help", "echo"}, mock_with("COLUMNS", "70")).out) <= 70);
  CHECK(longest(run_cli({"help", "echo"}, mock_with("COLUMNS", "junk")).out) > 90);
}

TEST_CASE("bytes that are no text do no harm") {
  CHECK(cli({"tile", "bytes"}).out == "bytes  a\\x1b[31m\\xff\\x00z\n");
  CHECK(cli({"tile", "bytes", "-f", "json"}).out ==
        "{\"verdict\":\"clean\",\"bytes\":\"a\\u001b[31m\xEF\xBF\xBD\\u0000z\"}\n");
  const CliResult r = cli({"echo", std::string("a\0\xff\x1b[2J", 7), "--arch", std::string("\0\xff", 2)});
  CHECK(r.exit_code == 2);
  CHECK(r.err.find('\0') == std::string::npos);
  CHECK(r.err.find('\x1b') == std::string::npos);
  CHECK(cli({std::string(1 << 20, 'x')}).err.size() < 300);
}

TEST_CASE("-o writes the whole file, or leaves the old one") {
  const ScratchFolder scratch;
  const std::string file = scratch.file("answer.txt");
  CHECK(cli({"echo", "hi", "-o", file}).out.empty());
  CHECK(scratch.content("answer.txt") == "words  [\"hi\"]\narch\n");
  CHECK(scratch.entries() == 1);

  CHECK(cli({"fail", "x", "-o", file}).exit_code == 2);
  CHECK(scratch.content("answer.txt") == "words  [\"hi\"]\narch\n");
  CHECK(scratch.entries() == 1);

  chmod(file.c_str(), 0640);
  CHECK(cli({"fail", "no", "-o", file}).exit_code == 1);
  CHECK(scratch.content("answer.txt") == "equal  no\n");
  struct stat status = {};
  stat(file.c_str(), &status);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK(cli({"echo", "hi", "-o", "-"}).out == "words  [\"hi\"]\narch\n");
}

TEST_CASE("a conversation that fails leaves nothing beside the old file") {
  const ScratchFolder scratch;
  const std::string file = scratch.file("answers", "old");
  CHECK(cli({"batch", scratch.path.string(), "-o", file}).exit_code == 2);
  CHECK(scratch.content("answers") == "old");
  CHECK(scratch.entries() == 1);
  scratch.file("lines", "echo a\n");
  CHECK(cli({"batch", scratch.file("lines"), "-o", file}).exit_code == 0);
  CHECK(scratch.content("answers") ==
        "{\"exit\":0,\"result\":{\"verdict\":\"clean\",\"words\":[\"a\"],\"arch\":\"\"}}\n");
}

TEST_CASE("-o FILE.json means JSON unless --format says otherwise") {
  const ScratchFolder scratch;
  const std::string file = scratch.file("answer.json");
  cli({"echo", "hi", "-o", file});
  CHECK(scratch.content("answer.json") == "{\"verdict\":\"clean\",\"words\":[\"hi\"],\"arch\":\"\"}\n");
  cli({"echo", "hi", "-o", file, "-f", "text"});
  CHECK(scratch.content("answer.json") == "words  [\"hi\"]\narch\n");
}

TEST_CASE("-o through a symbolic link writes what it points to") {
  const ScratchFolder scratch;
  scratch.file("real", "old");
  std::filesystem::create_symlink("real", scratch.file("link"));
  CHECK(cli({"fail", "no", "-o", scratch.file("link")}).exit_code == 1);
  CHECK(std::filesystem::is_symlink(scratch.file("link")));
  CHECK(scratch.content("real") == "equal  no\n");
}

TEST_CASE("a file that cannot be written is reported") {
  const ScratchFolder scratch;
  const CliResult missing = cli({"echo", "hi", "-o", "/nonexistent/x"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.err ==
        "swz: error: cannot write to '/nonexistent/x': No such file or directory\n"
        "hint: no file was changed; choose another one with -o\n");
  CHECK(cli({"echo", "hi", "-o", scratch.path.string()}).err.find("Is a directory") != std::string::npos);
  CHECK(cli({"echo", "hi", "-o", std::string("a\0b", 3)}).exit_code == 2);
  if (std::filesystem::exists("/dev/full")) {
    const CliResult full = cli({"echo", "hi", "-o", "/dev/full"});
    CHECK(full.exit_code == 2);
    CHECK(full.err.rfind("swz: error: cannot write to '/dev/full': No space left on device\n", 0) == 0);
  }
}

TEST_CASE("a full standard output is reported; a reader that went away is not") {
  CapturedStream err;
  Environment environment = mock();
  environment.err = err.file();
  if (std::filesystem::exists("/dev/full")) {
    environment.out = std::fopen("/dev/full", "w");
    CHECK(run({"echo", "hi"}, environment) == 2);
    CHECK(err.text() == "swz: error: cannot write to standard output: No space left on device\n");
    std::fclose(environment.out);
  }
  const std::string before = err.text();
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  for (const Words& words : std::vector<Words>{{"echo", "hi"}, {"fail", "no"}}) {
    int ends[2] = {};
    REQUIRE(pipe(ends) == 0);
    close(ends[0]);
    environment.out = fdopen(ends[1], "w");
    CHECK(run(words, environment) == (words[0] == "echo" ? 0 : 1));
    std::fclose(environment.out);
  }
  std::signal(SIGPIPE, old);
  CHECK(err.text() == before);
}

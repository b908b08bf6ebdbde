// SPDX-License-Identifier: Apache-2.0
// The first screen, its pages, and the words that lead to a command.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "cmd/answers.hpp"
#include "help.hpp"
#include "topic.hpp"

using namespace swz;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = swz::split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

TEST_CASE("swz without arguments fits a screen, and its first six lines say how to ask") {
  const CliResult r = run_once({});
  CHECK(r.exit_code == 2);
  const std::vector<std::string> lines = lines_of(r.err);
  CHECK(lines.size() <= 40);
  for (const std::string& line : lines) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
  std::string first;
  for (std::size_t i = 0; i < 6; ++i) first += lines[i] + "\n";
  for (const char* part : {"swz TEXT", "swz COMMAND", "swz help COMMAND", "swz 0x4000004000010042", "@FILE"})
    CHECK(first.find(part) != std::string::npos);
  Environment terminal;
  terminal.err_is_terminal = true;
  terminal.terminal_width = 80;
  CHECK(lines_of(run_once({}, terminal).err).size() <= 40);
}

TEST_CASE("every command is under one question, and on the screen") {
  const std::string screen = run_once({"help"}).out, page = run_once({"help", "commands"}).out;
  for (const Command& command : commands()) {
    int questions_of = 0;
    for (const Question& question : questions())
      for (const std::string_view name : question.commands) questions_of += name == command.name;
    CAPTURE(std::string(command.name));
    CHECK(questions_of == 1);
    CHECK(page.find(fmt::format("\n  {} ", command.name)) != std::string::npos);
    const std::string_view last = command.name.substr(command.name.rfind(' ') + 1);
    CHECK(screen.find(last) != std::string::npos);
  }
  for (const Question& question : questions())
    for (const std::string_view name : question.commands)
      CHECK(std::ranges::any_of(commands(), [&](const Command& c) { return c.name == name; }));
}

TEST_CASE("options of pictures have a page, and nothing is shown that is not documented") {
  const std::string page = run_once({"help", "pictures"}).out;
  for (const char* option : {"--title TEXT", "--width LENGTH", "--rows A:B", "--outline-fonts"})
    CHECK(page.find(option) != std::string::npos);
  for (const Words& words :
       {Words{"help"}, Words{"help", "pictures"}, Words{"help", "options"}, Words{"help", "decode"}})
    CHECK(run_once(words).out.find("--all  -") == std::string::npos);
  CHECK(run_once({"help", "options"}).out.find("-f, --format FORMAT") != std::string::npos);
  CHECK(run_once({"help", "verify", "tile"}).out.find("lanes-off-by-16") == std::string::npos);
  CHECK(run_once({"help", "verify", "tile"}).out.find("one of 'swz verify --only list'") != std::string::npos);
}

TEST_CASE("the words that newcomers type lead to commands, each with an example") {
  // The list of the review, and what is near.
  for (const char* word :
       {"conflicts", "fragment",   "descriptor",    "wgmma",   "ldmatrix", "mma",       "smem",   "padding", "triton",
        "cutlass",   "tcgen05",    "tmap",          "bank",    "swizzles", "tilelang",  "mosaic", "gluon",   "cute",
        "Conflicts", "tensor_map", "scale_factors", "atomics", "nvfp4",    "cta_group", "dump",   "ptx"}) {
    CAPTURE(std::string(word));
    const CliResult r = run_cli({word});
    CHECK(r.exit_code == 2);
    CHECK(r.err.find("these answer it:\n  ") != std::string::npos);
    CHECK(r.err.find("\nExamples\n  swz ") != std::string::npos);
    const CliResult help = run_cli({"help", word});
    CHECK(help.exit_code == 0);
    CHECK(help.out == r.err);
    CHECK(run_cli({word, "--help"}).out == r.err);
    CHECK(run_cli({word, "--tile", "8x64"}).exit_code == 2);
  }
  CHECK(run_cli({"tma", "decode"}).err.find("  decode ") != std::string::npos);
  CHECK(run_cli({"tma", "decode", "0x42"}).err.find("  decode ") != std::string::npos);
  CHECK(run_cli({"swizzle"}).err.find("swizzle lint") != std::string::npos);
  for (const Words& words : {Words{"version"}, Words{"-V"}, Words{"--version"}}) {
    CHECK(run_cli(words).exit_code == 0);
    CHECK(run_cli(words).out.starts_with("swz "));
  }
  CHECK(error_of({"confilcts"}) ==
        "swz: error: unknown command 'confilcts'\nhint: did you mean 'conflicts'? see 'swz --help'\n");
}

TEST_CASE("every topic is one word that is no command, and its commands exist") {
  std::set<std::string> seen;
  for (const Topic& topic : topics()) {
    CAPTURE(topic.word);
    CHECK(seen.insert(topic.word).second);
    CHECK(find_topic(topic.word, commands()) == &topic);
    for (const Command& command : commands()) {
      CHECK(command.name != topic.word);
      CHECK(second_word(command, topic.word).empty());
    }
    for (const std::string_view name : topic.commands)
      CHECK(std::ranges::any_of(commands(), [&](const Command& c) { return c.name == name; }));
  }
}

TEST_CASE("'--' is advised only where it helps; otherwise the options that there are") {
  CHECK(error_of({"banks", "--pad", "8"}).find("hint: swz banks takes --dtype, ") != std::string::npos);
  CHECK(error_of({"sf", "place", "--dtype", "nvfp4"}).find("hint: swz sf place takes --layout, --shape, --vec, ") !=
        std::string::npos);
  CHECK(error_of({"swizzle", "lint", "-(addr)"}).find("hint: write '--' before an argument that begins with '-'") !=
        std::string::npos);
  CHECK(run_cli({"swizzle", "lint", "--", "-(addr)"}).exit_code <= 1);
}

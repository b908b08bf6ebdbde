// SPDX-License-Identifier: Apache-2.0
// The next questions of an answer, and what the page asks the program for: laws over the examples of every command.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "answers.hpp"
#include "asked.hpp"
#include "example_lines.hpp"
#include "next.hpp"
#include "page_answer.hpp"
#include "render/text.hpp"
#include "words.hpp"

using namespace swz;

namespace {

std::vector<NextLine> next_of(const Words& words) {
  const Line line = read_line(words, commands(), {});
  return next_lines(line, asked(words), commands());
}

// The line of the question; empty if it is not asked.
std::string next_line(const std::string& line, const std::string& asks) {
  for (const NextLine& next : next_of(words_of_line(line)))
    if (next.asks == asks) return shell_line(next.words);
  return "";
}

nlohmann::json page_of(Words words) {
  words.insert(words.begin(), "--page");
  return nlohmann::json::parse(run_cli(words).out);
}

std::string short_text(const Document& document) {
  TextStyle style;
  style.part = DrawnPart{};
  return render_text(document, style);
}

// Lists, which lead nowhere.
bool is_list(const std::string& line) { return line == "arch" || line.find("--list") != std::string::npos; }

}  // namespace

TEST_SUITE("cmd") {
  TEST_CASE("next: every answer of an example leads on, and every next line is answered and another one") {
    std::map<std::string, std::set<std::string>> offered;
    for (const std::string& text : example_lines()) {
      INFO(text);
      const Words words = line_words(text);
      const Line line = read_line(words, commands(), {});
      if (line.command != nullptr && line.command->needs_system) continue;
      const std::vector<NextLine> all = next_of(words);
      CHECK((!all.empty() || is_list(text)));
      for (const NextLine& next : all) {
        INFO(shell_line(next.words));
        CHECK(next.words != words);
        CHECK(words_of_line(shell_line(next.words)) == next.words);
        int exit_code = 2;
        CHECK_NOTHROW(asked(next.words, &exit_code));
        CHECK(exit_code < 2);
        if (line.command != nullptr) offered[std::string(line.command->name)].insert(next.asks);
      }
    }
    // A row that no example reaches is not tested. Those of kernel and story need a file.
    for (const Command& command : commands())
      for (const Next& row : command.next) {
        INFO(command.name << ": " << row.asks);
        CHECK((command.name == "kernel" || offered[std::string(command.name)].contains(std::string(row.asks))));
      }
  }

  TEST_CASE("next: the lines have the user's numbers") {
    CHECK(next_line("place --dtype bf16 --tile 128x64 --swizzle 64B --base 0x400 --at 3,5",
                    "Are there bank conflicts?") ==
          "banks --dtype bf16 --tile 128x64 --swizzle 64B --base 0x400 --access ldmatrix.x4");
    CHECK(next_line("place --layout '(8,64):(64,1)' --dtype f16", "Which words does an MMA need?") ==
          "desc --from '(8,64):(64,1)' --dtype f16");
    CHECK(next_line("place --layout '(8,64):(64,1)' --dtype f16", "How does the tile get to its MMA?").empty());
    CHECK(next_line("decode 0x4000404000010042 --arch sm_100a", "Which bytes does an MMA read with it?") ==
          "map 0x4000404000010042 --arch sm_100a");
    CHECK(next_line("map 0x4000404000010042 --arch sm_100a --dtype e4m3", "How does such a tile get there?")
              .starts_with("story --arch sm_100a --dtype e4m3 --tile 128x"));
    CHECK(next_line("tma check --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B",
                    "What are its 128 bytes?") ==
          "tma encode --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B");
    CHECK(next_line("tma encode --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B",
                    "Which boxes does a tile need?") == "tma plan --dtype bf16 --tile 128x64 --swizzle 128B");
    CHECK(next_line("map 0x4000004000010040 0x4000004000010042 0x4000004000010044 0x4000004000010046 --dtype bf16",
                    "Do these words read a whole tile?") ==
          "story --arch sm_90a --dtype bf16 --tile 64x64 --base 1024 "
          "--words=0x4000004000010040,0x4000004000010042,0x4000004000010044,0x4000004000010046");
    // What the text goes on with has the question by which other commands lead there.
    CHECK(next_line("choose --dtype bf16 --tile 64x32", "Where does each chunk lie?") ==
          "place --dtype bf16 --tile 64x32 --major k --swizzle 64B");
  }

  TEST_CASE("next: words with any letters are one line of a shell") {
    for (const Words& words : {Words{"layout", "it's (8,64):(64,1)"}, Words{"a b", "", "c\\d", "\"", "$x", "é#", "-f"}})
      CHECK(words_of_line(shell_line(words)) == words);
  }

  TEST_CASE("page: a picture is there for what draws, and its grids are not in the text") {
    std::size_t drawn = 0;
    for (const std::string& text : example_lines()) {
      INFO(text);
      Words words = line_words(text);
      if (std::ranges::find(words, "-o") != words.end() || std::ranges::find(words, "-f") != words.end()) continue;
      const nlohmann::json page = page_of(words);
      words.emplace_back("--caption");
      const bool is_text =
          std::ranges::any_of(words, [](const std::string& word) { return word == "--brief" || word == "--emit"; });
      const bool draws = run_cli(words).exit_code < 2 && !is_text;
      CHECK(page["picture"].is_null() != draws);
      if (!draws) continue;
      ++drawn;
      CHECK(page["text"].get<std::string>().find("│") == std::string::npos);
      CHECK(page["text"].get<std::string>().find("go on:") == std::string::npos);
    }
    CHECK(drawn > 60);
  }

  TEST_CASE("page: the text of an answer without a picture is the short text of a terminal") {
    CHECK(page_of({"arch"})["picture"].is_null());
    CHECK(page_of({"sf", "list"})["text"].get<std::string>() == short_text(asked({"sf", "list"}).document));
    const nlohmann::json caption = page_of({"place", "--tile", "8x64", "--caption"});
    CHECK(caption["picture"].is_null());
    CHECK(caption["text"] == run_cli({"place", "--tile", "8x64", "--caption"}).out);
    const nlohmann::json source = page_of({"desc", "--tile", "128x64", "--dtype", "f16", "--emit", "cuda"});
    CHECK(source["picture"].is_null());
    CHECK(source["text"] == run_cli({"desc", "--tile", "128x64", "--dtype", "f16", "--emit", "cuda"}).out);
  }

  TEST_CASE("page: exit codes and errors are those of the line") {
    CHECK(run_cli({"--page", "diff", "(8,8):(8,1)", "64:1"}).exit_code == 1);
    const CliResult wrong = run_cli({"--page", "layout", "((("}), same = run_cli({"layout", "((("});
    CHECK(wrong.exit_code == 2);
    CHECK(wrong.err == same.err);
    CHECK(run_cli({"--page-next", "layout", "((("}).exit_code == 2);
  }

  TEST_CASE("page: each question of the start has an answer that draws; what needs a GPU is elsewhere") {
    const nlohmann::json start = nlohmann::json::parse(run_cli({"--page"}).out);
    CHECK((start["help"]["commands"] == json_of({"help"})["commands"]));
    CHECK(start["questions"].size() == 12);
    for (const auto& question : start["questions"]) {
      INFO(question["line"]);
      CHECK(!page_of(words_of_line(question["line"].get<std::string>()))["picture"].is_null());
    }
    const std::set<std::string> elsewhere = start["elsewhere"];
    for (const Command& command : commands())
      CHECK(elsewhere.contains(std::string(command.name)) ==
            (command.name.starts_with("verify") || command.name == "gdb" || command.name == "page" ||
             command.name == "mcp" || command.name == "skills install" || command.name == "lsp"));
  }
}

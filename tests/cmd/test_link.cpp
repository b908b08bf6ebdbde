// SPDX-License-Identifier: Apache-2.0
// --link: the address holds the line. tests/page opens the addresses as the page does.
#include <doctest/doctest.h>

#include "answers.hpp"
#include "example_lines.hpp"
#include "words.hpp"

using namespace swz;

namespace {

constexpr const char* base = "https://OWNER.github.io/swz/";

// What a browser reads: "+" is a blank, %XX a byte.
std::string form_decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)), i += 2;
    else out += text[i] == '+' ? ' ' : text[i];
  }
  return out;
}

// The part of the address with this name.
std::string part(const std::string& link, const std::string& name) {
  const std::size_t begin = link.find(name + "=");
  REQUIRE(begin != std::string::npos);
  const std::size_t from = begin + name.size() + 1;
  return form_decoded(link.substr(from, std::min(link.find('&', from), link.find('\n', from)) - from));
}

}  // namespace

TEST_SUITE("cmd") {
  TEST_CASE("--link: the address of the question") {
    CHECK(run_cli({"decode", "0x42", "--link"}).out == std::string(base) + "#line=decode+0x42\n");
    CHECK(run_cli({"layout", "(8,64):(64,1)", "--at", "3,5", "--link"}).out ==
          std::string(base) + "#line=layout+%27%288%2C64%29%3A%2864%2C1%29%27+--at+3%2C5\n");
    CHECK(run_cli({"decode", "0x42", "-f", "json", "--link"}).out ==
          "{\"verdict\":\"clean\",\"link\":\"" + std::string(base) + "#line=decode+0x42&view=json\",\"files\":[]}\n");
    CHECK(run_cli({"decode", "0x42", "--link", "-fsvg"}).out == std::string(base) + "#line=decode+0x42&view=picture\n");
    CHECK(run_cli({"decode", "0x42", "--link", "--format=text"}).out ==
          std::string(base) + "#line=decode+0x42&view=text\n");
  }

  TEST_CASE("--link: every example's words") {
    for (const std::string& line : example_lines()) {
      const Words words = line_words(line);
      Words kept, asked{"--link"};
      bool writes = false;
      for (std::size_t i = 0; i < words.size(); ++i) {
        writes = writes || words[i] == "-o";
        if (words[i] == "-f") ++i;
        else kept.push_back(words[i]);
      }
      asked.insert(asked.end(), words.begin(), words.end());
      if (writes) continue;
      const CliResult r = run_cli(asked, {}, "text");
      CAPTURE(line);
      CHECK(r.exit_code == 0);
      CHECK(words_of_line(part(r.out, "line")) == kept);
    }
  }

  TEST_CASE("--link: what a line reads") {
    const CliResult r = run_cli({"tma", "check", "--paste", "--link"}, {}, "a & b\n=+%\xC3\xA9");
    CHECK(part(r.out, "line") == "tma check --paste");
    CHECK(part(r.out, "in") == "a & b\n=+%\xC3\xA9");
    CHECK(run_cli({"decode", "@-", "--link"}, {}, "\xFF\xFE").err.find("is not text") != std::string::npos);
    CHECK(run_cli({"decode", "@-", "--link"}, {}, std::string(40000, 'x')).exit_code == 2);
    const CliResult named = run_cli({"decode", "@dump.txt", "--link"});
    CHECK(named.out.find("cannot read the files of this machine: choose dump.txt there") != std::string::npos);
    CHECK(run_cli({"identify", "dump.bin", "--tile", "8x64", "--link", "--brief"}).out ==
          std::string(base) + "#line=identify+dump.bin+--tile+8x64+--brief\n");
    CHECK(run_cli({"0x4000004000010042", "--link"}).out == std::string(base) + "#line=0x4000004000010042\n");
  }

  TEST_CASE("--link: what a page cannot do") {
    const CliResult r = run_cli({"verify", "--link"});
    CHECK(r.exit_code == 2);
    CHECK(r.err.find("the page cannot run 'swz verify'") != std::string::npos);
    CHECK(run_cli({"decode", "0x42", "--link", "-o", "x.txt"}).err.find("cannot be combined") != std::string::npos);
    CHECK(run_cli({"decode", "0x42", "--lnik"}).err.find("--link") != std::string::npos);
  }
}

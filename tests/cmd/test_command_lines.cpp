// SPDX-License-Identifier: Apache-2.0
// Every command line that an answer prints runs: "go on: swz desc …", the way out of a hint, the line in a source.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "arch/dtype.hpp"
#include "base/error.hpp"
#include "cmd/run_cli.hpp"
#include "sweep.hpp"
#include "words.hpp"

using namespace swz;

namespace {

bool is_flag(const std::string& word) {
  static constexpr std::array<std::string_view, 4> flags{"--slots", "--im2col", "--strict", "--functions"};
  return std::ranges::count(flags, word) != 0;
}

std::vector<std::string> split_blanks(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> shell_words(const std::string& text) {
  try {
    return words_of_line(text);
  } catch (const Error&) {
    return split_blanks(text);  // prose with an apostrophe
  }
}

// "tma plan" or "desc"; empty: no command begins here.
std::string command_at(const std::vector<std::string>& words) {
  for (std::size_t count : {2, 1}) {
    std::string name;
    for (std::size_t i = 0; i < count && i < words.size(); ++i) name += (i == 0 ? "" : " ") + words[i];
    if (std::ranges::any_of(commands(), [&](const Command& command) { return command.name == name; })) return name;
  }
  return {};
}

// The words of a command line that begins the text; empty: it only names a command, as in "swz phase shows more".
Words command_line(const std::string& text) {
  const std::vector<std::string> words = shell_words(text);
  const std::string name = command_at(words);
  if (name.empty()) return {};
  const std::size_t begin = split_blanks(name).size();
  std::size_t i = begin;
  while (i < words.size()) {
    const std::string& word = words[i];
    const bool is_option = word.starts_with("-") && word.size() > 1;
    const bool is_value = word.find_first_of("0123456789@") == 0 ||
                          (word.front() == '(' && word.find_first_of("0123456789(", 1) == 1) ||
                          (name == "arch" && i == begin);
    if (!is_option && !is_value) break;
    i += is_option && !is_flag(word) ? 2 : 1;
  }
  i = std::min(i, words.size());
  return i == begin ? Words{} : Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i));
}

std::vector<Words> command_lines(const std::string& text) {
  std::vector<Words> lines;
  for (std::size_t at = text.find("swz "); at != std::string::npos; at = text.find("swz ", at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    std::size_t end = text.find('\n', at);
    if (before == '\'') end = std::min(end, text.find('\'', at));
    const std::string rest = text.substr(at + 4, end == std::string::npos ? end : end - at - 4);
    if (Words line = command_line(rest); !line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Asks, and keeps the command lines of the answer with the question that brought each.
class Collection {
 public:
  void ask(const Words& words) {
    const CliResult answer = run_cli(words);
    ++asked_;
    for (const Words& line : command_lines(answer.out + answer.err)) lines_.try_emplace(line, joined(words));
  }
  const std::map<Words, std::string>& lines() const { return lines_; }
  int asked() const { return asked_; }

 private:
  std::map<Words, std::string> lines_;
  int asked_ = 0;
};

void ask_of_tiles(Collection& collection) {
  Sweep every{5};
  for (const DType& dtype : dtypes())
    for (const char* tile : {"8x8", "24x48", "64x32", "40x128", "96x16", "128x256"})
      for (const char* arch : {"sm_80", "sm_90a", "sm_100a", "sm_120a"})
        for (const char* major : {"k", "mn"}) {
          Words shape{"--dtype", std::string(dtype.name), "--tile", tile, "--major", major, "--arch", arch};
          const auto ask = [&](Words command) {
            if (!every.takes()) return;
            command.insert(command.end(), shape.begin(), shape.end());
            collection.ask(command);
          };
          ask({"choose"});
          ask({"tma", "plan", "--swizzle", "none"});
          if (dtype.container_bits != 0) ask({"choose", "--slots"});
        }
}

void ask_the_others(Collection& collection) {
  collection.ask({"decode", "0x4000004000013fff", "--arch", "sm_90a"});
  for (const char* arch : {"sm_80", "sm_90a", "sm_100a"}) {
    for (const char* swizzle : {"none", "32B", "64B", "128B"})
      for (const char* base : {"0", "0x90", "0x480"}) {
        collection.ask({"place", "--tile", "64x64", "--swizzle", swizzle, "--base", base, "--arch", arch});
        collection.ask({"desc", "--tile", "64x64", "--swizzle", swizzle, "--base", base, "--arch", arch});
        collection.ask({"desc", "--tile", "64x64", "--swizzle", swizzle, "--emit", "cuda", "--arch", arch});
        collection.ask({"phase", "--swizzle", swizzle, "--base", base, "--tile", "64x64", "--arch", arch});
        collection.ask({"tma", "place", "--dtype", "bf16", "--box", "16,16", "--swizzle", swizzle, "--base", base,
                        "--dims", "100,100", "--start", "96,96", "--arch", arch});
        for (const char* against : {"--tile 64x64 --swizzle 128B", "--tile 64x64 --swizzle 64B --base 0x480",
                                    "Sw<3,3,3> o 0 o (64,64):(64,1)", "(64,64):(64,1)"})
          for (const char* word : {"0x4000004000010040", "0x8000002000010048", "0x4002004000010048"})
            collection.ask({"map", word, "--against", against, "--base", base, "--arch", arch});
      }
    for (const char* layout : {"(8,32):(32,1)", "(64,64):(64,1)", "(16,64):(1,16)", "(24,64):(1,24)"})
      for (const char* major : {"k", "mn"}) {
        collection.ask({"desc", "--from", layout, "--major", major, "--arch", arch});
        collection.ask({"tma", "plan", "--dtype", "bf16", "--layout", layout, "--major", major, "--arch", arch});
        collection.ask(
            {"banks", "--dtype", "bf16", "--layout", layout, "--access", "ld.shared columns", "--arch", arch});
      }
    for (const char* box : {"32,8", "64,64", "8,8", "256,2"})
      for (const char* emit : {"cuda", "ptx"})
        collection.ask({"tma", "encode", "--dtype", "bf16", "--dims", "4096,4096", "--strides", "8192", "--box", box,
                        "--emit", emit, "--arch", arch});
    collection.ask(
        {"tma", "check", "--dtype", "bf16", "--dims", "100,4", "--strides", "100", "--box", "64,4", "--arch", arch});
  }
  for (const char* word :
       {"0x4000004000010042", "0x4000404000010042", "0x4000040000100040", "0x2000402000200040", "42"})
    collection.ask({"decode", word});
  collection.ask({"banks", "--access", "ldmatrx", "--lanes", "0"});
  collection.ask({"layout", "nosuch(8:1)"});
  collection.ask({"frag", "nosuch"});
  collection.ask({"swizzle", "lint", "addr ^ ((addr >> 3) & 0x70)"});
}

}  // namespace

TEST_CASE("command lines are found in prose, in quotes and in comments") {
  const auto found = [](const std::string& text) {
    std::string out;
    for (const Words& line : command_lines(text)) out += "[" + joined(line) + "]";
    return out;
  };
  CHECK(found("go on: swz place --tile 8x8 --slots\n       swz desc --tile 8x8 --slots\n") ==
        "[place --tile 8x8 --slots][desc --tile 8x8 --slots]");
  CHECK(found("0 when TMA wrote it; 'swz phase --base 0x480' shows more") == "[phase --base 0x480]");
  CHECK(found("swz phase says more; swz arch targets lists them") == "[arch targets]");
  CHECK(found("// swz desc --from '(8,8):(8,1)' --emit cuda\n") == "[desc --from (8,8):(8,1) --emit cuda]");
}

TEST_CASE("every command line that an answer prints runs") {
  Collection collection;
  ask_of_tiles(collection);
  ask_the_others(collection);
  std::set<std::string> commands_seen;
  for (const auto& [words, from] : collection.lines()) {
    const Words line = words;
    const std::string question = from;
    const CliResult result = run_cli(line);
    CHECK_MESSAGE(result.exit_code < 2, "swz ", joined(line), "\nprinted by: swz ", question, "\n", result.err);
    commands_seen.insert(line.front());
  }
  MESSAGE(collection.asked(), " answers, ", collection.lines().size(), " command lines");
  CHECK(std::ssize(collection.lines()) > at_least(300, 5));
  for (const char* command : {"place", "desc", "tma", "phase", "arch"})
    CHECK_MESSAGE(commands_seen.count(command) == 1, std::string(command));
}

// Commands made for the tests of the frame around commands, one for each thing a command can do.
#pragma once

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command.hpp"

namespace swz {

// echo WORD... [--kind f16|tf32] [--count N]: says what it was given; two words are a lint.
inline Action define_echo(CLI::App& app, const Common& common) {
  auto words = std::make_shared<std::vector<std::string>>();
  auto kind = std::make_shared<std::string>();
  auto count = std::make_shared<int>(0);
  app.add_option("WORD", *words, "what to say")->required();
  app.add_option("--kind", *kind, "a kind")->check(CLI::IsMember(std::vector<std::string>{"f16", "tf32"}));
  app.add_option("--count", *count, "a number");
  return [words, kind, count, &common] {
    Document document;
    document.add(Field{"words", "words", *words}).add(Field{"arch", "arch", common.arch});
    if (!kind->empty()) document.add(Field{"kind", "kind", *kind});
    if (*count != 0) document.add(Field{"count", "count", *count});
    Outcome outcome{document};
    outcome.has_lints = words->size() > 1;
    return outcome;
  };
}

// fail WHAT: throws, or answers no.
inline Action define_fail(CLI::App& app, const Common&) {
  auto what = std::make_shared<std::string>();
  app.add_option("WHAT", *what, "how to fail")->required();
  return [what]() -> Outcome {
    if (*what == "memory") throw std::bad_alloc();
    if (*what == "bug") throw std::logic_error("a broken promise");
    if (*what == "hardware") throw Error("no GPU", "plug one in", {}, ErrorKind::hardware);
    if (*what == "no") return {Document().add(Field{"equal", "equal", false}), 1};
    throw Error("expected a digit", "write a number", Span{1, 2}).in_text(*what);
  };
}

// bytes FILE [--limit N]: an answer that is not UTF-8 and tries to drive the terminal.
inline Action define_bytes(CLI::App& app, const Common&) {
  auto file = std::make_shared<std::string>();
  auto limit = std::make_shared<int>(1);
  app.add_option("FILE", *file, "a file");
  app.add_option("--limit", *limit, "most lines")->check(CLI::Range(1, 9));
  return [] { return Outcome{Document().add(Field{"bytes", "bytes", std::string("a\x1b[31m\xff\0z", 9)})}; };
}

// topic first|second: an argument that is one of a few words.
inline Action define_topic(CLI::App& app, const Common&) {
  auto topic = std::make_shared<std::string>();
  app.add_option("TOPIC", *topic, "what about")->check(CLI::IsMember(std::vector<std::string>{"first", "second"}));
  return [topic] { return Outcome{Document().add(Field{"topic", "topic", *topic})}; };
}

inline const std::vector<Command>& mock_commands() {
  static const std::vector<Command> table{
      {"echo",
       "say the words",
       "Says every word.\n\nAnd nothing else.",
       define_echo,
       {{"swz echo a b", "two words"}}},
      {"fail", "fail in a chosen way", "", define_fail},
      {"tile bytes", "bytes that are no text", "", define_bytes},
      {"tile echo", "say the words, too", "", define_echo},
      {"topic", "one of a few", "", define_topic},
      {"batch", "answer many lines", "", define_batch},
  };
  return table;
}

}  // namespace swz

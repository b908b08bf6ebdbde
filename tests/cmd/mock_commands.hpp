// SPDX-License-Identifier: Apache-2.0
// Commands made for the tests of the frame around commands, one for each thing that a command can do.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command.hpp"

namespace swz {

// echo WORD... [--kind f16|tf32] [--count N]: prints what it was given; two words are a lint.
struct EchoRequest {
  Words words;
  std::string kind;
  int count = 0;
};

inline Options echo_options(EchoRequest& r) {
  return {argument("WORD", r.words, "what to say").required().repeated(limits::words),
          one_of<std::string>("--kind", "KIND", r.kind, {{"f16", "f16"}, {"tf32", "tf32"}}, "a kind"),
          number("--count", "N", r.count, 1, 1000000, "a number").needing({"--kind"})};
}

inline Answer echo(const EchoRequest& r, const Context& context) {
  Document document;
  document.add(Field{"words", "words", r.words});
  document.add(Field{"arch", "arch", context.arch == nullptr ? "" : std::string(context.arch->name)});
  if (!r.kind.empty()) document.add(Field{"kind", "kind", r.kind});
  if (r.count != 0) document.add(Field{"count", "count", r.count});
  return {document, 0, r.words.size() > 1};
}

// fail WHAT: throws, or answers no.
struct FailRequest {
  std::string what;
};

inline Options fail_options(FailRequest& r) { return {argument("WHAT", r.what, "how to fail").required()}; }

inline Answer fail(const FailRequest& r, const Context&) {
  if (r.what == "memory") throw std::bad_alloc();
  if (r.what == "bug") throw std::logic_error("a broken promise");
  if (r.what == "hardware") throw Error("no GPU", "plug one in", {}, ErrorKind::hardware);
  if (r.what == "no") return {Document().add(Field{"equal", "equal", false}), 1};
  throw Error("expected a digit", "write a number", Span{1, 2}).in_text(r.what);
}

// bytes FILE [--limit N] [--from FILE]: an answer that is not UTF-8 and tries to control the terminal.
struct BytesRequest {
  std::string file, from;
  int limit = 0;
};

inline Options bytes_options(BytesRequest& r) {
  return {argument("FILE", r.file, "a file").file(),
          number("--limit", "N", r.limit, 1, 9, "most lines").by_default("1").excluding({"--from"}),
          option("--from", "FILE", r.from, "another file").file().or_standard_input()};
}

inline Answer bytes(const BytesRequest& r, const Context&) {
  Document document;
  if (!r.from.empty()) document.add(Field{"from", "from", r.from});
  return {document.add(Field{"bytes", "bytes", std::string("a\x1b[31m\xff\0z", 9)})};
}

// topic first|second: an argument that is one of a few words.
struct TopicRequest {
  std::string topic;
};

inline Options topic_options(TopicRequest& r) {
  return {one_of<std::string>("TOPIC", "TOPIC", r.topic, {{"first", "first"}, {"second", "second"}}, "what about")};
}

inline Answer topic(const TopicRequest& r, const Context&) {
  return {Document().add(Field{"topic", "topic", r.topic})};
}

inline Prepared prepare_echo() { return prepare(echo_options, echo); }

inline const Commands& mock_commands() {
  static const Commands table{
      {"echo",
       "say the words",
       "Says every word.\n\nAnd nothing else.",
       {{"swz echo a b", "two words"}},
       {},
       prepare_echo},
      {"fail", "fail in a chosen way", "", {}, {}, [] { return prepare(fail_options, fail); }},
      {"tile bytes", "bytes that are no text", "", {}, {}, [] { return prepare(bytes_options, bytes); }},
      {"tile echo", "say the words, too", "", {}, {}, prepare_echo},
      {"topic", "one of a few", "", {}, {}, [] { return prepare(topic_options, topic); }},
      batch_commands().front(),
  };
  return table;
}

}  // namespace swz

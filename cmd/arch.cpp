// SPDX-License-Identifier: Apache-2.0
// swz arch [TOPIC], swz facts [WORD…]: the tables on which all other answers are based.
#include "view/arch/arch.hpp"

#include "command.hpp"
#include "view/arch/facts.hpp"

namespace swz {
namespace {

Options options_of(std::string& topic) {
  std::vector<std::pair<std::string, std::string>> topics;
  for (const std::string& name : arch_topics()) topics.emplace_back(name, name);
  return {one_of<std::string>("TOPIC", "TOPIC", topic, std::move(topics), "print one table only")};
}

Answer answer(const std::string& topic, const Context&) { return {view_arch(topic)}; }

Options facts_options(Words& words) {
  return {argument("WORD", words, "only rows that contain the words, in any table").repeated(limits::words)};
}

Answer facts_answer(const Words& words, const Context&) { return {view_facts(words)}; }

}  // namespace

Commands arch_commands() {
  return {{.name = "arch",
           .summary = "the facts behind the answers: types, targets, swizzle modes, formats",
           .details = R"(Prints what swz knows about the hardware, each row with its source and how far
it can be trusted.)",
           .examples = {{"swz arch", "all tables"}},
           .prepare = [] { return prepare(options_of, answer); }},
          {.name = "facts",
           .summary = "every fact with its source as one JSON, or the rows that contain some words",
           .details = R"(All tables of 'swz arch', with the version of their form and of swz: with
-f json one document that other programs may keep and read (docs/json.md has
its keys, a package has it as share/swz/facts.json).

With words only the rows that contain all of them.)",
           .examples = {{"swz facts", "how many there are"}, {"swz facts gather4", "what is known of gather4"}},
           .next = {{"What is open, and which probe would settle it?", "arch open"}},
           .prepare = [] { return prepare(facts_options, facts_answer); }}};
}

}  // namespace swz

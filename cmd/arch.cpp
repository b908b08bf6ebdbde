// SPDX-License-Identifier: Apache-2.0
// swz arch [TOPIC]: the tables on which all other answers are based.
#include "view/arch/arch.hpp"

#include "command.hpp"

namespace swz {
namespace {

Options options_of(std::string& topic) {
  std::vector<std::pair<std::string, std::string>> topics;
  for (const std::string& name : arch_topics()) topics.emplace_back(name, name);
  return {one_of<std::string>("TOPIC", "TOPIC", topic, std::move(topics), "print one table only")};
}

Answer answer(const std::string& topic, const Context&) { return {view_arch(topic)}; }

}  // namespace

Commands arch_commands() {
  return {{.name = "arch",
           .summary = "the facts behind the answers: types, targets, swizzle modes, formats",
           .details = R"(Prints what swz knows about the hardware, each row with its source and how far
it can be trusted.)",
           .examples = {{"swz arch", "all tables"}},
           .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz

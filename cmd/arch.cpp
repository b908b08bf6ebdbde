// swz arch [TOPIC]: the tables that every other answer rests on.
#include "view/arch.hpp"

#include "command.hpp"

namespace swz {
namespace {

struct Request {
  std::string topic;
};

Options options_of(Request& r) {
  std::vector<std::pair<std::string, std::string>> topics;
  for (const std::string& topic : arch_topics()) topics.emplace_back(topic, topic);
  return {one_of<std::string>("TOPIC", "TOPIC", r.topic, std::move(topics), "print one table only")};
}

Answer answer(const Request& r, const Context&) { return {view_arch(r.topic)}; }

}  // namespace

Command arch_command() {
  return {.name = "arch",
          .summary = "the facts behind the answers: types, targets, swizzle modes, formats",
          .details = R"(Prints what swz knows about the hardware, each row with its source and how far
it can be trusted.)",
          .examples = {{"swz arch", "all tables"}},
          .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz

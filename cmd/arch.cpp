// swz arch [TOPIC]: the tables that every other answer rests on.
#include "view/arch.hpp"

#include <memory>

#include "command.hpp"

namespace swz {

Action define_arch(CLI::App& app, const Common&) {
  auto topic = std::make_shared<std::string>();
  app.add_option("TOPIC", *topic, "one table only")->check(CLI::IsMember(arch_topics()));
  return [topic] { return Outcome{view_arch(*topic)}; };
}

}  // namespace swz

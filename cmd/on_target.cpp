// SPDX-License-Identifier: Apache-2.0
#include "on_target.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swz {

Answer on_target(Answer answer, const Context& context, std::string_view what, const Availability& availability,
                 std::string_view source) {
  std::vector<Block>& blocks = answer.document.blocks;
  auto lints = std::ranges::find_if(blocks, [](const Block& block) {
    const auto* notes = std::get_if<Notes>(&block);
    return notes != nullptr && notes->key == "lints";
  });
  if (lints == blocks.end()) lints = blocks.insert(lints, Notes{"lints"});
  if (context.arch != nullptr && !runs_on(availability, *context.arch))
    std::get<Notes>(*lints).lint("target-lacks-instruction", fmt::format("{} has no {}", context.arch->name, what),
                                 fmt::format("it exists on {}", to_string(availability)), std::string(source));
  answer.has_lints = has_lints(answer.document);
  return answer;
}

Answer on_target(Answer answer, const Context& context, const MmaKindRow& kind, bool sparse) {
  return on_target(std::move(answer), context, fmt::format("tcgen05.mma{} kind::{}", sparse ? ".sp" : "", kind.name),
                   availability_of(kind, sparse));
}

}  // namespace swz

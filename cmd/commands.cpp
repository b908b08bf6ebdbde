// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "command.hpp"

namespace swz {
namespace {

// Every command once; the question that is asked most is first.
const std::vector<Question>& question_rows() {
  static const std::vector<Question> rows{
      {"What does this word say?", {"decode", "map", "phase"}},
      {"Which word do I need?", {"desc", "choose", "tiles", "encode smem", "encode idesc"}},
      {"Are there bank conflicts?", {"banks", "swizzle find", "swizzle lint"}},
      {"What is this layout?", {"translate", "layout", "diff", "swizzle explain"}},
      {"Where does an element lie?", {"story", "frag", "place"}},
      {"Is my tensor map right?", {"tma check", "tma encode", "tma place", "tma plan"}},
      {"What do CTAs share?", {"cluster", "pair"}},
      {"What lies in tensor memory?", {"tmem d", "tmem a", "tmem cp", "tmem plan", "sparse"}},
      {"Where are scales and fp4?", {"sf list", "sf place", "sf diff", "sf identify", "sf tmem", "sf way", "narrow"}},
      {"What did my kernel do?", {"kernel", "identify"}},
      {"Is that so on my GPU?", {"verify", "verify tma", "verify tile", "verify desc", "verify layout"}},
      {"What else is there?", {"arch", "batch", "gdb", "page"}},
  };
  return rows;
}

}  // namespace

const Command* find_command(const Commands& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Command::name);
  return found == table.end() ? nullptr : &*found;
}

std::span<const Question> questions() { return question_rows(); }

const Commands& commands() {
  static const Commands table = [] {
    Commands all;
    for (const auto& group :
         {arch_commands,      banks_commands,    batch_commands,   choose_commands,       cluster_commands,
          decode_commands,    desc_commands,     encode_commands,  frag_commands,         gdb_commands,
          identify_commands,  kernel_commands,   layout_commands,  map_commands,          narrow_commands,
          page_commands,      phase_commands,    place_commands,   scale_layout_commands, scale_tmem_commands,
          scale_way_commands, swizzle_commands,  story_commands,   tiles_commands,        tmem_commands,
          tmem_plan_commands, tma_copy_commands, tma_map_commands, translate_commands,    verify_commands})
      for (Command& command : group()) all.push_back(std::move(command));
    // In the order of the questions; commands without one are last.
    Commands ordered;
    for (const Question& question : questions())
      for (const std::string_view name : question.commands)
        if (const auto found = std::ranges::find(all, name, &Command::name); found != all.end()) {
          ordered.push_back(std::move(*found));
          found->name = {};
        }
    for (Command& command : all)
      if (!command.name.empty()) ordered.push_back(std::move(command));
    return ordered;
  }();
  return table;
}

}  // namespace swz

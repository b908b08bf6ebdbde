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
      {"Is my tensor map right?", {"tma check", "tma encode", "tma place", "tma plan", "tma conv"}},
      {"What do CTAs share?", {"cluster", "pair"}},
      {"What lies in tensor memory?", {"tmem d", "tmem a", "tmem cp", "tmem plan", "sparse"}},
      {"Where are scales and fp4?", {"sf list", "sf place", "sf diff", "sf identify", "sf tmem", "sf way", "narrow"}},
      {"What did my kernel do?", {"kernel", "identify"}},
      {"How does my pipeline fit?", {"stage", "cost"}},
      {"Is that so on my GPU?", {"verify", "verify tma", "verify tile", "verify desc", "verify layout"}},
      {"What else is there?", {"arch", "facts", "batch", "mcp", "skills install", "lsp", "gdb", "page"}},
  };
  return rows;
}

constexpr Card card_rows[] = {
    {"What does this descriptor say?", "decode 0x4000004000010042"},
    {"How does a tile get from global memory to its MMA?",
     "story --arch sm_100a --dtype bf16 --tile 128x128 --tensor 8192x4096 --mma m128n256k16 --at 37,84"},
    {"Why is a tile swizzled?", "place --dtype bf16 --tile 8x16 --swizzle 32B --beside linear --highlight 'ks 0-7'"},
    {"Which descriptors does my tile need?", "desc --dtype f16 --tile 128x64 --swizzle 128B --base 0x400"},
    {"Do the words of my k loop read the tile?",
     "map 0x4000004000010040 0x4000004000010042 0x4000004000010044 0x4000004000010046 --dtype bf16"},
    {"Does my access have bank conflicts?", "banks --layout '(32,32):(32,1)' --dtype f32 --access transpose"},
    {"Which thread has which element?", "frag wgmma.m64n64k16 --operand d"},
    {"Which TMA boxes fill my tile?", "tma plan --dtype bf16 --tile 128x128 --swizzle 128B"},
    {"Why is my tensor map refused?", "tma check --dtype f16 --dims 128,2,4096 --strides 128,2 --box 64,2,1"},
    {"Are these two layouts the same?", "diff 'Sw<2,4,3> o (8,32):(32,1)' '(8,32):(32,1)'"},
    {"Does my kernel fit in tensor memory?", "tmem plan --kind mxf8f6f4 --n 256 --stages 2"},
    {"Where is this scale factor?", "sf way --kind mxf4nvf4 --vec 16 --operand b --n 256 --k 256 --at 200,96"},
};

}  // namespace

std::span<const Card> cards() { return card_rows; }

const Command* find_command(const Commands& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Command::name);
  return found == table.end() ? nullptr : &*found;
}

std::span<const Question> questions() { return question_rows(); }

const Commands& commands() {
  static const Commands table = [] {
    Commands all;
    for (const auto& group :
         {arch_commands,      banks_commands,        batch_commands,      choose_commands,    cluster_commands,
          cost_commands,      decode_commands,       desc_commands,       encode_commands,    frag_commands,
          gdb_commands,       identify_commands,     kernel_commands,     layout_commands,    lsp_commands,
          map_commands,       mcp_commands,          narrow_commands,     page_commands,      phase_commands,
          place_commands,     scale_layout_commands, scale_tmem_commands, scale_way_commands, skills_commands,
          stage_commands,     swizzle_commands,      story_commands,      tiles_commands,     tmem_commands,
          tmem_plan_commands, tma_conv_commands,     tma_copy_commands,   tma_map_commands,   translate_commands,
          verify_commands})
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

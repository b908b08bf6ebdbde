#include "command.hpp"

namespace swz {

const Commands& commands() {
  static const Commands table = [] {
    Commands all;
    for (const auto& group :
         {decode_commands,       encode_commands,    desc_commands,   map_commands,    phase_commands,
          identify_commands,     kernel_commands,
          layout_commands,       translate_commands, place_commands,  banks_commands,  choose_commands,
          swizzle_commands,      frag_commands,      tiles_commands,  tmem_commands,   tmem_plan_commands,
          scale_factor_commands, scale_way_commands, narrow_commands, verify_commands, tma_map_commands,
          tma_copy_commands,     arch_commands,      batch_commands,  gdb_commands,
          page_commands})
      for (Command& command : group()) all.push_back(std::move(command));
    return all;
  }();
  return table;
}

}  // namespace swz

// Help as Documents, so that it is wrapped, coloured and answered in JSON (`swz help decode -f json`) like all
// else.
#pragma once

#include <string_view>
#include <vector>

#include "command.hpp"

namespace swz {

// swz --help: every command with its summary.
Document help_of_program(const std::vector<Command>& table);

// swz swizzle --help: the commands that begin with this word.
Document help_of_group(const std::vector<Command>& table, std::string_view group);

// swz decode --help
Document help_of_command(const Command& command);

}  // namespace swz

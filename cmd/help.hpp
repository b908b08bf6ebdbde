// Help as Documents, so that it is wrapped, coloured and answered in JSON (`swz help decode -f json`) like all
// else. The JSON has every property of every row, so that other interfaces can be made from it.
#pragma once

#include <string_view>

#include "command.hpp"

namespace swz {

// swz --help: every command with its summary.
Document help_of_program(const Commands& table);

// swz swizzle --help: the commands that begin with this word.
Document help_of_group(const Commands& table, std::string_view group);

// swz decode --help
Document help_of_command(const Command& command);

// {name, summary, usage, details, arguments, options, examples}: see docs/json.md, "help".
Json json_of(const Command& command);

}  // namespace swz

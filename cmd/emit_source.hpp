// What the commands with --emit share: source code is the whole answer as text, and a field of it as JSON.
#pragma once

#include <string>

#include "command.hpp"

namespace swz {

// Throws Error for a picture: source code cannot be drawn. `emit` is the option's value.
void require_source_format(const std::string& emit, const Common& common);
// Alone, so that it can be redirected into a file; JSON has it beside the rest.
Document source_alone(const std::string& source);

}  // namespace swz

// Manual: what is made from the table of commands and the rows of their options, so that it cannot disagree with
// the program. The build asks for it with the hidden `swz --generate man`.
//
//   generate("man", commands())        swz.1, in man(7) macros
//   generate("requests", commands())   the JSON schema of requests (request_schema.hpp)
//   generate("bash", commands())       the completion script; also "zsh" and "fish" (complete.hpp)
#pragma once

#include <string>

#include "command.hpp"

namespace swz {

// Throws Error when there is no such kind.
std::string generate(const std::string& kind, const Commands& table);

std::string man_page(const Commands& table);

}  // namespace swz

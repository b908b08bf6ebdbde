// Manual: the man page and the shell completions, made from the table of commands and the options they declare, so
// that they cannot disagree with the program. The build asks for them with the hidden `swz --generate man`.
//
//   generate("man", commands())    swz.1, in man(7) macros
//   generate("bash", commands())   also "zsh" and "fish"
//
// Completed are commands, second words of two-word commands, options, the words an option takes, and files where an
// option's or an argument's value is called FILE.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace swz {

// Throws Error when there is no such kind.
std::string generate(const std::string& kind, const std::vector<Command>& table);

std::string man_page(const std::vector<Command>& table);
std::string bash_completion(const std::vector<Command>& table);
std::string zsh_completion(const std::vector<Command>& table);
std::string fish_completion(const std::vector<Command>& table);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Help: the descriptions of the commands, made from their table and the rows of their options, so that they cannot
// disagree with the program: help as Documents, which are wrapped, coloured and answered in JSON (`swz help decode
// -f json`, with every property of every row); the man page; the schema of requests.
//
//   generate("man", commands())        swz.1, in man(7) macros
//   generate("requests", commands())   the JSON schema of requests, one definition for each command:
//     {"command": "decode", "WORD": ["0x42"], "arch": "sm_90a"}      swz decode 0x42 --arch sm_90a
//   generate("bash", commands())       the completion script; also "zsh" and "fish"
#pragma once

#include <string>

#include "base/json.hpp"
#include "command.hpp"
#include "topic.hpp"

namespace swz {

struct Line;

// swz --help: how to ask, the commands that are used most, and the commands by question, on one screen.
Document help_of_program(const Commands& table);

// The names of the pages of swz help: commands (every command with its summary), pictures (the options of pictures),
// and options (those of every command).
const std::vector<std::string_view>& help_pages();
Document help_page(const Commands& table, std::string_view page);

// swz conflicts: the commands that answer the word.
Document help_of_topic(const Commands& table, const Topic& topic);

// swz swizzle --help: the commands that begin with this word.
Document help_of_group(const Commands& table, std::string_view group);

// swz decode --help
Document help_of_command(const Command& command);

// What a line that asks for help shows: the page, topic, group or command that it names.
Document help_of_line(const Line& line, const Commands& table);

// An option as a property of a JSON object: its name there ("cta-group"), and its schema.
std::string property_name(const std::string& option);
Json property_schema(const Option& option);

// The text of this kind. The build asks for it with the hidden `swz --generate man`. Throws Error if there is no such
// kind.
std::string generate(const std::string& kind, const Commands& table);

std::string man_page(const Commands& table);

// The script that the shell reads: for bash, for zsh, otherwise for fish.
std::string completion_script(const std::string& shell);

// Completions, answered by the program: the scripts pass on the words so far, and read one candidate per line,
// followed by a tab and a description. The last word is the one at the cursor; ":file" means file names.
//
//   swz --complete bash swizzle f          find<tab>the smallest swizzle that makes accesses conflict free
//   swz --complete zsh decode --as ''      smem, idesc
//   swz --complete fish batch ''           :file
//
// bash splits --format=json into three words and completes the last; the others pass the whole word.
std::string completions(const std::string& shell, Words words, const Commands& table);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// The tools of swz mcp: what an agent may call, made from the table of commands.
//
//   {"name": "swizzle_explain", "arguments": {"SWIZZLE": "3,4,3", "dtype": "tf32"}}
//     is the line   swz swizzle explain --dtype=tf32 -- 3,4,3
//     and answers   {"content": [text, verdict], "structuredContent": the JSON of the line, "isError": false}
//
// One tool for each command, with the options of the command as its properties, and two more: `ask` reads any text, as
// `swz TEXT` does, and `help` shows what `swz help` shows. Why so:
//
//   * One tool that takes a command line would be ten times smaller, but a client could check nothing of it, and a model
//     would have to know the options. One tool for each question of `swz help` would have the options of up to seven
//     commands in one list, most of which exclude each other.
//   * The list is about 120 KB. A client that shows every tool to its model all the time gives less of them:
//     `swz mcp decode map banks` has these, `ask` and `help`. A description therefore ends after the first paragraph of
//     the help, and one example; `help` has the rest.
//   * Options of pictures, the same for every command, would double the list. They are words in the property "options".
//   * A schema has only properties: models are not given the allOf and anyOf with which `swz --generate requests` says
//     which options exclude each other. The descriptions say it, and the program checks it.
//   * An output schema names only the verdict, which every answer has: the schemas of all answers (docs/swz.schema.json)
//     are 490 KB.
//
// A command that needs more than its request (needs_system: a GPU, a desktop, files that it writes) or that converses
// (batch) is no tool, and a text for `ask` cannot name one.
#pragma once

#include "line.hpp"

namespace swz {

struct Tool {
  std::string name;                  // "swizzle_explain"
  const Command* command = nullptr;  // null: ask, help
};

// The tools, in the order of the commands. only: names of commands ("swizzle find") or of their groups ("swizzle");
// empty: all. Throws Error for a name that is no tool.
std::vector<Tool> tools_of(const Commands& table, const Words& only);

// As tools/list describes it: name, title, description, inputSchema, outputSchema, annotations.
Json describe(const Tool& tool);

// The result of tools/call. Whatever is wrong with the arguments is a result with isError, which the model can read and correct.
Json call(const Tool& tool, const Json& arguments, const Commands& table, const LineDefaults& defaults);

// The arguments that give this line; none for a line that a tool cannot answer: it pipes, writes a file, chooses a format.
std::optional<Json> arguments_of(const Command& command, std::string_view line);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Run: from the words of a command line to an exit code, in three phases: words become a Line (line.hpp; of a text without
// a command, door.hpp), a Line becomes an Answer (answer.hpp), an Answer becomes output (delivery.hpp).
//
//   run({"layout", "(8,64):(64,1)", "-f", "json"}, environment)   writes JSON to environment.out, returns 0
//
// Exit codes: 0 fine · 1 the answer to the question is no, or lints under --strict · 2 bad usage or input, or the answer
// could not be written · 3 the hardware could not be asked.
//
// Errors go to environment.err: as text with a caret, or, when the words ask for JSON (-f json, or -o FILE.json
// without -f), as one line {"error":{"message":…,"hint":…,"span":[b,e]}}. `swz` alone, a command's first word
// alone ("swz swizzle"), or a word that leads to commands ("swz conflicts"), shows on the error stream the words that can
// follow, and exits with 2.
//
// A reader of the standard output that goes away (`swz … | head`) ends the command quietly with its own exit code;
// the caller has to ignore SIGPIPE. Nothing is thrown.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "command.hpp"
#include "files.hpp"

namespace swz {

// What a run may know of the world. The tests make their own.
struct Environment {
  std::map<std::string, std::string> variables = {};  // NO_COLOR, SWZ_ARCH, SWZ_PAGE_ADDRESS, TERM, COLUMNS where set
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  int input = 0;  // file descriptor of standard input
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int terminal_width = 0;  // columns; 0 when not known. COLUMNS, when set, holds for terminals and files alike
  const Commands* table = &commands();
};

int run(const Words& words, const Environment& environment);

// Lent to an answer that converses: where it writes, and the world it may read from and ask.
struct Console {
  Output& output;
  const Environment& environment;
};

}  // namespace swz

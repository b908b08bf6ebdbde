// SPDX-License-Identifier: Apache-2.0
// The second phase of a run: a line becomes an answer, or an error. Nothing is written.
//
//   answer_line(read_line({"decode", "0x42"}, commands(), {}), commands(), {})   the Document of `swz decode`, exit code 0
#pragma once

#include "line.hpp"

namespace swz {

// The line of the words, for programs that give lines to this one (batch, mcp): a text without a command becomes the line
// of the command that reads it. Throws the error of the line, and one for a line without a command.
Line asked_line(const Words& words, const Commands& table, const LineDefaults& defaults, Context& context);

// What the command of the line answers, with its verdict and, for a text without a command, what it was read as. Throws Error.
// The line has no error, and names a command, help or the version.
Answer answer_line(const Line& line, const Commands& table, Context context);

// The exception that is being handled, as an Error; only inside a catch block.
Error caught_error();

int exit_code_of(const Error& error);
// The answer's own exit code, --strict considered.
int exit_code_of(const Answer& answer, const Line& line);

}  // namespace swz

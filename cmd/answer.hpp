// SPDX-License-Identifier: Apache-2.0
// The second phase of a run: a line becomes an answer, or an error. Nothing is written.
//
//   answer_line(read_line({"decode", "0x42"}, commands(), {}), commands(), {})   the Document of `swz decode`, exit code 0
#pragma once

#include "line.hpp"

namespace swz {

// What the command of the line answers, with its verdict and, for a text without a command, what it was read as. Throws Error.
// The line has no error, and names a command, help or the version.
Answer answer_line(const Line& line, const Commands& table, Context context);

// The exception that is being handled, as an Error; only inside a catch block.
Error caught_error();

int exit_code_of(const Error& error);
// The answer's own exit code, --strict considered.
int exit_code_of(const Answer& answer, const Line& line);

}  // namespace swz

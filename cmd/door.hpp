// SPDX-License-Identifier: Apache-2.0
// Door: a text without a command, and the command that reads it.
//
//   swz 0x4000004000010042          read as: swz decode 0x4000004000010042
//   swz '(8,64):(64,1)'             read as: swz translate '(8,64):(64,1)', or swz layout …
//   swz @kernel.ptx                 read as: swz kernel kernel.ptx
//   swz 'no such text'              an error: what was tried, and why each reader refused it
//
// Each kind of text is a row of a table (text_kinds.hpp): whether a text is of this kind, which is decided by the
// reader of the command itself, and the line that answers it. The first row that accepts the text answers; every other
// row that accepts it is named in the answer, so that the user learns of every command that reads a text.
//
// Invariant (tested over every example, every notation and 10,000 changed texts): a command that answers the text
// by itself is the one that was chosen, or one of those that are named.
#pragma once

#include "line.hpp"

namespace swz {

// The line of the command that reads the words of line.text, with `readings` and, if standard input was read to decide,
// its text in the context. Throws Error for a text that no command reads.
Line open_door(const Line& line, const Commands& table, const LineDefaults& defaults, Context& context);

// The error about a text that this command cannot read, with the name of another command that reads it.
Error with_other_command(Error error, const Line& line, const Commands& table);

// The answer, with the command that the text was read as and the others that fit.
Answer with_readings(Answer answer, const std::vector<DoorReading>& readings);

// An error of the command, with the name of the command.
Error with_readings(Error error, const std::vector<DoorReading>& readings);

}  // namespace swz

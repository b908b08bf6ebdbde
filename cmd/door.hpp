// SPDX-License-Identifier: Apache-2.0
// Door: a text without a command, and the command that reads it.
//
//   swz 0x4000004000010042          read as: swz decode 0x4000004000010042
//   swz '(8,64):(64,1)'             read as: swz translate '(8,64):(64,1)', or swz layout …
//   swz @kernel.ptx                 read as: swz kernel kernel.ptx
//   swz 'no such text'              an error: what was tried, and why each refused
//
// Each kind of text is a row of a table (text_kinds.hpp): whether a text is of this kind, which is asked of the reader that
// the command itself has, and the line that answers it. The first row that takes the text answers; every other row that
// takes it is told with the answer, so that a text that two commands read is never decided in silence.
//
// Invariant (tested over every example, every notation and 10,000 changed texts): a command that answers the text
// alone is the one that was taken, or one of those that are told.
#pragma once

#include "line.hpp"

namespace swz {

// The line of the command that reads the words of line.text, with `readings` and, where standard input was read to
// decide, its text in the context. Throws Error for a text that nothing reads.
Line open_door(const Line& line, const Commands& table, const LineDefaults& defaults, Context& context);

// An error about a text that another command reads and this one does not: says which.
Error with_other_command(Error error, const Line& line, const Commands& table);

// What was answered, after the command that it was read as and the others that fit.
Answer with_readings(Answer answer, const std::vector<DoorReading>& readings);

// An error of the command, which says which one it was.
Error with_readings(Error error, const std::vector<DoorReading>& readings);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// The next questions of an answer: the rows that its command declares (Next in cmd/command.hpp) with the user's numbers.
//
//   row    {"Are there bank conflicts?", "banks {operand} --access ldmatrix.x4"}
//   line   swz place --dtype bf16 --tile 8x64 --at 3,5
//   next   swz banks --dtype bf16 --tile 8x64 --access ldmatrix.x4
//
// A row is a line with places in braces:
//
//   {--dtype,--tile}    those of these options that the line has, with their values
//   {operand}           the same for the options that say which operand in shared memory is meant
//   {WORD}              the values of this argument
//   {tile.0}            what the answer has there in JSON; in a list of objects a step is the "name" of one of them. A
//                       list is written with commas
//   {=--shape}          only the value of this option
//   {?lbo}, {!--layout} nothing: the answer has to have this key, the line must not have this option
//
// Inside of a word ("{rows}x64", "--words={WORD}") several values are a list with commas. A row is left out where a place
// has nothing to stand for, where it says the line itself, and where swz would refuse it: every next line has an answer.
// Of rows with one question only the first that is left is shown. --arch goes along where the user gave it.
#pragma once

#include <string>
#include <vector>

#include "line.hpp"

namespace swz {

struct NextLine {
  std::string asks;
  Words words;
};

// After the rows of the command, the lines by which its text goes on ("go on: swz place …"). The line has been answered.
std::vector<NextLine> next_lines(const Line& line, const Answer& answer, const Commands& table);

// One line of a shell with these words.
std::string shell_line(const Words& words);

// Whether it is a paragraph "go on: …".
bool is_go_on(const Block& block);

}  // namespace swz

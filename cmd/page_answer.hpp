// SPDX-License-Identifier: Apache-2.0
// What the page (page/page.js) asks the program for, each time as one object of JSON, by hidden words:
//
//   swz --page              {"version", "help", "questions": [{"asks", "line"}], "elsewhere": [names and examples]}
//   swz --page LINE         {"text", "picture"}: the picture as HTML, or null for an answer that draws nothing; the text
//                           without what the picture shows
//   swz --page-next LINE    {"next": [{"asks", "line"}]}
//
//   swz --page decode 0x4000004000010042     the bits as a picture, the fields as text
//   swz --page-next decode 0x42              "map 0x42" and others (cmd/next.hpp)
//
// Errors, exit codes, --color and the options of pictures are those of the line itself.
#pragma once

#include "command.hpp"
#include "line.hpp"
#include "run.hpp"

namespace swz {

// What is asked of a line. nothing: it is not the page that asks.
enum class PageAsk { nothing, answer, next };

// Takes the hidden word away.
PageAsk take_page_ask(Words& words);

// What the page shows before a line is typed. `elsewhere` names the commands and examples that need more than a page has.
std::string page_start(const Commands& table);

// Writes the answer; returns the exit code.
int deliver_to_page(PageAsk ask, const Answer& answer, const Line& line, const Environment& environment);

}  // namespace swz

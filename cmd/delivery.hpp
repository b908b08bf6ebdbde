// SPDX-License-Identifier: Apache-2.0
// The third phase of a run: an answer becomes text, JSON or a picture, and is written to a file or a stream.
#pragma once

#include "command.hpp"
#include "line.hpp"
#include "run.hpp"

namespace swz {

// Throws Error for options that do not fit the format, before anything is computed: --animate without SVG.
void require_format(const Common& common);

// Writes the answer, complete or not at all; returns the exit code. Throws Error when it cannot be written.
int deliver(const Answer& answer, const Line& line, const Environment& environment);

// The text as it is, to the standard stream; returns 0.
int write_text(std::string_view text, const Environment& environment);

// Writes the error to the error stream; returns the exit code.
int report(const Error& error, const Common& common, const Environment& environment);

// Of a line that ends before a command: the help of what could follow, on the error stream; returns 2.
int show_what_could_follow(const Line& line, const Environment& environment);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// --link: the address at which the page (page/page.js) answers the same line.
//
//   swz decode 0x42 -f json --link    https://…/swz/#line=decode+0x42&view=json
//
// The address holds the words without --link and -f, the view that shows what -f asks for, and what the line reads from
// standard input. A page does not see the files of a machine: those that the line names have to be chosen there.
#pragma once

#include "line.hpp"

namespace swz {

// Nothing of the line is computed. Throws Error for a command that a page cannot run, and for standard input that an
// address cannot hold.
Answer link_answer(const Line& line, const Context& context);

}  // namespace swz

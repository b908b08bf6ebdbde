// SPDX-License-Identifier: Apache-2.0
// JSON: the same Document for programs.
//
//   Document d;
//   d.add(Field{"size", "size", 512});
//   d.add(Notes{"lints", {lint("version-missing", "bit 46 is 0", "set it")}});
//   json_text(d) is, with a newline at its end,
//   {"size":512,"lints":[{"rule":"version-missing","message":"bit 46 is 0","hint":"set it"}]}
//
// The written form is one line without spaces, in UTF-8, then a newline. It is made for programs (people have text, or
// jq). Bytes that are not UTF-8 become U+FFFD. Nothing here throws, whatever the content.
#pragma once

#include <string>

#include "view/document/document.hpp"

namespace swz {

std::string json_text(const Document& document);

}  // namespace swz

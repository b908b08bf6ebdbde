// Errors as a person and as a program reads them.
//
//   throw Error("expected ')' to close the '(' at column 1", "add ')'", Span{0, 1}).in_text("(8,64:(64,1)")
//
//   swz: error: expected ')' to close the '(' at column 1
//     (8,64:(64,1)
//     ^
//   hint: add ')'
//
// The source line is shown when the error has a text and a place. Of a long line only a window around the place is
// shown, "…" where it is cut: a megabyte of input is never echoed. Of several lines the one with the place is
// shown. Control and invalid bytes are shown as \xNN, and the caret stands under the right column whatever the
// width of what precedes it.
#pragma once

#include <string>

#include "base/error.hpp"
#include "render/text.hpp"

namespace swz {

// Ends in a newline. The message and the hint are wrapped when style.width is set.
std::string render_error(const Error& error, const TextStyle& style);

// {"message": "…", "hint": "…", "span": [begin, end]}: hint may be empty, span (byte positions in the word or
// expression that was read, half open) only where there is a place.
Json to_json(const Error& error);

}  // namespace swz

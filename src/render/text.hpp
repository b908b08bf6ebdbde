// SPDX-License-Identifier: Apache-2.0
// Text: a Document as a person reads it on a terminal or in a file.
//
//   Document d;
//   d.add(Field{"size", "size", 512}).add(Field{"bijective", "bijective", true});
//   render_text(d, {}) == "size       512\nbijective  yes\n"
//
// Fields that follow each other are aligned by label; a table has aligned columns; between blocks stands one empty
// line, but none after a heading (a title, a strong paragraph). With a width, running text and the columns of a table
// are wrapped, the columns that then have no room go below the others, and a grid that is too wide is cut into panels;
// a number, a layout or a word is never cut.
// No line ends in a space. Control bytes are shown as \xNN. Same document and style, same bytes.
//
// An error:
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
// shown. The caret stands under the right column whatever the width of what precedes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "render/part.hpp"
#include "view/document.hpp"

namespace swz {

struct TextStyle {
  bool color = false;
  int width = 0;  // columns; 0: do not wrap
  // What is shown of a grid (render/part.hpp), unless it is whole then also only the begin of a long table; nothing:
  // all. The rows that a table folds are shown where it is whole.
  std::optional<DrawnPart> part = {};
};

// A value without a text of its own: strings bare, booleans yes or no, null "-", arrays and objects as JSON.
std::string text_of(const Json& value);

// What a Cell or a Field shows: its text, else its value.
template <class Shown>
std::string shown_text(const Shown& of) {
  return of.text.empty() ? text_of(of.value) : of.text;
}

// Ends in a newline unless it is empty.
std::string render_text(const Document& document, const TextStyle& style);

// The answer alone (--brief), then a line for each lint; a document that names no answer is shown whole.
//
//   wavefronts 1024
//   ideal 128
//   lint[bank-conflict]: ldmatrix.x4: 1024 wavefronts where 128 would do, 8-way at (0,0)
//
// The values are those of JSON, so that both say the same.
std::string render_brief(const Document& document, const TextStyle& style);

// Without a known width, what stands side by side takes at most this.
inline constexpr int widest_page = 160;

// Its values, a line each, after their names where there are several; no line where it names none.
std::vector<std::string> answers_of(const Document& document);

// A block as lines without newlines; the others are in text.cpp.
std::vector<std::string> lines_of(const Table& table, const TextStyle& style);
std::vector<std::string> lines_of(const Grid& grid, const TextStyle& style);
std::vector<std::string> lines_of(const Figure& figure, const TextStyle& style);
std::vector<std::string> lines_of(const BitRow& row, const TextStyle& style);

// Ends in a newline. The message and the hint are wrapped when style.width is set.
std::string render_error(const Error& error, const TextStyle& style);

// {"message": "…", "hint": "…", "span": [begin, end]}: hint may be empty, span (byte positions in the word or
// expression that was read, half open) only where there is a place.
Json to_json(const Error& error);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Text: a Document as it is read on a terminal or in a file.
//
//   Document d;
//   d.add(Field{"size", "size", 512}).add(Field{"bijective", "bijective", true});
//   render_text(d, {}) == "size       512\nbijective  yes\n"
//
// Consecutive fields are aligned by label; a table has aligned columns; there is one empty line between blocks, but
// none after a heading (a title, a strong paragraph). With a width, running text and the columns of a table are
// wrapped, columns without room go below the others, and a grid that is too wide is cut into panels; a number, a
// layout or a word is never cut. No line ends in a space. Control bytes are shown as \xNN. The same document and style
// give the same bytes.
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
// The source line is shown if the error has a text and a place. Of a long line only a window around the place is
// shown, with "…" where it is cut, so that a megabyte of input is never echoed. Of several lines, the one with the
// place is shown. The caret is under the right column, however wide the text before it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "render/part.hpp"
#include "view/document/document.hpp"

namespace swz {

struct TextStyle {
  bool color = false;
  int width = 0;  // columns; 0: do not wrap
  // The part of a grid that is shown (render/part.hpp); unless it is whole, only the beginning of a long table is
  // shown. None: everything. The rows that a table folds, blocks of `in_full` and the sources of lints are shown if the
  // part is whole.
  std::optional<DrawnPart> part = {};
  bool has_figures = true;  // else without what a picture of the answer shows: its title, grids, figures and bits
  bool is_full() const { return !part || part->is_whole; }
};

// A value without a text of its own: strings bare, booleans yes or no, null "-", arrays and objects as JSON.
std::string text_of(const Json& value);

// The text that a Cell or a Field shows: its text, otherwise its value.
template <class Shown>
std::string shown_text(const Shown& of) {
  return of.text.empty() ? text_of(of.value) : of.text;
}

// The document as text. Ends in a newline unless it is empty.
std::string render_text(const Document& document, const TextStyle& style);

// Only the answer (--brief), then one line for each lint; a document that names no answer is shown whole.
//
//   wavefronts 1024
//   ideal 128
//   lint[bank-conflict]: ldmatrix.x4: 1024 wavefronts where 128 would do, 8-way at (0,0)
//
// The values are those of JSON, so that both agree.
std::string render_brief(const Document& document, const TextStyle& style);

// Without a known width, blocks side by side use at most this many columns.
inline constexpr int widest_page = 160;

// The values of the answer, one line each, after their names if there are several; empty if the document names none.
std::vector<std::string> answers_of(const Document& document);

// A block as lines without newlines; the others are in text.cpp.
std::vector<std::string> lines_of(const Table& table, const TextStyle& style);
std::vector<std::string> lines_of(const Grid& grid, const TextStyle& style);
std::vector<std::string> lines_of(const Figure& figure, const TextStyle& style);
std::vector<std::string> lines_of(const BitRow& row, const TextStyle& style);

// The error as text. Ends in a newline. The message and the hint are wrapped if style.width is set.
std::string render_error(const Error& error, const TextStyle& style);

// {"message": "…", "hint": "…", "span": [begin, end]}: hint may be empty; span (byte positions in the word or
// expression that was read, half open) is there only if there is a place.
Json to_json(const Error& error);

}  // namespace swz

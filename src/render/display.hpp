// SPDX-License-Identifier: Apache-2.0
// Display: how many columns a text needs on a terminal, how it is divided into lines, and its colours.
//
//   display_width("é")    == 1     one column, two bytes
//   display_width("表")   == 2     wide
//   printable("a\x1b[31m") == "a\x1b[31m" with the escape byte written as the four characters \x1b
//   wrap("aa bb cc", 5)   == {"aa bb", "cc"}
//   paint("ok", Tone::good, true)  == "\x1b[32mok\x1b[0m", and "ok" when colour is off
//
// Widths follow Unicode's East Asian Width and general category in coarse blocks: good enough for what layouts, names
// and messages contain. A byte that is not valid UTF-8 counts as one column and never stops the walk.
//
// Tones use the terminal's own 16 colours, which users set to be readable on their background. Hues set both the
// letters (black) and the background (a light colour of the 256-colour cube), so that a cell looks the same on dark and
// on light terminals. Neighbouring hues differ in lightness or warmth, so that they can be distinguished without red
// and green. A mark is a sign in the colour with which pictures frame such a cell: red collides, blue is highlighted.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "view/document/document.hpp"

namespace swz {

// One code point of a text: its bytes and its columns (0, 1 or 2).
struct Glyph {
  std::string_view bytes;
  int columns = 1;
  bool valid = true;  // false: one byte that belongs to no UTF-8 sequence
};

// The first glyph of a non-empty text.
Glyph first_glyph(std::string_view text);

int display_width(std::string_view text);

// The text with control bytes, DEL, C1 controls and invalid bytes as \xNN, so that text from a user cannot control the
// terminal. Newlines are kept if `keep_newlines`.
std::string printable(std::string_view text, bool keep_newlines = false);

// The same for source code, whose lines, tabs and CR LF are kept.
std::string printable_source(std::string_view text);

// Lines of at most `width` columns, broken at spaces; a longer word is left whole, since layouts and words must
// stay copyable, and a number stays with its unit or its dimension ("8192 B", "k 0-63"). A newline in the text always
// breaks; leading spaces of such a line indent the lines it wraps to.
// width <= 0: break only at newlines. The result is never empty; no line ends in a space.
std::vector<std::string> wrap(std::string_view text, int width);

// The same with another measure than columns: has_room tells whether a line is short enough.
using HasRoom = std::function<bool(std::string_view line)>;
std::vector<std::string> wrap(std::string_view text, const HasRoom& has_room);

// repeated("ab", 2) == "abab"; empty for a count below 1.
std::string repeated(std::string_view text, int count);

// Appends lines, after an empty line if there are lines before them.
void append_block(std::vector<std::string>& out, const std::vector<std::string>& lines);

// The text with spaces added on the right or on the left until it is `width` columns wide.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

// ---- colours as ANSI escapes

inline constexpr int hue_count = 8;

// An empty text stays empty.
std::string paint(std::string_view text, Tone tone, bool color);

// The lines of wrap(printable(text, true), width), each painted.
std::vector<std::string> painted_lines(std::string_view text, int width, Tone tone, bool color);

// Plain without a hue; hues repeat after hue_count, shades after four.
std::string paint_tint(std::string_view text, Tint tint, bool color);

// The sign of a mark, " " if it has none.
std::string paint_sign(Mark mark, bool color);

}  // namespace swz

// Display: how many columns a text takes on a terminal, and how it is cut into lines.
//
//   display_width("é")    == 1     one column, two bytes
//   display_width("表")   == 2     wide
//   printable("a\x1b[31m") == "a\x1b[31m" with the escape byte written as the four characters \x1b
//   wrap("aa bb cc", 5)   == {"aa bb", "cc"}
//
// Widths follow Unicode's East Asian Width and general category in the coarse blocks below: good for what layouts,
// names and messages hold. A byte that is not valid UTF-8 counts as one column and never stops the walk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

// One code point of a text: its bytes and its columns (0, 1 or 2).
struct Glyph {
  std::string_view bytes;
  int columns = 1;
  bool valid = true;  // false: one byte that belongs to no UTF-8 sequence
};

// The glyph at the front of a non-empty text.
Glyph first_glyph(std::string_view text);

int display_width(std::string_view text);

// The text with control bytes, DEL, C1 controls and invalid bytes as \xNN, so that nothing a user typed can drive
// the terminal. Newlines stay when `keep_newlines`.
std::string printable(std::string_view text, bool keep_newlines = false);

// Lines of at most `width` columns, broken at spaces; a longer word is left whole, since layouts and words must
// stay copyable. A newline in the text always breaks; leading spaces of such a line indent what it wraps to.
// width <= 0: break at newlines only. Never empty; no line ends in a space.
std::vector<std::string> wrap(std::string_view text, int width);

// Spaces added on the right or on the left until the text takes `width` columns.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

}  // namespace swz

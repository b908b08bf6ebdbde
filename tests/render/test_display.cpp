// SPDX-License-Identifier: Apache-2.0
// Widths of code points, safe printing, wrapping.
#include <doctest/doctest.h>

#include <set>

#include "render/display.hpp"

using namespace swz;

TEST_CASE("columns of code points (Unicode East Asian Width; combining marks take none)") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é") == 1);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("─│┬…·") == 5);
  CHECK(display_width("表") == 2);
  CHECK(display_width("한글") == 4);
  CHECK(display_width("🙂") == 2);
  CHECK(display_width("\u200b") == 0);
}

TEST_CASE("bytes that are not UTF-8 count one column each") {
  CHECK(display_width("\xff\xfe") == 2);
  CHECK(display_width("\xc0\x80") == 2);          // overlong NUL
  CHECK(display_width("\xe0\x80\x80") == 3);      // overlong
  CHECK(display_width("\xed\xa0\x80") == 3);      // a surrogate
  CHECK(display_width("\xf4\x90\x80\x80") == 4);  // past U+10FFFF
  CHECK(display_width("\xe8\xa1") == 2);          // cut off
  CHECK(first_glyph("\xe8\xa1\xa8x").bytes == "\xe8\xa1\xa8");
}

TEST_CASE("nothing printed can drive a terminal") {
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable(std::string("\0\x7f\t\n", 4)) == "\\x00\\x7f\\x09\\x0a");
  CHECK(printable("a\nb", true) == "a\nb");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\xc2\\x9b31m");  // the one-byte form of ESC [
  CHECK(printable("é表\xff") == "é表\\xff");
  for (int byte = 0; byte < 256; ++byte)
    for (const char c : printable(std::string(1, static_cast<char>(byte)))) CHECK((c >= 0x20 && c < 0x7f));
}

TEST_CASE("source code keeps its lines and tabs, and nothing that drives a terminal") {
  CHECK(printable_source("a\tb\r\nc\n") == "a\tb\r\nc\n");
  CHECK(printable_source("//\x1b[31mred\x07\n") == "//\\x1b[31mred\\x07\n");
  CHECK(printable_source("a\rb\r") == "a\\x0db\\x0d");  // a terminal would write b over a
  CHECK(printable_source("\xff\xc2\x9b") == "\\xff\\xc2\\x9b");
  CHECK(printable_source("") == "");
}

TEST_CASE("wrapping") {
  using Lines = std::vector<std::string>;
  CHECK(wrap("", 10) == Lines{""});
  CHECK(wrap("aa bb cc", 5) == Lines{"aa bb", "cc"});
  CHECK(wrap("aa bb cc", 4) == Lines{"aa", "bb", "cc"});
  CHECK(wrap("aa bb cc", 0) == Lines{"aa bb cc"});
  CHECK(wrap("a  b", 10) == Lines{"a  b"});
  CHECK(wrap("  aa bb", 5) == Lines{"  aa", "  bb"});
  CHECK(wrap("a\n\nb ", 10) == Lines{"a", "", "b"});
  CHECK(wrap("(8,64):(64,1) is", 6) == Lines{"(8,64):(64,1)", "is"});
  CHECK(wrap("expects 8192 B, then", 13) == Lines{"expects", "8192 B, then"});
  CHECK(wrap("the tile is k 0-63", 13) == Lines{"the tile is", "k 0-63"});
  CHECK(wrap("take a 16 B chunk of B 0", 9) == Lines{"take a", "16 B", "chunk of", "B 0"});
  CHECK(wrap("表表 表表", 5) == Lines{"表表", "表表"});
}

TEST_CASE("wrapped lines are short, keep every word, and end in no space") {
  const std::string text = "the quick  brown fox jumps over the lazy dog and (8,64):(64,1) too";
  for (int width = 1; width < 80; ++width) {
    std::string joined;
    for (const std::string& line : wrap(text, width)) {
      CHECK((display_width(line) <= width || line.find(' ') == std::string::npos));
      CHECK_FALSE(line.ends_with(' '));
      joined += line;
    }
    std::erase(joined, ' ');
    std::string expected = text;
    std::erase(expected, ' ');
    CHECK(joined == expected);
  }
}

TEST_CASE("padding counts columns, not bytes") {
  CHECK(pad_right("é", 3) == "é  ");
  CHECK(pad_left("表", 3) == " 表");
  CHECK(pad_left("abcd", 3) == "abcd");
}

TEST_CASE("every tint of a picture has a colour of its own, with black letters") {
  std::set<std::string> painted;
  for (int hue = 0; hue < hue_count; ++hue)
    for (int shade = 0; shade < 4; ++shade) {
      const std::string text = paint_tint("x", {hue, shade}, true);
      CHECK(text.starts_with("\x1b[38;5;16;48;5;"));
      CHECK(text.ends_with("mx\x1b[0m"));
      CHECK(painted.insert(text).second);
    }
  CHECK(paint_tint("x", {hue_count + 1, 4}, true) == paint_tint("x", {1, 0}, true));
  CHECK(paint_tint("x", {}, true) == "x");
  CHECK(paint_tint("x", {1, 1}, false) == "x");
}

TEST_CASE("what collides is a red sign, what is highlighted a blue one") {
  CHECK(paint_sign(Mark::colliding, true) == "\x1b[1;38;5;231;48;5;160m!\x1b[0m");
  CHECK(paint_sign(Mark::highlighted, true) == "\x1b[1;38;5;231;48;5;25m*\x1b[0m");
  CHECK(paint_sign(Mark::colliding, false) == "!");
  CHECK(paint_sign(Mark::none, true) == " ");
}

// SPDX-License-Identifier: Apache-2.0
// Errors: the caret under the right column, for any text.
#include <doctest/doctest.h>

#include <sstream>

#include "render/display.hpp"
#include "render/text.hpp"

using namespace swz;

namespace {

std::string shown(const std::string& text, Span span) { return render_error(Error("m", "", span).in_text(text), {}); }

struct SourceAndCaret {
  std::string source;
  std::string caret;
};

SourceAndCaret source_and_caret(const std::string& text, Span span) {
  std::stringstream lines(shown(text, span));
  std::string message;
  SourceAndCaret out;
  std::getline(lines, message);
  std::getline(lines, out.source);
  std::getline(lines, out.caret);
  return out;
}

}  // namespace

TEST_CASE("message, source, caret, hint") {
  const Error error("expected ')' to close the '(' at column 1", "add ')'", Span{0, 1});
  CHECK(render_error(error.in_text("(8,64:(64,1)"), {}) ==
        "swz: error: expected ')' to close the '(' at column 1\n"
        "  (8,64:(64,1)\n"
        "  ^\n"
        "hint: add ')'\n");
  CHECK(render_error(error, {}) == "swz: error: expected ')' to close the '(' at column 1\nhint: add ')'\n");
  CHECK(render_error(Error("no place").in_text("abc"), {}) == "swz: error: no place\n");
}

TEST_CASE("spans: several columns, the end of the text, past it, of no width") {
  CHECK(shown("abc def", {4, 7}) == "swz: error: m\n  abc def\n      ^^^\n");
  CHECK(shown("abc", {3, 4}) == "swz: error: m\n  abc\n     ^\n");
  CHECK(shown("abc", {100, 200}) == "swz: error: m\n  abc\n     ^\n");
  CHECK(shown("abc", {1, 1}) == "swz: error: m\n  abc\n   ^\n");
  CHECK(shown("abc", {1, 100}) == "swz: error: m\n  abc\n   ^^\n");
}

TEST_CASE("the line with the place is shown, not the others") {
  CHECK(shown("first\nsecond\nthird", {8, 11}) == "swz: error: m\n  second\n    ^^^\n");
  CHECK(shown("a\n\nb", {2, 3}) == "swz: error: m\n\n  ^\n");
}

TEST_CASE("what precedes the place may be wide, combining, invalid or a control byte") {
  CHECK(shown("é表x", {5, 6}) == "swz: error: m\n  é表x\n     ^\n");
  CHECK(shown("e\u0301x", {3, 4}) == "swz: error: m\n  e\u0301x\n   ^\n");
  CHECK(shown("\xffx", {1, 2}) == "swz: error: m\n  \\xffx\n      ^\n");
  CHECK(shown(std::string("\0x", 2), {0, 1}) == "swz: error: m\n  \\x00x\n  ^^^^\n");
  CHECK(shown("a\tb", {2, 3}) == "swz: error: m\n  a\\x09b\n       ^\n");
}

TEST_CASE("of a megabyte only a window around the place is shown") {
  std::string text(1 << 20, 'a');
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}, std::size_t{40}, std::size_t{500000},
                                  text.size() - 40, text.size() - 1, text.size()}) {
    std::string marked = text;
    if (place < marked.size()) marked[place] = 'X';
    const SourceAndCaret lines = source_and_caret(marked, {place, place + 1});
    CAPTURE(place);
    CHECK(display_width(lines.source) <= 102);
    CHECK(display_width(lines.source) >= 99);
    const std::size_t caret = lines.caret.find('^');
    // All but a leading "…" (three bytes, one column) are single bytes.
    const std::size_t cut = lines.source.starts_with("  …") ? 2 : 0;
    if (place < marked.size()) CHECK(lines.source[caret + cut] == 'X');
    CHECK(lines.source.starts_with("  …") == (place > 40));
    CHECK(lines.source.ends_with("…") == (place < text.size() - 40));
  }
  CHECK(shown(text, {0, text.size()}).size() < 400);
}

TEST_CASE("a window never cuts a code point") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "表";
  for (std::size_t place = 0; place < text.size(); place += 3) {
    const SourceAndCaret lines = source_and_caret(text, {place, place + 3});
    CHECK(lines.source.find("\\x") == std::string::npos);
    CHECK(display_width(lines.source) <= 102);
    CHECK(lines.caret.ends_with("^^"));
  }
}

TEST_CASE("a message from outside cannot drive the terminal; a long one is wrapped") {
  CHECK(render_error(Error("bad \x1b[2J"), {}) == "swz: error: bad \\x1b[2J\n");
  CHECK(render_error(Error("one two three four", "five six seven eight nine"), {false, 22}) ==
        "swz: error: one two\n"
        "  three four\n"
        "hint: five six seven\n"
        "  eight nine\n");
  CHECK(render_error(Error("m", "h", {0, 1}).in_text("x"), {true, 0}) ==
        "\x1b[31mswz: error:\x1b[0m m\n  x\n  \x1b[31m^\x1b[0m\n\x1b[36mhint:\x1b[0m h\n");
}

TEST_CASE("errors as JSON") {
  CHECK(to_json(Error("m", "h", Span{1, 3})).dump() == "{\"message\":\"m\",\"hint\":\"h\",\"span\":[1,3]}");
  CHECK(to_json(Error("m")).dump() == "{\"message\":\"m\",\"hint\":\"\"}");
}

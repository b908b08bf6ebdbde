// SPDX-License-Identifier: Apache-2.0
// Cursor: what it reads and where it then is, and that it never reads beyond the end of any prefix.
#include <doctest/doctest.h>

#include "base/cursor.hpp"
#include "base/text.hpp"

using namespace swz;

TEST_CASE("a cursor passes over white space before what it reads, and knows what it has read") {
  Cursor c(" lane\r\n ( -8 , 0x1f)…");
  CHECK(c.peek() == 'l');
  CHECK(c.take_while(is_letter) == "lane");
  CHECK_FALSE(c.accept("(-"));
  CHECK(c.accept('('));
  CHECK(c.since(1).end == 9);
  CHECK_FALSE(c.number());  // a blank is next
  c.skip_space();
  CHECK(c.number() == -8);
  CHECK(c.next() == ' ');
  CHECK(c.peek(2) == '0');
  CHECK(c.text_since(1) == "lane\r\n ( -8");
  CHECK(c.accept(","));
  CHECK(c.accept("0x"));
  CHECK(c.number(16) == 31);
  CHECK(c.found() == "found ')'");
  CHECK(c.accept(')'));
  CHECK(c.found() == "found '…'");  // all its bytes
  CHECK(c.here().end - c.here().begin == 3);
  CHECK(c.accept("…"));
  CHECK(c.at_end());
  CHECK(c.found() == "found the end");
}

TEST_CASE("a number beyond 64 bits is not read") {
  Cursor c("99999999999999999999");
  CHECK_FALSE(c.number());
  CHECK(c.position() == 0);
  CHECK(c.next() == '9');
}

TEST_CASE("a cursor never reads beyond the end of a prefix") {
  const std::string whole = "ab 12 (…) \xe2\x80";
  for (std::size_t size = 0; size <= whole.size(); ++size)
    for (std::size_t begin = 0; begin <= size; ++begin) {
      const std::string text = whole.substr(0, size);
      Cursor c(text, begin);
      CHECK(c.peek(size) == '\0');
      c.number();
      c.take_while(is_word);
      c.accept("12 (…)");
      CHECK(c.position() <= size);
      CHECK(c.here().begin <= size);
      CHECK(c.next_is(c.rest()));
    }
}

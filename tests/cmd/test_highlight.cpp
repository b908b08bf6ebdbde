// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "highlight.hpp"
#include "view/document/highlight.hpp"

namespace swz {
namespace {

const std::vector<HighlightKind> kinds{{"rows", 16}, {"lanes", 32}, {"k-steps", 4}};

Error error_of(std::string_view text) {
  try {
    parse_highlight(text, kinds);
  } catch (const Error& e) {
    return e;
  }
  return Error("no error");
}

TEST_CASE("every kind that is named must contain the index; a kind that is not named contains all") {
  const Highlight h = parse_highlight("lanes 0-3, 9 ; row 2", kinds);
  CHECK_FALSE(h.empty());
  for (int lane = 0; lane < 32; ++lane) CHECK(h.contains("lanes", lane) == (lane <= 3 || lane == 9));
  for (int row = 0; row < 16; ++row) CHECK(h.contains("rows", row) == (row == 2));
  CHECK(h.contains("k-steps", 3));
  CHECK(parse_highlight("", kinds).empty());
  CHECK(parse_highlight(" ; ", kinds).empty());
  CHECK(parse_highlight("Lane 1", kinds).contains("lanes", 1));
  CHECK(parse_highlight("k-step 1;k-steps 3", kinds).contains("k-steps", 3));
  CHECK_FALSE(parse_highlight("k-step 1;k-steps 3", kinds).contains("k-steps", 2));
}

TEST_CASE("one of several: the same as each by itself; kinds are counted only for a text") {
  const Highlight h = parse_highlight("lanes 4-7, 12", kinds);
  for (std::int64_t first = 0; first < 20; ++first)
    for (std::int64_t count = 1; count < 6; ++count) {
      bool any = false;
      for (std::int64_t i = first; i < first + count; ++i) any = any || h.contains("lanes", i);
      CHECK(h.contains_any("lanes", first, count) == any);
    }
  CHECK(h.contains_any("rows", 3, 2));
  int counted = 0;
  const auto count_kinds = [&] { return ++counted, kinds; };
  CHECK(parse_highlight("", count_kinds).empty());
  CHECK(counted == 0);
  CHECK(parse_highlight("lane 5", count_kinds).contains("lanes", 5));
  CHECK(counted == 1);
}

TEST_CASE("what is wrong is named with its place") {
  const Error kind = error_of("lanes 1; rws 2");
  CHECK(kind.message() == "'rws' cannot be highlighted");
  CHECK(kind.hint == "did you mean 'rows'? rows, lanes and k-steps; for example: rows 0-3");
  CHECK(kind.span.begin == 9);
  CHECK(kind.span.end == 12);
  CHECK(kind.text == "lanes 1; rws 2");
  const Error beyond = error_of("lanes 30-32");
  CHECK(beyond.message() == "there is no lane 32");
  CHECK(beyond.hint == "lanes: 0 to 31");
  CHECK(beyond.span.begin == 9);
  CHECK(error_of("lanes 99999999999999999999").message() == "there is no lane 99999999999999999999");
  CHECK(error_of("lanes 3-1").message() == "'3-1' is not a range");
  CHECK(error_of("lanes 1-2-3").message() == "'1-2-3' is not a range");
  for (const char* text : {"lanes", "lanes x", "lanes 1,", "lanes -1", "lanes 1 2", "rows 1-"}) {
    CAPTURE(text);
    CHECK(error_of(text).message().find("does not name") != std::string::npos);
    CHECK(error_of(text).kind == ErrorKind::usage);
  }
}

}  // namespace
}  // namespace swz

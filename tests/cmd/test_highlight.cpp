// What --highlight takes, and how it refuses the rest.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "highlight.hpp"

namespace swz {
namespace {

std::string ranges(const std::vector<IndexRange>& list) {
  std::string text;
  for (const IndexRange& r : list) text += std::to_string(r.first) + ".." + std::to_string(r.last) + " ";
  return text;
}

std::string parsed(const std::string& text) {
  try {
    const Selection s = parse_highlight(text);
    return "rows " + ranges(s.rows) + "ks " + ranges(s.ks) + "chunks " + ranges(s.chunks) + "lanes " +
           ranges(s.lanes);
  } catch (const Error& e) {
    CHECK(e.kind == ErrorKind::usage);
    CHECK(e.text == text);
    CHECK_FALSE(e.hint.empty());
    return e.message() + " at " + std::to_string(e.span.begin) + "-" + std::to_string(e.span.end);
  }
}

TEST_CASE("highlight: what it says") {
  CHECK(parsed("rows 0-7; ks 0-15") == "rows 0..7 ks 0..15 chunks lanes ");
  CHECK(parsed("chunks 0,2,4") == "rows ks chunks 0..0 2..2 4..4 lanes ");
  CHECK(parsed(" Lanes 0 - 3 ; chunk 5,7-9;k 1 ") == "rows ks 1..1 chunks 5..5 7..9 lanes 0..3 ");
  CHECK(parsed("rows 1; rows 3;") == "rows 1..1 3..3 ks chunks lanes ");
  CHECK(parsed("rows 99999999999999999999999999") == "rows 4294967296..4294967296 ks chunks lanes ");
}

TEST_CASE("highlight: what it refuses, with the place") {
  CHECK(parsed("") == "nothing to highlight at 0-0");
  CHECK(parsed("0-7") == "expected rows, ks, chunks or lanes at 0-1");
  CHECK(parsed("rows 0-7; rosw 3") == "'rosw' cannot be highlighted at 10-14");
  CHECK(parsed("rows") == "expected a number at 4-4");
  CHECK(parsed("rows 0-") == "expected a number at 7-7");
  CHECK(parsed("rows 0,") == "expected a number at 7-7");
  CHECK(parsed("rows 0 7") == "expected ',' or ';' at 7-8");
  CHECK(parsed("rows 7-0") == "a range goes from the smaller number to the larger at 6-7");
  CHECK(parsed("rows -1") == "expected a number at 5-6");
}

}  // namespace
}  // namespace swz

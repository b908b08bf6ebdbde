// The rows of base/limits.hpp: how they refuse, and that docs/notation.md states them. That each is enforced at n
// and n + 1 is tested on command lines, in tests/cmd/test_limits.cpp.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace swz {
namespace {

TEST_CASE("n is within, n + 1 is refused with the limit and the way out") {
  for (const Limit* limit : limits::all) {
    CAPTURE(limit->what);
    CHECK_NOTHROW(require_within(*limit, limit->most));
    try {
      require_within(*limit, limit->most + 1);
      FAIL("no error");
    } catch (const Error& e) {
      CHECK(e.message() == fmt::format("{}: {} {} are more than the limit of {}", limit->what, limit->most + 1,
                                       limit->unit, limit->most));
      CHECK(e.hint == limit->way_out);
      CHECK_FALSE(e.hint.empty());
    }
  }
}

TEST_CASE("limits as text") {
  CHECK(to_string(limits::line_bytes) == "1 MiB");
  CHECK(to_string(limits::dump_bytes) == "8 MiB");
  CHECK(to_string(limits::expression_numbers) == "1024 numbers");
  CHECK(to_string(limits::tile_extent) == "2^20 elements");
}

// To write the table anew, copy what this prints when it fails.
TEST_CASE("docs/notation.md has every limit, in order, and no other") {
  std::string expected = "| of | at most |\n| --- | --- |\n";
  for (const Limit* limit : limits::all) expected += fmt::format("| {} | {} |\n", limit->what, to_string(*limit));
  expected += "\n";
  std::ifstream file(SWZ_SOURCE_DIR "/docs/notation.md", std::ios::binary);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const std::size_t heading = document.find("\n## Limits\n");
  REQUIRE(heading != std::string::npos);
  const std::size_t begin = document.find("| of |", heading);
  REQUIRE(begin != std::string::npos);
  CHECK(document.substr(begin, document.find("\n\n", begin) + 2 - begin) == expected);
}

}  // namespace
}  // namespace swz

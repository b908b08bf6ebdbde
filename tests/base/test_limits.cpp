// SPDX-License-Identifier: Apache-2.0
// The rows of base/limits.hpp: how they refuse, and that docs/notation.md states them. That each is enforced at n
// and n + 1 is tested on command lines, in tests/cmd/test_limits.cpp.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "limit_rows.hpp"

namespace swz {
namespace {

TEST_CASE("n is within, n + 1 is refused with the limit and the way out") {
  for (const Limit* limit : limit_rows) {
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

std::string text_of_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("limit_rows.hpp has every row, in order") {
  const std::string header = text_of_file(SWZ_SOURCE_DIR "/src/base/limits.hpp");
  std::size_t at = 0;
  for (const Limit* limit : limit_rows) {
    at = header.find("inline constexpr Limit ", at + 1);
    REQUIRE(at != std::string::npos);
    CHECK(header.find(fmt::format("\"{}\"", limit->what), at) < header.find(';', at));
  }
  CHECK(header.find("inline constexpr Limit ", at + 1) == std::string::npos);
}

TEST_CASE("limits as text") {
  CHECK(most_of(limits::line_bytes) == "1 MiB");
  CHECK(most_of(limits::dump_bytes) == "8 MiB");
  CHECK(most_of(limits::expression_numbers) == "1024 numbers");
  CHECK(most_of(limits::tile_extent) == "2^20 elements");
}

// To rewrite the table, copy what this prints when it fails.
TEST_CASE("docs/notation.md has every limit, in order, and no other") {
  std::string expected = "| of | at most |\n| --- | --- |\n";
  for (const Limit* limit : limit_rows) expected += fmt::format("| {} | {} |\n", limit->what, most_of(*limit));
  expected += "\n";
  const std::string document = text_of_file(SWZ_SOURCE_DIR "/docs/notation.md");
  const std::size_t heading = document.find("\n## Limits\n");
  REQUIRE(heading != std::string::npos);
  const std::size_t begin = document.find("| of |", heading);
  REQUIRE(begin != std::string::npos);
  CHECK(document.substr(begin, document.find("\n\n", begin) + 2 - begin) == expected);
}

}  // namespace
}  // namespace swz

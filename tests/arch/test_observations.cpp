// SPDX-License-Identifier: Apache-2.0
// What was asked of the hardware, and what agrees with CuTe: the rows are whole and name what is there.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "arch/observations.hpp"

using namespace swz;

namespace {

// "15,091"; of none a dash.
std::string published(std::int64_t count) {
  std::string digits = count == 0 ? "–" : std::to_string(count);
  for (std::size_t at = digits.size(); count != 0 && at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace

TEST_CASE("the figures are the ones that docs/evidence.md published") {
  std::ifstream file(std::string(SWZ_SOURCE_DIR) + "/docs/evidence.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  REQUIRE(page.size() > 10000);
  for (const HardwareQuestion& q : hardware_questions()) {
    const std::string row =
        fmt::format("| {} | {} | {} |", q.question, q.tried.empty() ? "–" : q.tried, published(q.cases));
    CAPTURE(row);
    CHECK(page.find(row) != std::string::npos);
  }
  for (const CuteAgreement& agreement : cute_agreements()) {
    const std::string row = fmt::format("| {} | {} | {} |", agreement.what, published(agreement.cases), agreement.unit);
    CAPTURE(row);
    CHECK(page.find(row) != std::string::npos);
  }
}

TEST_CASE("questions: names once, what is answered was tried on a GPU that is named") {
  std::set<std::string_view> names;
  int open = 0;
  for (const HardwareQuestion& q : hardware_questions()) {
    CAPTURE(std::string(q.name));
    CHECK(names.insert(q.name).second);
    CHECK(q.question.ends_with("?"));
    CHECK_FALSE(q.source.where.empty());
    const bool is_open = q.state == AnswerState::open;
    open += is_open;
    CHECK(q.result.empty() == is_open);
    CHECK(q.gpu.empty() == is_open);
    CHECK((q.cases == 0) == is_open);
    // An open question rests on something else than a measurement; an answer is one.
    CHECK((q.source.evidence == Evidence::measured) != is_open);
    if (!is_open) CHECK_FALSE(q.tried.empty());
  }
  CHECK(open > 0);
  CHECK(open < static_cast<int>(names.size()));
}

TEST_CASE("agreements: each names a test of tests/cute") {
  std::set<std::string_view> said;
  for (const CuteAgreement& row : cute_agreements()) {
    CAPTURE(std::string(row.what));
    CHECK(said.insert(row.what).second);
    CHECK(row.cases > 0);
    CHECK_FALSE(row.unit.empty());
    CHECK(std::filesystem::exists(std::string(SWZ_SOURCE_DIR) + "/tests/cute/" + std::string(row.test)));
  }
}

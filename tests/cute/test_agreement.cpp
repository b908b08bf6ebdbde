// SPDX-License-Identifier: Apache-2.0
// swz against CuTe itself, on the cases of swz_cute_generate.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "answers.hpp"
#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "tolerated.hpp"

namespace swz {
namespace {

std::vector<int> values_of(const Value& v) {
  std::vector<int> values;
  if (const auto* l = std::get_if<ComposedLayout>(&v))
    for (std::int64_t i = 0; i < l->size(); ++i) values.push_back(static_cast<int>((*l)(i)));
  return values;
}

// What is wrong with swz's answer to this case; empty when nothing is.
std::string disagreement(const CuteCase& c) {
  try {
    const Value v = evaluate(c.expression).value;
    if (values_of(v) != c.answer.values) return "other values: " + to_string(v);
    if (c.expect == Expect::same && to_string(v) != c.answer.form) return to_string(v);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// Whether swz stays away from an answer that breaks the law.
std::string agrees_with_wrong(const CuteCase& c) {
  const std::vector<int> predicted = values_of(evaluate(c.predicted).value);
  if (predicted != c.answer.values) return fmt::format("the model of CuTe says {}", c.predicted);
  try {
    const Value v = evaluate(c.expression).value;
    return values_of(v) == c.answer.values ? "swz gives it too" : "";
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

TEST_CASE("CuTe and swz agree") {
  std::map<std::string, int> compared;
  std::size_t values = 0;
  int wrong = 0;
  const CuteCases cases = cute_cases();
  for (const CuteCase& c : cases) {
    ++compared[c.operation];
    values += c.answer.values.size();
    wrong += c.expect == Expect::wrong;
    const std::string problem = c.expect == Expect::wrong ? agrees_with_wrong(c) : disagreement(c);
    if (!problem.empty())
      ADD_FAIL_CHECK_AT(
          __FILE__, __LINE__,
          fmt::format("{}: {}\n  CuTe  {}\n  swz   {}", c.operation, c.expression, c.answer.form, problem));
  }
  MESSAGE(fmt::format("{} cases of {} operations, {} values, {} cases where CuTe breaks the law", cases.size(),
                      compared.size(), values, wrong));
  CHECK(cases.size() >= SWZ_CUTE_CASES);
}

TEST_CASE("swz refuses nothing that CuTe answers rightly, and answers nothing wrongly") {
  for (const Deviation& f : deviations())
    ADD_FAIL_CHECK_AT(__FILE__, __LINE__, fmt::format("{}: {}\n  {}", f.operation, f.expression, f.what));
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cctype>
#include <string_view>

#include "all_fragments.hpp"
#include "fragment/fragment.hpp"
#include "fragment/tmem_access.hpp"

namespace swz {
namespace {

// C's sums, products, quotients and remainders of thread, value and numbers, with parentheses.
class Expression {
 public:
  Expression(std::string_view text, int thread, int value) : text_(text), thread_(thread), value_(value) {}

  int evaluate() {
    const int result = sum();
    REQUIRE(text_.empty());
    return result;
  }

 private:
  bool take(std::string_view token) {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  int sum() {
    int result = product();
    while (take("+")) result += product();
    return result;
  }
  int product() {
    int result = factor();
    for (;;) {
      if (take("*")) result *= factor();
      else if (take("/")) result /= factor();
      else if (take("%")) result %= factor();
      else return result;
    }
  }
  int factor() {
    if (take("(")) {
      const int result = sum();
      REQUIRE(take(")"));
      return result;
    }
    if (take("thread")) return thread_;
    if (take("value")) return value_;
    int number = 0;
    REQUIRE(std::isdigit(static_cast<unsigned char>(text_.empty() ? ' ' : text_[0])) != 0);
    for (; !text_.empty() && std::isdigit(static_cast<unsigned char>(text_[0])) != 0; text_.remove_prefix(1))
      number = number * 10 + (text_[0] - '0');
    return number;
  }

  std::string_view text_;
  int thread_, value_;
};

// wgmma is tried at two N; its other N only lengthen the last step.
bool is_tried(const FragmentRequest& request) {
  return !request.name.starts_with("wgmma") || request.name.find("n8k") != std::string::npos ||
         request.name.find("n64k") != std::string::npos;
}

TEST_CASE("the expressions, read as C, give the place of every value of every thread") {
  int tried = 0;
  std::vector<FragmentRequest> requests = all_requests();
  for (const std::string& name : tmem_form_names()) requests.push_back({.name = name});
  requests.push_back({.name = "tcgen05.ld.16x32bx2.x8", .split_offset = 100});
  for (const FragmentRequest& request : requests) {
    if (!is_tried(request)) continue;
    const Fragment f = find_fragment(request);
    const std::string row = row_rule(f), column = column_rule(f);
    CAPTURE(f.name);
    CAPTURE(row);
    CAPTURE(column);
    int wrong = 0;
    for (int thread = 0; thread < f.threads(); thread += thread % 8 == 7 ? 3 : 1)
      for (int value = 0; value < f.values(); value += value % 8 == 7 ? 5 : 1)
        wrong += Coordinate{Expression(row, thread, value).evaluate(), Expression(column, thread, value).evaluate()} !=
                 f.at(thread, value);
    CHECK(wrong == 0);
    ++tried;
  }
  CHECK(tried > 100);
}

TEST_CASE("the expressions are as short as a person writes them") {
  const Fragment d = find_fragment({"mma.m16n8k16", "f16", Operand::d, ""});
  CHECK(row_rule(d) == "thread / 4 + 8 * (value / 2)");
  CHECK(column_rule(d) == "2 * (thread % 4) + value % 2");
  CHECK(tile_index_rule(d) == "row + 16 * column");
  const Fragment b = find_fragment({"mma.m16n8k8", "bf16", Operand::b, ""});
  CHECK(row_rule(b) == "2 * (thread % 4) + value");
  CHECK(column_rule(b) == "thread / 4");
  CHECK(tile_index_rule(b) == "column + 8 * row");
  CHECK(tile_index_rule(find_fragment({.name = "tcgen05.ld.16x64b.x1"})) == "lane + 16 * column");
}

}  // namespace
}  // namespace swz

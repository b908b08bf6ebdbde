// SPDX-License-Identifier: Apache-2.0
// The rows of the mistakes: each name once, with a sentence, and every name that a table of mistakes gives. That those of k
// loops and registers are rows is checked where they are planted.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "arch/mistake.hpp"
#include "descriptor/explain.hpp"
#include "identify/tile_mistakes.hpp"

using namespace swz;

TEST_CASE("each mistake has one row") {
  std::set<std::string_view> names;
  for (const MistakeRow& row : mistakes()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(row.sentence.size() > 20);
    CHECK_FALSE(row.sentence.ends_with('.'));
    CHECK_FALSE(row.found_by.empty());
  }
}

TEST_CASE("the names that explanations and identifications give are rows") {
  const auto is_row = [](std::string_view name) {
    return std::ranges::count(mistakes(), name, &MistakeRow::name) == 1;
  };
  for (const auto& names : {mistake_names(), writer_mistake_names()})
    for (const std::string_view name : names) {
      INFO(name);
      CHECK(is_row(name));
    }
}

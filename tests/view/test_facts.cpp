// SPDX-License-Identifier: Apache-2.0
// swz facts: no row of swz arch is lost, and words find the rows that contain them and no others.
#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "view/arch/arch.hpp"
#include "view/arch/facts.hpp"

namespace swz {
namespace {

// Table and cells of every row, as JSON.
std::multiset<std::string> rows_of(const Document& d) {
  std::multiset<std::string> rows;
  for (const Block& block : d.blocks)
    if (const auto* table = std::get_if<Table>(&block); table != nullptr && table->key != "tables")
      for (const std::vector<Cell>& row : table->rows) {
        std::string text = table->key + " " + table->title;
        for (const Cell& cell : row) text += " " + cell.text + " " + cell.value.dump();
        rows.insert(text);
      }
  return rows;
}

TEST_CASE("without words every row of every table is there, and every row has its source") {
  const Document all = view_facts({});
  CHECK(rows_of(all) == rows_of(view_arch("")));
  CHECK(rows_of(all).size() > 700);
  for (const Block& block : all.blocks)
    if (const auto* table = std::get_if<Table>(&block); table != nullptr && table->key != "tables") {
      CAPTURE(table->key);
      std::set<std::string> keys;
      for (const Column& column : table->columns) keys.insert(column.key);
      CHECK(keys.contains("source"));
      CHECK(keys.contains("evidence"));
    }
}

TEST_CASE("words find the rows that contain them, and no others") {
  const std::multiset<std::string> all = rows_of(view_facts({}));
  const std::vector<std::string> list(all.begin(), all.end());
  Random random(4);
  for (int draw = 0; draw < 300; ++draw) {
    std::vector<std::string> words;
    std::istringstream text(random.of(list));
    for (std::string word; text >> word;)
      // Quotes and commas are those of JSON.
      if (random.one_in(6) && words.size() < 3 && word.find_first_of("\"\\,[]") == std::string::npos)
        words.push_back(word);
    CAPTURE(join_and(words));
    std::multiset<std::string> wanted;
    for (const std::string& row : list) {
      bool has = true;
      for (const std::string& word : words) has = has && lower_case(row).find(lower_case(word)) != std::string::npos;
      if (has) wanted.insert(row);
    }
    CHECK(rows_of(view_facts(words)) == wanted);
  }
}

TEST_CASE("words that no fact contains are named") {
  try {
    view_facts({"gather4", "voodoo"});
    FAIL("it was found");
  } catch (const Error& e) {
    CHECK(e.message() == "no fact contains gather4 and voodoo");
    CHECK(e.hint == "fewer or shorter words: swz facts gather4");
  }
}

}  // namespace
}  // namespace swz

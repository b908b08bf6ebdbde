// SPDX-License-Identifier: Apache-2.0
// Tables: how one that is too wide fits the page, and what of its rows is shown.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "base/random.hpp"
#include "render/display.hpp"
#include "render/text.hpp"

using namespace swz;

namespace {

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> out;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

std::string text_of_table(const Table& table, TextStyle style) { return render_text(Document().add(table), style); }

// The words of a text, sorted: a table that is folded says the same ones.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  std::stringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  std::sort(words.begin(), words.end());
  return words;
}

Table numbered(std::size_t rows) {
  Table table{"", "", {{"", "n"}}, {}};
  for (std::size_t i = 0; i < rows; ++i) table.rows.push_back({Cell(i)});
  return table;
}

const TextStyle terminal{false, 80, DrawnPart{}}, all{false, 80, DrawnPart{.is_whole = true}};

}  // namespace

TEST_CASE("columns that have no room are on a line of their own, headings and cells alike") {
  const Table table{"",
                    "counters",
                    {{"", "value", Column::Align::right}, {"", "what"}, {"", "counter"}},
                    {{{128}, {"all"}, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}},
                     {{4}, {"its loads"}, {"smsp__inst_executed_op_shared_ld.sum"}}}};
  CHECK(text_of_table(table, {false, 60}) ==
        "counters\n"
        "value  what\n"
        "    counter\n"
        "  128  all\n"
        "    l1tex__data_pipe_lsu_wavefronts_mem_shared.sum\n"
        "    4  its loads\n"
        "    smsp__inst_executed_op_shared_ld.sum\n");
  // A text that would take many lines beside the others has one below them.
  const std::string sentence = "H200, driver 580.159: the 128 bytes of 15,091 accepted maps";
  const Table sources{
      "", "", {{"", "name"}, {"", "source"}}, {{{std::string(40, 'x')}, {sentence}}, {{"y"}, {sentence}}}};
  CHECK(text_of_table(sources, {false, 64}) ==
        "name\n    source\n" + std::string(40, 'x') + "\n    " + sentence + "\ny\n    " + sentence + "\n");
}

TEST_CASE("headings break between words where the numbers below them are short") {
  const Table table{
      "", "", {{"", "name"}, {"", "lanes in a group", Column::Align::right}}, {{{"ldmatrix.x4.trans.shared"}, {8}}}};
  CHECK(text_of_table(table, {false, 34}) ==
        "name                      lanes in\n"
        "                           a group\n"
        "ldmatrix.x4.trans.shared         8\n");
}

TEST_CASE("no line is wider than the page unless a word is, and no word is lost") {
  Random random(7);
  for (int i = 0; i < 300; ++i) {
    Table table{"", "", {}, {}};
    const auto columns = static_cast<std::size_t>(1 + random.below(7));
    std::size_t longest = 0;
    const auto text = [&](std::uint64_t words) {
      std::string out;
      for (std::uint64_t w = 0; w < words; ++w) {
        const auto length = static_cast<std::size_t>(1 + random.below(24));
        longest = std::max(longest, length);
        out += (w == 0 ? "" : " ") + std::string(length, static_cast<char>('a' + random.below(26)));
      }
      return out;
    };
    for (std::size_t c = 0; c < columns; ++c) table.columns.push_back({"", text(1 + random.below(2))});
    for (std::size_t r = 0; r < 3; ++r) {
      table.rows.emplace_back();
      for (std::size_t c = 0; c < columns; ++c) table.rows.back().push_back(Cell(text(1 + random.below(9))));
    }
    const std::vector<std::string> whole = words_in(text_of_table(table, {false, 100000}));
    for (const int width : {0, 30, 40, 80, 100, 140}) {
      CAPTURE(width);
      const std::string shown = text_of_table(table, {false, width});
      CHECK(words_in(shown) == whole);
      const int page = width > 0 ? width : widest_page;
      for (const std::string& line : lines_in(shown))
        CHECK(display_width(line) <= std::max<int>(page, static_cast<int>(longest) + 4));
    }
  }
}

TEST_CASE("a long table is cut only on a terminal") {
  const std::vector<std::string> cut = lines_in(text_of_table(numbered(40), terminal));
  REQUIRE(cut.size() == 1 + 24 + 1);
  CHECK(cut.back() == "… 16 more rows; --full shows them");
  CHECK(lines_in(text_of_table(numbered(32), terminal)).size() == 33);
  for (const TextStyle& style : {all, TextStyle{false, 80}})
    CHECK(lines_in(text_of_table(numbered(40), style)).size() == 41);
}

TEST_CASE("folded rows are one line, on a terminal and in a file, unless all is asked for") {
  Table table = numbered(4);
  table.fold = {3, "3 rows of no interest"};
  for (const TextStyle& style : {terminal, TextStyle{}})
    CHECK(text_of_table(table, style) == "n\n0\n3 rows of no interest\n");
  CHECK(text_of_table(table, all) == "n\n0\n1\n2\n3\n");
  // Without a row there is no heading either.
  table.fold.rows = 4;
  CHECK(text_of_table(table, {}) == "3 rows of no interest\n");
}

// SPDX-License-Identifier: Apache-2.0
#include "view/arch/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "view/arch/arch.hpp"

namespace swz {

namespace {

std::string text_of(const Cell& cell) {
  const std::string shown = cell.value.is_string() ? cell.value.get<std::string>() : cell.value.dump();
  return cell.text.empty() ? shown : cell.text + " " + shown;
}

// All that a word is looked for in.
std::string searched(const Table& table, const std::vector<Cell>& row) {
  std::string text = table.key + " " + table.title;
  for (const Cell& cell : row) text += " " + text_of(cell);
  return lower_case(text);
}

bool has_all(const std::string& text, const std::vector<std::string>& words) {
  return std::ranges::all_of(words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

struct TableCount {
  std::string name, title;
  std::int64_t rows = 0;
};

Table counts_table(const std::vector<TableCount>& counts) {
  return table_of<TableCount>("tables", "tables", counts,
                              {{"name", "table", [](const TableCount& c) { return Cell(c.name, "", Tone::strong); }},
                               {"rows", "rows", [](const TableCount& c) { return Cell(c.rows); }, Column::Align::right},
                               {"title", "of", [](const TableCount& c) { return Cell(c.title); }}});
}

}  // namespace

Document view_facts(const std::vector<std::string>& given) {
  std::vector<std::string> words;
  for (const std::string& word : given) words.push_back(lower_case(word));
  std::vector<TableCount> counts;
  std::vector<Table> found;
  std::int64_t rows = 0;
  for (Block& block : view_arch("").blocks) {
    auto* table = std::get_if<Table>(&block);
    if (table == nullptr) continue;
    std::erase_if(table->rows, [&](const std::vector<Cell>& row) { return !has_all(searched(*table, row), words); });
    if (table->rows.empty()) continue;
    counts.push_back({table->key, table->title, std::ssize(table->rows)});
    rows += std::ssize(table->rows);
    found.push_back(std::move(*table));
  }
  if (found.empty())
    throw usage_error(fmt::format("no fact contains {}", join_and(given)), "fewer or shorter words: swz facts gather4");
  Document d;
  d.headline = fmt::format("{} in {}", plural(rows, "fact"), plural(std::ssize(found), "table"));
  d.json("facts_version", facts_version).json("swz", program_version).json("words", given);
  d.field("rows", "facts", rows, fmt::format("{} in {}", rows, plural(std::ssize(found), "table")), Tone::strong);
  d.answers = {"rows"};
  if (words.empty()) d.add(counts_table(counts));
  else
    d.json("tables", json_list(counts, [](const TableCount& c) -> Json {
             return {{"name", c.name}, {"rows", c.rows}, {"title", c.title}};
           }));
  for (Table& table : found) {
    if (words.empty()) d.add(in_full(std::move(table)));
    else d.add(std::move(table));
  }
  return d;
}

}  // namespace swz

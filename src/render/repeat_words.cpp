// SPDX-License-Identifier: Apache-2.0
// How a pattern goes on of which one period is drawn, in the words of its headings.
//
//   rows 0 to 7 of 64, chunks 0 to 63          "rows 8-15:", "chunk + 64", "… to row 63"
//   rows 32 to 39, of which a cell is marked   "every 8 rows:", "chunk + 64", "… to row 63"
//   rows 8 to 15 of 16                         "↑ rows 0-7:", "chunk - 64"
//   what repeats, repeats again                "rows 8-15:", "T + 4", "rows 64-127:", "T + 32", "… to row 127"
//   cells "8,56" of which the numbers are row,k        "row + 8"
#include <fmt/format.h>

#include <algorithm>

#include "render/panel.hpp"

namespace swz {
namespace {

// "row" and "k" of the corner "row\\k"; empty for what is no single word.
std::string heading_word(const Grid& grid, bool is_rows) {
  std::size_t cut = grid.corner.find('\\');
  const bool is_stacked = cut == std::string::npos;  // "bank" above "byte"
  if (is_stacked) cut = grid.corner.find('\n');
  if (cut == std::string::npos) return "";
  const std::string word = is_rows != is_stacked ? grid.corner.substr(0, cut) : grid.corner.substr(cut + 1);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return std::ranges::all_of(word, is_letter) ? word : "";
}

bool is_number(const std::string& label) {
  return !label.empty() && label.front() >= '0' && label.front() <= '9' && !label.starts_with("0x");
}

// "row 63", "rows 8-15", "k 64-127"; "0x400-0x780" and "T32-T63" as they are.
std::string named(const std::string& word, const std::string& label) {
  if (!is_number(label)) return label;
  const bool is_plural = word.size() > 1 && label.find('-') != std::string::npos;
  return word + (is_plural ? "s " : " ") + label;
}

// "row + 8" for "+ (8, 0)" of "row,k"; "+ (8, 16)", with names for one number or for none, as it is.
std::string of_pair(const std::string& step, const std::string& names) {
  std::string text;
  std::size_t at = step.find('('), name = 0;
  while (at != std::string::npos && at < step.size()) {
    const long long number = std::stoll(step.substr(at + 1));
    const std::size_t end = std::min(names.find(',', name), names.size());
    if (name >= names.size()) return step;
    if (number != 0)
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", names.substr(name, end - name),
                          number < 0 ? '-' : '+', number < 0 ? -number : number);
    name = end + 1;
    at = step.find(',', at + 1);
  }
  return name <= names.size() || text.empty() ? step : text;
}

}  // namespace

std::vector<std::string> words_of_repeat(const Grid& grid, bool is_rows) {
  const Grid::Repeat& repeat = is_rows ? grid.row_repeat : grid.column_repeat;
  const std::vector<std::string>& labels = is_rows ? grid.row_labels : grid.column_labels;
  std::string word = heading_word(grid, is_rows);
  if (!labels.empty() && labels.front().starts_with("0x")) word = "line";
  if (word.empty()) word = is_rows ? "row" : "column";
  const std::string plural = word.size() > 1 ? word + "s" : word;
  std::vector<std::string> words;
  for (const Grid::Repeat::Level& level : repeat.levels) {
    const bool is_in_the_middle = level.drawn > 0 && !level.last.empty();
    const std::string before = level.drawn == 0 ? "" : is_rows ? "↑ " : "← ";  // where it is
    words.push_back((is_in_the_middle || level.next.empty() ? fmt::format("every {} {}", level.unit, plural)
                                                            : before + named(word, level.next)) +
                    ":");
    const bool is_bare = level.step.starts_with('+') || level.step.starts_with('-');
    const bool is_pair = level.step.starts_with("+ (");
    words.push_back(level.step.empty()                ? "the same"
                    : is_pair                         ? of_pair(level.step, grid.number)
                    : is_bare && !grid.number.empty() ? grid.number + " " + level.step
                                                      : level.step);
  }
  // Two of one kind are all: the second is named.
  const bool is_all = repeat.levels.size() == 1 && repeat.levels.front().times == 2;
  if (!repeat.levels.empty() && !repeat.levels.back().last.empty() && !is_all)
    words.push_back("… to " + named(word, repeat.levels.back().last));
  return words;
}

std::string in_one_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& line : words) {
    const bool is_next = !text.empty() && line.ends_with(':');
    text += (text.empty() ? "" : is_next ? "; " : " ") + line;
  }
  return text;
}

}  // namespace swz

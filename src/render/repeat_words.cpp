// SPDX-License-Identifier: Apache-2.0
// How a pattern goes on of which one period is drawn, in the words of its headings.
//
//   rows 0 to 7 of 64, chunks 0 to 63          "every 8 rows:", "chunk + 64", "… to row 63"
//   rows 0 to 7 of 16                          "next 8 rows:", "chunk + 64"
//   rows 8 to 15 of 16                         "↑ rows 0-7:", "chunk - 64"
//   what repeats, repeats again                "every 8 rows:", "T + 4", "next 64 rows:", "T + 32", "… to row 127"
//   cells "8,56" of which the numbers are row,k        "row + 8"
//
// The words are beside a bracket around what is drawn, so they name other rows only with an arrow to them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

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

// A label that is a number, or that begins with one.
std::optional<std::int64_t> number_of(const std::string& label) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(label.data(), label.data() + label.size(), number);
  const bool is_address = label.starts_with("0x");
  return code == std::errc{} && !is_address ? std::optional(number) : std::nullopt;
}

// How many of what the labels count one period is: 64 of 8 chunks along k, which are labelled 0, 8, …, 56.
std::int64_t length_of_period(const Grid::Repeat& repeat, const std::vector<std::string>& labels) {
  const std::int64_t unit = repeat.levels.front().unit;
  if (labels.size() <= repeat.period) return unit;
  const auto first = number_of(labels.front()), next = number_of(labels[repeat.period]);
  return first && next && *next > *first ? *next - *first : unit;
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
  if (word == "T") word = "thread";
  if (word == "m" || (word == "n" && !is_rows)) word.clear();  // n across K of B are called so
  if (word.empty()) word = is_rows ? "row" : "column";
  const std::string plural = word.size() > 1 ? word + "s" : word;
  std::vector<std::string> words;
  for (const Grid::Repeat::Level& level : repeat.levels) {
    const std::int64_t length =
        length_of_period(repeat, labels) * (level.unit / std::max<std::int64_t>(1, repeat.levels.front().unit));
    const std::string before = is_rows ? "↑ " : "← ";  // where it is
    const bool is_second = level.times == 2 && level.drawn == 1 && level.last.empty();
    words.push_back((is_second     ? before + named(word, level.next)
                     : length == 1 ? fmt::format("every {}", word)
                                   : fmt::format("{} {} {}", level.times == 2 && level.drawn == 0 ? "next" : "every",
                                                 length, plural)) +
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

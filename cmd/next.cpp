// SPDX-License-Identifier: Apache-2.0
#include "next.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "answer.hpp"
#include "base/text.hpp"
#include "words.hpp"

namespace swz {
namespace {

constexpr std::string_view operand_options =
    "--dtype,--tile,--major,--slots,--kind,--swizzle,--order,--base,--layout,--shape,--cta-group,--cta";
constexpr std::string_view go_on = "go on: ";

// What the user's line gives, and what was answered.
class Given {
 public:
  Given(const Line& line, Json answer) : answer_(std::move(answer)) {
    Common common;
    options_ = with_common(line.command->prepare().options, common);
    split_ = split_words(line.rest, options_);
  }

  bool has(std::string_view option) const {
    return std::ranges::any_of(split_.values, [&](const auto& value) { return is_of(value, option); });
  }
  // The option as words, each time that it is given: {"--tile", "8x64"}.
  Words words_of(std::string_view option) const {
    Words words;
    for (const SplitWords::Value& value : split_.values) {
      if (!is_of(value, option)) continue;
      const bool is_joined = value.text.starts_with('-');
      words.push_back(std::string(option) + (is_joined ? "=" + value.text : ""));
      if (!is_joined && !options_[value.option].is_flag()) words.push_back(value.text);
    }
    return words;
  }
  std::optional<std::string> text_of(std::string_view option) const {
    for (const SplitWords::Value& value : split_.values)
      if (is_of(value, option)) return value.text;
    return std::nullopt;
  }
  // The last argument takes all remaining words.
  Words arguments(std::string_view name) const {
    std::size_t at = 0;
    for (const Option& option : options_) {
      if (!option.is_argument()) continue;
      const std::size_t end = option.repeats != nullptr ? split_.arguments.size() : at + 1;
      if (option.names == name && at < split_.arguments.size())
        return {split_.arguments.begin() + static_cast<std::ptrdiff_t>(at),
                split_.arguments.begin() + static_cast<std::ptrdiff_t>(end)};
      ++at;
    }
    return {};
  }
  // The value at a place of the answer; null if it has none.
  Json at(std::string_view path) const {
    Json here = answer_;
    for (const std::string& step : pieces_of(std::string(path), ".")) here = inside(here, step);
    return here;
  }

 private:
  bool is_of(const SplitWords::Value& value, std::string_view option) const {
    return options_[value.option].is_called(std::string(option));
  }
  static Json inside(const Json& here, const std::string& step) {
    if (here.is_object()) return here.contains(step) ? here.at(step) : Json();
    if (!here.is_array()) return {};
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error == std::errc() && end == step.data() + step.size()) return index < here.size() ? here.at(index) : Json();
    for (std::size_t i = 0; i < here.size(); ++i)
      if (const Json item = here.at(i); item.is_object() && item.contains("name") && item["name"].is_string() &&
                                        item["name"].get<std::string>() == step)
        return item;
    return {};
  }

  Json answer_;
  Options options_;
  SplitWords split_;
};

// "64,128" for a list; nothing for null and for objects.
std::optional<std::string> text_in(const Json& value) {
  if (value.is_null() || value.is_object()) return std::nullopt;
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : ",") + text_in(value.at(i)).value_or("");
  return text.empty() ? std::nullopt : std::optional(text);
}

// The words of a place that is a word of its own.
std::optional<Words> words_of_place(std::string_view place, const Given& given) {
  if (place.starts_with('!')) return given.has(place.substr(1)) ? std::nullopt : std::optional(Words{});
  if (place.starts_with('?')) return given.at(place.substr(1)).is_null() ? std::nullopt : std::optional(Words{});
  if (place == "operand") place = operand_options;
  if (place.starts_with("--")) {
    Words words;
    for (const std::string& option : pieces_of(std::string(place), ","))
      for (std::string& word : given.words_of(option)) words.push_back(std::move(word));
    return words;
  }
  if (place[0] >= 'A' && place[0] <= 'Z') {
    Words words = given.arguments(place);
    return words.empty() ? std::nullopt : std::optional(std::move(words));
  }
  const std::optional<std::string> text =
      place.starts_with('=') ? given.text_of(place.substr(1)) : text_in(given.at(place));
  return text ? std::optional(Words{*text}) : std::nullopt;
}

// A word with places in it; of several values a list.
std::optional<std::string> filled(std::string_view piece, const Given& given) {
  std::string word;
  while (!piece.empty()) {
    const std::size_t open = piece.find('{');
    word += piece.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = piece.find('}', open);
    const std::optional<Words> words = words_of_place(piece.substr(open + 1, close - open - 1), given);
    if (!words || words->empty()) return std::nullopt;
    word += fmt::format("{}", fmt::join(*words, ","));
    piece.remove_prefix(close + 1);
  }
  return word;
}

std::optional<Words> words_of_row(const Next& row, const Given& given) {
  Words words;
  for (const std::string& piece : pieces_of(std::string(row.line), " ")) {
    const bool is_place = piece.front() == '{' && piece.find('}') + 1 == piece.size();
    if (is_place) {
      const std::optional<Words> more = words_of_place(std::string_view(piece).substr(1, piece.size() - 2), given);
      if (!more) return std::nullopt;
      words.insert(words.end(), more->begin(), more->end());
    } else if (const std::optional<std::string> word = filled(piece, given)) {
      words.push_back(*word);
    } else {
      return std::nullopt;
    }
  }
  if (row.line.find("--arch") == std::string_view::npos)
    for (std::string& word : given.words_of("--arch")) words.push_back(std::move(word));
  return words;
}

// Whether swz answers the line; its answer may be no.
bool is_answered(const Words& words, const Commands& table) {
  try {
    const Line line = read_line(words, table, {});
    if (line.error || line.command == nullptr || line.is_help) return false;
    answer_line(line, table, {});
    return true;
  } catch (...) {
    return false;
  }
}

const Command* named_by(const Words& words, const Commands& table) { return read_line(words, table, {}).command; }

// The question by which other commands lead to this one; else its summary.
std::string_view asked_elsewhere(const Command& command, const Commands& table) {
  for (const Command& other : table)
    for (const Next& row : other.next)
      if (row.line.starts_with(command.name) && row.line.substr(command.name.size()).starts_with(' ')) return row.asks;
  return command.summary;
}

}  // namespace

std::string shell_line(const Words& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
      return is_word(c) || std::string_view("@%+=:,./-").find(c) != std::string_view::npos;
    });
    if (!line.empty()) line += ' ';
    if (is_plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

bool is_go_on(const Block& block) {
  const auto* paragraph = std::get_if<Paragraph>(&block);
  return paragraph != nullptr && paragraph->text.starts_with(go_on);
}

std::vector<NextLine> next_lines(const Line& line, const Answer& answer, const Commands& table) {
  std::vector<NextLine> lines;
  if (line.command == nullptr || !line.asks_command() || answer.converse) return lines;
  std::set<Words> known{words_of_line(fmt::format("{} {}", line.command->name, shell_line(line.rest)))};
  const auto add = [&](std::string_view asks, Words words) {
    if (known.contains(words) || std::ranges::find(lines, asks, &NextLine::asks) != lines.end()) return;
    if (!is_answered(words, table)) return;
    known.insert(words);
    lines.push_back({std::string(asks), std::move(words)});
  };
  const Given given(line, to_json(answer.document));
  for (const Next& row : line.command->next)
    if (std::optional<Words> words = words_of_row(row, given)) add(row.asks, std::move(*words));
  const auto leads_to = [&](const Command* command) {
    return std::ranges::any_of(lines, [&](const NextLine& next) { return named_by(next.words, table) == command; });
  };
  const auto add_go_on = [&](const Words& words) {
    const Command* command = named_by(words, table);
    if (command != line.command && !leads_to(command)) add(asked_elsewhere(*command, table), words);
  };
  for (const Block& block : answer.document.blocks)
    if (is_go_on(block))
      for (const std::string& text : pieces_of(std::get<Paragraph>(block).text.substr(go_on.size()), "\n"))
        add_go_on(words_of_line(text));
  return lines;
}

}  // namespace swz

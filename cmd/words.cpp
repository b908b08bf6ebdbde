// SPDX-License-Identifier: Apache-2.0
// The one file that includes CLI11.
#include "words.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace swz {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Reads one word at `at` and moves behind it.
std::string shell_word(std::string_view line, std::size_t& at) {
  std::string word;
  char quote = 0;
  std::size_t opened = 0;
  for (; at < line.size(); ++at) {
    const char c = line[at];
    if (quote == 0 && is_blank(c)) return word;
    const bool last = at + 1 == line.size();
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      opened = at;
    } else if (c == '\\' && quote == 0) {
      if (last)
        throw Error("a backslash at the end of the line", "write one command per line", Span{at, at + 1}).in_text(line);
      word += line[++at];
    } else if (c == '\\' && quote == '"' && !last &&
               std::string_view("\"\\$`").find(line[at + 1]) != std::string_view::npos) {
      word += line[++at];
    } else {
      word += c;
    }
  }
  if (quote != 0)
    throw Error("a quote is not closed", std::string("add ") + quote, Span{opened, opened + 1}).in_text(line);
  return word;
}

Words shell_words(std::string_view line) {
  Words words;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) ++at;
    else if (line[at] == '#') break;
    else words.push_back(shell_word(line, at));
  }
  return words;
}

Json json_list(std::string_view line) {
  try {
    return Json::parse(line);
  } catch (const Error&) {
    throw Error("the line begins with '[' but is not a JSON array", R"~(write ["layout", "(8,64):(64,1)"])~");
  }
}

// No word holds a NUL byte, and a leading "swz" is dropped.
Words checked(Words words) {
  for (const std::string& word : words)
    if (word.find('\0') != std::string::npos)
      throw Error("the line holds a NUL byte", "no file name and no expression can hold one");
  if (words.size() > 1 && words.front() == "swz") words.erase(words.begin());
  return words;
}

// Whether a word could be one of the row's names, alone, with a value behind it or among other letters.
bool may_occur(const Option& row, std::span<const std::string> words) {
  const auto names_it = [&row](const std::string& word) {
    if (word.starts_with("--")) return row.names.find(word.substr(0, word.find('='))) != std::string::npos;
    return word.starts_with('-') && row.names[1] != '-' && word.find(row.names[1]) != std::string::npos;
  };
  return !row.is_argument() && std::any_of(words.begin(), words.end(), names_it);
}

// The rows that may occur as CLI11 knows them, null for the others: it compares each name with all that it has, which
// for every row would take longer than the answer.
std::vector<CLI::Option*> declare(CLI::App& app, const Options& options, std::span<const std::string> words) {
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> declared;
  for (const Option& row : options) {
    declared.push_back(nullptr);
    if (!may_occur(row, words)) continue;
    std::string names = row.names;
    std::erase(names, ' ');
    CLI::Option* option = declared.back() = app.add_option(names);
    option->expected(row.is_flag() || row.may_omit_value ? 0 : 1, row.is_flag() ? 0 : 1);
    option->default_str(row.may_omit_value ? "-" : "");  // what it holds when no value follows
    option->allow_extra_args(false);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  return declared;
}

// Returns what CLI11 left over. It takes the words from the last to the first.
Words parse(CLI::App& app, std::span<const std::string> words, bool& lacks_value) {
  try {
    app.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::ArgumentMismatch&) {
    lacks_value = true;
  }
  return app.remaining();
}

}  // namespace

Words words_of_line(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return line[first] == '[' ? words_of_list(json_list(line)) : checked(shell_words(line));
}

Words words_of_list(const Json& list) {
  Words words;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json item = list.at(i);
    if (!item.is_string())
      throw Error("a word of the JSON array is not a string", R"~(put every word in quotes: ["layout", "8"])~");
    words.push_back(item.get<std::string>());
  }
  if (words.empty()) throw Error("the JSON array is empty", R"~(write ["layout", "(8,64):(64,1)"])~");
  return checked(std::move(words));
}

bool looks_like_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-' || word == "--") return false;
  return !(word[1] >= '0' && word[1] <= '9') && static_cast<unsigned char>(word[1]) > '!';
}

SplitWords split_words(std::span<const std::string> words, const Options& options) {
  // No option takes "--" for its value.
  const auto mark = static_cast<std::size_t>(std::find(words.begin(), words.end(), "--") - words.begin());
  const std::span<const std::string> front = words.first(mark);
  CLI::App app;
  const std::vector<CLI::Option*> declared = declare(app, options, front);
  bool lacks_value = false;
  SplitWords out;
  for (std::string& word : parse(app, front, lacks_value))
    (looks_like_option(word) ? out.unknown : out.arguments).push_back(std::move(word));
  if (lacks_value) out.lacks_value = front.back();
  if (mark < words.size()) {
    const auto after = words.subspan(mark + 1);
    out.arguments.insert(out.arguments.end(), after.begin(), after.end());
  }
  for (std::size_t i = 0; i < options.size(); ++i)
    if (declared[i] != nullptr)
      for (const std::string& text : declared[i]->results()) out.values.push_back({i, text});
  return out;
}

std::size_t width_of_option(std::span<const std::string> words, const Options& options) {
  if (words.empty() || !looks_like_option(words[0])) return 0;
  const std::string& word = words[0];
  const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
  const auto row = std::ranges::find_if(options, [&](const Option& option) { return option.is_called(name); });
  if (row == options.end()) return 0;
  const bool has_next = words.size() > 1 && !(row->may_omit_value && looks_like_option(words[1]));
  return word == name && !row->is_flag() && has_next ? 2 : 1;
}

std::size_t count_leading_options(std::span<const std::string> words, const Options& options) {
  std::size_t count = 0;
  while (const std::size_t width = width_of_option(words.subspan(count), options)) count += width;
  return count;
}

}  // namespace swz

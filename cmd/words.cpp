#include "words.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

namespace swz {
namespace {

using Words = std::vector<std::string>;

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
        throw Error("a backslash at the end of the line", "one command a line", Span{at, at + 1}).in_text(line);
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

Words json_words(std::string_view line) {
  const Json list = json_list(line);
  Words words;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json item = list.at(i);
    if (!item.is_string())
      throw Error("a word of the JSON array is not a string", R"~(put every word in quotes: ["layout", "8"])~");
    words.push_back(item.get<std::string>());
  }
  if (words.empty()) throw Error("the JSON array is empty", R"~(write ["layout", "(8,64):(64,1)"])~");
  return words;
}

}  // namespace

std::vector<std::string> words_of_line(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  Words words = line[first] == '[' ? json_words(line) : shell_words(line);
  for (const std::string& word : words)
    if (word.find('\0') != std::string::npos)
      throw Error("the line holds a NUL byte", "no file name and no expression can hold one");
  if (words.size() > 1 && words.front() == "swz") words.erase(words.begin());
  return words;
}

}  // namespace swz

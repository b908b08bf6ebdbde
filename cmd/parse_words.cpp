// The one file that includes CLI11.
#include "parse_words.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace swz {
namespace {

// The rows as CLI11 knows them; arguments stay with us.
void declare(CLI::App& app, const Options& options) {
  app.set_help_flag();
  app.allow_extras();
  for (const Option& row : options) {
    if (row.is_argument()) continue;
    std::string names = row.names;
    std::erase(names, ' ');
    CLI::Option* option = app.add_option(names);
    option->expected(row.is_flag() || row.may_omit_value ? 0 : 1, row.is_flag() ? 0 : 1);
    option->default_str(row.may_omit_value ? "-" : "");  // what it holds when no value follows
    option->allow_extra_args(false);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
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

bool looks_like_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-' || word == "--") return false;
  return !(word[1] >= '0' && word[1] <= '9') && static_cast<unsigned char>(word[1]) > '!';
}

SplitWords split_words(std::span<const std::string> words, const Options& options) {
  // No option takes "--" for its value.
  const auto mark = static_cast<std::size_t>(std::find(words.begin(), words.end(), "--") - words.begin());
  const std::span<const std::string> front = words.first(mark);
  CLI::App app;
  declare(app, options);
  bool lacks_value = false;
  SplitWords out;
  for (std::string& word : parse(app, front, lacks_value))
    (looks_like_option(word) ? out.unknown : out.arguments).push_back(std::move(word));
  if (lacks_value) out.lacks_value = front.back();
  if (mark < words.size()) out.arguments.insert(out.arguments.end(), words.begin() + mark + 1, words.end());
  for (std::size_t i = 0; i < options.size(); ++i)
    if (!options[i].is_argument())
      for (const std::string& text : app.get_option(options[i].name())->results()) out.values.push_back({i, text});
  return out;
}

std::size_t count_leading_options(std::span<const std::string> words, const Options& options) {
  if (words.empty() || !looks_like_option(words.front())) return 0;
  CLI::App app;
  declare(app, options);
  app.prefix_command();
  bool lacks_value = false;
  return words.size() - parse(app, words, lacks_value).size();
}

}  // namespace swz

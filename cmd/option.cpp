#include "option.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace swz {
namespace {

// Longer lists of names that have aliases are in `swz arch` or in JSON.
constexpr std::size_t widest_value = 24, widest_list = 90;

std::string joined(const Words& words, const char* separator) {
  return fmt::to_string(fmt::join(words, separator));
}

bool is_value_list(const Option& option) {
  return !option.choices.empty() && joined(option.choices, "|").size() <= widest_value;
}

}  // namespace

std::string Option::name() const {
  const std::size_t space = names.rfind(' ');
  return space == std::string::npos ? names : names.substr(space + 1);
}

bool Option::is_called(const std::string& word) const {
  return word == names || word == name() || names.starts_with(word + ",");
}

Options operator+(Options first, Options second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
  return first;
}

const Option* find_option(const Options& options, const std::string& name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.is_called(name); });
  return found == options.end() ? nullptr : &*found;
}

std::string value_text(const Option& option) {
  return is_value_list(option) && !option.is_argument() ? joined(option.choices, "|") : option.value;
}

std::string head_of(const Option& option) {
  if (option.is_argument() || option.is_flag()) return option.names;
  const std::string value = value_text(option);
  return fmt::format("{} {}", option.names, option.may_omit_value ? "[" + value + "]" : value);
}

std::string help_of(const Option& option) {
  std::string text = option.help;
  const std::string list = joined(option.choices, ", ");
  const bool is_shown = is_value_list(option) && !option.is_argument();
  if (!list.empty() && !is_shown && (!option.is_open || list.size() <= widest_list)) text += ": " + list;
  const std::string& initial = option.initial_note.empty() ? option.initial : option.initial_note;
  if (!initial.empty()) text += fmt::format(" (default: {})", initial);
  return text;
}

std::string usage_of(const Options& options, std::string_view command_name) {
  std::string out = fmt::format("swz {} [options]", command_name);
  for (const Option& o : options)
    if (o.is_argument()) {
      const std::string name = o.names + (o.repeats ? "..." : "");
      out += o.is_required ? " " + name : " [" + name + "]";
    }
  return out;
}

}  // namespace swz

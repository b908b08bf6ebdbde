#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

const Words formats{"text", "json", "svg", "png", "pdf"};
const Words colors{"auto", "always", "never"};

std::string target_list() {
  std::string out;
  for (const Target& target : targets()) out += (out.empty() ? "" : ",") + std::string(target.name);
  return out;
}

void add_common_options(CLI::App& app, Common& common) {
  app.set_help_flag();  // help is found by asks_for_help, wherever it stands
  app.add_option("--arch", common.arch,
                 "target, for example sm_90a or sm_100a (default: SWZ_ARCH, else the command decides)")
      ->type_name("SM:{" + target_list() + "}")  // offered, not checked here: a target has aliases
      ->group(common_group);
  app.add_option("-f,--format", common.format,
                 "how the answer is written (default: text, or what the suffix of -o says)")
      ->check(CLI::IsMember(formats))
      ->group(common_group);
  app.add_option("-o,--output", common.output, "write the answer to a file, whole or not at all")
      ->type_name("FILE")
      ->group(common_group);
  app.add_option("--title", common.title, "title of a picture (svg, png, pdf)")
      ->type_name("TEXT")
      ->group(common_group);
  app.add_flag("--strict", common.strict, "exit with 1 when there are lints")->group(common_group);
  app.add_option_function<std::string>(
         "--color",
         [&common](const std::string& when) {
           common.color = when == "always"  ? ColorMode::always
                          : when == "never" ? ColorMode::never
                                            : ColorMode::automatic;
         },
         "colours in text (default: auto, on a terminal unless NO_COLOR is set)")
      ->check(CLI::IsMember(colors))
      ->group(common_group);
}

// As CLI11 sees it: "-5" and "-" are arguments.
bool looks_like_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-' || word == "--") return false;
  const char second = word[1];
  return !(second >= '0' && second <= '9') && static_cast<unsigned char>(second) > '!';
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// Nothing that could be a value stands behind the option at `at`.
bool omits_value(const CLI::Option& option, const Words& words, std::size_t at) {
  return may_omit_value(option) &&
         (at + 1 == words.size() || words[at + 1] == "--" || looks_like_option(words[at + 1]));
}

// The name part: "--arch=x" -> "--arch", "-fjson" -> "-f".
std::string option_name(const std::string& word) {
  return word.rfind("--", 0) == 0 ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  // CLI11 would also find a positional argument by its bare name; a word that begins with '-' is none.
  return app.get_option_no_throw(name);
}

Words all_option_names(const CLI::App& app) {
  Words names{"--help", "--version"};
  for (const CLI::Option* option : options_of(app))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string see_help(std::string_view command_name) {
  return command_name.empty() ? "see 'swz --help'" : fmt::format("see 'swz {} --help'", command_name);
}

[[noreturn]] void usage_error(const std::string& message, const std::string& hint, std::string_view command_name) {
  const std::string_view joint = hint.empty() ? "" : hint.back() == '?' ? " " : "; ";
  throw Error(message, hint + std::string(joint) + see_help(command_name), {}, ErrorKind::usage);
}

[[noreturn]] void unknown_option(const CLI::App& app, const std::string& word, std::string_view command_name) {
  const std::string name = option_name(word);
  const std::string guess = did_you_mean(name, all_option_names(app));
  usage_error(fmt::format("unknown option {}", swz::quoted(name)),
              guess.empty() ? "write '--' before an argument that begins with '-'" : guess, command_name);
}

// CLI11 gives these a meaning of its own (an empty list, a list, a separator) that no argument of ours has.
bool is_list_syntax(std::string_view word) {
  return word == "{}" || word == "%%" || (word.size() > 1 && word.front() == '[' && word.back() == ']');
}

void refuse_list_syntax(std::string_view word) {
  if (is_list_syntax(word))
    throw Error(fmt::format("cannot read {}", swz::quoted(word)),
                "tuples are written with parentheses, as in (8,64):(64,1)", {}, ErrorKind::usage);
}

// Finds what is wrong with the options before CLI11 does. Returns the index behind the option and its value.
std::size_t check_option(const CLI::App& app, const Words& words, std::size_t at, std::string_view command_name) {
  const std::string name = option_name(words[at]);
  const CLI::Option* option = find_option(app, name);
  if (option == nullptr) unknown_option(app, words[at], command_name);
  const bool is_long = name.size() > 2;
  const bool inline_value = words[at].size() > name.size();
  if (inline_value) {
    if (is_long && !takes_value(*option))
      usage_error(fmt::format("option {} takes no value", name), "", command_name);
    refuse_list_syntax(std::string_view(words[at]).substr(name.size() + (is_long ? 1 : 0)));
    return at + 1;
  }
  if (!takes_value(*option) || omits_value(*option, words, at)) return at + 1;
  if (at + 1 >= words.size() || words[at + 1] == "--")
    usage_error(fmt::format("option {} needs a value", name), fmt::format("{} {}", name, value_name(*option)),
                command_name);
  refuse_list_syntax(words[at + 1]);
  return at + 2;
}

void check_words(const CLI::App& app, const Words& words, std::string_view command_name) {
  for (std::size_t at = 0; at < words.size();) {
    if (words[at] == "--") {
      std::for_each(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), refuse_list_syntax);
      return;
    }
    if (looks_like_option(words[at])) {
      at = check_option(app, words, at, command_name);
    } else {
      refuse_list_syntax(words[at]);
      ++at;
    }
  }
}

// What CLI11 reads: it would take "true" for a value that was left out.
Words with_omitted_values(const CLI::App& app, const Words& words) {
  Words out;
  bool are_options = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.push_back(words[i]);
    are_options = are_options && words[i] != "--";
    if (!are_options || !looks_like_option(words[i]) || words[i] != option_name(words[i])) continue;
    const CLI::Option* option = find_option(app, words[i]);
    if (option == nullptr || !takes_value(*option)) continue;
    if (omits_value(*option, words, i)) out.emplace_back("-");
    else if (i + 1 < words.size()) out.push_back(words[++i]);
  }
  return out;
}

bool among(const std::string& word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What CLI11 found wrong, in our words. The app still holds what was read.
[[noreturn]] void translate(const CLI::ParseError& error, const CLI::App& app, std::string_view command_name) {
  for (const CLI::Option* argument : arguments_of(app))
    if (argument->get_required() && argument->count() == 0)
      usage_error(fmt::format("missing argument {}", argument->get_name(true)),
                  "usage: " + usage_of(app, command_name), command_name);
  for (std::string word : app.remaining()) {
    if (word == "--") continue;
    usage_error(fmt::format("unexpected argument {}", swz::quoted(word)), "usage: " + usage_of(app, command_name),
                command_name);
  }
  const std::string text = error.what();
  for (const CLI::Option* option : app.get_options()) {
    const Words choices = choices_of(*option);
    const bool is_meant = text.rfind(option->get_name() + ":", 0) == 0;
    for (const std::string& value : option->results()) {
      if (!is_meant || choices.empty() || among(value, choices)) continue;
      const std::string guess = did_you_mean(value, choices);
      const std::string all = fmt::format("it takes {}", join_and(choices));
      usage_error(fmt::format("unknown value {} for {}", swz::quoted(value), option->get_name()),
                  guess.empty() ? all : guess, command_name);
    }
    if (option->nonpositional() && takes_value(*option) &&
        static_cast<int>(option->count()) > option->get_items_expected_max())
      usage_error(fmt::format("option {} is given more than once", option->get_name()), "", command_name);
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    for (const CLI::Option* option : app.get_options())
      if (!option->results().empty() && text.find(option->get_name()) != std::string::npos)
        usage_error(fmt::format("cannot read {} as a value of {}", swz::quoted(option->results().back()),
                                option->get_name()),
                    fmt::format("it takes {}", value_name(*option)), command_name);
  }
  usage_error(text, "", command_name);
}

}  // namespace

Declared declare(const Command& command, const Common& defaults) {
  Declared declared{std::make_unique<Common>(defaults), std::make_unique<CLI::App>(), {}};
  add_common_options(*declared.app, *declared.common);
  declared.action = command.define(*declared.app, *declared.common);
  return declared;
}

void parse(CLI::App& app, const Words& words, std::string_view command_name) {
  check_words(app, words, command_name);
  try {
    Words reversed = with_omitted_values(app, words);
    std::reverse(reversed.begin(), reversed.end());  // as CLI11 takes them
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    translate(error, app, command_name);
  }
}

bool asks_for_help(const Words& words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "-h" || word == "--help") return true;
  }
  return false;
}

bool asks_for_json(const Words& words) {
  bool json_file = false;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    const std::string& word = words[i];
    if (word == "-f" || word == "--format") return next == "json";
    if (word == "-fjson" || word == "--format=json") return true;
    if (word.rfind("--format=", 0) == 0 || (word.rfind("-f", 0) == 0 && word.size() > 2)) return false;
    if (word == "-o" || word == "--output") json_file = next.ends_with(".json");
  }
  return json_file;
}

Words choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

std::string value_name(const CLI::Option& option) {
  if (!takes_value(option)) return "";
  const Words choices = choices_of(option);
  const std::string all = fmt::format("{}", fmt::join(choices, "|"));
  if (!choices.empty() && all.size() <= 24) return all;
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

bool may_omit_value(const CLI::Option& option) {
  return takes_value(option) && option.get_items_expected_min() == 0;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && option->get_group() != hidden_group; });
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string names_of(const CLI::Option& option) {
  Words names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string usage_of(const CLI::App& app, std::string_view command_name) {
  std::string out = fmt::format("swz {} [options]", command_name);
  for (const CLI::Option* argument : arguments_of(app)) {
    std::string name = argument->get_name(true);
    if (argument->get_items_expected_max() > 1) name += "...";
    out += argument->get_required() ? " " + name : " [" + name + "]";
  }
  return out;
}

std::size_t leading_options(const Words& words, std::size_t at) {
  const std::size_t begin = at;
  if (at >= words.size() || !looks_like_option(words[at])) return 0;
  Common common;
  CLI::App app;
  add_common_options(app, common);
  while (at < words.size() && looks_like_option(words[at]) && words[at] != "--version")
    at = check_option(app, words, at, "");
  return at - begin;
}

}  // namespace swz

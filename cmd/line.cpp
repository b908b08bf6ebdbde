// SPDX-License-Identifier: Apache-2.0
#include "line.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "files.hpp"
#include "help.hpp"
#include "words.hpp"

namespace swz {
namespace {

constexpr std::string_view format_names[] = {"text", "json", "svg", "png", "pdf", "tex", "html"};

// "did you mean '--arch'? see 'swz decode --help'"
Error usage(const std::string& message, const std::string& hint, std::string_view name) {
  const std::string see = fmt::format("see 'swz {}{}--help'", name, name.empty() ? "" : " ");
  const std::string_view joint = hint.empty() ? "" : hint.back() == '?' ? " " : "; ";
  return usage_error(message, fmt::format("{}{}{}", hint, joint, see));
}

// Whether the word is written as options are: -q, --rows, --cta-group=2.
bool is_spelt_as_option(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  const bool is_long = name.starts_with("--");
  return (is_long || name.size() == 2) &&
         std::ranges::all_of(name.substr(is_long ? 2 : 1), [](char c) { return is_word(c) || c == '-'; });
}

// "swz narrow takes --kind, --dtype, …": those of the command itself.
std::string own_options(const Options& options, std::string_view command) {
  Common common;
  const Options all = with_common(common);
  Words names;
  for (const Option& option : options)
    if (!option.is_argument() && !option.is_hidden && find_option(all, option.name()) == nullptr)
      names.push_back(option.name());
  return names.empty() ? "" : fmt::format("swz {} takes {}", command, fmt::join(names, ", "));
}

Error unknown_option(const std::string& word, const Options& options, std::string_view command) {
  const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
  Words names;
  for (const Option& option : options)
    if (!option.is_argument() && !option.is_hidden) names.push_back(option.name());
  std::string hint = name == "--json" ? "JSON is -f json" : did_you_mean(name, names);
  const bool takes_arguments = std::ranges::any_of(options, &Option::is_argument);
  if (hint.empty() && takes_arguments && !is_spelt_as_option(word))
    hint = "write '--' before an argument that begins with '-'";
  if (hint.empty()) hint = own_options(options, command);
  return usage(fmt::format("unknown option {}", swz::quoted(name)), hint, command);
}

void require_whole(const SplitWords& split, const Options& options, std::string_view command) {
  if (!split.unknown.empty()) throw unknown_option(split.unknown.front(), options, command);
  if (split.lacks_value.empty()) return;
  const Option* option = find_option(options, split.lacks_value);
  throw usage(fmt::format("option {} needs a value", split.lacks_value),
              fmt::format("{} {}", split.lacks_value, option != nullptr ? value_text(*option) : ""), command);
}

// The arguments take the words one by one; the last may take all remaining words.
void assign_arguments(SplitWords& split, const Options& options, std::string_view command) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (!options[i].is_argument()) continue;
    if (at == split.arguments.size() && options[i].is_required)
      throw usage(fmt::format("missing argument {}", options[i].names), "usage: " + usage_of(options, command),
                  command);
    while (at < split.arguments.size()) {
      split.values.push_back({i, split.arguments[at++]});
      if (options[i].repeats == nullptr) break;
    }
  }
  if (at < split.arguments.size())
    throw usage(fmt::format("unexpected argument {}", swz::quoted(split.arguments[at])),
                "usage: " + usage_of(options, command), command);
}

// What the rows require of each other, before any value is read.
void require_fitting(const std::vector<SplitWords::Value>& values, const Options& options, std::string_view command) {
  std::vector<int> counts(options.size());
  for (const SplitWords::Value& value : values) ++counts[value.option];
  const auto is_given = [&](const std::string& name) {
    const Option* other = find_option(options, name);
    return other != nullptr && counts[static_cast<std::size_t>(other - options.data())] > 0;
  };
  for (std::size_t i = 0; i < options.size(); ++i) {
    const Option& option = options[i];
    if (option.is_required && counts[i] == 0)
      throw usage(fmt::format("option {} is missing", option.name()), head_of(option), command);
    if (counts[i] == 0) continue;
    if (option.repeats != nullptr) require_within(*option.repeats, counts[i]);
    else if (counts[i] > 1 && !option.is_flag())
      throw usage(fmt::format("option {} is given more than once", option.name()), "", command);
    for (const std::string& name : option.excludes)
      if (is_given(name))
        throw usage_error(fmt::format("{} and {} cannot be combined", option.name(), name), option.excludes_hint);
    if (!option.needs.empty() && std::none_of(option.needs.begin(), option.needs.end(), is_given))
      throw usage_error(fmt::format("{} needs {}", option.name(), fmt::join(option.needs, " or ")),
                        fmt::format("give it, or leave {} out", option.name()));
  }
}

// The errors of a value name the option that it was given to.
void set_value(const Option& option, const std::string& text, std::string_view command) {
  if (option.is_flag() && !text.empty())
    throw usage(fmt::format("option {} takes no value", option.name()), "", command);
  try {
    option.set(text);
  } catch (const Error& error) {
    const std::string message = error.message();
    if (message.starts_with("unknown value")) throw usage(message, error.hint, command);
    const auto names = [&](const std::string& name) { return message.find(name) != std::string::npos; };
    if (option.is_argument() || std::ranges::any_of(pieces_of(option.names, ", "), names)) throw;
    throw Error(fmt::format("{}: {}", option.name(), message), error.hint, error.span, error.kind).in_text(error.text);
  }
  if (option.given != nullptr) *option.given = true;
}

void set_format(Common& common) {
  if (common.prints_link) common.linked = common.format;
  if (common.prints_link && common.format != Format::json) common.format = Format::text;
  if (common.has_format) return;
  for (std::size_t i = 0; i < std::size(format_names); ++i)
    if (static_cast<Format>(i) != Format::text && common.output.ends_with(fmt::format(".{}", format_names[i])))
      common.format = static_cast<Format>(i);
}

void set_arch(Common& common, const LineDefaults& defaults) {
  if (common.arch != nullptr) return;
  common.arch = defaults.arch;
  if (defaults.arch_variable.empty()) return;
  try {
    read_value(defaults.arch_variable, common.arch);
  } catch (const Error& error) {
    throw usage_error("SWZ_ARCH: " + error.message(), error.hint);
  }
}

}  // namespace

std::string_view to_string(Format format) { return format_names[static_cast<std::size_t>(format)]; }

Options common_options(Common& common) {
  std::vector<std::pair<std::string, Format>> formats;
  for (const std::string_view name : format_names) formats.emplace_back(name, static_cast<Format>(formats.size()));
  return {
      option("--arch", "SM", common.arch, "target, for example sm_90a or sm_100a")
          .by_default_note("SWZ_ARCH, otherwise the command decides")
          .offering(names_of(targets())),
      one_of<Format>("-f, --format", "FORMAT", common.format, std::move(formats), "output format")
          .by_default_note("text, or the suffix of the file name of -o")
          .noting(common.has_format),
      Option{"-o, --output", "FILE", "write the answer to a file, all of it or nothing",
             [&common](const std::string& name) {
               common.output = name;
               check_output_name(name);
             }}
          .file(),
      flag("--strict", common.strict,
           "exit with 1 when the verdict is not clean: there are lints, or the verdict rests on something unknown"),
      flag("--brief", common.brief, "as text only the answer: one value per line, then one line per lint"),
      flag("--link", common.prints_link,
           "print the address of this question on the web page, in the view of -f, instead of the answer")
          .excluding({"--output"}, "leave -o out, or write the address to a file with your shell: > FILE"),
      one_of<ColorMode>("--color", "WHEN", common.color,
                        {{"auto", ColorMode::automatic}, {"always", ColorMode::always}, {"never", ColorMode::never}},
                        "when text is coloured")
          .by_default_note("auto, on a terminal unless NO_COLOR is set"),
      flag("-h, --help", common.help, "show help; after a command, the help of that command"),
      flag("-V, --version", common.version, "show the version")};
}

Options picture_options(Common& common) {
  using enum Legend;
  PictureStyle& style = common.picture;
  return {
      option("--title", "TEXT", style.title, "title of a picture"),
      flag("--no-title", style.has_title, "a picture without its title", false).excluding({"--title"}),
      flag("--no-caption", style.has_caption, "a picture without its caption", false),
      flag("--caption", common.prints_caption, "print the caption of the picture as text, for use in a paper"),
      one_of<Legend>(
          "--legend", "PLACE", style.legend, {{"below", below}, {"right", right}, {"none", none}},
          "where the legend is; below: or beside the last panels, if half of the width is empty there; right falls "
          "back to below if the panels would lose their letters")
          .by_default_note("below"),
      flag("--no-legend", style.legend, "the same as --legend none", none).excluding({"--legend"}),
      option("--width", "LENGTH", style.width, "width of the picture: 86mm, 3.4in, 900px; its cells are sized to fit")
          .by_default_note("what it needs, at most 900px"),
      option("--font-size", "LENGTH", style.font_size,
             "size of the letters in cells: 8pt, 11px; letters smaller than 6pt are left out")
          .by_default_note("8.25pt"),
      one_of<Theme>("--theme", "THEME", style.theme,
                    {{"auto", Theme::automatic},
                     {"light", Theme::light},
                     {"dark", Theme::dark},
                     {"transparent", Theme::transparent}},
                    "the page that a picture is made for")
          .by_default_note("auto"),
      one_of<Palette>("--palette", "COLOURS", style.palette,
                      {{"default", Palette::standard}, {"grey", Palette::grey}, {"viridis", Palette::viridis}},
                      "colours of the cells; grey and viridis stay distinct when printed in grey")
          .by_default_note("default"),
      option("--rows", "A:B", style.part.rows, "rows A to B-1 of the grids, counted from 0")
          .by_default_note("one period of a pattern that repeats"),
      option("--cols", "A:B", style.part.columns, "columns A to B-1 of the grids, counted from 0")
          .by_default_note("one period of a pattern that repeats"),
      flag("--full", style.part.is_whole,
           "draw all of a pattern that repeats, and show all rows of a table; also --all")
          .excluding({"--rows", "--cols"}),
      flag("--all", style.part.is_whole, "").excluding({"--rows", "--cols"}).hidden(),
      flag("--animate", style.is_animated,
           "show the steps of a picture (MMAs along k, wavefronts, copies) in turn; only in SVG"),
      flag("--outline-fonts", common.outlines_fonts,
           "texts of SVG or HTML as shapes in the fonts of this machine, for readers that may lack the fonts")};
}

Options with_common(Options own, Common& common) { return joined(with_common(common), std::move(own)); }

Options with_common(Common& common) { return common_options(common) + picture_options(common); }

Options joined(Options common, Options own) {
  const auto is_own = [&own](const std::string& name) { return find_option(own, name) != nullptr; };
  std::erase_if(common, [&](const Option& row) { return is_own(row.name()); });
  // What is of the command is another option than the one that is excluded: --rows of `swizzle lint` are inputs.
  for (Option& row : common) std::erase_if(row.excludes, is_own);
  return std::move(common) + std::move(own);
}

Error unknown_command(const Commands& table, const std::string& name, std::string_view group) {
  Words names;
  for (const Command& command : table) {
    names.emplace_back(command.name);
    const std::size_t space = command.name.find(' ');
    // A misspelt first word is compared with first words.
    if (group.empty() && space != std::string_view::npos) names.emplace_back(command.name.substr(0, space));
  }
  if (group.empty()) {
    names.emplace_back("help");
    for (const Topic& topic : topics())
      if (topic.leads_into(table)) names.emplace_back(topic.word);
  }
  return usage(fmt::format("unknown command {}", swz::quoted(name)), did_you_mean(name, names), group);
}

namespace {

void take_rest(Line& line, const Words& words, std::size_t at) {
  line.rest.insert(line.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
}

// The words up to the next option, or all behind "--".
void take_text(Line& line, const Words& words, std::size_t at) {
  const bool are_all = words[at] == "--";
  if (are_all) ++at;
  while (at < words.size() && (are_all || !looks_like_option(words[at]))) line.text.push_back(words[at++]);
  take_rest(line, words, at);
}

}  // namespace

void name_command(Line& line, const Words& words, const Commands& table, const Options& options) {
  std::size_t at = 0;
  const auto take_options = [&] {
    for (std::size_t n = count_leading_options(std::span(words).subspan(at), options); n > 0; --n)
      line.rest.push_back(words[at++]);
    if (at < words.size() && looks_like_option(words[at])) throw unknown_option(words[at], options, line.group);
  };
  take_options();
  for (; at < words.size() && words[at] == "help"; take_options()) {
    line.is_help = true;
    ++at;
  }
  if (at == words.size()) return;
  std::string name = words[at++];
  // Some first words are commands of their own: "verify" and "verify tile".
  const Command* longer = at < words.size() ? find_command(table, name + " " + words[at]) : nullptr;
  line.command = longer != nullptr ? longer : find_command(table, name);
  if (longer != nullptr) ++at;
  if (line.command == nullptr) {
    line.topic = find_topic(at < words.size() ? name + " " + words[at] : name, table);
    if (line.topic == nullptr) line.topic = find_topic(name, table);
    if (line.topic != nullptr) return take_rest(line, words, at);
    const auto is_in_group = [&](const Command& command) { return !second_word(command, name).empty(); };
    if (std::ranges::none_of(table, is_in_group)) {
      if (const auto page = std::ranges::find(help_pages(), name); page != help_pages().end()) line.page = *page;
      if (name == "version") line.common.version = true;
      if (!line.page.empty() || line.common.version) return;
      if (line.is_help) throw unknown_command(table, name, "");
      return take_text(line, words, at - 1);
    }
    line.group = name;
    take_options();
    if (at == words.size()) return;
    name += " " + words[at++];
    line.command = find_command(table, name);
    if (line.command == nullptr) throw unknown_command(table, name, line.group);
  }
  take_rest(line, words, at);
}

Error no_command(const Line& line) {
  if (line.topic == nullptr) return usage("no command given", "", line.group);
  return usage_error(fmt::format("{} is not a command", swz::quoted(line.topic->word)),
                     fmt::format("swz {}", fmt::join(line.topic->commands, ", swz ")));
}

void fill(const Options& options, const Words& words, std::string_view command) {
  SplitWords split = split_words(words, options);
  require_whole(split, options, command);
  assign_arguments(split, options, command);
  require_fitting(split.values, options, command);
  for (const SplitWords::Value& value : split.values) set_value(options[value.option], value.text, command);
}

Line read_line(const Words& words, const Commands& table, const LineDefaults& defaults) {
  Line line;
  line.words = words;
  line.page_address = defaults.page_variable;
  line.common.strict = defaults.strict;
  Options options = with_common(line.common);
  std::size_t common_count = options.size();
  const auto keep = [&line](const auto& step) {
    try {
      step();
    } catch (const Error& error) {
      if (!line.error) line.error = error;
    }
  };
  keep([&] { name_command(line, words, table, options); });
  const bool is_named = !line.error;
  if (!is_named) line.rest = words;
  const bool is_open = !line.text.empty() || line.topic != nullptr;  // which command's options these are is not known
  if (line.command != nullptr) {
    Prepared prepared = line.command->prepare();
    line.answer = std::move(prepared.answer);
    const std::size_t own_count = prepared.options.size();
    options = joined(std::move(options), std::move(prepared.options));
    common_count = options.size() - own_count;
  }
  const std::string_view name = line.command != nullptr ? line.command->name : std::string_view(line.group);
  SplitWords split = split_words(line.rest, options);
  if (!is_open)
    keep([&] {
      require_whole(split, options, name);
      if (line.command != nullptr) assign_arguments(split, options, name);
      require_fitting(split.values, options, name);
    });
  // The format first: it decides how the rest is answered.
  for (const SplitWords::Value& value : split.values)
    if (value.option < common_count) keep([&] { set_value(options[value.option], value.text, name); });
  set_format(line.common);
  line.is_help = line.is_help || line.common.help;
  if (line.is_help && is_named) line.error.reset();  // whoever asks for help may have the rest wrong
  if (line.error || line.is_help || line.command == nullptr) return line;
  keep([&] {
    set_arch(line.common, defaults);
    for (const Option& option : options)
      if (!option.initial.empty()) option.set(option.initial);
    for (const SplitWords::Value& value : split.values)
      if (value.option >= common_count) set_value(options[value.option], value.text, name);
  });
  return line;
}

}  // namespace swz

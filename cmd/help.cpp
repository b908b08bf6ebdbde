#include "help.hpp"

#include <fmt/format.h>

#include "options.hpp"

namespace swz {
namespace {

constexpr const char* tagline = "swz: shared-memory layouts of NVIDIA tensor cores, decoded and computed";

void add_line(Document& document, const std::string& label, std::string_view text) {
  document.add(Field{"", "  " + label, nullptr, std::string(text)});
}

void add_heading(Document& document, const std::string& text) { document.add(Paragraph{text, Tone::strong}); }

bool in_group(const Command& command, std::string_view group) {
  return command.name.size() > group.size() && command.name.substr(0, group.size()) == group &&
         command.name[group.size()] == ' ';
}

Json names_and_summaries(const std::vector<Command>& table, std::string_view group) {
  Json list = Json::array();
  for (const Command& command : table)
    if (group.empty() || in_group(command, group))
      list.push_back({{"name", command.name}, {"summary", command.summary}});
  return list;
}

void add_commands(Document& document, const std::vector<Command>& table, std::string_view group) {
  add_heading(document, "Commands");
  for (const Command& command : table)
    if (group.empty() || in_group(command, group)) add_line(document, std::string(command.name), command.summary);
  document.add(Field{"commands", "", names_and_summaries(table, group)});
}

std::string with_value(const CLI::Option& option) {
  const std::string value = value_name(option);
  if (may_omit_value(option)) return fmt::format("{} [{}]", names_of(option), value);
  return names_of(option) + (value.empty() ? "" : " " + value);
}

// Long lists of words stand behind the description; short ones are part of the value's name already. The targets
// would drown the options of every command: `swz arch` has them.
std::string description_of(const CLI::Option& option) {
  const Words choices = choices_of(option);
  const bool shown = value_name(option).find('|') != std::string::npos || option.get_group() == common_group;
  if (choices.empty() || shown) return option.get_description();
  return fmt::format("{}: {}", option.get_description(), fmt::join(choices, ", "));
}

void add_options(Document& document, const CLI::App& app, const std::string& heading, bool common) {
  bool first = true;
  for (const CLI::Option* option : options_of(app)) {
    if ((option->get_group() == common_group) != common) continue;
    if (first) add_heading(document, heading);
    first = false;
    add_line(document, with_value(*option), description_of(*option));
  }
}

void add_arguments(Document& document, const CLI::App& app) {
  if (arguments_of(app).empty()) return;
  add_heading(document, "Arguments");
  for (const CLI::Option* argument : arguments_of(app))
    add_line(document, argument->get_name(true), description_of(*argument));
}

void add_examples(Document& document, const std::vector<Example>& examples) {
  if (examples.empty()) return;
  add_heading(document, "Examples");
  std::string text;
  for (const Example& example : examples)
    text += fmt::format("{}  {}\n      {}", text.empty() ? "" : "\n", example.line, example.says);
  document.add(Paragraph{text});
}

Json options_as_json(const std::vector<const CLI::Option*>& options) {
  Json list = Json::array();
  for (const CLI::Option* option : options) {
    const bool positional = option->get_positional();
    Json item = {{"name", positional ? option->get_name(true) : names_of(*option)},
                 {"description", option->get_description()}};
    if (positional) item["required"] = option->get_required();
    else if (!value_name(*option).empty()) item["value"] = value_name(*option);
    const Words choices = choices_of(*option);
    if (!choices.empty()) item["choices"] = choices;
    list.push_back(std::move(item));
  }
  return list;
}

Action no_options(CLI::App&, const Common&) {
  return [] { return Outcome{}; };
}

// Only the common options.
Declared declare_nothing() { return declare(Command{"", "", "", no_options}, {}); }

}  // namespace

Document help_of_program(const std::vector<Command>& table) {
  Document document(tagline);
  document.add(Paragraph{"usage: swz COMMAND [options] ARGUMENT..."});
  add_commands(document, table, "");
  add_options(document, *declare_nothing().app, "Options of every command", true);
  add_line(document, "-h, --help", "this help, or the help of a command");
  add_line(document, "--version", "the program's version");
  std::vector<Example> examples;
  for (const Command& command : table)
    if (!command.examples.empty() && examples.size() < 3) examples.push_back(command.examples.front());
  add_examples(document, examples);
  document.add(
      Paragraph{"'swz COMMAND --help' shows a command's options and more examples; 'man swz' has it all."});
  return document;
}

Document help_of_group(const std::vector<Command>& table, std::string_view group) {
  Document document(fmt::format("swz {}: one of these", group));
  add_commands(document, table, group);
  document.add(Paragraph{fmt::format("'swz {} COMMAND --help' shows a command's options and examples.", group)});
  return document;
}

Document help_of_command(const Command& command) {
  const Declared declared = declare(command, {});
  const CLI::App& app = *declared.app;
  const std::string usage = usage_of(app, command.name);
  Document document(fmt::format("swz {}: {}", command.name, command.summary));
  document.add(Field{"command", "", command.name}).add(Field{"summary", "", command.summary});
  document.add(Field{"usage", "", usage}).add(Paragraph{"usage: " + usage});
  if (!command.details.empty()) document.add(Paragraph{std::string(command.details)});
  add_arguments(document, app);
  document.add(Field{"arguments", "", options_as_json(arguments_of(app))});
  add_options(document, app, "Options", false);
  document.add(Field{"options", "", options_as_json(options_of(app))});
  add_options(document, app, "Options of every command", true);
  add_examples(document, command.examples);
  return document;
}

}  // namespace swz

#include "help.hpp"

#include <fmt/format.h>

#include "line.hpp"

namespace swz {
namespace {

constexpr const char* tagline = "swz: shared-memory layouts of NVIDIA tensor cores, decoded and computed";

void add_line(Document& document, const std::string& label, std::string_view text) {
  document.add(Field{"", "  " + label, nullptr, std::string(text)});
}

void add_heading(Document& document, const std::string& text) { document.add(Paragraph{text, Tone::strong}); }

bool is_in_group(const Command& command, std::string_view group) {
  return group.empty() || (command.name.starts_with(group) && command.name.size() > group.size() &&
                           command.name[group.size()] == ' ');
}

void add_commands(Document& document, const Commands& table, std::string_view group) {
  add_heading(document, "Commands");
  Json list = Json::array();
  for (const Command& command : table)
    if (is_in_group(command, group)) {
      add_line(document, std::string(command.name), command.summary);
      list.push_back(json_of(command));
    }
  document.add(Field{"commands", "", std::move(list)});
}

void add_rows(Document& document, const Options& options, const std::string& heading, bool are_arguments) {
  bool is_first = true;
  for (const Option& option : options) {
    if (option.is_hidden || option.is_argument() != are_arguments) continue;
    if (is_first) add_heading(document, heading);
    is_first = false;
    add_line(document, head_of(option), help_of(option));
  }
}

void add_examples(Document& document, const std::vector<Example>& examples) {
  if (examples.empty()) return;
  add_heading(document, "Examples");
  std::string text;
  for (const Example& example : examples)
    text += fmt::format("{}  {}\n      {}", text.empty() ? "" : "\n", example.line, example.says);
  document.add(Paragraph{text});
}

Json json_of(const Option& option) {
  Json item = {{"name", option.names}, {"description", option.help}};
  if (option.is_argument()) item["required"] = option.is_required;
  else if (!option.is_flag()) item["value"] = value_text(option);
  if (!option.unit.empty()) item["unit"] = option.unit;
  if (!option.choices.empty()) {
    item["choices"] = option.choices;
    item["other_values"] = option.is_open;
  }
  if (!option.initial.empty()) item["default"] = option.initial;
  if (!option.initial_note.empty()) item["default_note"] = option.initial_note;
  if (!option.excludes.empty()) item["excludes"] = option.excludes;
  if (!option.needs.empty()) item["needs"] = option.needs;
  if (option.is_required && !option.is_argument()) item["required"] = true;
  if (option.repeats) item["repeats"] = true;
  if (option.may_omit_value) item["value_optional"] = true;
  if (option.is_file) item["file"] = true;
  return item;
}

Json json_of(const Options& options, bool are_arguments, Json list = Json::array()) {
  for (const Option& option : options)
    if (!option.is_hidden && option.is_argument() == are_arguments) list.push_back(json_of(option));
  return list;
}

}  // namespace

Json json_of(const Command& command) {
  const Options options = command.prepare().options;
  Json examples = Json::array();
  for (const Example& example : command.examples)
    examples.push_back({{"line", std::string(example.line)}, {"says", std::string(example.says)}});
  return {{"name", std::string(command.name)},        {"summary", std::string(command.summary)},
          {"usage", usage_of(options, command.name)}, {"details", std::string(command.details)},
          {"arguments", json_of(options, true)},      {"options", json_of(options, false)},
          {"examples", std::move(examples)}};
}

Document help_of_program(const Commands& table) {
  Common common;
  const Options options = common_options(common);
  Document document(tagline);
  document.add(Paragraph{"usage: swz COMMAND [options] ARGUMENT..."});
  add_commands(document, table, "");
  add_rows(document, options, "Options of every command", false);
  document.add(Field{"options", "", json_of(options, false)});
  std::vector<Example> examples;
  for (const Command& command : table)
    if (!command.examples.empty() && examples.size() < 3) examples.push_back(command.examples.front());
  add_examples(document, examples);
  document.add(
      Paragraph{"'swz COMMAND --help' shows a command's options and more examples; 'man swz' has it all."});
  return document;
}

Document help_of_group(const Commands& table, std::string_view group) {
  Document document(fmt::format("swz {}: one of these", group));
  add_commands(document, table, group);
  document.add(Paragraph{fmt::format("'swz {} COMMAND --help' shows a command's options and examples.", group)});
  return document;
}

Document help_of_command(const Command& command) {
  Common common;
  const Options of_all = common_options(common);
  const Options options = command.prepare().options;
  const std::string usage = usage_of(options, command.name);
  Document document(fmt::format("swz {}: {}", command.name, command.summary));
  document.add(Field{"command", "", std::string(command.name)});
  document.add(Field{"summary", "", std::string(command.summary)});
  document.add(Field{"usage", "", usage}).add(Paragraph{"usage: " + usage});
  if (!command.details.empty()) document.add(Paragraph{std::string(command.details)});
  add_rows(document, options, "Arguments", true);
  document.add(Field{"arguments", "", json_of(options, true)});
  add_rows(document, options, "Options", false);
  add_rows(document, of_all, "Options of every command", false);
  document.add(Field{"options", "", json_of(options, false, json_of(of_all, false))});
  add_examples(document, command.examples);
  return document;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "line.hpp"

namespace swz {
namespace {

constexpr const char* tagline = "swz: shared-memory layouts of NVIDIA tensor cores, decoded and computed";

// The rows that are shown: the arguments, or the options.
Options shown(Options rows, bool are_arguments) {
  std::erase_if(rows, [&](const Option& row) { return row.is_hidden || row.is_argument() != are_arguments; });
  return rows;
}

Options common_rows() {
  Common common;
  return common_options(common);
}

Options picture_rows() {
  Common common;
  return picture_options(common);
}

// --- help

void add_heading(Document& document, const std::string& text) { document.add(Paragraph{text, Tone::strong}); }

void add_rows(Document& document, const Options& rows, const std::string& heading) {
  if (!rows.empty() && !heading.empty()) add_heading(document, heading);
  for (const Option& row : rows) document.line("  " + head_of(row), help_of(row));
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

Json rows_json(const Options& rows) {
  return json_list(rows, [](const Option& row) { return json_of(row); });
}

// {name, summary, usage, details, arguments, options, examples}: see docs/json.md, "help".
Json json_of(const Command& command) {
  const Options options = command.prepare().options;
  return {{"name", command.name},
          {"summary", command.summary},
          {"usage", usage_of(options, command.name)},
          {"details", command.details},
          {"arguments", rows_json(shown(options, true))},
          {"options", rows_json(shown(options, false))},
          {"examples", json_list(command.examples, [](const Example& example) {
             return Json{{"line", example.line}, {"says", example.says}};
           })}};
}

// Adds all commands, or those whose first word is `group`.
void add_commands(Document& document, const Commands& table, std::string_view group) {
  add_heading(document, "Commands");
  Json list = Json::array();
  for (const Command& command : table) {
    if (!group.empty() && second_word(command, group).empty()) continue;
    document.line(fmt::format("  {}", command.name), std::string(command.summary));
    list.push_back(json_of(command));
  }
  document.json("commands", std::move(list));
}

// The commands of the table that answer a question; for null, those that answer no question.
std::vector<const Command*> asked(const Commands& table, const Question* question) {
  std::vector<const Command*> out;
  const auto has = [](const Question& q, const Command& c) {
    return std::ranges::find(q.commands, c.name) != q.commands.end();
  };
  for (const Command& command : table)
    if (question != nullptr ? has(*question, command)
                            : std::ranges::none_of(questions(), [&](const Question& q) { return has(q, command); }))
      out.push_back(&command);
  return out;
}

// Calls visit("Which word do I need?", commands) for every question that the table answers, and for the rest.
template <class Visit>
void for_each_question(const Commands& table, Visit visit) {
  for (const Question& question : questions())
    if (const auto list = asked(table, &question); !list.empty()) visit(question.asked, list);
  if (const auto left = asked(table, nullptr); !left.empty()) visit("Other commands", left);
}

// "tma check, encode, place": a first word is not repeated.
std::string names_text(const std::vector<const Command*>& list) {
  std::string text;
  std::string_view before;
  for (const Command* command : list) {
    const std::string_view second = before.empty() ? "" : second_word(*command, before);
    text += fmt::format("{}{}",
                        text.empty()     ? ""
                        : second.empty() ? "  "
                                         : "|",
                        second.empty() ? command->name : second);
    before = command->name.substr(0, command->name.find(' '));
  }
  return text;
}

// The commands that are used most.
constexpr std::string_view first_commands[] = {"decode", "map", "banks", "frag", "translate", "tma check"};

// --- the schema of requests

// Adds the rules that no request has two options that exclude each other, or lacks an option that another needs.
void add_rules(Json& schema, const Option& option) {
  const std::string name = property_name(option.name());
  for (const std::string& other : option.excludes)
    schema["allOf"].push_back({{"not", {{"required", {name, property_name(other)}}}}});
  if (option.needs.empty()) return;
  Json any = Json::array({Json{{"not", {{"required", {name}}}}}});
  for (const std::string& other : option.needs) any.push_back({{"required", {property_name(other)}}});
  schema["allOf"].push_back({{"anyOf", std::move(any)}});
}

Json schema_of(const Command& command) {
  Json schema = {{"type", "object"},
                 {"description", command.summary},
                 {"properties", {{"command", {{"const", command.name}}}}},
                 {"required", {"command"}},
                 {"additionalProperties", false}};
  Common common;
  const Options own = command.prepare().options;
  Options rows = with_common(own, common);
  std::rotate(rows.begin(), rows.end() - std::ssize(own), rows.end());  // the command's own first
  for (const Option& option : rows) {
    if (option.is_hidden) continue;
    schema["properties"][property_name(option.name())] = property_schema(option);
    if (option.is_required) schema["required"].push_back(property_name(option.name()));
    add_rules(schema, option);
  }
  return schema;
}

}  // namespace

Document help_of_program(const Commands& table) {
  Document document(tagline);
  document.add(Paragraph{R"(usage: swz TEXT                 what is this? a word, a layout, an instruction,
                                a TMA call, an address in C, @FILE
       swz COMMAND ARGUMENT...  a question; 'swz help COMMAND' shows how
for example  swz 0x4000004000010042   swz '(8,64):(64,1)'   swz ldmatrix.x4)",
                         Tone::plain, true});
  if (std::ranges::any_of(first_commands, [&](std::string_view name) { return find_command(table, name) != nullptr; }))
    add_heading(document, "Asked most");
  for (const std::string_view name : first_commands)
    if (const Command* command = find_command(table, name))
      document.line(fmt::format("  {}", name), std::string(command->summary));
  add_heading(document, "All commands, by question ('swz help commands' shows what each does)");
  Json by_question = Json::array(), all = Json::array();
  for_each_question(table, [&](std::string_view asked, const std::vector<const Command*>& list) {
    document.line(fmt::format("  {}", asked), names_text(list));
    by_question.push_back(
        {{"question", asked}, {"commands", json_list(list, [](const Command* c) { return c->name; })}});
  });
  for (const Command& command : table) all.push_back(json_of(command));
  document.json("commands", std::move(all)).json("questions", std::move(by_question));
  document.json("options", rows_json(shown(common_rows() + picture_rows(), false)));
  document.add(Paragraph{R"(Options of every command: --arch SM, -f FORMAT, -o FILE, --brief, --strict; see
'swz help options'. Pictures (svg, png, pdf, tex, html): 'swz help pictures'.
'man swz' has everything. 'swz conflicts', or another topic, lists its commands.)",
                         Tone::plain, true});
  return document;
}

const std::vector<std::string_view>& help_pages() {
  static const std::vector<std::string_view> pages{"commands", "pictures", "options"};
  return pages;
}

Document help_page(const Commands& table, std::string_view page) {
  if (page == "commands") {
    Document document("swz help commands: what each command answers");
    Json list = Json::array();
    for_each_question(table, [&](std::string_view asked, const std::vector<const Command*>& those) {
      add_heading(document, std::string(asked));
      for (const Command* command : those) {
        document.line(fmt::format("  {}", command->name), std::string(command->summary));
        list.push_back(json_of(*command));
      }
    });
    document.json("commands", std::move(list));
    return document.add(Paragraph{"'swz COMMAND --help' shows a command's options and examples."});
  }
  const bool is_picture = page == "pictures";
  const Options rows = shown(is_picture ? picture_rows() : common_rows(), false);
  Document document(is_picture ? "swz help pictures: options of every picture (-f or -o: svg, png, pdf, tex, html)"
                               : "swz help options: options of every command");
  add_rows(document, rows, "");
  document.json("options", rows_json(rows));
  if (!is_picture) return document.add(Paragraph{"Options of pictures: 'swz help pictures'."});
  add_examples(
      document,
      {{"swz place --dtype bf16 --tile 8x64 --swizzle 128B -o atom.svg", "a tile, to view in a browser"},
       {"swz frag mma.m16n8k16 --dtype bf16 -o frag.pdf --width 86mm", "a figure as wide as a paper's column"}});
  return document;
}

Document help_of_topic(const Commands& table, const Topic& topic) {
  Document document(fmt::format("swz has no command '{}'; these answer it:", topic.word));
  std::vector<Example> examples;
  Json list = Json::array();
  for (const std::string_view name : topic.commands)
    if (const Command* command = find_command(table, name)) {
      document.line(fmt::format("  {}", name), std::string(command->summary));
      list.push_back(json_of(*command));
      if (!command->examples.empty()) examples.push_back(command->examples.front());
    }
  document.json("commands", std::move(list));
  add_examples(document, examples);
  return document.add(Paragraph{"'swz COMMAND --help' shows a command's options and more examples."});
}

Document help_of_group(const Commands& table, std::string_view group) {
  Document document(fmt::format("swz {}: choose one of these commands", group));
  add_commands(document, table, group);
  document.add(Paragraph{fmt::format("'swz {} COMMAND --help' shows a command's options and examples.", group)});
  return document;
}

Document help_of_command(const Command& command) {
  const Options rows = command.prepare().options, common = common_rows();
  const Options arguments = shown(rows, true), options = shown(rows, false);
  const std::string usage = usage_of(rows, command.name);
  Document document(fmt::format("swz {}: {}", command.name, command.summary));
  document.json("command", command.name).json("summary", command.summary).json("usage", usage);
  document.add(Paragraph{"usage: " + usage});
  if (!command.details.empty()) document.add(Paragraph{std::string(command.details)});
  add_rows(document, arguments, "Arguments");
  document.json("arguments", rows_json(arguments));
  add_rows(document, options, "Options");
  add_rows(document, common, "Options of every command");
  document.add(Paragraph{"Options of every picture: 'swz help pictures'"});
  Common all;
  document.json("options", rows_json(shown(with_common(rows, all), false)));
  add_examples(document, command.examples);
  return document;
}

std::string property_name(const std::string& option) { return option.substr(option.find_first_not_of('-')); }

Json property_schema(const Option& option) {
  Json value = option.is_flag() ? Json{{"type", "boolean"}} : Json{{"type", "string"}};
  if (!option.choices.empty()) value[option.is_open ? "examples" : "enum"] = option.choices;
  if (option.repeats != nullptr)
    value = {{"type", "array"}, {"items", std::move(value)}, {"maxItems", option.repeats->most}};
  value["description"] = option.help;
  if (!option.initial.empty()) value["default"] = option.initial;
  return value;
}

Json request_schema(const Commands& table) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "a request to swz"}};
  schema["oneOf"] = Json::array();
  for (const Command& command : table) schema["oneOf"].push_back(schema_of(command));
  return schema;
}

std::string generate(const std::string& kind, const Commands& table) {
  if (kind == "man") return man_page(table);
  if (kind == "requests") return request_schema(table).dump() + "\n";
  if (kind == "bash" || kind == "zsh" || kind == "fish") return completion_script(kind);
  throw usage_error(fmt::format("cannot generate {}", swz::quoted(kind)), "it takes man, requests, bash, zsh and fish");
}

Document help_of_line(const Line& line, const Commands& table) {
  if (line.command != nullptr) return help_of_command(*line.command);
  if (line.topic != nullptr) return help_of_topic(table, *line.topic);
  if (!line.page.empty()) return help_page(table, line.page);
  return line.group.empty() ? help_of_program(table) : help_of_group(table, line.group);
}

}  // namespace swz

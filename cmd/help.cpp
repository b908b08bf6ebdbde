#include "help.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/version.hpp"
#include "line.hpp"
#include "render/display.hpp"

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

constexpr const char* picture_heading = "Options of every picture (svg, png, pdf, tex, html)";

// --- help

void add_heading(Document& document, const std::string& text) { document.add(Paragraph{text, Tone::strong}); }

void add_rows(Document& document, const Options& rows, const std::string& heading) {
  if (!rows.empty()) add_heading(document, heading);
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

// All, or those whose first word is `group`.
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

// --- the schema of requests

std::string property_name(const std::string& option) { return option.substr(option.find_first_not_of('-')); }

Json schema_of(const Option& option) {
  Json value = option.is_flag() ? Json{{"type", "boolean"}} : Json{{"type", "string"}};
  if (!option.choices.empty()) value[option.is_open ? "examples" : "enum"] = option.choices;
  if (option.repeats != nullptr)
    value = {{"type", "array"}, {"items", std::move(value)}, {"maxItems", option.repeats->most}};
  value["description"] = option.help;
  if (!option.initial.empty()) value["default"] = option.initial;
  return value;
}

// No request has both of two options that exclude each other, nor one that lacks what it needs.
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
    schema["properties"][property_name(option.name())] = schema_of(option);
    if (option.is_required) schema["required"].push_back(property_name(option.name()));
    add_rules(schema, option);
  }
  return schema;
}

// --- the man page

// The day the page's fixed text last changed: a page must not differ between two builds.
constexpr const char* page_date = "2026-11-22";

// Text for roff, in which these bytes mean something else. UTF-8 passes: man reads it.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '`': out += "\\(ga"; break;
      default: out += c;
    }
  }
  return out;
}

// Running text in short lines. A dot or a quote at the beginning of a line would be a macro; roff() replaced the
// quotes.
std::string roff_line(std::string_view text) {
  std::string out;
  for (const std::string& line : wrap(text, 60)) out += (line.starts_with('.') ? "\\&" : "") + roff(line) + "\n";
  return out;
}

// Kept as it is written.
std::string roff_verbatim(std::string_view text) { return ".PP\n.RS\n.nf\n" + roff(text) + "\n.fi\n.RE\n"; }

// Paragraphs have an empty line between them.
std::string roff_paragraphs(std::string_view text) {
  std::string out;
  for (const std::string& line : wrap(text, 0)) out += line.empty() ? ".PP\n" : roff_line(line);
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string tagged(const std::string& tag, std::string_view text) {
  return ".TP\n" + tag + "\n" + roff_line(text.empty() ? " " : text);
}

std::string row_entries(const Options& rows) {
  std::string out;
  for (const Option& row : rows) {
    if (row.is_hidden) continue;
    std::string tag = italic(value_text(row));
    if (row.may_omit_value) tag = "[" + tag + "]";
    std::string names;
    for (const std::string& name : pieces_of(row.names, ",")) names += (names.empty() ? "" : ", ") + bold(name);
    if (row.is_argument()) tag = italic(row.names);
    else tag = row.is_flag() ? names : names + " " + tag;
    out += tagged(tag, help_of(row));
  }
  return out;
}

std::string command_section(const Command& command) {
  const Options options = command.prepare().options;
  std::string out = fmt::format(".SS swz {}\n", roff(command.name));
  out += bold(usage_of(options, command.name)) + "\n.PP\n";
  out += roff_line(fmt::format("{}.", command.summary));
  if (!command.details.empty()) out += ".PP\n" + roff_paragraphs(command.details);
  out += row_entries(options);
  for (const Example& example : command.examples)
    out += ".PP\n" + roff_line(fmt::format("{}:", example.says)) + roff_verbatim(example.line);
  return out;
}

}  // namespace

Document help_of_program(const Commands& table) {
  const Options options = common_rows();
  Document document(tagline);
  document.add(Paragraph{"usage: swz COMMAND [options] ARGUMENT..."});
  add_commands(document, table, "");
  add_rows(document, options, "Options of every command");
  add_rows(document, picture_rows(), picture_heading);
  document.json("options", rows_json(options + picture_rows()));
  std::vector<Example> examples;
  for (const Command& command : table)
    if (!command.examples.empty() && examples.size() < 3) examples.push_back(command.examples.front());
  add_examples(document, examples);
  document.add(
      Paragraph{"'swz COMMAND --help' shows a command's options and more examples; 'man swz' has it all."});
  return document;
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
  const Options pictures = picture_rows();
  document.add(Paragraph{fmt::format("Those of every picture, {} to {}: see 'swz help'", pictures.front().name(),
                                     pictures.back().name())});
  Common all;
  document.json("options", rows_json(shown(with_common(rows, all), false)));
  add_examples(document, command.examples);
  return document;
}

Json request_schema(const Commands& table) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "a request to swz"}};
  schema["oneOf"] = Json::array();
  for (const Command& command : table) schema["oneOf"].push_back(schema_of(command));
  return schema;
}

std::string man_page(const Commands& table) {
  std::string out = fmt::format(".TH SWZ 1 \"{}\" \"swz {}\" \"User Commands\"\n", page_date, program_version);
  out += ".SH NAME\nswz \\- decode and compute shared-memory layouts of NVIDIA tensor cores\n";
  out += ".SH SYNOPSIS\n\\fBswz\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] \\fIARGUMENT\\fR...\n.br\n";
  out += "\\fBswz help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBswz \\-\\-version\\fR\n";
  out += ".SH DESCRIPTION\n";
  out += roff_line(
      "swz reads the descriptors, layouts and swizzles that kernel authors use, and shows what they mean: which "
      "bytes, which banks, which bits.");
  out += ".SH COMMANDS\n";
  for (const Command& command : table) out += command_section(command);

  out += ".SH OPTIONS OF EVERY COMMAND\n" + row_entries(common_rows());
  out += ".SH OPTIONS OF EVERY PICTURE\n" + row_entries(picture_rows());

  out += ".SH EXIT STATUS\n";
  out += tagged("0", "the question was answered");
  out += tagged("1", "the answer to the question is no, or --strict was given and the verdict is not clean");
  out += tagged("2", "the command line or the input could not be used, or the answer could not be written");
  out += tagged("3", "the hardware could not be asked: no GPU, driver or NVRTC");

  out += ".SH ENVIRONMENT\n";
  out += tagged(bold("SWZ_ARCH"), "the target architecture where --arch is not given");
  out += tagged(bold("NO_COLOR"), "when set and not empty, no colours unless --color always is given");
  out += tagged(bold("COLUMNS"), "the width of the terminal");
  return out;
}

std::string generate(const std::string& kind, const Commands& table) {
  if (kind == "man") return man_page(table);
  if (kind == "requests") return request_schema(table).dump() + "\n";
  if (kind == "bash" || kind == "zsh" || kind == "fish") return completion_script(kind);
  throw usage_error(fmt::format("cannot generate {}", swz::quoted(kind)),
                    "it takes man, requests, bash, zsh and fish");
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "mcp_tools.hpp"

#include <algorithm>
#include <array>

#include "answer.hpp"
#include "base/base64.hpp"
#include "base/text.hpp"
#include "help.hpp"
#include "render/cairo/paint.hpp"
#include "render/json.hpp"
#include "render/picture.hpp"
#include "render/text.hpp"
#include "words.hpp"

namespace swz {
namespace {

constexpr int answer_width = 100;

bool is_served(const Command& command) { return !command.needs_system && !command.converses; }

std::string tool_name(std::string_view command) {
  std::string name(command);
  std::ranges::replace(name, ' ', '_');
  return name;
}

// --- the properties of a tool

Json text_property(std::string_view description) { return {{"type", "string"}, {"description", description}}; }

// What every tool of a command takes beside the options of the command. Their names are no option's.
constexpr std::array<std::string_view, 3> shared_names{"stdin", "picture", "options"};
Json shared_properties() {
  Json out = Json::object();
  out["stdin"] = text_property("standard input: the text that '-' and '@-' name in the place of a file");
  out["picture"] = Json{{"type", "string"},
                        {"enum", {"png", "svg"}},
                        {"description", "also draw the answer: an image, or the text of an SVG"}};
  out["options"] =
      Json{{"type", "array"},
           {"items", {{"type", "string"}}},
           {"description", "options of pictures as words, [\"--theme\", \"dark\"]: help of \"pictures\" lists them"}};
  return out;
}

// The options of the command that a tool takes as properties, and --arch.
Options rows_of(const Command& command) {
  Common common;
  Options rows = command.prepare().options;
  if (find_option(rows, "--arch") == nullptr)
    for (Option& row : common_options(common))
      if (row.is_called("--arch")) rows.push_back(std::move(row));
  std::erase_if(rows, [](const Option& row) { return row.is_hidden; });
  // The setters of the rows are bound to requests that are gone.
  for (Option& row : rows) row.set = {}, row.given = nullptr;
  return rows;
}

std::string names_of_options(const Words& options, std::string_view joint) {
  Words names;
  for (const std::string& option : options) names.push_back(property_name(option));
  return fmt::format("{}", fmt::join(names, joint));
}

Json row_property(const Option& row) {
  Json property = property_schema(row);
  // Of a long list that is not whole either: models know the names of element types and targets.
  if (row.is_open && std::ssize(row.choices) > 8) {
    Json& schema = row.repeats != nullptr ? property["items"] : property;
    schema["examples"] = Words(row.choices.begin(), row.choices.begin() + 3);
  }
  std::string text = row.help;
  if (!row.initial_note.empty()) text += fmt::format(" (default: {})", row.initial_note);
  if (!row.unit.empty()) text += fmt::format(" (in {})", row.unit);
  if (!row.excludes.empty()) text += fmt::format("; not with {}", names_of_options(row.excludes, ", "));
  if (!row.needs.empty()) text += fmt::format("; needs {}", names_of_options(row.needs, " or "));
  if (!row.is_flag() && !row.is_argument() && row.choices.empty()) text = fmt::format("{}: {}", value_text(row), text);
  property["description"] = text;
  return property;
}

Json schema_of_call(const Command& command) {
  Json properties = Json::object(), required = Json::array();
  for (const Option& row : rows_of(command)) {
    properties[property_name(row.name())] = row_property(row);
    if (row.is_required) required.push_back(property_name(row.name()));
  }
  const Json shared = shared_properties();
  for (const std::string_view name : shared_names) properties[name] = shared[name];
  Json schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (required.size() > 0) schema["required"] = std::move(required);
  return schema;
}

Json schema_of_ask() {
  Json properties = shared_properties();
  properties["text"] = text_property(
      "a descriptor word, a layout in any notation, the name of an instruction, a call or a print of "
      "cuTensorMapEncode, an address in C, @FILE, or @- for `stdin`");
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", Json::array({"text"})},
          {"additionalProperties", false}};
}

Json schema_of_help() {
  return {{"type", "object"},
          {"properties",
           {{"of", text_property("a command (\"banks\", \"swizzle find\"), a subject (\"conflicts\", \"tma\"), "
                                 "\"pictures\", \"options\"; none: every command, by question")}}},
          {"additionalProperties", false}};
}

std::string description_of(const Command& command) {
  std::string text = fmt::format("{}.", command.summary);
  text[0] = static_cast<char>(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0]);
  if (!command.details.empty()) text += fmt::format("\n\n{}", command.details.substr(0, command.details.find("\n\n")));
  for (const Example& example : command.examples) {
    const std::optional<Json> arguments = arguments_of(command, example.line);
    if (!arguments) continue;
    return text + fmt::format("\n\nExample, {}:\n{}", example.says, arguments->dump());
  }
  return text;
}

// --- from arguments to words

[[noreturn]] void refuse_argument(const std::string& name, std::string_view why, const std::string& hint = {}) {
  throw usage_error(fmt::format("argument {}: {}", quoted(name), why), hint);
}

// A number or a list may be given without quotes: 64, [128, 64].
std::string text_of_argument(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() || value.is_null() || value.is_boolean()) refuse_argument(name, "expected a text or a number");
  return value.dump();
}

bool flag_of_argument(const std::string& name, const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  const std::string text = value.is_string() ? lower_case(value.get<std::string>()) : "";
  if (text != "true" && text != "false") refuse_argument(name, "expected true or false");
  return text == "true";
}

Words texts_of_argument(const Option& row, const std::string& name, const Json& value) {
  if (row.repeats == nullptr || !value.is_array()) return {text_of_argument(name, value)};
  Words texts;
  for (std::size_t i = 0; i < value.size(); ++i) texts.push_back(text_of_argument(name, value.at(i)));
  return texts;
}

// The keys of an object, taken from its text: no other code asks a Json for them.
Words keys_of(const Json& object) {
  Words keys;
  const std::string text = object.dump();
  for (std::size_t at = 1; at < text.size() && text[at] == '"'; ++at) {
    std::size_t end = at + 1;
    while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    keys.push_back(Json::parse(std::string_view(text).substr(at, end + 1 - at)).get<std::string>());
    at = end + 2 + object.at(keys.back()).dump().size();  // behind the value is a comma, or the end
  }
  return keys;
}

void refuse_unknown(const Json& arguments, const Words& known) {
  for (const std::string& name : keys_of(arguments))
    if (std::ranges::find(known, name) == known.end())
      throw usage_error(fmt::format("unknown argument {}", quoted(name)),
                        did_you_mean(name, known, fmt::format("it takes {}", fmt::join(known, ", "))));
}

// The value of an argument; null if it is not given, or given as null.
Json argument_of(const Json& arguments, std::string_view name) {
  return arguments.contains(name) ? arguments.at(name) : Json();
}

Words more_words(const Json& arguments) {
  const Json options = argument_of(arguments, "options");
  if (options.is_null()) return {};
  if (!options.is_array()) refuse_argument("options", "expected a list of words", R"(write ["--theme", "dark"])");
  Words words;
  for (std::size_t i = 0; i < options.size(); ++i) words.push_back(text_of_argument("options", options.at(i)));
  return words;
}

Words words_of_command(const Command& command, const Json& arguments) {
  const Options rows = rows_of(command);
  Words known, words = pieces_of(std::string(command.name), " "), rest{"--"};
  for (const Option& row : rows) known.push_back(property_name(row.name()));
  known.insert(known.end(), shared_names.begin(), shared_names.end());
  refuse_unknown(arguments, known);
  for (const Option& row : rows) {
    const std::string name = property_name(row.name());
    const Json value = argument_of(arguments, name);
    if (value.is_null()) continue;
    if (row.is_flag()) {
      if (flag_of_argument(name, value)) words.push_back(row.name());
      continue;
    }
    for (std::string& text : texts_of_argument(row, name, value)) {
      if (row.is_argument()) rest.push_back(std::move(text));
      else words.push_back(fmt::format("{}={}", row.name(), text));
    }
  }
  for (std::string& word : more_words(arguments)) words.push_back(std::move(word));
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

Words words_of_call(const Tool& tool, const Json& arguments) {
  if (tool.command != nullptr) return words_of_command(*tool.command, arguments);
  const bool is_help = tool.name == "help";
  refuse_unknown(arguments, is_help ? Words{"of"} : Words{"text", "stdin", "picture", "options"});
  const Json text = argument_of(arguments, is_help ? "of" : "text");
  if (is_help) {
    Words words{"help"};
    if (!text.is_null())
      for (std::string& word : pieces_of(text_of_argument("of", text), " _")) words.push_back(std::move(word));
    return words;
  }
  if (text.is_null()) refuse_argument("text", "it is missing", "give the text that is to be read");
  Words words = more_words(arguments);
  words.push_back(text_of_argument("text", text));
  return words;
}

// --- the result

Json text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

std::string sentence_of(const Answer& answer, int exit_code) {
  const Verdict verdict = verdict_of(answer);
  const std::string_view meaning = verdict == Verdict::clean ? "the answer is a pass"
                                   : verdict == Verdict::incomplete
                                       ? "something that would decide it is not known; this is not a pass"
                                   : answer.exit_code != 0 ? "the answer is no"
                                                           : "it has lints";
  return fmt::format("verdict: {} (exit code {}): {}", to_string(verdict), exit_code, meaning);
}

// A PNG, or the text of an SVG: where that is asked for, and where no PNG can be painted.
Json picture_block(const Document& document, const PictureStyle& style, std::string_view format) {
  const Scene scene = picture_of(document, style);
  if (format == "svg") return text_block(svg_text(scene));
  try {
    return {{"type", "image"}, {"data", base64(paint_scene(scene, PaintedFormat::png))}, {"mimeType", "image/png"}};
  } catch (const Error&) {
    return text_block(svg_text(scene));
  }
}

std::string picture_format(const Json& arguments) {
  const Json format = argument_of(arguments, "picture");
  if (format.is_null()) return {};
  const Words formats{"png", "svg"};
  return formats[index_of_word(text_of_argument("picture", format), formats, "picture")];
}

void require_served(const Line& line) {
  if (line.common.has_format)
    throw usage_error("an answer is JSON and text", R"(leave -f out; "picture" draws it as png or svg)");
  if (!line.common.output.empty()) throw usage_error("swz mcp writes no files", "leave -o out");
  if (line.command != nullptr && !line.is_help && !is_served(*line.command))
    throw usage_error(fmt::format("swz mcp does not run swz {}", line.command->name),
                      "run it in a shell: it needs more than the request, such as a GPU");
}

Json answered(const Tool& tool, const Json& arguments, const Commands& table, const LineDefaults& defaults) {
  const std::string format = picture_format(arguments);
  Context context;
  if (const Json input = argument_of(arguments, "stdin"); !input.is_null())
    context.input_text = text_of_argument("stdin", input);
  const Line line = asked_line(words_of_call(tool, arguments), table, defaults, context);
  require_served(line);
  const Answer answer = answer_line(line, table, std::move(context));
  const int exit_code = exit_code_of(answer, line);
  const TextStyle style{.color = false, .width = answer_width, .part = line.common.picture.part};
  const Document& document = answer.document;
  Json content =
      Json::array({text_block(line.common.brief ? render_brief(document, style) : render_text(document, style)),
                   text_block(sentence_of(answer, exit_code))});
  if (!format.empty()) content.push_back(picture_block(document, line.common.picture, format));
  return {{"content", std::move(content)},
          {"structuredContent", to_json(document)},
          {"isError", false},
          {"_meta", {{"swz/exit", exit_code}}}};
}

}  // namespace

std::vector<Tool> tools_of(const Commands& table, const Words& only) {
  Words names;
  for (const Command& command : table)
    if (is_served(command)) names.emplace_back(command.name);
  const auto means = [](const std::string& name, std::string_view command) {
    return command == name || (command.starts_with(name) && command.substr(name.size()).starts_with(' '));
  };
  for (const std::string& name : only)
    if (std::ranges::none_of(names, [&](const std::string& command) { return means(name, command); }))
      throw usage_error(fmt::format("{} is no tool of swz mcp", quoted(name)),
                        did_you_mean(name, names, "it takes commands and their groups: decode, tma"));
  std::vector<Tool> tools{{"ask"}, {"help"}};
  for (const std::string& command : names)
    if (only.empty() || std::ranges::any_of(only, [&](const std::string& name) { return means(name, command); }))
      tools.push_back({tool_name(command), find_command(table, command)});
  return tools;
}

Json describe(const Tool& tool) {
  const bool is_ask = tool.name == "ask";
  const std::string title = tool.command != nullptr ? fmt::format("swz {}", tool.command->name)
                            : is_ask                ? "swz TEXT"
                                                    : "swz help";
  const std::string description =
      tool.command != nullptr ? description_of(*tool.command)
      : is_ask
          ? R"(What is this text, and what does it say? Reads what you have and answers with the command that reads it; "others"
are further commands for it. Example: {"text": "0x4000004000010042"})"
          : R"(How a command is asked: its options, what it answers, examples as command lines. Example: {"of": "banks"})";
  return {{"name", tool.name},
          {"title", title},
          {"description", description},
          {"inputSchema", tool.command != nullptr ? schema_of_call(*tool.command)
                          : is_ask                ? schema_of_ask()
                                                  : schema_of_help()},
          {"outputSchema",
           {{"type", "object"},
            {"properties", {{"verdict", {{"type", "string"}, {"enum", {"clean", "incomplete", "error"}}}}}},
            {"required", Json::array({"verdict"})}}},
          {"annotations",
           {{"readOnlyHint", true}, {"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}}}};
}

Json call(const Tool& tool, const Json& arguments, const Commands& table, const LineDefaults& defaults) {
  try {
    Json result = answered(tool, arguments, table, defaults);
    if (const std::size_t size = result.dump().size(); size > limits::line_bytes.most)
      throw usage_error(fmt::format("the answer is {} KiB, more than the {} of one message", size >> 10,
                                    limits::line_bytes.most >> 10),
                        "ask for less: one site, one point (at), a part, no picture");
    return result;
  } catch (...) {
    const Error error = caught_error();
    return {{"content", Json::array({text_block(render_error(error, {.color = false, .width = answer_width}))})},
            {"isError", true},
            {"_meta", {{"swz/exit", exit_code_of(error)}}}};
  }
}

std::optional<Json> arguments_of(const Command& command, std::string_view line) {
  if (line.find_first_of("|<>$") != std::string_view::npos) return std::nullopt;
  Words words = words_of_line(line);
  const Words name = pieces_of(std::string(command.name), " ");
  if (words.size() < name.size() || !std::equal(name.begin(), name.end(), words.begin())) return std::nullopt;
  words.erase(words.begin(), words.begin() + std::ssize(name));
  const Options rows = rows_of(command);
  const SplitWords split = split_words(words, rows);
  if (!split.unknown.empty() || !split.lacks_value.empty()) return std::nullopt;
  Json arguments = Json::object();
  const auto set = [&](const Option& row, const std::string& text) {
    Json& place = arguments[property_name(row.name())];
    if (row.is_flag()) place = true;
    else if (row.repeats != nullptr) place.push_back(text);
    else place = text;
  };
  for (const SplitWords::Value& value : split.values) set(rows[value.option], value.text);
  std::size_t at = 0;
  for (const Option& row : rows)
    while (row.is_argument() && at < split.arguments.size()) {
      set(row, split.arguments[at++]);
      if (row.repeats == nullptr) break;
    }
  return at < split.arguments.size() ? std::nullopt : std::optional(arguments);
}

}  // namespace swz

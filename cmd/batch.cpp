// SPDX-License-Identifier: Apache-2.0
// swz batch: many command lines, with the start-up of one program.
//
//   in:   layout '(8,64):(64,1)' --arch sm_90a
//         ["decode", "0x4000004000010042"]
//         {"id": 7, "words": ["decode", "0x42"]}
//   out:  {"exit":0,"result":{…}}
//         {"exit":2,"error":{"message":"…","hint":"…"}}
//         {"id":7,"exit":0,"result":{…}}
//
// Every line that contains a word gives exactly one answer line, in order; empty lines and comments (# begins a word)
// give none. A line is shell words (quotes '…' and "…", backslash) or a JSON array of strings; a leading "swz" is
// allowed. In a JSON object "words" is that array, and the answer begins with the object's "id". Answers are flushed
// whenever the next line has not arrived yet, so that a program can converse over pipes, and a file is answered at full
// speed. A line over 1 MiB is answered with an error and never held in memory. --junit writes a report of the lines when
// all of them are answered.

#include <fmt/format.h>
#include <unistd.h>

#include "answer.hpp"
#include "base/text.hpp"
#include "line_reader.hpp"
#include "option.hpp"
#include "render/json.hpp"
#include "render/junit.hpp"
#include "render/text.hpp"
#include "run.hpp"
#include "words.hpp"

namespace swz {
namespace {

constexpr const char* object_hint = R"~(write {"id": 1, "words": ["layout", "(8,64):(64,1)"]})~";

// The object in a line that begins with '{'; null for other lines.
Json object_of(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] != '{') return {};
  try {
    return Json::parse(line);
  } catch (const Error&) {
    throw Error("the line begins with '{' but is not a JSON object", object_hint);
  }
}

Words words_of_object(const Json& object) {
  if (!object.contains("words") || !object["words"].is_array() || object.size() != (object.contains("id") ? 2 : 1))
    throw Error("the JSON object is not an array \"words\" with an \"id\"", object_hint);
  return words_of_list(object["words"]);
}

// What a line is answered, and the same as text if the answer is not 0 and a report wants it.
struct LineAnswer {
  Json json = Json::object();
  std::string shown = {};

  int exit_code() const { return json.at("exit").get<int>(); }
};

void add_refusal(LineAnswer& out, const Error& error) {
  out.json["exit"] = exit_code_of(error);
  out.json["error"] = to_json(error);
  out.shown = render_error(error, {});
}

void add_answer(LineAnswer& out, const Words& words, const Commands& table, const LineDefaults& defaults,
                bool is_reported) {
  Context context;
  const Line line = asked_line(words, table, defaults, context);
  if (line.common.has_format && line.common.format != Format::json)
    throw usage_error(fmt::format("a batch line is answered in JSON, not as {}", to_string(line.common.format)),
                      "leave -f out, or give the line to swz itself");
  if (!line.common.output.empty()) throw Error("-o has no meaning in a batch line", "give -o to 'swz batch' itself");
  const Answer answer = answer_line(line, table, std::move(context));
  if (answer.converse)
    throw Error(fmt::format("{} cannot run inside a batch", line.command->name), "write its lines here instead");
  Json result = to_json(answer.document);
  out.json["exit"] = exit_code_of(answer, line);
  out.json["result"] = std::move(result);
  // As a terminal shows it: the beginning of long tables.
  if (is_reported && out.exit_code() != 0)
    out.shown = render_text(answer.document, {.width = 100, .part = DrawnPart{}});
}

struct Request {
  std::string path;
  std::string junit;  // where the report is written; empty: no report
};

LineAnswer answer_of(const InputLine& line, const Environment& environment, const LineDefaults& defaults,
                     bool is_reported) {
  LineAnswer answer;
  try {
    if (line.too_long) throw Error("the line is longer than 1 MiB", "split it, or give the input in a shorter form");
    const Json object = object_of(line.text);
    if (object.contains("id")) answer.json["id"] = object["id"].get<std::int64_t>();
    const Words words = object.is_null() ? words_of_line(line.text) : words_of_object(object);
    if (!words.empty()) add_answer(answer, words, *environment.table, defaults, is_reported);
  } catch (...) {
    add_refusal(answer, caught_error());
  }
  return answer;
}

int converse(Console& console, const Request& request, const LineDefaults& defaults) {
  const Environment& environment = console.environment;
  const std::string& path = request.path;
  if (path.empty() && isatty(environment.input) != 0)
    throw usage_error("no lines given", "a file of command lines, - for standard input, or a pipe into swz batch");
  const Input input(path.empty() ? "-" : path, environment.input,
                    "give a file of command lines, or - for standard input");
  LineReader reader(input, "the batch");
  JunitReport report(path.empty() ? "-" : path);
  std::optional<Output> report_file;
  if (!request.junit.empty()) report_file.emplace(request.junit, environment.out);
  bool all_fine = true;
  std::int64_t number = 0;
  while (auto line = reader.next(console.output)) {
    ++number;
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (number == 1 && line->text.starts_with(byte_order_mark)) line->text.erase(0, byte_order_mark.size());
    const LineAnswer answer = answer_of(*line, environment, defaults, report_file.has_value());
    if (!answer.json.contains("exit")) continue;  // a line without words
    console.output.write(answer.json.dump() + "\n");
    const int exit_code = answer.exit_code();
    if (report_file) report.add({number, line->text, exit_code, answer.shown});
    if (!defaults.strict || exit_code == 0) continue;
    all_fine = false;
    fmt::print(environment.err, "swz: line {} exits with {}: {}\n", number, exit_code, swz::quoted(line->text, 100));
  }
  if (report_file) {
    report_file->write(report.text());
    report_file->commit();
  }
  return all_fine ? 0 : 1;
}

void read_report_name(const std::string& text, std::string& to) {
  if (text.empty() || text == "-")
    throw usage_error("the report is a file: the standard output has the answers", "--junit layouts.xml");
  to = text;
}

Options options_of(Request& r) {
  Option junit{"--junit", "REPORT", "also write which lines hold, as JUnit XML, which CI systems show",
               [&r](const std::string& text) { read_report_name(text, r.junit); }};
  return {argument("FILE", r.path, "a file of command lines, or - for standard input")
              .by_default_note("standard input, unless it is a terminal")
              .file(),
          std::move(junit).file()};
}

Answer answer(const Request& request, const Context& context) {
  Answer out;
  const LineDefaults defaults{.arch = context.arch, .strict = context.strict};
  out.converse = [request, defaults](Console& console) { return converse(console, request, defaults); };
  return out;
}

}  // namespace

Commands batch_commands() {
  return {{.name = "batch",
           .summary = "answer many command lines, one JSON object per line",
           .details = R"(Reads one command line per line from FILE, or from standard input when FILE is -
or left out, and writes one JSON object per line: {"exit":0,"result":{...}} or
{"exit":2,"error":{"message":"...","hint":"..."}}. Every answer is JSON: a line
with -f and another format is refused.

A line is written as in a shell (quotes and backslashes; nothing is expanded;
a text without a command is read as 'swz TEXT' reads it)
or as a JSON array of words; the answer to {"id": 7, "words": [...]} begins with
"id":7. Every line gets exactly one answer, in order; empty lines and #
comments get none. An error in one line does not stop the rest. Answers are
flushed whenever no further line is waiting, so that a program can
converse with swz over pipes.

--arch and --strict given to batch apply to every line. The exit code is 0 when
all lines were answered; with --strict it is 1 when one of them did not exit
with 0, and standard error names each of these lines.

--junit REPORT writes a test for each line when all are answered: a failure if
it exits with 1, an error if with 2 or 3, with its answer as text.)",
           .examples = {{R"(printf '%s\n' "layout '(8,64):(64,1)'" 'decode 0x42' | swz batch)", "two answers"},
                        {"swz batch --strict layouts.swz --junit layouts.xml", "claims, checked in CI", true}},
           .prepare = [] { return prepare(options_of, answer); },
           .converses = true}};
}

}  // namespace swz

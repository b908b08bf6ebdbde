// SPDX-License-Identifier: Apache-2.0
// Line -> Answer.
#include "answer.hpp"

#include <algorithm>
#include <new>

#include "base/version.hpp"
#include "door.hpp"
#include "help.hpp"
#include "link.hpp"

namespace swz {

namespace {

Answer answer_of(const Line& line, const Commands& table, const Context& context) {
  if (line.is_help) return {help_of_line(line, table)};
  if (!line.common.version) return line.answer(context);
  return {Document()
              .add(Paragraph{fmt::format("swz {}", program_version)})
              .add(Field{"version", "", std::string(program_version)})};
}

}  // namespace

Line asked_line(const Words& words, const Commands& table, const LineDefaults& defaults, Context& context) {
  Line line = read_line(words, table, defaults);
  if (line.is_text()) line = open_door(line, table, defaults, context);
  if (line.error) throw with_readings(*line.error, line.readings);
  if (line.lacks_command()) throw no_command(line);
  return line;
}

Answer answer_line(const Line& line, const Commands& table, Context context) {
  context.arch = line.common.arch;
  context.strict = line.common.strict;
  if (line.common.prints_link) return link_answer(line, context);
  try {
    Answer answer = answer_of(line, table, context);
    // A lint that is shown is counted, of every command.
    answer.has_lints = answer.has_lints || has_lints(answer.document);
    const std::string verdict(to_string(verdict_of(answer)));
    answer.document.verdict = verdict;
    answer = with_readings(std::move(answer), line.readings);
    answer.document.verdict = verdict;
    return answer;
  } catch (const Error& error) {
    throw with_other_command(with_readings(error, line.readings), line, table);
  }
}

std::string_view to_string(Verdict verdict) {
  constexpr std::string_view names[] = {"clean", "incomplete", "error"};
  return names[static_cast<std::size_t>(verdict)];
}

Error caught_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error("not enough memory for this input");
  } catch (const std::exception& error) {
    return Error(fmt::format("internal error: {}", error.what()), "please report it with the command line");
  }
}

int exit_code_of(const Error& error) { return error.kind == ErrorKind::hardware ? 3 : 2; }

int exit_code_of(const Answer& answer, const Line& line) {
  return line.common.strict && verdict_of(answer) != Verdict::clean ? std::max(answer.exit_code, 1) : answer.exit_code;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// The three phases of a run.
#include "run.hpp"

#include "answer.hpp"
#include "delivery.hpp"
#include "door.hpp"
#include "help.hpp"
#include "page_answer.hpp"
#include "terminal.hpp"

namespace swz {
namespace {

Context context_of(const Environment& environment, ProgressLine& progress) {
  Context context;
  context.input = environment.input;
  if (!environment.err_is_terminal) return context;
  context.prompt = [&environment](std::string_view text) { write_error(std::string(text) + "\n", environment); };
  context.progress = [&progress](const Progress& step) { progress.show(step); };
  return context;
}

// The hidden words by which the build asks for the manuals, and shells for completions.
std::optional<std::string> text_for_program(const Words& words, const Commands& table) {
  if (words.size() == 2 && words[0] == "--generate") return generate(words[1], table);
  if (words.size() < 2 || words[0] != "--complete") return std::nullopt;
  return completions(words[1], Words(words.begin() + 2, words.end()), table);
}

}  // namespace

int run(const Words& all_words, const Environment& environment) {
  Line line;
  try {
    Words words = all_words;
    const PageAsk page = take_page_ask(words);
    if (page != PageAsk::nothing && words.empty()) return write_text(page_start(*environment.table), environment);
    if (const auto text = text_for_program(words, *environment.table)) return write_text(*text, environment);
    ProgressLine progress(environment.err, environment.terminal_width);
    Context context = context_of(environment, progress);
    const LineDefaults defaults{.arch_variable = variable(environment, "SWZ_ARCH"),
                                .page_variable = variable(environment, "SWZ_PAGE_ADDRESS")};

    line = read_line(words, *environment.table, defaults);
    if (line.is_text()) line = open_door(line, *environment.table, defaults, context);
    if (line.error) throw with_readings(*line.error, line.readings);
    if (line.lacks_command()) return show_what_could_follow(line, environment);
    if (line.asks_command()) require_format(line.common);

    const Answer answer = answer_line(line, *environment.table, std::move(context));
    progress.wipe();

    if (page != PageAsk::nothing && !answer.converse) return deliver_to_page(page, answer, line, environment);
    return deliver(answer, line, environment);
  } catch (const ReaderGone&) {
    return 0;
  } catch (...) {
    return report(caught_error(), line.common, environment);
  }
}

}  // namespace swz

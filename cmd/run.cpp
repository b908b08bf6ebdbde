// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/version.hpp"
#include "door.hpp"
#include "help.hpp"
#include "render/cairo/outline.hpp"
#include "render/cairo/paint.hpp"
#include "render/display.hpp"
#include "render/json.hpp"
#include "render/picture.hpp"
#include "render/text.hpp"

namespace swz {
namespace {

// On less than this nothing is readable, wrapped or not.
constexpr int narrowest_terminal = 40;

std::string variable(const Environment& environment, const char* name) {
  const auto found = environment.variables.find(name);
  return found == environment.variables.end() ? std::string() : found->second;
}

TextStyle style_of(const Environment& environment, ColorMode mode, bool is_terminal) {
  TextStyle style;
  const bool may = is_terminal && variable(environment, "NO_COLOR").empty() && variable(environment, "TERM") != "dumb";
  style.color = mode == ColorMode::always || (mode == ColorMode::automatic && may);
  const int asked = std::atoi(variable(environment, "COLUMNS").c_str());
  const int width = asked > 0 ? asked : is_terminal ? environment.terminal_width : 0;
  if (width > 0) style.width = std::max(width, narrowest_terminal);
  return style;
}

void write_error(std::string_view text, const Environment& environment) {
  std::fwrite(text.data(), 1, text.size(), environment.err);
  std::fflush(environment.err);
}

// Says on standard error when the width that was asked for leaves letters that nobody reads.
void warn_of_small_letters(const Scene& scene, const Environment& environment) {
  constexpr double readable = 6;
  double smallest = readable;
  for (const auto& item : scene.items)
    if (const auto* label = std::get_if<Label>(&item)) smallest = std::min(smallest, label->size);
  if (smallest < readable)
    write_error(fmt::format("swz: note: at this width letters are {:.1f} px high, too small to read; give more "
                            "--width, or draw a part with --rows and --cols\n",
                            smallest),
                environment);
}

// Before anything is computed.
void require_format(const Common& common) {
  const bool is_svg = common.format == Format::svg;
  if (common.picture.is_animated && !is_svg)
    throw usage_error(fmt::format("--animate makes an SVG, not {}", to_string(common.format)),
                      "-f svg or -o FILE.svg; an HTML page has a slider for its steps without it");
  if (common.outlines_fonts && !is_svg && common.format != Format::html)
    throw usage_error(fmt::format("--outline-fonts is for SVG and HTML, not {}", to_string(common.format)),
                      "-f svg or -o FILE.svg; a PDF holds its fonts without it");
}

std::string rendered(const Document& document, const Common& common, const TextStyle& style,
                     const Environment& environment) {
  if (common.prints_caption) return caption_of(document, common.picture) + "\n";
  if (common.format == Format::json) return json_text(document);
  if (common.format == Format::text) return common.brief ? render_brief(document, style) : render_text(document, style);
  const Scene scene = picture_of(document, common.picture);
  warn_of_small_letters(scene, environment);
  const Outliner outline = common.outlines_fonts ? font_outlines() : nullptr;
  if (common.format == Format::svg) return svg_text(scene, {.outline = outline});
  if (common.format == Format::tex) return tikz_text(scene);
  if (common.format == Format::html) return html_text(scene, outline);
  return paint_scene(scene, common.format == Format::png ? PaintedFormat::png : PaintedFormat::pdf);
}

// The answer is complete before a byte is written, and a file is replaced only by all of it.
int deliver(const Answer& answer, const Line& line, const Environment& environment) {
  const Common& common = line.common;
  const bool to_terminal = environment.out_is_terminal && (common.output.empty() || common.output == "-");
  if (to_terminal && (common.format == Format::png || common.format == Format::pdf))
    throw usage_error(fmt::format("cannot write a {} to a terminal", common.format == Format::png ? "PNG" : "PDF"),
                      fmt::format("write it to a file: -o picture.{}", to_string(common.format)));
  Output output(common.output, environment.out);
  if (answer.converse) {
    Console console{output, environment};
    const int exit_code = answer.converse(console);
    output.commit();
    return exit_code;
  }
  try {
    TextStyle style = style_of(environment, common.color, to_terminal);
    const DrawnPart& part = common.picture.part;
    if (to_terminal || part.rows || part.columns || part.is_whole) style.part = part;
    output.write(rendered(answer.document, common, style, environment));
    output.commit();
  } catch (const ReaderGone&) {
  }
  return exit_code_of(answer, line);
}

int report(const Error& error, const Common& common, const Environment& environment) {
  const TextStyle style = style_of(environment, common.color, environment.err_is_terminal);
  write_error(
      common.format == Format::json ? Json{{"error", to_json(error)}}.dump() + "\n" : render_error(error, style),
      environment);
  return exit_code_of(error);
}

Document help_of(const Line& line, const Commands& table) {
  if (line.command != nullptr) return help_of_command(*line.command);
  if (line.topic != nullptr) return help_of_topic(table, *line.topic);
  if (!line.page.empty()) return help_page(table, line.page);
  return line.group.empty() ? help_of_program(table) : help_of_group(table, line.group);
}

int show_what_could_follow(const Line& line, const Environment& environment) {
  if (line.common.format == Format::json) return report(no_command(line), line.common, environment);
  const TextStyle style = style_of(environment, line.common.color, environment.err_is_terminal);
  write_error(render_text(help_of(line, *environment.table), style), environment);
  return 2;
}

// One line that is written over and wiped when the answer comes.
class ProgressLine {
 public:
  ProgressLine(std::FILE* file, int width) : file_(file), width_(width) {}
  ~ProgressLine() {
    if (is_shown_) std::fputs("\r\x1b[K", file_);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress) {
    constexpr int bar = 30;
    if (width_ > 0 && width_ < bar + 40) return;
    const std::size_t of = std::max<std::size_t>(progress.of, 1);
    const auto filled = static_cast<int>(bar * std::min(progress.done, of) / of);
    const std::string line = fmt::format("\r{:<12} {}{} {}/{}\x1b[K", progress.what, repeated("#", filled),
                                         repeated(".", bar - filled), progress.done, progress.of);
    std::fputs(line.c_str(), file_);
    std::fflush(file_);
    is_shown_ = true;
  }

 private:
  std::FILE* file_;
  int width_;
  bool is_shown_ = false;
};

// The hidden words by which the build asks for the manuals, and shells for completions.
bool is_asked_by_program(const Words& words, const Environment& environment, std::string& text) {
  if (words.size() == 2 && words[0] == "--generate") text = generate(words[1], *environment.table);
  else if (words.size() >= 2 && words[0] == "--complete")
    text = completions(words[1], Words(words.begin() + 2, words.end()), *environment.table);
  else return false;
  return true;
}

Answer answer_of(const Line& line, const Commands& table, Context context) {
  if (line.is_help) return {help_of(line, table)};
  if (line.common.version)
    return {Document()
                .add(Paragraph{fmt::format("swz {}", program_version)})
                .add(Field{"version", "", std::string(program_version)})};
  context.arch = line.common.arch;
  context.strict = line.common.strict;
  return line.answer(context);
}

int run_line(Line line, const LineDefaults& defaults, const Environment& environment) {
  Context context;
  context.input = environment.input;
  if (environment.err_is_terminal)
    context.prompt = [&environment](std::string_view text) { write_error(std::string(text) + "\n", environment); };
  line = with_command(std::move(line), *environment.table, defaults, context);
  if (line.error) throw with_readings(*line.error, line.readings);
  if (line.command == nullptr && !line.is_help && !line.common.version)
    return show_what_could_follow(line, environment);
  if (!line.is_help && !line.common.version) require_format(line.common);
  auto progress = std::make_unique<ProgressLine>(environment.err, environment.terminal_width);
  if (environment.err_is_terminal) context.progress = [&progress](const Progress& p) { progress->show(p); };
  const Answer answer = answer_line(line, *environment.table, std::move(context));
  progress.reset();
  return deliver(answer, line, environment);
}

}  // namespace

Answer answer_line(const Line& line, const Commands& table, Context context) {
  try {
    Answer answer = answer_of(line, table, std::move(context));
    const std::string verdict(to_string(verdict_of(answer)));
    answer.document.verdict = verdict;
    answer = with_readings(std::move(answer), line.readings);
    answer.document.verdict = verdict;
    return answer;
  } catch (const Error& error) {
    throw with_other_command(with_readings(error, line.readings), line, table);
  }
}

Line with_command(Line line, const Commands& table, const LineDefaults& defaults, Context& context) {
  const bool is_asked = !line.text.empty() && !line.is_help && !line.common.version;
  return is_asked ? open_door(line, table, defaults, context) : std::move(line);
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

int run(const Words& words, const Environment& environment) {
  Common common;
  try {
    if (std::string text; is_asked_by_program(words, environment, text)) {
      Output output("", environment.out);
      output.write(text);
      output.commit();
      return 0;
    }
    const LineDefaults defaults{.arch_variable = variable(environment, "SWZ_ARCH")};
    Line line = read_line(words, *environment.table, defaults);
    common = line.common;
    return run_line(std::move(line), defaults, environment);
  } catch (const ReaderGone&) {
    return 0;
  } catch (...) {
    return report(caught_error(), common, environment);
  }
}

}  // namespace swz

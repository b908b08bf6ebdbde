#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "help.hpp"
#include "manual.hpp"
#include "render/cairo/paint.hpp"
#include "render/error.hpp"
#include "render/json.hpp"
#include "render/picture.hpp"
#include "render/svg.hpp"
#include "render/text.hpp"

namespace swz {
namespace {

using Commands = std::vector<Command>;

// On less than this nothing is readable, wrapped or not.
constexpr int narrowest_terminal = 40;

const Command* find_command(const Commands& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [name](const Command& c) { return c.name == name; });
  return found == table.end() ? nullptr : &*found;
}

bool is_group(const Commands& table, std::string_view word) {
  return std::any_of(table.begin(), table.end(), [word](const Command& command) {
    return command.name.size() > word.size() && command.name[word.size()] == ' ' &&
           command.name.substr(0, word.size()) == word;
  });
}

[[noreturn]] void unknown_command(const Commands& table, const std::string& name, std::string_view group) {
  Words names;
  for (const Command& command : table) {
    names.emplace_back(command.name);
    const std::size_t space = command.name.find(' ');
    // A misspelt first word is compared with first words.
    if (group.empty() && space != std::string_view::npos) names.emplace_back(command.name.substr(0, space));
  }
  if (group.empty()) names.emplace_back("help");
  const std::string guess = did_you_mean(name, names);
  const std::string see = fmt::format("see 'swz{}{} --help'", group.empty() ? "" : " ", group);
  throw Error(fmt::format("unknown command {}", swz::quoted(name)), guess.empty() ? see : guess + " " + see, {},
              ErrorKind::usage);
}

// The words of one command line, sorted: which command, and what is left for it.
struct Sorted {
  const Command* command = nullptr;
  std::string group;  // when no command, but the first word of some
  bool help = false;  // `swz help …`
  bool version = false;
  Words rest;  // common options that stood before the command's name come first
};

void take_leading_options(const Words& words, std::size_t& at, Words& rest) {
  const std::size_t count = leading_options(words, at);
  for (std::size_t i = 0; i < count; ++i) rest.push_back(words[at++]);
}

Sorted sort_words(const Words& words, const Commands& table) {
  Sorted sorted;
  std::size_t at = 0;
  take_leading_options(words, at, sorted.rest);
  while (at < words.size() && (words[at] == "help" || words[at] == "--version")) {
    (words[at] == "help" ? sorted.help : sorted.version) = true;
    ++at;
    take_leading_options(words, at, sorted.rest);
  }
  if (at == words.size()) return sorted;
  const std::string first = words[at++];
  // Some first words are commands of their own: "verify" and "verify tile".
  const Command* longer = at < words.size() ? find_command(table, first + " " + words[at]) : nullptr;
  if (longer != nullptr) ++at;
  sorted.command = longer != nullptr ? longer : find_command(table, first);
  if (sorted.command == nullptr) {
    if (!is_group(table, first)) unknown_command(table, first, "");
    sorted.group = first;
    take_leading_options(words, at, sorted.rest);
    if (at == words.size()) return sorted;
    const std::string name = first + " " + words[at++];
    sorted.command = find_command(table, name);
    if (sorted.command == nullptr) unknown_command(table, name, first);
  }
  sorted.rest.insert(sorted.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return sorted;
}

// --help may stand anywhere before "--"; without it the words say what the help is about.
Words without_help_option(Words words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto is_help = [](const std::string& word) { return word == "-h" || word == "--help"; };
  words.erase(std::remove_if(words.begin(), end, is_help), end);
  return words;
}

// The options of a command line that asks for help or version: only the common ones count, anything may be missing.
std::unique_ptr<Common> common_of(const Words& words, const Common& defaults) {
  auto common = std::make_unique<Common>(defaults);
  if (asks_for_json(words)) common->format = "json";
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "-o" || words[i] == "--output") common->output = words[i + 1];
  return common;
}

Outcome version_outcome() {
  Document document;
  document.add(Paragraph{fmt::format("swz {}", version)}).add(Field{"version", "", version});
  return {document};
}

Outcome help_outcome(const Sorted& sorted, const Commands& table) {
  if (sorted.command != nullptr) return {help_of_command(*sorted.command)};
  if (!sorted.group.empty()) return {help_of_group(table, sorted.group)};
  return {help_of_program(table)};
}

// What follows from the options together, once they are read.
void finish_common(Common& common, const CLI::App& app) {
  if (app.get_option("--output")->count() > 0) check_output_name(common.output);
  if (app.get_option("--format")->count() == 0)
    for (const std::string_view format : {"json", "svg", "png", "pdf"})
      if (common.output.ends_with(fmt::format(".{}", format))) common.format = format;
  if (common.arch.empty()) return;
  try {
    require_target(common.arch);
  } catch (const Error& error) {
    if (app.get_option("--arch")->count() > 0) throw;
    throw Error("SWZ_ARCH: " + error.message(), error.hint, {}, ErrorKind::usage);
  }
}

TextStyle style_of(const Environment& environment, ColorMode mode, bool is_terminal) {
  const auto variable = [&environment](const char* name) {
    const auto found = environment.variables.find(name);
    return found == environment.variables.end() ? std::string() : found->second;
  };
  TextStyle style;
  const bool may = is_terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  style.color = mode == ColorMode::always || (mode == ColorMode::automatic && may);
  const int asked = std::atoi(variable("COLUMNS").c_str());
  const int width = asked > 0 ? asked : is_terminal ? environment.terminal_width : 0;
  if (width > 0) style.width = std::max(width, narrowest_terminal);
  return style;
}

// --color in words that may not parse.
ColorMode color_of(const Words& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string next = words[i] == "--color" && i + 1 < words.size() ? words[i + 1] : words[i];
    if (next == "always" || next == "--color=always") return ColorMode::always;
    if (next == "never" || next == "--color=never") return ColorMode::never;
  }
  return ColorMode::automatic;
}

std::string rendered(const Document& document, const Common& common, const TextStyle& style) {
  if (common.format == "json") return json_text(document);
  if (common.format == "text") return render_text(document, style);
  const Scene scene = picture_of(document, {common.title});
  if (common.format == "svg") return svg_text(scene);
  return paint_scene(scene, common.format == "png" ? PaintedFormat::png : PaintedFormat::pdf);
}

// The answer is complete before a byte is written, and a file is replaced only by all of it.
int deliver(const Answer& answer, const Environment& environment) {
  const Common& common = *answer.common;
  const bool to_terminal = environment.out_is_terminal && (common.output.empty() || common.output == "-");
  if (to_terminal && (common.format == "png" || common.format == "pdf"))
    throw Error(fmt::format("a {} is nothing for a terminal", common.format == "png" ? "PNG" : "PDF"),
                fmt::format("write it to a file: -o picture.{}", common.format), {}, ErrorKind::usage);
  Output output(common.output, environment.out);
  if (answer.outcome.converse) {
    Console console(output, environment);
    const int exit_code = answer.outcome.converse(console);
    output.commit();
    return exit_code;
  }
  try {
    output.write(rendered(answer.outcome.document, common, style_of(environment, common.color, to_terminal)));
    output.commit();
  } catch (const ReaderGone&) {
  }
  return answer.exit_code;
}

void report(const Error& error, const Words& words, const Environment& environment) {
  const TextStyle style = style_of(environment, color_of(words), environment.err_is_terminal);
  const std::string text =
      asks_for_json(words) ? Json{{"error", to_json(error)}}.dump() + "\n" : render_error(error, style);
  std::fwrite(text.data(), 1, text.size(), environment.err);
  std::fflush(environment.err);
}

void show_what_could_follow(const NoCommand& stop, const Words& words, const Environment& environment) {
  if (asks_for_json(words)) {
    report(
        Error("no command given", fmt::format("see 'swz{}{} --help'", stop.group.empty() ? "" : " ", stop.group)),
        words, environment);
    return;
  }
  const Commands& table = *environment.table;
  const Document help = stop.group.empty() ? help_of_program(table) : help_of_group(table, stop.group);
  const std::string text = render_text(help, style_of(environment, color_of(words), environment.err_is_terminal));
  std::fwrite(text.data(), 1, text.size(), environment.err);
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
    const std::string line =
        fmt::format("\r{:<12} {}{} {}/{}\x1b[K", progress.what, std::string(static_cast<std::size_t>(filled), '#'),
                    std::string(static_cast<std::size_t>(bar - filled), '.'), progress.done, progress.of);
    std::fputs(line.c_str(), file_);
    std::fflush(file_);
    is_shown_ = true;
  }

 private:
  std::FILE* file_;
  int width_;
  bool is_shown_ = false;
};

int run_guarded(const Words& words, const Environment& environment) {
  if (words.size() == 2 && words[0] == "--generate") {
    Output output("", environment.out);
    output.write(generate(words[1], *environment.table));
    output.commit();
    return 0;
  }
  Common defaults;
  const auto arch = environment.variables.find("SWZ_ARCH");
  if (arch != environment.variables.end()) defaults.arch = arch->second;
  defaults.input = environment.input;
  if (environment.err_is_terminal)
    defaults.prompt = [&environment](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), environment.err);
      std::fputc('\n', environment.err);
      std::fflush(environment.err);
    };
  auto line = std::make_unique<ProgressLine>(environment.err, environment.terminal_width);
  if (environment.err_is_terminal) defaults.progress = [&line](const Progress& progress) { line->show(progress); };
  const Answer answer = ask(words, *environment.table, defaults);
  line.reset();
  return deliver(answer, environment);
}

}  // namespace

Answer ask(const Words& words, const Commands& table, const Common& defaults) {
  const bool help = asks_for_help(words);
  const Sorted sorted = sort_words(help ? without_help_option(words) : words, table);
  if (help || sorted.help) return {common_of(words, defaults), help_outcome(sorted, table), 0};
  if (sorted.version) return {common_of(words, defaults), version_outcome(), 0};
  if (sorted.command == nullptr) throw NoCommand{sorted.group};

  Declared declared = declare(*sorted.command, defaults);
  parse(*declared.app, sorted.rest, sorted.command->name);
  finish_common(*declared.common, *declared.app);
  Answer answer{std::move(declared.common), declared.action(), 0};
  answer.exit_code = answer.outcome.exit_code;
  if (answer.common->strict && answer.outcome.has_lints) answer.exit_code = std::max(answer.exit_code, 1);
  return answer;
}

int run(const Words& words, const Environment& environment) {
  try {
    return run_guarded(words, environment);
  } catch (const NoCommand& stop) {
    show_what_could_follow(stop, words, environment);
    return 2;
  } catch (const ReaderGone&) {
    return 0;
  } catch (const Error& error) {
    report(error, words, environment);
    return error.kind == ErrorKind::hardware ? 3 : 2;
  } catch (const std::bad_alloc&) {
    report(Error("not enough memory for this input"), words, environment);
    return 2;
  } catch (const std::exception& error) {
    report(Error(fmt::format("this should not happen: {}", error.what()), "please report it with the command line"),
           words, environment);
    return 2;
  }
}

}  // namespace swz

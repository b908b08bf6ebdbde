// swz batch: many command lines for one start-up.
//
//   in:   layout '(8,64):(64,1)' --arch sm_90a
//         ["decode", "0x4000004000010042"]
//   out:  {"exit":0,"result":{…}}
//         {"exit":2,"error":{"message":"…","hint":"…"}}
//
// Every line that holds a word gives exactly one answer line, in order; empty lines and comments (# begins a word)
// give none. A line is shell words (quotes '…' and "…", backslash) or a JSON array of strings; a leading "swz" is
// allowed. Answers are flushed whenever the next line is not here yet, so a program can converse over pipes, and a
// file is answered at full speed. A line over 1 MiB is answered with an error and never held in memory.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "files.hpp"
#include "render/json.hpp"
#include "render/text.hpp"
#include "run.hpp"
#include "words.hpp"

namespace swz {
namespace {

constexpr std::size_t longest_line_bytes = limits::line_bytes.most;

// Lines from a file descriptor, without the newline.
class LineReader {
 public:
  explicit LineReader(const Input& input) : input_(input) {}

  struct Line {
    std::string text;
    bool too_long = false;  // text is empty then
  };

  // before_wait is called before the input is read again. No value at the end of the input.
  template <class BeforeWait>
  std::optional<Line> next(BeforeWait before_wait) {
    Line line;
    bool any = false;
    while (true) {
      if (at_ == filled_) {
        before_wait();
        if (!fill()) return any ? std::optional<Line>(std::move(line)) : std::nullopt;
      }
      any = true;
      const char* begin = buffer_.data() + at_;
      const void* newline = std::memchr(begin, '\n', filled_ - at_);
      const std::size_t count =
          newline != nullptr ? static_cast<std::size_t>(static_cast<const char*>(newline) - begin) : filled_ - at_;
      if (line.too_long || line.text.size() + count > longest_line_bytes) {
        line.too_long = true;
        line.text.clear();
      } else {
        line.text.append(begin, count);
      }
      at_ += count;
      if (newline != nullptr) {
        ++at_;
        return line;
      }
    }
  }

 private:
  bool fill() {
    at_ = 0;
    filled_ = input_.read(buffer_, "the batch");
    return filled_ > 0;
  }

  const Input& input_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::array<char, 1 << 16> buffer_;
};

struct AnswerLine {
  int exit_code;
  std::string text;
};

AnswerLine refusal(const Error& error) {
  const int exit_code = exit_code_of(error);
  return {exit_code, Json{{"exit", exit_code}, {"error", to_json(error)}}.dump() + "\n"};
}

AnswerLine answer_to(const Words& words, const Console& console, const LineDefaults& defaults) {
  try {
    const Line line = read_line(words, console.table(), defaults);
    if (line.error) return refusal(*line.error);
    if (line.command == nullptr && !line.is_help && !line.common.version) return refusal(no_command(line));
    if (line.common.has_format && line.common.format != Format::json)
      throw usage_error(fmt::format("a batch line is answered in JSON, not as {}", to_string(line.common.format)),
                        "leave -f out, or give the line to swz itself");
    if (!line.common.output.empty())
      throw Error("-o has no meaning in a batch line", "give -o to 'swz batch' itself");
    const Answer answer = answer_line(line, console.table(), {});
    if (answer.converse) throw Error("batch cannot run inside a batch", "write its lines here instead");
    const int exit_code = exit_code_of(answer, line);
    std::string text = fmt::format("{{\"exit\":{},\"result\":", exit_code);
    append_json(text, answer.document);
    return {exit_code, text + "}\n"};
  } catch (...) {
    return refusal(caught_error());
  }
}

int converse(Console& console, const std::string& path, const LineDefaults& defaults) {
  const Input input(path, console.input(), "give a file of command lines, or - for standard input");
  LineReader reader(input);
  bool all_fine = true;
  while (auto line = reader.next([&console] { console.flush(); })) {
    AnswerLine answer;
    if (line->too_long) {
      answer = refusal(Error("the line is longer than 1 MiB", "split it, or give the input in a shorter form"));
    } else {
      try {
        const Words words = words_of_line(line->text);
        if (words.empty()) continue;
        answer = answer_to(words, console, defaults);
      } catch (const Error& error) {
        answer = refusal(error);
      }
    }
    all_fine = all_fine && answer.exit_code == 0;
    console.write(answer.text);
  }
  return defaults.strict && !all_fine ? 1 : 0;
}

struct Request {
  std::string path;
};

Options options_of(Request& r) {
  return {argument("FILE", r.path, "a file of command lines, or - for standard input").required().file()};
}

Answer answer(const Request& r, const Context& context) {
  Answer out;
  const LineDefaults defaults{.arch = context.arch, .strict = context.strict};
  out.converse = [path = r.path, defaults](Console& console) { return converse(console, path, defaults); };
  return out;
}

}  // namespace

Command batch_command() {
  return {.name = "batch",
          .summary = "answer many command lines, one JSON object per line",
          .details = R"(Reads one command line per line from FILE, or from standard input when FILE is
-, and writes one JSON object per line: {"exit":0,"result":{...}} or
{"exit":2,"error":{"message":"...","hint":"..."}}. Every answer is JSON: a line
with -f and another format is refused.

A line is written as in a shell (quotes and backslashes; nothing is expanded)
or as a JSON array of words. Every line gets exactly one answer, in order; empty
lines and # comments get none. An error in one line does not stop the rest.
Answers are flushed whenever no further line is waiting, so that a program can
converse with swz over pipes.

--arch and --strict given to batch apply to every line. The exit code is 0 when
all lines were answered; with --strict it is 1 when one of them did not exit
with 0.)",
          .examples = {{R"(printf '%s\n' "layout '(8,64):(64,1)'" 'decode 0x42' | swz batch -)", "two answers"}},
          .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz

#include "door.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "base/text.hpp"
#include "dialect/triton_ir.hpp"
#include "expr/c_expression.hpp"
#include "expr/evaluate.hpp"
#include "files.hpp"
#include "fragment/fragment.hpp"
#include "identify/dump_text.hpp"
#include "identify/known_offsets.hpp"
#include "identify/npy.hpp"
#include "layout_text.hpp"
#include "render/text.hpp"
#include "smem/access.hpp"
#include "tma/encode_call.hpp"
#include "words.hpp"

namespace swz {
namespace {

// A word of the line with what it stands for.
struct Pasted {
  std::string text;           // what is to be read: the word itself, or what its file holds
  std::string path = {};      // of that file; "-": standard input; empty: no file
  std::string unopened = {};  // why a file that it names cannot be read

  std::string bare() const { return std::string(trimmed(text)); }
  bool has_lines() const { return !path.empty() || text.find('\n') != std::string::npos; }
  // As a command takes it whose argument is a file, and whose argument is a text or @FILE. A text of several lines goes
  // the way of standard input.
  std::string file() const { return path.empty() ? "-" : path; }
  std::string or_file() const { return has_lines() ? "@" + file() : text; }
};

// Why a reader refuses a text; empty: it takes it.
template <class Read>
std::string refusal_of(Read read) {
  try {
    read();
    return "";
  } catch (const Error& error) {
    return error.message();
  }
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

bool is_number(const std::string& text) {
  return refusal_of([&] { parse_word64(text); }).empty() ||
         text.find_first_not_of("0123456789abcdefABCDEF \n") == std::string::npos;
}

// ---- whether a text is of a kind: empty, or why not

std::string no_ptx(const Pasted& p) {
  const std::string text = p.bare();
  const bool is_ptx = text.find(".version") != std::string::npos && text.find(".target") != std::string::npos;
  return is_ptx ? "" : "it has no .version and .target";
}

std::string no_triton_ir(const Pasted& p) {
  return is_triton_ir(p.text) ? "" : "no operation of Triton IR stands in it";
}

std::string no_encode_call(const Pasted& p) {
  const std::string text = p.bare();
  if (holds_encode_call(text)) return "";
  if (std::ssize(text) > limits::log_bytes.most) return "it is too long for a log of one call";
  return refusal_of([&] { parse_failure_text(text); });
}

std::string no_tensor_map(const Pasted& p) {
  const std::string text = p.bare();
  if (names_tensor_map(text) || holds_tensor_map(text)) return "";
  return "a tensor map has 128 bytes: 256 hexadecimal digits, or 16 words of a debugger";
}

// As decode reads an argument; a list or a log.
std::string no_words(const Pasted& p) {
  const std::string refused = p.path.empty() ? refusal_of([&] { read_words(p.bare()); }) : "";
  if (!p.has_lines() || (p.path.empty() && refused.empty())) return refused;
  if (word_list(p.text)) return "";
  return refusal_of([&] {
    if (find_words(p.text).words.empty()) throw Error("no descriptor word stands in it");
  });
}

// The name of an access to shared memory at the beginning of a line of PTX or SASS; empty: none.
std::string access_in(const std::string& text) {
  const Words words = pieces_of(text, " \t\n;");
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 2); ++i) {
    if (words[i].starts_with('@')) continue;
    return find_access(words[i]) != nullptr ? words[i] : "";
  }
  return "";
}

std::string no_access(const Pasted& p) {
  const std::string text = p.bare();
  return access_in(text).empty() ? "no load, store or atomic of shared memory that swz knows" : "";
}

std::string no_fragment(const Pasted& p) {
  const std::string text = p.bare();
  if (std::ranges::count(text, '\n') > 0 && text.find(';') != text.size() - 1)
    return "an instruction is one, and ends with its ';'";
  try {
    if (read_instruction(text)) return "";
  } catch (const Error&) {
    return "";  // it names an instruction: frag says what is wrong with it
  }
  return refusal_of([&] { find_fragments({text, "", {}, "", {}}); });
}

std::string no_layout(const Pasted& p) {
  const std::string text = p.bare();
  if (is_number(text)) return "a number alone is no layout";
  try {
    if (dialect_text(text).from != nullptr) return "";
  } catch (const Error& error) {
    return "";  // of several notations: translate says of which
  }
  return refusal_of([&] { parse_layout(text); });
}

std::string no_expression(const Pasted& p) {
  const std::string text = p.bare();
  if (is_number(text)) return "a number alone is no layout";
  return refusal_of([&] { evaluate(text); });
}

std::string no_swizzle(const Pasted& p) {
  const std::string text = p.bare();
  if (text.find_first_not_of("0123456789, ") == std::string::npos && std::ranges::count(text, ',') == 2)
    return refusal_of([&] { evaluate("Sw<" + text + ">"); });
  if (refusal_of([&] { require_swizzle_mode(text); }).empty()) return "";
  return refusal_of([&] {
    if (!std::holds_alternative<Swizzle>(evaluate(text).value)) throw Error("it is not a swizzle alone");
  });
}

// How people call the arguments: the names with which the expression can be read.
std::optional<CNames> names_in(const std::string& text) {
  const CNames known[] = {{},    {"a"}, {"address"},        {"byte"},           {"offset"},        {"idx"},
                          {"i"}, {"x"}, {"addr", "r", "c"}, {"addr", "i", "j"}, {"addr", "y", "x"}};
  const auto uses_them = [](const CStep& step) {
    return step.code == CStep::Code::first || step.code == CStep::Code::second;
  };
  for (const CNames& names : known) try {
      const CExpression f(text, names);
      if (f.is_function() || std::ranges::any_of(f.steps(), uses_them)) return names;
    } catch (const Error& error) {
      // with other names, perhaps
    }
  return std::nullopt;
}

std::string no_address(const Pasted& p) {
  const std::string text = p.bare();
  if (names_in(text)) return "";
  const std::string refused = refusal_of([&] { CExpression(text, CNames()); });
  return refused.empty() ? "it has neither addr nor row and col" : refused;
}

Words name_options(const std::string& text) {
  const CNames names = *names_in(text), usual;
  const CExpression f(text, names);
  if (f.is_function()) return {};
  if (!f.has_coordinates()) return names.address == usual.address ? Words() : Words{"--var", names.address};
  return names.row == usual.row ? Words() : Words{"--row", names.row, "--col", names.col};
}

std::string no_offsets(const Pasted& p) {
  if (!p.has_lines()) return "offsets are a file or several lines";
  return refusal_of([&] { read_known_offsets(p.text); });
}

std::string no_dump(const Pasted& p) {
  constexpr std::size_t least = 64;
  if (!p.has_lines()) return "a dump is a file or several lines";
  if (is_npy(bytes_of(p.text))) return "";
  return refusal_of([&] {
    if (read_dump(bytes_of(p.text), 16).bytes.size() < least)
      throw Error("fewer than 64 bytes are no dump of a tile");
  });
}

// ---- the table

Words as_or_file(const Pasted& p) { return {p.or_file()}; }
Words as_words(const Pasted& p) {
  const bool is_argument = p.path.empty() && refusal_of([&] { read_words(p.bare()); }).empty();
  return {is_argument ? p.text : p.or_file()};
}
Words as_file(const Pasted& p) { return {p.file()}; }
Words as_text(const Pasted& p) { return {p.bare()}; }
Words as_paste(const Pasted& p) {
  if (!p.path.empty()) return {"--paste", p.path};
  return {"--paste", holds_encode_call(p.text) ? p.text : p.text + "\n"};
}
Words as_access(const Pasted& p) { return {"--access", access_in(p.text)}; }
Words as_address(const Pasted& p) {
  Words words = name_options(p.bare());
  words.push_back(p.bare());
  return words;
}
Words as_fit(const Pasted& p) { return {"--fit", p.file()}; }

struct Row {
  std::string_view what, command;
  std::string (*why_not)(const Pasted&);  // empty: it is
  Words (*words)(const Pasted&);          // behind the command; options stand first
  std::string_view lacks = {};            // what it needs besides
  bool is_sure = false;                   // such a text is nothing else
};

// In the order in which they are asked. What one text cannot be mistaken for stands first.
constexpr Row door_rows[] = {
    {"PTX", "kernel", no_ptx, as_file, "", true},
    {"Triton IR", "translate", no_triton_ir, as_or_file, "", true},
    {"a call of cuTensorMapEncode, or what a program printed of it", "tma check", no_encode_call, as_paste},
    {"a tensor map", "decode", no_tensor_map, as_or_file},
    {"an instruction", "frag", no_fragment, as_text},
    {"an access to shared memory", "banks", no_access, as_access, " with --tile or --lanes"},
    {"a C expression of an address", "swizzle lint", no_address, as_address},
    {"a swizzle", "swizzle explain", no_swizzle, as_text},
    {"a layout", "translate", no_layout, as_or_file},
    {"an expression over layouts", "layout", no_expression, as_text},
    {"descriptor words", "decode", no_words, as_words},
    {"offsets", "layout", no_offsets, as_fit},
    {"a dump of shared memory", "identify", no_dump, as_file, " with --tile"},
};

// ---- what was pasted

constexpr std::string_view elf =
    "\x7f"
    "ELF";

// A name that can only be a file's: it is read, or the reason why not is kept.
Pasted pasted(const std::string& word, const Context& context) {
  struct stat file = {};
  const bool is_file = word.size() < 4096 && word.find('\0') == std::string::npos &&
                       stat(word.c_str(), &file) == 0 && S_ISREG(file.st_mode);
  if (word != "-" && !word.starts_with('@') && !is_file) return {word};
  const std::string path = is_file ? word : file_path(word);
  Pasted out{word};
  out.unopened = refusal_of([&] {
    out.text =
        read_text(path, context, {static_cast<std::size_t>(limits::ptx_bytes.most), limits::ptx_bytes.what, ""});
    out.path = path;
  });
  if (out.text.starts_with(elf))
    throw Error(
        fmt::format("{} is a program: swz reads PTX, not machine code", swz::quoted(path)),
        fmt::format(
            "cuobjdump -ptx {0} > kernel.ptx, then swz kernel kernel.ptx; where it holds no PTX, nvcc -keep or "
            "the compiler's cache has it",
            path));
  return out;
}

// "swz decode '{lo = 66, hi = 64}'", as a shell takes it; what is long is cut.
std::string line_text(const Words& words) {
  constexpr std::size_t most = 72;
  std::string text = "swz";
  for (const std::string& word : words) {
    const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
      return is_word(c) || std::string_view("-./,:=+@").find(c) != std::string_view::npos;
    });
    std::string shown = word.size() > most ? word.substr(0, most) + "…" : word;
    std::ranges::replace(shown, '\n', ' ');
    text += " " + (is_plain ? shown : "'" + shown + "'");
  }
  return text;
}

struct Candidate {
  const Row* row = nullptr;
  Words command = {}, words = {};  // its name, and what the text gives it
  bool knows_options = true;

  Words line(const Words& rest) const {
    const bool ends_options = std::ranges::find(words, "--") != words.end();
    Words all = command;
    for (const Words* part : {ends_options ? &rest : &words, ends_options ? &words : &rest})
      all.insert(all.end(), part->begin(), part->end());
    return all;
  }
};

const Command* find(const Commands& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Command::name);
  return found == table.end() ? nullptr : &*found;
}

// Whether the command has all options of the line.
bool knows(const Command& command, const Words& rest) {
  Common common;
  return split_words(rest, with_common(command.prepare().options, common)).unknown.empty();
}

std::string refusal_by(const Row& row, const std::vector<Pasted>& all) {
  for (const Pasted& one : all) {
    if (!row.is_sure && std::ssize(one.text) > limits::dump_bytes.most) return "it is too long";
    if (std::string why = row.why_not(one); !why.empty()) return why;
  }
  return "";
}

// What the text gives the command; one that begins with '-' stands behind "--".
Words words_of(const Row& row, const std::vector<Pasted>& all) {
  Words words;
  for (const Pasted& one : all)
    for (std::string& word : row.words(one)) words.push_back(std::move(word));
  const bool is_like_option = words.back().size() > 1 && words.back().starts_with('-');
  if (is_like_option && words.size() % 2 == 1) words.insert(words.end() - 1, "--");
  return words;
}

// The rows that take every word; first those whose commands know all options of the line, which say what is meant.
std::vector<Candidate> candidates(const std::vector<Pasted>& all, const Commands& table, const Words& rest) {
  std::vector<Candidate> out;
  for (const Row& row : door_rows) {
    const Command* command = find(table, row.command);
    if (command == nullptr || !refusal_by(row, all).empty()) continue;
    const Candidate candidate{&row, pieces_of(std::string(row.command), " "), words_of(row, all),
                              knows(*command, rest)};
    const auto is_same = [&](const Candidate& c) {
      return c.command == candidate.command && c.words == candidate.words;
    };
    if (std::ranges::none_of(out, is_same)) out.push_back(candidate);
    if (row.is_sure) break;
  }
  std::ranges::stable_partition(out, &Candidate::knows_options);
  return out;
}

[[noreturn]] void refuse(const Words& text, const std::vector<Pasted>& all, const Commands& table) {
  if (std::ranges::all_of(text.front(), [](char c) { return is_letter(c) || c == '-'; }) && text.front() != "-")
    throw unknown_command(table, text.front(), "");
  if (const std::string& why = all.front().unopened; !why.empty())
    throw usage_error(why, "@FILE names a file, @- is standard input; 'swz help' shows how to ask");
  std::string tried;
  for (const Row& row : door_rows)
    if (find(table, row.command) != nullptr)
      tried += fmt::format("\n{} (swz {}): {}", row.what, row.command, refusal_by(row, all));
  throw usage_error(
      fmt::format("swz does not know what {} is", swz::quoted(all.front().text)),
      tried.empty() ? "see 'swz --help'"
                    : fmt::format("'swz help' shows how to ask. What was tried, and why it is not that:{}", tried));
}

}  // namespace

Line open_door(const Line& line, const Commands& table, const LineDefaults& defaults, Context& context) {
  std::vector<Pasted> all;
  for (const std::string& word : line.text) all.push_back(pasted(word, context));
  std::vector<Candidate> found = candidates(all, table, line.rest);
  if (found.empty() && all.size() > 1) {  // a text that the shell took apart
    all = {{fmt::format("{}", fmt::join(line.text, " "))}};
    found = candidates(all, table, line.rest);
  }
  if (found.empty()) refuse(line.text, all, table);
  const Candidate& taken = found.front();
  const auto is_input = [](const std::string& word) { return word == "-" || word == "@-"; };
  if (std::ranges::any_of(taken.words, is_input)) context.input_text = all.front().text;
  Line out = read_line(taken.line(line.rest), table, defaults);
  for (const Candidate& c : found)
    out.readings.push_back(
        {line_text(c.line(line.rest)) + (&c == &taken ? "" : std::string(c.row->lacks)), c.row->what});
  return out;
}

Answer with_readings(Answer answer, const std::vector<DoorReading>& readings) {
  if (readings.empty() || answer.converse) return answer;
  Document d;
  std::string text = fmt::format("read as: {}", readings.front().line);
  for (std::size_t i = 1; i < readings.size(); ++i)
    text += fmt::format("\nor as:   {}  ({})", readings[i].line, readings[i].what);
  d.add(Paragraph{std::move(text), Tone::strong});
  d.json("command", readings.front().line).json("read_as", readings.front().what);
  d.json("others", json_list(std::span(readings).subspan(1), [](const DoorReading& r) {
           return Json{{"command", r.line}, {"read_as", r.what}};
         }));
  d.source = answer.document.source;
  if (!answers_of(answer.document).empty()) d.answers = {"command"};
  d.add(Group{"answer", {std::move(answer.document)}, true, true});
  answer.document = std::move(d);
  return answer;
}

Error with_readings(Error error, const std::vector<DoorReading>& readings) {
  if (readings.empty()) return error;
  error.hint += fmt::format("{}read as: {}", error.hint.empty() ? "" : "; ", readings.front().line);
  for (std::size_t i = 1; i < readings.size(); ++i) error.hint += fmt::format("; or: {}", readings[i].line);
  return error;
}

}  // namespace swz

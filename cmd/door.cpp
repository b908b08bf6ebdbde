// SPDX-License-Identifier: Apache-2.0
#include "door.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "answer.hpp"
#include "base/text.hpp"
#include "binary/embedded_binary.hpp"
#include "descriptor/computed_word.hpp"
#include "files.hpp"
#include "mapped_file.hpp"
#include "render/text.hpp"
#include "text_kinds.hpp"
#include "words.hpp"

namespace swz {
namespace {

// The text of a word. A name that can only be that of a file is read, or the reason why it cannot be read is kept.
Pasted pasted(const std::string& word, const Context& context) {
  struct stat file = {};
  const bool is_file = word.size() < 4096 && word.find('\0') == std::string::npos && stat(word.c_str(), &file) == 0 &&
                       S_ISREG(file.st_mode);
  if (word != "-" && !word.starts_with('@') && !is_file) return {word};
  const std::string path = is_file ? word : file_path(word);
  Pasted out{word};
  try {
    if (is_file) {
      // A library may be larger than any text, and its first bytes tell what it is.
      constexpr std::size_t beginning = 4096;
      const MappedFile mapped(path, "");
      if (is_container(mapped.bytes())) {
        out.text = mapped.bytes().substr(0, beginning);
        out.path = path;
        return out;
      }
    }
    out.text = read_text(path, context, {static_cast<std::size_t>(limits::ptx_bytes.most), limits::ptx_bytes.what, ""});
    out.path = path;
  } catch (const Error& error) {
    out.unopened = error.message();
  }
  return out;
}

// The word as a shell accepts it; a long one is cut, and one with several lines becomes one line.
std::string shell_text(const std::string& word) {
  constexpr std::size_t most = 72;
  const auto is_plain = [](char c) {
    return is_word(c) || std::string_view("-./,:=+@").find(c) != std::string_view::npos;
  };
  if (!word.empty() && word.size() <= most && std::ranges::all_of(word, is_plain)) return word;
  std::string text = "'";
  for (const char c : word.substr(0, most)) text += c == '\'' ? "'\\''" : std::string(1, c == '\n' ? ' ' : c);
  return text + (word.size() > most ? "…'" : "'");
}

// "swz decode '{lo = 66, hi = 64}'"
std::string line_text(const Words& words) {
  std::string text = "swz";
  for (const std::string& word : words) text += " " + shell_text(word);
  return text;
}

struct Candidate {
  const TextKind* row = nullptr;
  Words command = {}, words = {};  // its name, and the words that the text gives it
  bool knows_options = true;

  Words line(const Words& rest) const {
    const bool ends_options = std::ranges::find(words, "--") != words.end();
    Words all = command;
    for (const Words* part : {ends_options ? &rest : &words, ends_options ? &words : &rest})
      all.insert(all.end(), part->begin(), part->end());
    return all;
  }
};

// Whether the command has all options of the line.
bool knows(const Command& command, const Words& rest) {
  Common common;
  return split_words(rest, with_common(command.prepare().options, common)).unknown.empty();
}

std::string refusal_by(const TextKind& row, const std::vector<Pasted>& all) {
  for (const Pasted& one : all) {
    if (!row.is_sure && std::ssize(one.text) > limits::dump_bytes.most) return "it is too long";
    if (std::string why = row.why_not(one); !why.empty()) return why;
  }
  return "";
}

// The words that the text gives the command; a word that begins with '-' is put after "--".
Words words_of(const TextKind& row, const std::vector<Pasted>& all) {
  Words words;
  for (const Pasted& one : all)
    for (std::string& word : row.words(one)) words.push_back(std::move(word));
  const bool is_like_option = words.back().size() > 1 && words.back().starts_with('-');
  if (is_like_option && words.size() % 2 == 1) words.insert(words.end() - 1, "--");
  return words;
}

// The rows that accept every word; first those whose commands know all options of the line, because options show what
// is meant.
std::vector<Candidate> candidates(const std::vector<Pasted>& all, const Commands& table, const Words& rest) {
  std::vector<Candidate> out;
  for (const TextKind& row : text_kinds()) {
    const Command* command = find_command(table, row.command);
    if (command == nullptr || !refusal_by(row, all).empty()) continue;
    const Candidate candidate{&row, pieces_of(std::string(row.command), " "), words_of(row, all),
                              knows(*command, rest)};
    const auto is_same = [&](const Candidate& c) {
      return c.command == candidate.command && c.words == candidate.words;
    };
    if (std::ranges::none_of(out, is_same)) out.push_back(candidate);
    if (row.is_sure) break;
  }
  std::stable_partition(out.begin(), out.end(), [](const Candidate& c) { return c.knows_options; });
  return out;
}

[[noreturn]] void refuse(const Words& text, const std::vector<Pasted>& all, const Commands& table) {
  if (std::ranges::all_of(text.front(), [](char c) { return is_letter(c) || c == '-'; }) && text.front() != "-")
    throw unknown_command(table, text.front(), "");
  if (const std::string& why = all.front().unopened; !why.empty())
    throw usage_error(why, "@FILE names a file, @- is standard input; 'swz help' shows how to ask");
  if (is_machine_code(all.front().text)) refuse_machine_code();
  std::string tried;
  for (const TextKind& row : text_kinds())
    if (find_command(table, row.command) != nullptr)
      tried += fmt::format("\n{} (swz {}): {}", row.what, row.command, refusal_by(row, all));
  throw usage_error(fmt::format("swz does not know what {} is", swz::quoted(all.front().text)),
                    tried.empty()
                        ? "see 'swz --help'"
                        : fmt::format("'swz help' shows how to ask. swz tried these, and none fits:{}", tried));
}

}  // namespace

Line open_door(const Line& line, const Commands& table, const LineDefaults& defaults, Context& context) {
  std::vector<Pasted> all;
  for (const std::string& word : line.text) all.push_back(pasted(word, context));
  std::vector<Candidate> found = candidates(all, table, line.rest);
  if (found.empty() && all.size() > 1) {  // a text that the shell split
    all = {{fmt::format("{}", fmt::join(line.text, " "))}};
    found = candidates(all, table, line.rest);
  }
  if (found.empty()) refuse(line.text, all, table);
  const Candidate& taken = found.front();
  const auto is_input = [](const std::string& word) { return word == "-" || word == "@-"; };
  if (std::ranges::any_of(taken.words, is_input)) context.input_text = all.front().text;
  Line out = read_line(taken.line(line.rest), table, defaults);
  out.words = line.words;
  for (const Candidate& c : found)
    out.readings.push_back(
        {line_text(c.line(line.rest)) + (&c == &taken ? "" : std::string(c.row->lacks)), c.row->what});
  return out;
}

Error with_other_command(Error error, const Line& line, const Commands& table) {
  if (!line.readings.empty() || line.command == nullptr || exit_code_of(error) != 2) return error;
  const std::string_view name = line.command->name;
  const auto reads = [&](const TextKind& row) {
    return row.command == name || std::ranges::count(split(std::string(row.also), ','), std::string(name)) > 0;
  };
  if (std::ranges::none_of(text_kinds(), reads)) return error;
  Common common;
  std::vector<Pasted> all;
  for (const std::string& word :
       split_words(line.rest, with_common(line.command->prepare().options, common)).arguments) {
    if (word == "-" || word == "@-") return error;  // it was read, and is gone
    all.push_back(pasted(word, {}));
  }
  const std::vector<Candidate> found = all.empty() ? std::vector<Candidate>() : candidates(all, table, {});
  if (found.empty() || std::ranges::any_of(found, [&](const Candidate& c) { return reads(*c.row); })) return error;
  if (error.hint.find(fmt::format("swz {}", found.front().row->command)) != std::string::npos) return error;
  error.hint += fmt::format("{}it reads as {}: {}{}", error.hint.empty() ? "" : "; ", found.front().row->what,
                            line_text(found.front().line({})), found.front().row->lacks);
  return error;
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

// SPDX-License-Identifier: Apache-2.0
#include "tma/source_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "expr/c_parser.hpp"

namespace swz {

namespace {

constexpr std::size_t npos = std::string_view::npos;

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

// The end of the string literal that begins at `at`; `at` itself if it does not end in its line.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == '"') return i;
  }
  return at;
}

// "http://" in a literal is not a comment, so literals must go first; a quote in a comment is not a literal.
void blank_strings(std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) i = std::min(text.find('\n', i), text.size());
    else if (text.compare(i, 2, "/*") == 0) i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
    else if (text.compare(i, 3, "'\"'") == 0) i += 2;
    else if (text[i] == '"') {
      const std::size_t end = end_of_string(text, i);
      blank(text, i + 1, end);
      i = end;
    }
  }
}

void blank_if_0(std::string& text) {
  int depth = 0;  // of #if, from the "#if 0" on
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line(trimmed(std::string_view(text).substr(at, end - at)));
    if (depth == 0 && (line == "#if 0" || line == "#if false")) depth = 1;
    else if (depth > 0 && line.starts_with("#if")) ++depth;
    else if (depth > 0 && line.starts_with("#endif")) --depth;
    else if (depth == 1 && (line.starts_with("#else") || line.starts_with("#elif"))) depth = 0;
    if (depth > 0) blank(text, at, end);
    at = end + 1;
  }
}

// The place at which the template arguments that open at `open` close: "array<int, 2>"; `open` itself for a comparison.
std::size_t end_of_template(std::string_view text, std::size_t open) {
  std::size_t end = open + 1;
  const auto is_argument = [](char c) { return is_word(c) || c == ':' || c == ',' || c == ' ' || c == '*'; };
  while (end < text.size() && is_argument(text[end])) ++end;
  const bool is_template = open > 0 && is_word(text[open - 1]) && end < text.size() && text[end] == '>';
  return is_template ? end : open;
}

// The next occurrence of a whole name in the text, from `from` on; npos if there is none.
std::size_t find_name(std::string_view text, std::string_view name, std::size_t from) {
  for (std::size_t at = text.find(name, from); at != npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + name.size();
    if (begins && (end == text.size() || !is_word(text[end]))) return at;
  }
  return npos;
}

std::size_t after_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// The text before a place without its last blanks.
std::string_view before(std::string_view text, std::size_t at) {
  const std::size_t last = text.substr(0, at).find_last_not_of(" \t\r\n");
  return text.substr(0, last == npos ? 0 : last + 1);
}

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

bool is_assignment(std::string_view text) { return text.starts_with('=') && !text.starts_with("=="); }

// "*= 2", "<<= 1", "++"
bool is_compound(std::string_view text) {
  if (text.starts_with("++") || text.starts_with("--")) return true;
  const bool is_shift = text.starts_with("<<=") || text.starts_with(">>=");
  return is_shift || (text.size() > 1 && text[1] == '=' && std::string_view("+-*/%&|^").find(text[0]) != npos);
}

// Whether the '{' at `open` begins statements, not a struct, a namespace, an enum or a list of values.
bool begins_statements(std::string_view text, std::size_t open) {
  constexpr std::array<std::string_view, 6> words{"else", "do", "try", "const", "noexcept", "mutable"};
  const std::string_view head = before(text, open);
  if (head.empty() || std::string_view(");{}]").find(head.back()) != npos) return true;
  return is_one_of(words, last_word(head));
}

std::string without_blanks(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return out;
}

std::int64_t line_of(std::string_view text, std::size_t at) { return line_at(text, at).number; }

// The statement from a name on: "n *= 2".
std::string_view statement_at(std::string_view text, std::size_t at) {
  return trimmed(text.substr(at, std::min(text.find_first_of(";\n", at), text.size()) - at));
}

}  // namespace

std::string code_alone(std::string_view text) {
  std::string code(text);
  blank_strings(code);
  code = without_comments(code);
  blank_if_0(code);
  return code;
}

std::size_t closing_of(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (std::string_view("([{").find(text[i]) != npos) ++depth;
    if (std::string_view(")]}").find(text[i]) != npos && --depth == 0) return i;
  }
  return npos;
}

std::vector<std::string_view> pieces_at_commas(std::string_view text) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '<') i = end_of_template(text, i);
    const char c = i < text.size() ? text[i] : ',';
    if (std::string_view("([{").find(c) != npos) ++depth;
    if (std::string_view(")]}").find(c) != npos) --depth;
    if (c != ',' || (depth != 0 && i < text.size())) continue;
    pieces.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  return pieces;
}

SourceDefinitions::SourceDefinitions(std::string_view code) : code_(code), blocks_(code.size(), Block::open) {
  mark_blocks();
}

// Marks the places in blocks of statements that have ended.
void SourceDefinitions::mark_blocks() {
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  std::vector<std::size_t> open;
  std::vector<Range> ended;  // an inner one comes before an outer one
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (code_[i] == '{') open.push_back(i);
    if (code_[i] != '}' || open.empty()) continue;
    if (begins_statements(code_, open.back())) ended.push_back({open.back(), i});
    open.pop_back();
  }
  std::erase_if(open, [&](std::size_t at) { return !begins_statements(code_, at); });
  const std::size_t own = open.empty() ? 0 : open.front();  // the function in which the text ends begins here
  std::size_t first = code_.size();
  // From the last one: each begins before those that are already marked, or is inside of one of them.
  for (std::size_t i = ended.size(); i-- > 0;) {
    if (ended[i].begin >= first) continue;
    first = ended[i].begin;
    const Block kind = ended[i].begin < own ? Block::other_function : Block::ended;
    std::fill(blocks_.begin() + static_cast<std::ptrdiff_t>(ended[i].begin),
              blocks_.begin() + static_cast<std::ptrdiff_t>(ended[i].end), kind);
  }
}

// What follows the name and its subscripts: [i], .at(i), .front(), .back().
SourceDefinitions::Use SourceDefinitions::use_at(std::size_t at, std::size_t length) const {
  Use use{at, at + length, after_blanks(code_, at + length)};
  for (;;) {
    const std::string_view rest = code_.substr(use.next);
    const bool is_call = rest.starts_with(".at(") || rest.starts_with(".front(") || rest.starts_with(".back(");
    if (!is_call && !rest.starts_with('[')) return use;
    const std::size_t close = closing_of(code_, use.next + (is_call ? rest.find('(') : 0));
    if (close == npos) return use;
    use.has_subscript = true;
    use.next = after_blanks(code_, close + 1);
  }
}

// args.K and Config::K are not K.
bool SourceDefinitions::is_of_other(std::size_t at) const {
  const std::string_view text = before(code_, at);
  if (text.ends_with("this->")) return false;
  return (text.ends_with('.') && !text.ends_with("..")) || text.ends_with("->") || text.ends_with("::");
}

// The statement before a place in it: "if (large)" of "if (large) n = 64".
std::string_view SourceDefinitions::head_of(std::size_t at) const {
  const std::size_t last = code_.substr(0, at).find_last_of(";{}");
  const std::size_t begin = last == npos ? 0 : last + 1;
  std::string_view head = trimmed(code_.substr(begin, at - begin));
  while (head.starts_with('#')) head = trimmed(head.substr(std::min(head.find('\n'), head.size())));
  return head;
}

// The name before the bracket around a place: "swap" for "std::swap(a, b)". Empty if there is none.
std::string_view SourceDefinitions::function_around(std::size_t at) const {
  int depth = 0;
  for (std::size_t i = at; i-- > 0;) {
    if (code_[i] == ';' || code_[i] == '{' || code_[i] == '}') return {};
    if (code_[i] == ')') ++depth;
    if (code_[i] == '(' && --depth < 0) return last_word(before(code_, i));
  }
  return {};
}

// The value after '=' or in braces; empty if the use is not a definition.
std::string_view SourceDefinitions::value_of(const Use& use) const {
  std::size_t next = use.next;
  const bool is_assigned = is_assignment(code_.substr(next));
  if (is_assigned) next = after_blanks(code_, next + 1);
  if (next < code_.size() && code_[next] == '{') {
    const std::size_t close = closing_of(code_, next);
    return close == npos ? std::string_view{} : code_.substr(next, close + 1 - next);
  }
  if (!is_assigned || use.has_subscript) return {};
  std::size_t end = next;
  int depth = 0;
  for (; end < code_.size() && code_[end] != ';'; ++end) {
    if (std::string_view("([{").find(code_[end]) != npos) ++depth;
    if (std::string_view(")]}").find(code_[end]) != npos && --depth < 0) break;
  }
  const std::vector<std::string_view> pieces = pieces_at_commas(code_.substr(next, end - next));
  return pieces.empty() ? std::string_view{} : pieces.front();
}

// A function may write to an array and to an address; of a number it gets a copy.
bool SourceDefinitions::is_passed_to_change(const Use& use, bool is_array) const {
  constexpr std::array<std::string_view, 3> changing{"swap", "iter_swap", "exchange"};
  constexpr std::array<std::string_view, 10> reading{"sizeof", "printf", "fprintf",    "assert",      "size",
                                                     "ssize",  "if",     "accumulate", "static_cast", "return"};
  const std::string_view function = function_around(use.begin);
  if (is_one_of(changing, function)) return true;
  if (function.empty() || is_one_of(reading, function) || function.starts_with("cuTensorMap")) return false;
  std::string_view head = before(code_, use.begin);
  if (function == "for") return head.ends_with(':') && head_of(use.begin).find('&') != npos;
  const bool is_address = head.ends_with('&');
  if (is_address) head = before(code_, head.size() - 1);
  if (!head.ends_with('(') && !head.ends_with(',')) return false;
  if (is_address) return true;
  return is_array && !use.has_subscript;
}

bool SourceDefinitions::is_changed(const Use& use, bool is_array) const {
  const std::string_view head = before(code_, use.begin), rest = code_.substr(use.next);
  if (head.ends_with("++") || head.ends_with("--") || is_compound(rest)) return true;
  if (use.has_subscript && is_assignment(rest)) return true;
  if (rest.starts_with(".fill(") || rest.starts_with(".swap(") || rest.starts_with(".push_back(") ||
      rest.starts_with(".assign("))
    return true;
  return is_passed_to_change(use, is_array);
}

bool SourceDefinitions::holds_at_end(std::size_t at) const {
  constexpr std::array<std::string_view, 6> words{"if", "else", "for", "while", "switch", "case"};
  const std::string_view head = head_of(at);
  std::size_t end = 0;
  while (end < head.size() && is_word(head[end])) ++end;
  return blocks_[at] == Block::open && !is_one_of(words, head.substr(0, end));
}

SourceDefinition SourceDefinitions::find(std::string_view name) const {
  SourceDefinition found;
  std::size_t first = npos;
  std::optional<std::size_t> change;
  bool holds = false, is_array = false;
  std::int64_t uses = 0;
  for (std::size_t at = find_name(code_, name, 0); at != npos; at = find_name(code_, name, at + 1)) {
    require_within(limits::pasted_uses, ++uses);
    const std::size_t line = code_.rfind('\n', at) + 1, end = at + name.size();
    const bool is_macro = trimmed(code_.substr(line, at - line)) == "#define";
    if (!is_macro && is_of_other(at)) continue;
    const Use use = use_at(at, name.size());
    // Another function has its own names; without a type it may be one of all functions.
    if (!is_macro && blocks_[at] == Block::other_function && (!head_of(at).empty() || value_of(use).empty())) continue;
    const std::string_view value = is_macro ? trimmed(code_.substr(end, code_.find('\n', end) - end)) : value_of(use);
    if (value.empty()) {
      if (!is_macro && !change && is_changed(use, is_array)) change = at;
      continue;
    }
    if (first != npos && without_blanks(value) != without_blanks(found.value))
      throw Error(fmt::format("{} has more than one value: {} in line {} and {} in line {}", name, quoted(found.value),
                              line_of(code_, first), quoted(value), line_of(code_, at)),
                  "leave only the definition that the call uses");
    if (first == npos) first = at;
    found = {value, is_macro};
    is_array = value.starts_with('{') && (use.has_subscript || value.find(',') != npos);
    holds = holds || is_macro || holds_at_end(at);
  }
  if (first == npos) return {};
  if (change)
    throw Error(fmt::format("{} changes after its definition: {} in line {}", name,
                            quoted(statement_at(code_, *change)), line_of(code_, *change)),
                "swz does not run the code: write the value of the call into the definition");
  if (!holds)
    throw Error(fmt::format("{} = {} in line {} is under a condition or in a block that has ended", name,
                            quoted(found.value), line_of(code_, first)),
                "write the value of the call above it, outside of the block");
  return found;
}

}  // namespace swz

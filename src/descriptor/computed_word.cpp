// SPDX-License-Identifier: Apache-2.0
#include "descriptor/computed_word.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr std::string_view operators[] = {"<<", ">>", "|", "&", "^", "+", "*", "-"};

std::string_view trim_right(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t") + 1); }
std::string_view trim_left(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

// Removes the "(" and "(uint64_t)" that may precede an operand.
std::string_view without_casts_at_end(std::string_view text) {
  for (text = trim_right(text); !text.empty(); text = trim_right(text)) {
    if (text.ends_with('(')) {
      text.remove_suffix(1);
      continue;
    }
    const std::size_t open = text.ends_with(')') ? text.rfind('(') : std::string_view::npos;
    if (open == std::string_view::npos || open + 2 >= text.size() || !is_letter(text[open + 1])) break;
    if (open > 0 && is_word(text[open - 1])) break;  // it is a call
    text.remove_suffix(text.size() - open);
  }
  return text;
}

std::string_view without_casts(std::string_view text) {
  for (text = trim_left(text); text.starts_with('('); text = trim_left(text)) {
    const std::size_t close = text.find(')');
    const bool is_cast = text.size() > 1 && is_letter(text[1]) && close != std::string_view::npos;
    text.remove_prefix(is_cast ? close + 1 : 1);
  }
  return text;
}

// The number at the end of a text, with the parentheses around it; empty if the text does not end in one.
std::string_view number_at_end(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && (text[end - 1] == ')' || text[end - 1] == ' ')) --end;
  std::size_t begin = end;
  while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '\'')) --begin;
  const bool is_number = begin < end && is_digit(text[begin]) && find_unsigned(text.substr(begin, end - begin));
  const bool is_name = begin > 0 && std::string_view("$%#.").find(text[begin - 1]) != std::string_view::npos;
  return is_number && !is_name ? text.substr(begin) : std::string_view();
}

// The name that a text assigns to: "x" in "x = 0x42 |", if the text before the number is "x ="; empty if there is none.
std::string_view name_before(std::string_view text) {
  text = without_casts_at_end(text);
  if (!text.ends_with('=') && !text.ends_with(':')) return {};
  text = trim_right(text.substr(0, text.size() - 1));
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Whether a name may be that of a word, and not the number of a step or a tile next to the word.
bool may_name_word(std::string_view name) {
  const std::string lower = lower_case(name);
  return name.empty() || lower.find("desc") != std::string::npos || lower.find("word") != std::string::npos ||
         lower.find("mat") != std::string::npos || lower == "d";
}

bool is_wide(std::string_view number) { return find_unsigned(trimmed(number)).value_or(0) >> 32 != 0; }

// The line around the place, or a part of it, because a log may be a single line.
std::string_view line_around(std::string_view text, std::size_t at) {
  constexpr std::size_t most = 256;
  const std::size_t from = at - std::min(at, most);
  const std::size_t begin = from + text.substr(from, at - from).rfind('\n') + 1;
  const std::string_view behind = text.substr(at, most);
  return text.substr(begin, at - begin + std::min(behind.find('\n'), behind.size()));
}

// The place at which the left operand of the number at `begin` begins; `begin` if it has none.
std::size_t left_operand(std::string_view line, std::size_t begin, bool is_wide_word) {
  const std::string_view before = without_casts_at_end(line.substr(0, begin));
  // "desc_a - desc_b = 0x400"
  if (const std::string_view name = name_before(before); !name.empty()) {
    const std::string_view left = trim_right(before.substr(0, static_cast<std::size_t>(name.data() - before.data())));
    for (const std::string_view sign : {" -", " +", " ^"}) {
      if (!left.ends_with(sign)) continue;
      std::size_t first = left.size() - sign.size();
      while (first > 0 && (is_word(left[first - 1]) || left[first - 1] == '.')) --first;
      if (first + sign.size() < left.size()) return first;
    }
  }
  for (const std::string_view assigned : {"|=", "&=", "^=", "+="})
    if (before.ends_with(assigned)) {
      const std::string_view variable = trim_right(before.substr(0, before.size() - 2));
      std::size_t first = variable.size();
      while (first > 0 && (is_word(variable[first - 1]) || variable[first - 1] == '.')) --first;
      return first;
    }
  for (const std::string_view sign : operators) {
    if (!before.ends_with(sign) || (sign == "-" && !before.ends_with(" -"))) continue;
    if (sign == "-" && begin > 0 && line[begin - 1] == '-') return begin;  // it is a negative number
    const std::string_view left = trim_right(before.substr(0, before.size() - sign.size()));
    if (const std::string_view number = number_at_end(left); !number.empty()) {
      const std::string_view lead = trim_right(left.substr(0, left.size() - number.size()));
      const std::string_view name = lead.ends_with('(') ? std::string_view() : name_before(lead);
      const bool is_column = sign == "|" && ((is_wide_word && is_wide(number)) || !may_name_word(name));
      return is_column ? begin : left.size() - number.size();
    }
    // "desc = base | 0x42"
    std::size_t first = left.size();
    const auto is_of_name = [](char c) {
      return is_word(c) || std::string_view(".[]()>-").find(c) != std::string_view::npos;
    };
    while (first > 0 && is_of_name(left[first - 1])) --first;
    const bool is_assigned = first < left.size() && trim_right(left.substr(0, first)).ends_with('=');
    return is_assigned ? first : begin;
  }
  return begin;
}

// The place at which the right operand of the number that ends at `end` ends; `end` if it has none.
std::size_t right_operand(std::string_view line, std::size_t end, bool is_wide_word, bool is_bound) {
  std::string_view behind = trim_left(line.substr(end));
  while (behind.starts_with(')')) behind = trim_left(behind.substr(1));
  for (const std::string_view sign : operators) {
    if (!behind.starts_with(sign) || (sign == "-" && !behind.starts_with("- "))) continue;
    const std::string_view right = without_casts(behind.substr(sign.size()));
    std::size_t last = 0;
    while (last < right.size() && (is_word(right[last]) || right[last] == '\'')) ++last;
    // "desc = 0x42 + k": a name is an operand only if nothing else can be meant
    const bool is_name = (sign == "+" || sign == "*") && last > 0 && is_letter(right[0]) &&
                         !trim_left(right.substr(last)).starts_with('=') && is_bound;
    if (is_name) return static_cast<std::size_t>(right.data() - line.data()) + last;
    if (!find_unsigned(right.substr(0, last))) return end;
    const std::string_view rest = trim_left(right.substr(last));
    // "0x42 | 132 CTAs" has columns.
    const bool is_column = sign == "|" && ((is_wide_word && is_wide(right.substr(0, last))) ||
                                           (!rest.empty() && (is_word(rest[0]) || rest[0] == '.' || rest[0] == ':')));
    return is_column ? end : static_cast<std::size_t>(right.data() - line.data()) + last;
  }
  return end;
}

bool is_one_of(char c, std::string_view marks) { return marks.find(c) != std::string_view::npos; }

// Where the operator begins that is the last of `before` and changes what follows; npos if there is none. `is_direct`:
// nothing but parentheses and casts is between.
std::size_t sign_at_end(std::string_view before, bool is_direct, bool is_hexadecimal) {
  if (before.ends_with('~')) return before.size() - 1;
  if (before.ends_with('!') && is_direct) {
    const char left = before.size() > 1 ? before[before.size() - 2] : ' ';
    return is_word(left) || left == '!' ? std::string_view::npos : before.size() - 1;  // "failed! 0x42"
  }
  for (const std::string_view dash : {"-", "\u2212", "\u2013"}) {
    if (!before.ends_with(dash)) continue;
    const std::string_view close = before.substr(0, before.size() - dash.size()), left = trim_right(close);
    const bool is_range = !close.empty() && (is_word(close.back()) || is_one_of(close.back(), ")]'\""));
    const bool is_bullet = left.empty() && is_hexadecimal && !is_direct;
    const bool begins = left.empty() || is_one_of(left.back(), "=(,:[{|&^+*~!?");
    if (!is_range && !is_bullet && (is_direct || begins)) return close.size();
  }
  return std::string_view::npos;
}

// Where the name of a function begins that changes the order of bits or bytes; npos if `before` does not end in one.
std::size_t call_at_end(std::string_view before) {
  std::size_t begin = before.size();
  while (begin > 0 && is_word(before[begin - 1])) --begin;
  const std::string name = lower_case(before.substr(begin));
  for (const std::string_view part : {"bswap", "byteswap", "brev", "bitreverse", "be64", "ntoh", "hton"})
    if (name.find(part) != std::string::npos) return begin;
  return std::string_view::npos;
}

// Whether a statement of PTX computes: or.b64 %rd7, %rd6, 42;
bool is_computing(std::string_view statement) {
  const std::string_view operation = statement.substr(0, statement.find('.'));
  constexpr std::string_view computing[] = {"or",  "and", "xor",  "add", "sub", "mul",  "mad",  "shl", "shr",
                                            "bfi", "bfe", "lop3", "not", "neg", "cnot", "brev", "abs", "prmt"};
  return operation.size() < statement.size() && statement.find('%') != std::string_view::npos &&
         std::ranges::find(computing, operation) != std::end(computing);
}

}  // namespace

std::string_view shift_in(std::string_view text) {
  for (const std::string_view sign : {"<<", ">>"})
    for (std::size_t at = text.find(sign); at != std::string_view::npos; at = text.find(sign, at + 1)) {
      std::size_t begin = text.find_last_not_of(" \t)", at == 0 ? 0 : at - 1),
                  end = text.find_first_not_of(" \t(", at + 2);
      if (at == 0 || begin == std::string_view::npos || end == std::string_view::npos || !is_digit(text[end])) continue;
      if (!is_word(text[begin])) continue;
      while (begin > 0 && is_word(text[begin - 1])) --begin;
      while (end < text.size() && is_word(text[end])) ++end;
      if (!is_digit(text[begin])) continue;
      if (begin > 0 && text[begin - 1] == '(' && text.substr(begin, end - begin).find(')') != std::string_view::npos)
        --begin;
      return text.substr(begin, end - begin);
    }
  return {};
}

std::string_view changed_number(std::string_view line, std::size_t begin, std::size_t end) {
  constexpr std::size_t longest = 128;  // of casts and a name; it keeps a long line from being searched for each number
  const std::size_t from = begin - std::min(begin, longest);
  const std::string_view lead = line.substr(from, begin - from), before = without_casts_at_end(lead);
  const std::string_view between = lead.substr(before.size());
  const bool is_direct = between.empty() || between[0] == '(';
  std::size_t at = sign_at_end(before, is_direct, line.substr(begin).starts_with("0x"));
  if (at == std::string_view::npos && between.starts_with('(')) at = call_at_end(before);
  if (at == std::string_view::npos) return {};
  auto open = std::ranges::count(between, '(') - std::ranges::count(between, ')');
  for (; open > 0 && end < line.size() && line[end] == ')'; --open) ++end;
  return line.substr(from + at, end - from - at);
}

std::string_view computation_with(std::string_view text, const TextNumber& number) {
  if (number.text.data() < text.data() || number.text.data() + number.text.size() > text.data() + text.size())
    return {};
  const std::string_view line = line_around(text, static_cast<std::size_t>(number.text.data() - text.data()));
  const auto begin = static_cast<std::size_t>(number.text.data() - line.data()), end = begin + number.text.size();
  const std::size_t first = line.substr(0, begin).rfind(';') + 1;
  const std::string_view statement = trimmed(line.substr(first, std::min(line.find(';', end), line.size()) - first));
  if (is_computing(statement)) return statement;
  if (!number.changed.empty()) return number.changed;
  if (trimmed(line).starts_with('|')) return {};
  const bool is_wide_word = number.value >> 32 != 0;
  const std::size_t from = left_operand(line, begin, is_wide_word),
                    to = right_operand(line, end, is_wide_word, number.is_bound);
  return from == begin && to == end ? std::string_view() : line.substr(from, to - from);
}

bool is_machine_code(std::string_view text) {
  // "/*0130*/" at the beginning of a line, "/* 0x0000820000047ab9 */" at its end
  while (!text.empty()) {
    const std::string_view line = trimmed(take_line(text));
    if (line.size() < 8 || line.find("/*") == std::string_view::npos) continue;
    const std::size_t open = line.find("/*"), close = line.find("*/", open);
    const std::size_t last = line.rfind("/*");
    const auto is_hexadecimal = [](std::string_view digits) {
      return digits.size() >= 4 && std::ranges::all_of(digits, is_hex);
    };
    if (open == 0 && close != std::string_view::npos && is_hexadecimal(line.substr(2, close - 2))) return true;
    if (!line.ends_with("*/") || last + 4 > line.size()) continue;
    const std::string_view encoding = trimmed(line.substr(last + 2, line.size() - last - 4));
    if (encoding.size() == 18 && encoding.starts_with("0x") && is_hexadecimal(encoding.substr(2))) return true;
  }
  return false;
}

void refuse_machine_code() {
  throw Error("this is a listing of machine code: its words are encodings of instructions, not descriptors",
              "swz decode takes the word of a descriptor, also as the UMOV of its two halves; swz frag and swz banks "
              "--access take one instruction, swz kernel takes PTX");
}

}  // namespace swz

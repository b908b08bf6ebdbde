// SPDX-License-Identifier: Apache-2.0
#include "source_spans.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace swz {

namespace {

constexpr std::size_t most_call_bytes = 4096, least_digits = 9, most_digits = 16;

bool is_name_char(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// The line around a byte.
std::string_view line_around(std::string_view text, std::size_t at) {
  const std::size_t before = text.rfind('\n', at), after = text.find('\n', at);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, (after == std::string_view::npos ? text.size() : after) - begin);
}

// 0x and its digits, between which ' and _ may be.
std::optional<SourceSpan> hex_at(std::string_view text, std::size_t at) {
  if (text[at] != '0' || at + 2 >= text.size() || (text[at + 1] | 0x20) != 'x') return std::nullopt;
  std::string digits;
  std::size_t end = at + 2;
  for (; end < text.size() && (is_hex(text[end]) || text[end] == '\'' || text[end] == '_'); ++end)
    if (is_hex(text[end])) digits += text[end];
  if (digits.size() < least_digits || digits.size() > most_digits) return std::nullopt;
  const std::string around = lower_case(line_around(text, at));
  return SourceSpan{at, end, {"decode", "0x" + digits}, around.find("desc") != std::string::npos};
}

// One past the bracket that closes the one at `open`; nothing if none does within most_call_bytes.
std::optional<std::size_t> closed(std::string_view text, std::size_t open) {
  std::string wanted;
  const std::size_t last = std::min(text.size(), open + most_call_bytes);
  for (std::size_t at = open; at < last; ++at) {
    const char c = text[at];
    if (c == '(') wanted += ')';
    else if (c == '<') wanted += '>';
    else if (c == '{') wanted += '}';
    else if (c == '[') wanted += ']';
    else if (c == ')' || c == '>' || c == '}' || c == ']') {
      if (wanted.empty() || wanted.back() != c) return std::nullopt;
      wanted.pop_back();
      if (wanted.empty()) return at + 1;
    }
  }
  return std::nullopt;
}

// A name with its bracket, and the question about what is between them.
struct CallRow {
  std::string_view name;  // with the bracket
  Words (*question)(std::string_view text, std::size_t begin, std::size_t end);
  bool is_claim = false;
};

std::string between(std::string_view text, std::size_t begin, std::size_t end) {
  return std::string(text.substr(begin, end - begin));
}

Words layout_question(std::string_view text, std::size_t begin, std::size_t end) {
  return {"layout", between(text, begin, end)};
}

// "Swizzle<3, 4, 3>": "3,4,3". Nothing if it has other than numbers, which a command might take for a file.
Words swizzle_question(std::string_view text, std::size_t begin, std::size_t end) {
  std::string numbers = between(text, text.find('<', begin) + 1, end - 1);
  std::erase_if(numbers, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  if (numbers.find_first_not_of("0123456789,-") != std::string::npos) return {};
  return {"swizzle", "explain", numbers};
}

// The call, with the definitions above it. Calls above it are blank, so that this one is the first.
Words tensor_map_question(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t most_above = 32 * 1024;
  const std::size_t from = begin > most_above ? begin - most_above : 0;
  std::string pasted = between(text, from, end);
  constexpr std::string_view call = "cuTensorMapEncode";
  for (std::size_t at = pasted.find(call); at < begin - from; at = pasted.find(call, at))
    pasted.replace(at, call.size(), call.size(), ' ');
  if (pasted.find('\n') == std::string::npos) pasted += '\n';
  return {"tma", "check", "--paste", pasted};
}

constexpr CallRow call_rows[] = {
    {"Swizzle<", swizzle_question},
    {"Layout<", layout_question},
    {"make_layout(", layout_question},
    {"make_ordered_layout(", layout_question},
    {"composition(", layout_question},
    {"tile_to_shape(", layout_question},
    {"logical_divide(", layout_question},
    {"zipped_divide(", layout_question},
    {"make_composed_layout(", layout_question},
    {"cuTensorMapEncodeTiled(", tensor_map_question, true},
};

std::optional<SourceSpan> call_at(std::string_view text, std::size_t at) {
  for (const CallRow& row : call_rows) {
    if (!text.substr(at).starts_with(row.name)) continue;
    const std::optional<std::size_t> end = closed(text, at + row.name.size() - 1);
    if (!end) continue;
    if (Words question = row.question(text, at, *end); !question.empty())
      return SourceSpan{at, *end, std::move(question), row.is_claim};
  }
  return std::nullopt;
}

}  // namespace

std::vector<SourceSpan> source_spans(std::string_view text, std::size_t most) {
  std::vector<SourceSpan> spans;
  for (std::size_t at = 0; at < text.size() && spans.size() < most; ++at) {
    if (!is_name_char(text[at]) || (at > 0 && is_name_char(text[at - 1]))) continue;
    if (std::optional<SourceSpan> span = is_digit(text[at]) ? hex_at(text, at) : call_at(text, at))
      spans.push_back(std::move(*span));
  }
  return spans;
}

}  // namespace swz

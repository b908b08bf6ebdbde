// SPDX-License-Identifier: Apache-2.0
#include "expr/scanner.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"

namespace swz {

void Scanner::expect(char c, std::string_view purpose) {
  if (!accept(c)) throw Error(fmt::format("expected '{}' {}, {}", c, purpose, found()), {}, here());
}

bool Scanner::accept_word(std::string_view word) {
  if (!next_is(word)) return false;
  const std::string_view behind = rest().substr(word.size());
  return (behind.empty() || !is_word(behind[0])) && accept(word);
}

std::string_view Scanner::keyword() {
  Scanner ahead = *this;
  const std::string_view name = ahead.identifier();
  if (name.empty() || !ahead.accept('=') || ahead.peek() == '=') return {};
  *this = ahead;
  return name;
}

void Scanner::skip_to_closing() {
  skip_space();
  std::size_t end = position();
  for (int open = 0; end < text().size(); ++end) {
    const char c = text()[end];
    if (c == '(' || c == '[' || c == '<' || c == '{') ++open;
    if ((c == ')' || c == ']' || c == '>' || c == '}') && --open < 0) break;
  }
  if (end > position()) move_to(end);
}

std::string_view Scanner::take_to_closing(std::size_t begin) {
  skip_to_closing();
  return text_since(begin);
}

std::string_view Scanner::identifier() { return is_letter(peek()) ? type_name() : std::string_view(); }

std::string_view Scanner::type_name() {
  skip_space();
  const std::size_t begin = position();
  do take_while(is_word);
  while (rest().starts_with("::") && accept("::"));
  return text().substr(begin, position() - begin);
}

std::string_view Scanner::suffixes() {
  if (!next_is(".")) return {};
  const std::size_t begin = position();
  while (accept('.')) type_name();
  return text_since(begin);
}

std::optional<std::int64_t> Scanner::integer(std::string_view suffixes) {
  skip_space();
  const std::string_view all = text();
  const std::size_t begin = position();
  std::size_t at = begin;
  if (at < all.size() && all[at] == '_') ++at;
  const bool negative = at < all.size() && all[at] == '-';
  if (negative) ++at;
  if (at >= all.size() || !is_digit(all[at])) return std::nullopt;

  const bool hex = all.substr(at).starts_with("0x") || all.substr(at).starts_with("0X");
  if (hex) at += 2;
  std::size_t end = at;
  while (end < all.size() && (hex ? is_hex(all[end]) : is_digit(all[end]))) ++end;
  std::int64_t value = 0;
  const auto result = std::from_chars(all.data() + at, all.data() + end, value, hex ? 16 : 10);
  while (end > at && end < all.size() && suffixes.find(all[end]) != std::string_view::npos) ++end;
  move_to(end);
  const std::string_view digits = all.substr(begin, end - begin);
  if (end == at) throw Error(fmt::format("{} has no digits", quoted(digits)), "write 0x and hex digits", since(begin));
  // octal in C, hexadecimal in a register dump
  if (!hex && end - at > 1 && all[at] == '0' && is_digit(all[at + 1])) {
    const std::string_view sign = negative ? "-" : "";
    throw Error(
        fmt::format("{} begins with 0: is it hexadecimal, octal or decimal?", quoted(digits)),
        fmt::format("write it as {}{}, or {}0x{} if it is hexadecimal", sign, value, sign, all.substr(at, end - at)),
        since(begin));
  }
  if (result.ec == std::errc::result_out_of_range)
    throw Error(fmt::format("{} does not fit in 64 bits", quoted(digits)), "numbers must stay below 2^63",
                since(begin));
  if (end < all.size() && is_letter(all[end]))
    throw Error(fmt::format("{} runs into the letter '{}'", quoted(digits), all[end]), "leave a space or a comma",
                {begin, end + 1});
  return negative ? -value : value;
}

std::optional<std::int64_t> Scanner::integer_before(char letter) {
  skip_space();
  Scanner ahead = *this;
  const auto value = ahead.number();
  if (!value || ahead.next() != letter) return std::nullopt;
  ahead.accept(letter);
  *this = ahead;
  return value;
}

}  // namespace swz

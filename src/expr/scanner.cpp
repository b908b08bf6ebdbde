// SPDX-License-Identifier: Apache-2.0
#include "expr/scanner.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"

namespace swz {
void Scanner::skip_space() {
  while (position_ < text_.size() &&
         (text_[position_] == ' ' || text_[position_] == '\t' || text_[position_] == '\n' || text_[position_] == '\r'))
    ++position_;
}

void Scanner::take(std::size_t count) { end_of_last_ = position_ += count; }

bool Scanner::at_end() {
  skip_space();
  return position_ == text_.size();
}

char Scanner::peek(std::size_t ahead) {
  skip_space();
  return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
}

bool Scanner::accept(char c) { return accept_symbol({&c, 1}); }

void Scanner::expect(char c, std::string_view purpose) {
  if (!accept(c)) throw Error(fmt::format("expected '{}' {}, {}", c, purpose, found()), {}, here());
}

bool Scanner::accept_word(std::string_view word) {
  skip_space();
  const std::string_view rest = text_.substr(position_);
  if (!rest.starts_with(word) || (rest.size() > word.size() && is_word(rest[word.size()]))) return false;
  take(word.size());
  return true;
}

bool Scanner::accept_symbol(std::string_view symbol) {
  skip_space();
  if (!text_.substr(position_).starts_with(symbol)) return false;
  take(symbol.size());
  return true;
}

bool Scanner::next_is(std::string_view symbol) {
  skip_space();
  return text_.substr(position_).starts_with(symbol);
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
  std::size_t end = position_;
  for (int open = 0; end < text_.size(); ++end) {
    const char c = text_[end];
    if (c == '(' || c == '[' || c == '<' || c == '{') ++open;
    if ((c == ')' || c == ']' || c == '>' || c == '}') && --open < 0) break;
  }
  if (end > position_) take(end - position_);
}

std::string_view Scanner::take_to_closing(std::size_t begin) {
  skip_to_closing();
  return text_since(begin);
}

std::string_view Scanner::identifier() { return is_letter(peek()) ? type_name() : std::string_view(); }

std::string_view Scanner::type_name() {
  skip_space();
  std::size_t end = position_;
  while (end < text_.size()) {
    if (is_word(text_[end])) ++end;
    else if (text_.substr(end).starts_with("::")) end += 2;
    else break;
  }
  const std::string_view name = text_.substr(position_, end - position_);
  take(name.size());
  return name;
}

std::string_view Scanner::suffixes() {
  skip_space();
  const std::size_t begin = position_;
  while (accept('.')) type_name();
  return text_.substr(begin, end_of_last_ > begin ? end_of_last_ - begin : 0);
}

std::optional<std::int64_t> Scanner::integer(std::string_view suffixes) {
  skip_space();
  const std::size_t begin = position_;
  std::size_t at = begin;
  if (at < text_.size() && text_[at] == '_') ++at;
  const bool negative = at < text_.size() && text_[at] == '-';
  if (negative) ++at;
  if (at >= text_.size() || !is_digit(text_[at])) return std::nullopt;

  const bool hex = text_.substr(at).starts_with("0x") || text_.substr(at).starts_with("0X");
  if (hex) at += 2;
  std::size_t end = at;
  while (end < text_.size() && (hex ? is_hex(text_[end]) : is_digit(text_[end]))) ++end;
  std::int64_t value = 0;
  const auto result = std::from_chars(text_.data() + at, text_.data() + end, value, hex ? 16 : 10);
  while (end > at && end < text_.size() && suffixes.find(text_[end]) != std::string_view::npos) ++end;
  take(end - begin);
  const std::string_view digits = text_.substr(begin, end - begin);
  if (end == at) throw Error(fmt::format("{} has no digits", quoted(digits)), "write 0x and hex digits", since(begin));
  if (result.ec == std::errc::result_out_of_range)
    throw Error(fmt::format("{} does not fit in 64 bits", quoted(digits)), "numbers must stay below 2^63",
                since(begin));
  if (end < text_.size() && is_letter(text_[end]))
    throw Error(fmt::format("{} runs into the letter '{}'", quoted(digits), text_[end]), "leave a space or a comma",
                {begin, end + 1});
  return negative ? -value : value;
}

std::optional<std::int64_t> Scanner::integer_before(char letter) {
  skip_space();
  std::int64_t value = 0;
  const auto result = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
  if (result.ec != std::errc() || result.ptr == text_.data() + text_.size() || *result.ptr != letter)
    return std::nullopt;
  take(static_cast<std::size_t>(result.ptr - text_.data()) + 1 - position_);
  return value;
}

std::string Scanner::found() {
  const Span next = here();
  return at_end() ? "found the end" : "found " + quoted(text_.substr(next.begin, next.end - next.begin));
}

Span Scanner::here() {
  skip_space();
  // A character of several bytes (UTF-8) is reported whole.
  std::size_t end = position_ + 1;
  while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0U) == 0x80U) ++end;
  return {position_, end};
}

}  // namespace swz

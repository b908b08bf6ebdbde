// SPDX-License-Identifier: Apache-2.0
#include "base/cursor.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace swz {

void Cursor::skip_space() { position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()); }

bool Cursor::at_end() {
  skip_space();
  return position_ == text_.size();
}

char Cursor::peek(std::size_t ahead) {
  skip_space();
  return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
}

bool Cursor::next_is(std::string_view symbol) {
  skip_space();
  return rest().starts_with(symbol);
}

bool Cursor::accept(std::string_view symbol) {
  if (!next_is(symbol)) return false;
  move_to(position_ + symbol.size());
  return true;
}

std::optional<std::int64_t> Cursor::number(int base) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  move_to(static_cast<std::size_t>(end - text_.data()));
  return value;
}

Span Cursor::here() {
  skip_space();
  std::size_t end = position_ + 1;
  while (end < text_.size() && continues_character(text_[end])) ++end;
  return {position_, end};
}

std::string Cursor::found() {
  const Span next = here();
  return at_end() ? "found the end" : "found " + quoted(text_.substr(next.begin, next.end - next.begin));
}

}  // namespace swz

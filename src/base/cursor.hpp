// SPDX-License-Identifier: Apache-2.0
// Cursor: a place in a text, which moves on as the text is read. The readers of expressions and of other projects'
// notations have one.
//
//   Cursor c("lane (8)");   c.take_while(is_letter) == "lane"   c.accept('(')   c.number() == 8   c.peek() == ')'
//
// White space is passed over before what is read or asked for; only next(), take_while() and number() begin exactly at
// the place. It never reads beyond the end, whatever bytes the text contains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace swz {

class Cursor {
 public:
  explicit Cursor(std::string_view text, std::size_t position = 0) : text_(text), position_(position) {}

  std::string_view text() const { return text_; }
  std::size_t position() const { return position_; }
  std::string_view rest() const { return text_.substr(position_); }
  void move_to(std::size_t position) { end_of_last_ = position_ = position; }

  void skip_space();
  bool at_end();
  // The next character, or the one `ahead` places after it, counting white space; 0 beyond the end.
  char peek(std::size_t ahead = 0);
  // Whether accept would read it.
  bool next_is(std::string_view symbol);
  // Reads the symbol if it comes next, whatever follows it.
  bool accept(std::string_view symbol);
  bool accept(char c) { return accept(std::string_view(&c, 1)); }

  // The character at the place; 0 at the end.
  char next() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  // Reads the characters of which this is true.
  template <class Part>
  std::string_view take_while(const Part& is_part) {
    const std::size_t begin = position_;
    std::size_t end = begin;
    while (end < text_.size() && is_part(text_[end])) ++end;
    move_to(end);
    return text_.substr(begin, end - begin);
  }
  // Reads digits, with an optional minus. None, and nothing is read, if there are none or if they exceed 64 bits.
  std::optional<std::int64_t> number(int base = 10);

  // From there to the end of the last thing that was read.
  Span since(std::size_t begin) const { return {begin, end_of_last_ > begin ? end_of_last_ : begin + 1}; }
  std::string_view text_since(std::size_t begin) const { return text_.substr(begin, since(begin).end - begin); }
  // The place of the next character, all its bytes.
  Span here();
  // "found 'x'" or "found the end", for messages.
  std::string found();

 private:
  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t end_of_last_ = 0;
};

}  // namespace swz

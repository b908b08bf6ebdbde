// SPDX-License-Identifier: Apache-2.0
// Scanner: reads the text of an expression piece by piece and knows the place of everything that it has read.
//
//   Scanner s("(_8,64)");  s.accept('(')  s.integer() == 8  s.expect(',', …)  s.integer() == 64
//
// It never reads beyond the end, whatever bytes the text contains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace swz {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::size_t position() const { return position_; }
  Span since(std::size_t begin) const { return {begin, end_of_last_ > begin ? end_of_last_ : begin + 1}; }
  std::string_view text_since(std::size_t begin) const { return text_.substr(begin, since(begin).end - begin); }
  bool at_end();

  // The next character after white space, or the one `ahead` places after it, counting white space; 0 beyond the end.
  char peek(std::size_t ahead = 0);
  bool accept(char c);
  // Throws Error "expected 'c' …, found …".
  void expect(char c, std::string_view purpose);
  // Reads `word` if it comes next and no letter, digit or _ follows it.
  bool accept_word(std::string_view word);
  // Reads `symbol` if it comes next, whatever follows it.
  bool accept_symbol(std::string_view symbol);

  // Whether accept_symbol would read it.
  bool next_is(std::string_view symbol);
  std::string_view next_name() { return Scanner(*this).identifier(); }
  // Reads the name before a '=', of an argument or a variable; empty, and nothing is read, if there is none.
  std::string_view keyword();
  // Skips everything up to the bracket that closes the one opened before, or to the end.
  void skip_to_closing();
  // The same; returns the text read since `begin`.
  std::string_view take_to_closing(std::size_t begin);

  // Reads a letter followed by letters, digits, _ and ::; empty if there is none.
  std::string_view identifier();
  // The same, but the name may begin with underscores (__half).
  std::string_view type_name();
  // Reads what follows the name of an instruction, from its dot on: .ld.32x32b.x8.pack::16b
  std::string_view suffixes();
  // Reads a decimal or 0x number, with an optional minus and an optional CuTe mark: 64, _64, -1, 0x40. None if there
  // is no digit; throws Error if it does not fit in 63 bits.
  std::optional<std::int64_t> integer() { return integer({}); }
  // The same, with any of these letters after it: 8ul.
  std::optional<std::int64_t> integer(std::string_view suffixes);
  // Reads a decimal number with a letter after it: 16b.
  std::optional<std::int64_t> integer_before(char letter);

  // "found 'x'" or "found the end", for messages.
  std::string found();
  Span here();

 private:
  void skip_space();
  void take(std::size_t count);

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t end_of_last_ = 0;
};

}  // namespace swz

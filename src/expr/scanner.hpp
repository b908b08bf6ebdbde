// SPDX-License-Identifier: Apache-2.0
// Scanner: a cursor that knows the words and numbers of CuTe and of C.
//
//   Scanner s("(_8,64)");  s.accept('(')  s.integer() == 8  s.expect(',', …)  s.integer() == 64
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/cursor.hpp"

namespace swz {

class Scanner : public Cursor {
 public:
  using Cursor::Cursor;

  // Throws Error "expected 'c' …, found …".
  void expect(char c, std::string_view purpose);
  // Reads `word` if it comes next and no letter, digit or _ follows it.
  bool accept_word(std::string_view word);

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
};

}  // namespace swz

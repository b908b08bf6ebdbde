// SPDX-License-Identifier: Apache-2.0
// PtxScanner: the characters of a PTX text: blanks and comments, names, numbers, what is skipped.
//
//   scanner at "  .b32 %r<3>; // three"     take('.'), word() == "b32", word() == "%r", take('<'), whole_number() == 3
//
// Used only inside src/ptx.
// Invariants (tested for every prefix of real texts): it never reads past the end; line_ is the line of at_, from 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

class PtxScanner {
 protected:
  explicit PtxScanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  static constexpr bool begins_name(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
  static constexpr bool is_name(char c) { return is_word(c) || c == '$'; }

  void skip_line() { at_ = std::find(at_, end_, '\n'); }

  // Blanks, ends of lines, comments. False at the end of the text.
  bool skip_space() {
    while (at_ != end_) {
      if (*at_ == '\n') {
        ++line_;
        ++at_;
      } else if (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') {
        ++at_;
      } else if (*at_ == '/' && at_ + 1 != end_ && at_[1] == '/') {
        skip_line();
      } else if (*at_ == '/' && at_ + 1 != end_ && at_[1] == '*') {
        for (at_ += 2; at_ != end_ && !(*at_ == '*' && at_ + 1 != end_ && at_[1] == '/'); ++at_)
          if (*at_ == '\n') ++line_;
        at_ += std::min<std::ptrdiff_t>(2, end_ - at_);
      } else {
        return true;
      }
    }
    return false;
  }

  bool is_next(char c) { return skip_space() && *at_ == c; }
  bool take(char c) {
    if (!is_next(c)) return false;
    ++at_;
    return true;
  }
  template <class Accept>
  std::string_view take_while(Accept accept) {
    const char* first = at_;
    while (at_ != end_ && accept(*at_)) ++at_;
    return {first, static_cast<std::size_t>(at_ - first)};
  }
  std::string_view word() {
    skip_space();
    return take_while([](char c) { return is_name(c) || c == '%'; });
  }
  // The text in double quotes, which ends at the end of the line at the latest.
  std::string_view quoted_text() {
    if (!take('"')) return {};
    const char* first = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\n') ++at_;
    const std::string_view text(first, static_cast<std::size_t>(at_ - first));
    if (at_ != end_ && *at_ == '"') ++at_;
    return text;
  }
  std::optional<std::uint64_t> whole_number() {
    skip_space();
    std::string_view digits = take_while([](char c) { return is_word(c); });
    if (digits == "WARP_SZ") return 32;
    if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) return find_digits(digits, 8);
    return find_unsigned(digits);
  }
  std::int64_t small_number(std::int64_t otherwise) {
    const auto number = whole_number();
    return number && *number < (std::uint64_t{1} << 40) ? static_cast<std::int64_t>(*number) : otherwise;
  }
  // What comes next, for messages: a word as far as it is printed, or one character.
  std::string_view next_text() {
    if (!skip_space()) return "the end";
    constexpr std::ptrdiff_t most = 40;
    const auto is_part = [](char c) { return is_name(c) || c == '%' || c == '.'; };
    const char* stop = at_;
    while (stop != end_ && stop - at_ < most && is_part(*stop)) ++stop;
    return {at_, static_cast<std::size_t>(std::max<std::ptrdiff_t>(stop - at_, 1))};
  }
  // Skips the next `stop` that is in no brackets or quotes and all before it, or stops before a '}' that closes what is
  // open around.
  void skip_past(char stop) {
    int depth = 0;
    while (skip_space()) {
      const char c = *at_;
      if (c == '"') {
        quoted_text();
        continue;
      }
      if (c == stop && depth == 0) {
        ++at_;
        return;
      }
      if (c == '{' || c == '(' || c == '[') ++depth;
      if (c == '}' || c == ')' || c == ']') {
        if (depth == 0) return;
        --depth;
      }
      ++at_;
    }
  }

  const char* at_;
  const char* end_;
  std::uint32_t line_ = 1;
};

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Error: what a person reads when an input cannot be used.
//
// Bad input throws one Error, which is caught once, in cmd/. It names the place (span), the rule (message) and the way
// out (hint). A negative answer ("these layouts differ", "this word has lints") is a value, never an Error.
//
//   throw Error("a tuple is not closed", "add ')' at the end", Span{0, 1});
//
// The parser that owns the text calls in_text() so that the caret can be drawn:
//
//   (8,64
//   ^
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace swz {

// Half-open range of byte positions in the text that was parsed.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return end <= begin; }
};

// Decides the exit code: usage and input are 2, hardware is 3.
enum class ErrorKind { usage, input, hardware };

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what_is_wrong, std::string way_out = {}, Span place = {},
                 ErrorKind error_kind = ErrorKind::input)
      : std::runtime_error(what_is_wrong), hint(std::move(way_out)), span(place), kind(error_kind) {}

  std::string message() const { return what(); }

  // The same error, tied to the text that its span points into. An error that already has a text keeps it.
  Error in_text(std::string_view whole) const {
    Error copy = *this;
    if (copy.text.empty()) copy.text = whole;
    return copy;
  }

  // The same error with this place, unless it already has one.
  Error at(Span place) const {
    Error copy = *this;
    if (copy.span.empty()) copy.span = place;
    return copy;
  }

  std::string hint;
  Span span;
  ErrorKind kind;
  std::string text;
};

// An error in the command line: `message` says what is wrong, `hint` is the way out.
inline Error usage_error(const std::string& message, const std::string& hint = {}) {
  return Error(message, hint, {}, ErrorKind::usage);
}

}  // namespace swz

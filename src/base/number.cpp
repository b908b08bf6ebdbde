// SPDX-License-Identifier: Apache-2.0
#include "base/number.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

bool is_separator(char c) { return c == '_' || c == '\''; }

// The value of a digit up to base 16, or -1.
int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (lower_case(c) >= 'a' && lower_case(c) <= 'f') return lower_case(c) - 'a' + 10;
  return -1;
}

std::string_view without_suffix(std::string_view digits) {
  for (const std::string_view suffix : {"ull", "llu", "ul", "lu", "ll", "u", "l"})
    if (digits.size() > suffix.size() && lower_case(digits.substr(digits.size() - suffix.size())) == suffix)
      return digits.substr(0, digits.size() - suffix.size());
  return digits;
}

struct Base {
  int radix;
  const char* name;
};

Base take_prefix(std::string_view& digits) {
  const std::string_view prefix = digits.substr(0, 2);
  if (prefix == "0x" || prefix == "0X") return digits.remove_prefix(2), Base{16, "hexadecimal"};
  if (prefix == "0b" || prefix == "0B") return digits.remove_prefix(2), Base{2, "binary"};
  return Base{10, "decimal"};
}

// Hexadecimal digits, with or without separators.
bool all_hex(std::string_view digits) {
  return std::ranges::all_of(digits, [](char c) { return is_separator(c) || digit_value(c) >= 0; }) &&
         std::ranges::any_of(digits, [](char c) { return digit_value(c) >= 0; });
}

std::ptrdiff_t count_digits(std::string_view digits) {
  return std::ranges::count_if(digits, [](char c) { return digit_value(c) >= 0; });
}

[[noreturn]] void throw_bad_digit(std::string_view word, std::string_view digits, Base base, std::size_t at,
                                  const NumberHints& hints) {
  const char c = digits[at];
  std::string hint = hints.forms;
  if (base.radix == 10 && all_hex(digits) && !is_separator(c) && count_digits(digits) <= 16)
    hint = fmt::format("hexadecimal: 0x{}", digits);
  if (c == ' ' || c == '\t') hint = "write the word in one piece, or separate its digits with _ or '";
  const std::string why = is_separator(c)
                              ? "a separator must be between two digits"
                              : fmt::format("{} is not a {} digit", quoted(character_at(digits, at)), base.name);
  throw Error(fmt::format("{} is not a {} number: {}", quoted(word), base.name, why), hint);
}

// Whether there is a digit of the radix, or a separator between two digits.
bool is_digit_at(std::string_view digits, std::size_t i, int radix) {
  if (is_separator(digits[i])) return i > 0 && i + 1 < digits.size() && digit_value(digits[i - 1]) >= 0;
  const int digit = digit_value(digits[i]);
  return digit >= 0 && digit < radix;
}

// Such a number is ambiguous: octal in C, hexadecimal in a register dump.
bool has_leading_zero(std::string_view digits, Base base) {
  return base.radix == 10 && digits.size() > 1 && digits.front() == '0';
}

}  // namespace

std::optional<std::uint64_t> find_digits(std::string_view digits, int radix) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (!is_digit_at(digits, i, radix)) return std::nullopt;
    if (is_separator(digits[i])) continue;
    const auto digit = static_cast<std::uint64_t>(digit_value(digits[i])), base = static_cast<std::uint64_t>(radix);
    if (value > (~0ULL - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

std::optional<std::uint64_t> find_unsigned(std::string_view word) {
  std::string_view digits = without_suffix(word);
  const Base base = take_prefix(digits);
  if (has_leading_zero(digits, base)) return std::nullopt;
  return find_digits(digits, base.radix);
}

std::uint64_t parse_unsigned(std::string_view word, int bits, const NumberHints& hints) {
  std::string_view digits = without_suffix(word);
  const Base base = take_prefix(digits);
  if (digits.empty()) throw Error(fmt::format("{} has no digits", quoted(word)), hints.forms);
  if (has_leading_zero(digits, base) && all_hex(digits))
    throw Error(fmt::format("{} begins with 0: is it hexadecimal, octal or decimal?", quoted(word)),
                count_digits(digits) <= 16 ? fmt::format("hexadecimal: 0x{}", digits) : hints.forms);

  const std::optional<std::uint64_t> value = find_digits(digits, base.radix);
  if (value && (bits == 64 || *value >> bits == 0)) return *value;
  for (std::size_t i = 0; i < digits.size(); ++i)  // a wrong digit makes a better message than a wide number
    if (!is_digit_at(digits, i, base.radix)) throw_bad_digit(word, digits, base, i, hints);
  throw Error(fmt::format("{} does not fit in {} bits", quoted(word), bits), hints.too_wide);
}

}  // namespace swz

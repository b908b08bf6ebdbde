// SPDX-License-Identifier: Apache-2.0
// Small text helpers: the nearest name for "did you mean", safe quoting of what a user typed, splitting and joining.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

// Edit distance with adjacent transpositions (optimal string alignment), case-insensitive.
//   edit_distance("layuot", "layout") == 1
int edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, if it is near enough to be a slip of the finger (distance at most a third of
// the longer word, and at least one edit allowed).
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

// "did you mean 'layout'?" or an empty text, followed by `then`, which is added in any case.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates, std::string_view then = {});

// Printable form of any bytes, in single quotes: control bytes and NUL become \xNN, and a long text is cut in the
// middle. The result is at most about `limit` characters.
std::string quoted(std::string_view text, std::size_t limit = 60);

// Whether a byte continues a UTF-8 character that began before it.
constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
// The whole character that begins at a position of the text.
std::string_view character_at(std::string_view text, std::size_t at);

// These look at ASCII only, in every locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }  // a character of an identifier
constexpr bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// ASCII letters in lower case: "Half_T" is "half_t".
constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lower_case(std::string_view text);

// "1 element", "2 elements", "3 copies", "4 accesses"
std::string plural(std::int64_t count, std::string_view one);

// split("n64.f32.f16", '.') == {"n64", "f32", "f16"}; an empty text gives one empty part.
std::vector<std::string> split(std::string_view text, char at);

// The text without the blanks, tabs and line ends around it: trimmed(" 0x1\n") == "0x1".
std::string_view trimmed(std::string_view text);

// The line that contains a position of the text, without its line end. The first line has number 1.
struct LineOfText {
  std::string_view text;
  std::size_t begin = 0;  // in the whole text
  std::int64_t number = 1;
};
LineOfText line_at(std::string_view text, std::size_t position);

// "a, b and c"
std::string join_and(const std::vector<std::string>& items);

// 64-bit words are always printed as 0x and 16 lower-case digits, 32-bit words as 0x and 8.
std::string hex64(std::uint64_t word);
std::string hex32(std::uint32_t word);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "render/display.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.hpp"

namespace swz {

namespace {

// ---- widths

struct Range {
  std::uint32_t first, last;
  int columns;
};

// All other characters need one column.
constexpr Range ranges[] = {{0x0300, 0x036F, 0},  {0x0483, 0x0489, 0}, {0x1AB0, 0x1AFF, 0},   {0x1DC0, 0x1DFF, 0},
                            {0x200B, 0x200F, 0},  {0x2060, 0x2064, 0}, {0x20D0, 0x20FF, 0},   {0xFE00, 0xFE0F, 0},
                            {0xFEFF, 0xFEFF, 0},  {0x1100, 0x115F, 2}, {0x2E80, 0x303E, 2},   {0x3041, 0xA4CF, 2},
                            {0xA960, 0xA97F, 2},  {0xAC00, 0xD7A3, 2}, {0xF900, 0xFAFF, 2},   {0xFE30, 0xFE6F, 2},
                            {0xFF00, 0xFF60, 2},  {0xFFE0, 0xFFE6, 2}, {0x1F300, 0x1F64F, 2}, {0x1F900, 0x1F9FF, 2},
                            {0x20000, 0x3FFFD, 2}};

int columns_of(std::uint32_t code) {
  for (const Range& range : ranges)
    if (range.first <= code && code <= range.last) return range.columns;
  return 1;
}

// The smallest code point that needs a sequence of this many bytes: a smaller one is an overlong form.
constexpr std::array<std::uint32_t, 5> smallest_of_length{0, 0, 0x80, 0x800, 0x10000};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

bool is_control(const Glyph& glyph) {
  const auto lead = static_cast<unsigned char>(glyph.bytes[0]);
  if (lead < 0x20 || lead == 0x7F) return true;
  return lead == 0xC2 && glyph.bytes.size() == 2 && static_cast<unsigned char>(glyph.bytes[1]) < 0xA0;
}

// The length of the printable ASCII at the beginning: one column per byte, written unchanged. Most text is only that.
std::size_t plain_length(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](char c) { return c >= 0x20 && c < 0x7F; });
  return static_cast<std::size_t>(end - text.begin());
}

// Whether two words stay on one line: a number and its unit ("8192 B,"), a dimension and its number ("k 0-63").
bool belong_together(std::string_view word, std::string_view next) {
  const bool is_bytes = next.starts_with('B') && std::ranges::none_of(next.substr(1), is_word);
  if (is_bytes) return is_digit(word.back());
  return word.size() == 1 && is_letter(word[0]) && word[0] != 'a' && is_digit(next.front());
}

// The end of the words from `begin` on that stay together.
std::size_t end_of_words(std::string_view line, std::size_t begin) {
  std::size_t end = std::min(line.find(' ', begin), line.size());
  while (end + 1 < line.size() && line[end + 1] != ' ') {
    const std::size_t next_end = std::min(line.find(' ', end + 1), line.size());
    if (!belong_together(line.substr(begin, end - begin), line.substr(end + 1, next_end - end - 1))) break;
    begin = end + 1;
    end = next_end;
  }
  return end;
}

// Wraps one line of input without newlines.
void wrap_line(std::string_view line, const HasRoom& has_room, std::vector<std::string>& out) {
  line = line.substr(0, line.find_last_not_of(' ') + 1);  // npos + 1 is 0
  if (has_room(line)) {
    out.emplace_back(line);
    return;
  }
  const std::string indent(line.find_first_not_of(' '), ' ');
  std::string current = indent;
  for (std::size_t at = indent.size(); at < line.size();) {
    const std::size_t begin = line.find_first_not_of(' ', at);
    const std::size_t end = end_of_words(line, begin);
    std::string longer = current + std::string(line.substr(at, end - at));  // the words, with the spaces before them
    if (current.size() > indent.size() && !has_room(longer)) {
      out.push_back(std::move(current));
      longer = indent + std::string(line.substr(begin, end - begin));
    }
    current = std::move(longer);
    at = end;
  }
  out.push_back(std::move(current));
}

// ---- colours

// sky, teal, mint, khaki, sand, ochre, rose, lavender and three lighter shades of each: the nearest of the 256 colours
// to those of pictures (scene.cpp)
constexpr std::array<std::array<int, 4>, hue_count> background{{{111, 153, 189, 255},
                                                                {80, 116, 152, 195},
                                                                {157, 158, 193, 194},
                                                                {144, 187, 252, 254},
                                                                {222, 223, 229, 230},
                                                                {173, 180, 181, 253},
                                                                {168, 175, 218, 224},
                                                                {141, 147, 183, 225}}};

// plain, strong, faint, good, bad, accent
constexpr std::array<int, 6> escape_of_tone{0, 1, 2, 32, 31, 36};

}  // namespace

Glyph first_glyph(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Glyph invalid{text.substr(0, 1), 1, false};
  const std::size_t length = sequence_length(byte(0));
  if (length == 1) return {text.substr(0, 1), 1, true};
  if (length == 0 || length > text.size()) return invalid;
  std::uint32_t code = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return invalid;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest_of_length[length] || code > 0x10FFFF || surrogate) return invalid;
  return {text.substr(0, length), columns_of(code), true};
}

int display_width(std::string_view text) {
  int columns = 0;
  while (true) {
    const std::size_t plain = plain_length(text);
    columns += static_cast<int>(plain);
    text.remove_prefix(plain);
    if (text.empty()) return columns;
    const Glyph glyph = first_glyph(text);
    columns += glyph.columns;
    text.remove_prefix(glyph.bytes.size());
  }
}

std::string printable(std::string_view text, bool keep_newlines) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t plain = plain_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return out;
    const Glyph glyph = first_glyph(text);
    const bool newline = glyph.bytes == "\n" && keep_newlines;
    if (!newline && (!glyph.valid || is_control(glyph)))
      for (const char c : glyph.bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else out += glyph.bytes;
    text.remove_prefix(glyph.bytes.size());
  }
}

std::string printable_source(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t blank = std::min(text.find_first_of("\t\r\n"), text.size());
    out += printable(text.substr(0, blank));
    if (blank == text.size()) return out;
    const bool is_blank = text[blank] != '\r' || text.substr(blank, 2) == "\r\n";
    out += is_blank ? std::string(1, text[blank]) : "\\x0d";
    text.remove_prefix(blank + 1);
  }
}

std::vector<std::string> wrap(std::string_view text, const HasRoom& has_room) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    wrap_line(text.substr(0, end), has_room, lines);
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> wrap(std::string_view text, int width) {
  return wrap(text, [width](std::string_view line) { return width <= 0 || display_width(line) <= width; });
}

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

void append_block(std::vector<std::string>& out, const std::vector<std::string>& lines) {
  if (!out.empty() && !lines.empty()) out.emplace_back();
  out.insert(out.end(), lines.begin(), lines.end());
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + repeated(" ", width - display_width(text));
}

std::string pad_left(std::string_view text, int width) {
  return repeated(" ", width - display_width(text)) + std::string(text);
}

std::vector<std::string> painted_lines(std::string_view text, int width, Tone tone, bool color) {
  std::vector<std::string> lines = wrap(printable(text, true), width);
  for (std::string& line : lines) line = paint(line, tone, color);
  return lines;
}

std::string paint(std::string_view text, Tone tone, bool color) {
  if (!color || text.empty() || tone == Tone::plain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", escape_of_tone[static_cast<std::size_t>(tone)], text);
}

std::string paint_tint(std::string_view text, Tint tint, bool color) {
  if (!color || text.empty() || tint.hue < 0) return std::string(text);
  const auto& shades = background[static_cast<std::size_t>(tint.hue % hue_count)];
  return fmt::format("\x1b[38;5;16;48;5;{}m{}\x1b[0m", shades[static_cast<std::size_t>(tint.shade & 3)], text);
}

std::string paint_sign(Mark mark, bool color) {
  const bool collides = mark == Mark::colliding;
  if (!collides && mark != Mark::highlighted) return " ";
  const char* sign = collides ? "!" : "*";
  return color ? fmt::format("\x1b[1;38;5;231;48;5;{}m{}\x1b[0m", collides ? 160 : 25, sign) : sign;
}

}  // namespace swz

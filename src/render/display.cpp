#include "render/display.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace swz {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

constexpr std::array<Range, 9> zero_columns{{{0x0300, 0x036F},
                                             {0x0483, 0x0489},
                                             {0x1AB0, 0x1AFF},
                                             {0x1DC0, 0x1DFF},
                                             {0x200B, 0x200F},
                                             {0x2060, 0x2064},
                                             {0x20D0, 0x20FF},
                                             {0xFE00, 0xFE0F},
                                             {0xFEFF, 0xFEFF}}};

constexpr std::array<Range, 12> two_columns{{{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0xA4CF},
                                             {0xA960, 0xA97F},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0xFFE0, 0xFFE6},
                                             {0x1F300, 0x1F64F},
                                             {0x1F900, 0x1F9FF},
                                             {0x20000, 0x3FFFD}}};

template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& r) { return r.first <= code && code <= r.last; });
}

int columns_of(std::uint32_t code) {
  if (code < 0x300) return 1;
  if (contains(zero_columns, code)) return 0;
  return contains(two_columns, code) ? 2 : 1;
}

// Smallest code point that needs a sequence of this many bytes: anything less is an overlong form.
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

// The length of the printable ASCII at the beginning: one column a byte, written as it is. Most text is nothing else.
std::size_t plain_length(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](char c) { return c >= 0x20 && c < 0x7F; });
  return static_cast<std::size_t>(end - text.begin());
}

std::string trimmed_right(std::string text) {
  const std::size_t last = text.find_last_not_of(' ');
  text.erase(last == std::string::npos ? 0 : last + 1);
  return text;
}

// One line of input without newlines.
void wrap_line(std::string_view line, int width, std::vector<std::string>& out) {
  const std::size_t text_begin = std::min(line.find_first_not_of(' '), line.size());
  if (width <= 0 || display_width(line) <= width) {
    out.push_back(trimmed_right(std::string(line)));
    return;
  }
  const std::string indent(text_begin, ' ');
  std::string current = indent;
  int columns = static_cast<int>(text_begin);
  bool has_word = false;
  std::size_t at = text_begin;
  while (at < line.size()) {
    std::size_t word_begin = line.find_first_not_of(' ', at);
    if (word_begin == std::string_view::npos) break;
    const std::size_t word_end = std::min(line.find(' ', word_begin), line.size());
    const std::string_view word = line.substr(word_begin, word_end - word_begin);
    const int gap = has_word ? static_cast<int>(word_begin - at) : 0;
    const int needed = gap + display_width(word);
    if (has_word && columns + needed > width) {
      out.push_back(trimmed_right(current));
      current = indent;
      current += word;
      columns = static_cast<int>(text_begin) + display_width(word);
    } else {
      current.append(static_cast<std::size_t>(gap), ' ');
      current += word;
      columns += needed;
    }
    has_word = true;
    at = word_end;
  }
  out.push_back(trimmed_right(current));
}

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

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    wrap_line(text.substr(0, end), width, lines);
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string pad_right(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(text) + std::string(static_cast<std::size_t>(missing), ' ');
}

std::string pad_left(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(static_cast<std::size_t>(missing), ' ') + std::string(text);
}

}  // namespace swz

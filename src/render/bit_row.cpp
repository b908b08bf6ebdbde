// SPDX-License-Identifier: Apache-2.0
// The bits of a word, divided into its fields, with the names below:
//
//   62  61                51   48
//   01  0000000000000  …  000  000
//   ┬─                    ┬──
//   swizzle 128B          base 0
//
// Of several words each has a line of its own, and those after the first show only the bits that differ:
//
//   1  01 000 00000001000000
//   2  ·· ··· ···········1··   +256 B
//
// A name that does not fit before its right neighbour goes one line deeper and is connected to its field by │. Names
// that would need more than two lines are a list, in as many columns as there is room for:
//
//   24-28  01000   M 128      13  0    -A
//   17-22  010000  N 128   10-12  001  B bf16
//
// Bits that belong to no field, or to a reserved one, have a name only if one of them is set, because that is then worth
// seeing.
#include "render/bit_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "render/display.hpp"
#include "render/text.hpp"
#include "view/document/figure.hpp"

namespace swz {

namespace {

// ---- lines

using Lines = std::vector<std::string>;

constexpr int widest_row = 100;

// The column of the first digit of each segment.
using Columns = std::vector<int>;

Columns columns_of(const std::vector<Segment>& segments, int width) {
  int total = 0;
  for (const Segment& s : segments) total += s.bits.width;
  const int gaps = static_cast<int>(segments.size()) - 1;
  const int gap = total + 2 * gaps <= (width > 0 ? width : widest_row) ? 2 : 1;
  Columns columns{0};
  for (const Segment& s : segments) columns.push_back(columns.back() + s.bits.width + gap);
  return columns;
}

// A line written left to right at given columns.
class Line {
 public:
  explicit Line(bool color) : color_(color) {}

  // Returns false if the place is already used.
  bool put(int column, std::string_view text, Tone tone, Tint tint = {}) {
    if (column < used_) return false;
    text_.append(static_cast<std::size_t>(column - used_), ' ');
    text_ += tint.hue >= 0 ? paint_tint(text, tint, color_) : paint(text, tone, color_);
    used_ = column + display_width(text);
    return true;
  }

  int used() const { return used_; }
  std::string take() { return std::move(text_); }

 private:
  bool color_;
  int used_ = 0;
  std::string text_;
};

std::string numbers_line(const std::vector<Segment>& segments, const Columns& columns, bool color) {
  Line line(color);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    const std::string high = std::to_string(s.bits.high());
    const std::string low = std::to_string(s.bits.low);
    if (line.used() > 0 && columns[i] <= line.used()) continue;
    line.put(columns[i], high, Tone::faint);
    const int low_column = columns[i] + s.bits.width - static_cast<int>(low.size());
    if (s.bits.width > 4 && low_column > line.used()) line.put(low_column, low, Tone::faint);
  }
  return line.take();
}

struct FieldName {
  const Segment* segment;
  int column = 0;
  std::string text;
  std::size_t depth = 0;  // which line under the bits
};

// Places labels from the right: each on the first line on which it ends before the text to its right. A label on line d
// occupies its column on the lines above with │.
std::vector<FieldName> labels_of(const std::vector<Segment>& segments, const Columns& columns, std::uint64_t word) {
  std::vector<FieldName> labels;
  std::vector<int> leftmost;  // per line
  for (std::size_t i = segments.size(); i-- > 0;) {
    const Segment& s = segments[i];
    if (!s.is_labelled(word)) continue;
    FieldName label{&s, columns[i], s.label()};
    if (!s.reserved && !s.value.empty() && s.look != BitRow::Look::quiet) label.text += " " + s.value;
    const int end = label.column + display_width(label.text) + 1;
    while (label.depth < leftmost.size() && end > leftmost[label.depth]) ++label.depth;
    if (label.depth == leftmost.size()) leftmost.push_back(0);
    for (std::size_t d = 0; d <= label.depth; ++d) leftmost[d] = label.column;
    labels.push_back(std::move(label));
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

}  // namespace

// Eight hues, then the same in another shade.
static Tint tint_of_field(int number) { return {number & 7, 2 * (number >> 3) & 3}; }

std::vector<Segment> segments_of(const BitRow& row) {
  std::vector<BitRow::Part> parts = row.parts;
  std::ranges::stable_sort(parts, std::greater(), [](const BitRow::Part& part) { return part.bits.low; });
  std::vector<Segment> segments;
  int number = 0;
  int next = std::clamp(row.width, 0, 64) - 1;  // the highest bit not yet covered
  const auto fill_down_to = [&](int bit) {
    if (next >= bit) segments.push_back({"unused", {bit, next - bit + 1}});
  };
  for (const BitRow::Part& part : parts) {
    const BitField bits = part.bits;
    if (bits.width < 1 || bits.low < 0 || bits.high() > next) continue;
    fill_down_to(bits.high() + 1);
    Tint tint = part.tint.hue >= 0 || part.reserved ? part.tint : tint_of_field(number++);
    if (part.look == BitRow::Look::quiet) tint.shade = 3;
    if (part.look == BitRow::Look::unused) tint = {};
    segments.push_back(
        {printable(part.name), bits, part.reserved, tint, printable(part.value), part.look, printable(part.said)});
    next = bits.low - 1;
  }
  fill_down_to(0);
  return segments;
}

std::uint64_t changed_bits(const BitRow& row) {
  std::uint64_t changed = 0;
  for (const BitRow::Version& version : row.versions) changed |= version.word ^ row.word;
  return changed;
}

namespace {

Tone tone_of(const Segment& s, std::uint64_t word) {
  return s.is_wrong(word) ? Tone::bad : s.is_soft() ? Tone::faint : Tone::plain;
}

// The digits of a field of the word; of a version those that differ from the first word, the others are dots.
std::string digits_of(const BitRow& row, const Segment& s, std::optional<std::uint64_t> version = {}) {
  const std::uint64_t word = version.value_or(row.word);
  std::string text;
  for (int bit = s.bits.high(); bit >= s.bits.low; --bit)
    text += (row.unknown >> bit & 1) != 0                        ? "?"
            : version && ((*version ^ row.word) >> bit & 1) == 0 ? "·"
            : (word >> bit & 1) != 0                             ? "1"
                                                                 : "0";
  return text;
}

std::string digits_line(const BitRow& row, const std::vector<Segment>& segments, const Columns& columns,
                        std::optional<std::uint64_t> version, bool color) {
  Line line(color);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    const std::uint64_t value = s.bits.read(version.value_or(row.word)), equal = ~(value ^ s.bits.read(row.word));
    const Tone tone = s.is_wrong(value << s.bits.low) ? Tone::bad
                      : s.reserved || s.is_soft()     ? Tone::faint
                                                      : Tone::plain;
    const bool is_tinted = tone == Tone::plain && (!version || (equal & s.bits.max()) != s.bits.max());
    line.put(columns[i], digits_of(row, s, version), version && !is_tinted ? Tone::faint : tone,
             is_tinted ? s.tint : Tint{});
  }
  return line.take();
}

// The lines of the words, each after its number if there are several.
Lines digits_lines(const BitRow& row, const std::vector<Segment>& segments, const Columns& columns,
                   const TextStyle& style) {
  Lines out;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, row.versions.size()); ++i)
    out.push_back(
        digits_line(row, segments, columns, i > 0 ? std::optional(row.versions[i].word) : std::nullopt, style.color));
  return out;
}

// What is said beside the words, a line each.
Lines remark_lines(const BitRow& row, const TextStyle& style) {
  Lines out;
  for (const BitRow::Version& version : row.versions) {
    std::string text;
    for (const std::string& remark : version.lines()) text += (text.empty() ? "" : ", ") + remark;
    if (text.empty()) continue;
    const Lines lines = painted_lines(text, style.width > 0 ? style.width - 3 : 0, version.tone, style.color);
    for (std::size_t i = 0; i < lines.size(); ++i) out.push_back(pad_right(i == 0 ? version.name : "", 3) + lines[i]);
  }
  return out;
}

// The names under their fields, each as deep as it has room.
Lines lines_under(const std::vector<FieldName>& labels, std::size_t depths, const BitRow& row, bool color) {
  Lines out;
  Line brackets(color);
  for (const FieldName& label : labels)
    brackets.put(label.column, "┬" + repeated("─", label.segment->bits.width - 1), tone_of(*label.segment, row.word));
  if (!labels.empty()) out.push_back(brackets.take());
  for (std::size_t depth = 0; depth < depths; ++depth) {
    Line line(color);
    for (const FieldName& label : labels) {
      const Tone tone = tone_of(*label.segment, row.word);
      if (label.depth == depth)
        line.put(label.column, label.text, tone, tone == Tone::plain ? label.segment->tint : Tint{});
      else if (label.depth > depth) line.put(label.column, "│", tone);
    }
    out.push_back(line.take());
  }
  return out;
}

// The fields with their bits and digits, from top to bottom and then in the next column.
Lines field_list(const std::vector<FieldName>& labels, const BitRow& row, int width, bool color) {
  constexpr int gap = 2, between = 3;
  const auto bits_of = [](const FieldName& label) {
    return range_text(label.segment->bits.low, label.segment->bits.width);
  };
  int bits = 0, digits = 0, names = 0;
  for (const FieldName& label : labels) {
    bits = std::max(bits, display_width(bits_of(label)));
    digits = std::max(digits, label.segment->bits.width);
    names = std::max(names, display_width(label.text));
  }
  const int one = bits + gap + digits + gap + names;
  const auto count = static_cast<int>(labels.size()), most = std::max(1, (width + between) / (one + between));
  const int rows = (count + most - 1) / most;
  Lines out;
  for (int r = 0; r < rows; ++r) {
    Line line(color);
    for (int i = r; i < count; i += rows) {
      const FieldName& label = labels[static_cast<std::size_t>(i)];
      const Tone tone = tone_of(*label.segment, row.word);
      const Tint tint = tone == Tone::plain ? label.segment->tint : Tint{};
      const int column = i / rows * (one + between);
      line.put(column, pad_left(bits_of(label), bits), Tone::faint);
      line.put(column + bits + gap, digits_of(row, *label.segment), tone, tint);
      line.put(column + bits + gap + digits + gap, label.text, tone, tint);
    }
    out.push_back(line.take());
  }
  return out;
}

}  // namespace

std::vector<std::string> lines_of(const BitRow& row, const TextStyle& style) {
  const std::vector<Segment> segments = segments_of(row);
  if (segments.empty()) return {};
  const int before = row.versions.empty() ? 0 : 3;  // columns of the name of a word
  const Columns columns = columns_of(segments, style.width > 0 ? style.width - before : 0);
  const std::vector<FieldName> labels = labels_of(segments, columns, row.word);

  Lines out{numbers_line(segments, columns, style.color)};
  for (std::string& line : digits_lines(row, segments, columns, style)) out.push_back(std::move(line));

  constexpr std::size_t most_depths = 2;
  std::size_t depths = 0;
  for (const FieldName& label : labels) depths = std::max(depths, label.depth + 1);
  const int width = (style.width > 0 ? style.width : widest_row) - before;
  for (std::string& line : depths > most_depths ? field_list(labels, row, width, style.color)
                                                : lines_under(labels, depths, row, style.color))
    out.push_back(std::move(line));
  for (std::size_t i = 0; before > 0 && i < out.size(); ++i) {
    const bool is_word = i > 0 && i <= row.versions.size();
    out[i] = pad_right(is_word ? row.versions[i - 1].name : "", before) + out[i];
  }
  for (std::string& line : remark_lines(row, style)) out.push_back(std::move(line));
  return out;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// The bits of a word, divided into its fields, with the names below:
//
//   62  61                51   48
//   01  0000000000000  …  000  000
//   ┬─                    ┬──
//   swizzle               base_offset
//
// A name that does not fit before its right neighbour goes one line deeper and is connected to its field by │. Bits
// that belong to no field, or to a reserved one, have a name only if one of them is set, because that is then worth
// seeing.
#include "render/bit_row.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "render/display.hpp"
#include "render/text.hpp"

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
  for (const auto& [name, bits, is_reserved, value] : parts) {
    if (bits.width < 1 || bits.low < 0 || bits.high() > next) continue;
    fill_down_to(bits.high() + 1);
    segments.push_back(
        {printable(name), bits, is_reserved, is_reserved ? Tint{} : tint_of_field(number++), printable(value)});
    next = bits.low - 1;
  }
  fill_down_to(0);
  return segments;
}

std::vector<std::string> lines_of(const BitRow& row, const TextStyle& style) {
  const std::vector<Segment> segments = segments_of(row);
  if (segments.empty()) return {};
  const Columns columns = columns_of(segments, style.width);
  const std::vector<FieldName> labels = labels_of(segments, columns, row.word);

  Lines out{numbers_line(segments, columns, style.color)};
  Line digits(style.color);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    const std::uint64_t value = s.bits.read(row.word);
    const Tone tone = !s.reserved ? Tone::plain : value != 0 ? Tone::bad : Tone::faint;
    std::string text = fmt::format("{:0{}b}", value, s.bits.width);
    for (int bit = 0; bit < s.bits.width; ++bit)
      if ((s.bits.read(row.unknown) >> bit & 1) != 0) text[text.size() - 1 - static_cast<std::size_t>(bit)] = '?';
    digits.put(columns[i], text, tone, s.tint);
  }
  out.push_back(digits.take());

  Line brackets(style.color);
  std::size_t lines = 0;
  for (const FieldName& label : labels) {
    brackets.put(label.column, "┬" + repeated("─", label.segment->bits.width - 1),
                 label.segment->reserved ? Tone::bad : Tone::plain);
    lines = std::max(lines, label.depth + 1);
  }
  if (!labels.empty()) out.push_back(brackets.take());
  for (std::size_t depth = 0; depth < lines; ++depth) {
    Line line(style.color);
    for (const FieldName& label : labels) {
      const Tone tone = label.segment->reserved ? Tone::bad : Tone::plain;
      if (label.depth == depth) line.put(label.column, label.text, tone, label.segment->tint);
      else if (label.depth > depth) line.put(label.column, "│", tone);
    }
    out.push_back(line.take());
  }
  return out;
}

}  // namespace swz

// The bits of a word, cut into its fields, with the names hung beneath:
//
//   62  61                51   48
//   01  0000000000000  …  000  000
//   ┬─                    ┬──
//   swizzle               base_offset
//
// A name that does not fit before its right neighbour goes one line deeper and is tied to its field by │. Bits that
// belong to no field, or to a reserved one, have no name unless one of them is set: then that is what to see.
//
// As a picture: 32 bits a row, most significant first, each field in its own colour.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "render/display.hpp"
#include "render/picture.hpp"
#include "render/text.hpp"

namespace swz {

namespace {

// ---- lines

using Lines = std::vector<std::string>;

constexpr int widest_row = 100;

struct Segment {
  std::string name;
  BitField bits;
  bool reserved = true;
  Tint tint = {};  // reserved bits have none
  int column = 0;  // where its first digit stands
};

// Eight hues in the order of the parts, then the same in another shade; reserved bits have none.
Tint tint_of_field(int number) { return {number & 7, 2 * (number >> 3) & 3}; }

// Fields from the most significant down, gaps filled with segments called "unused". A part that lies outside the word
// or on another one is left out.
std::vector<Segment> segments_of(const BitRow& row) {
  std::vector<std::pair<BitRow::Part, Tint>> parts;
  int number = 0;
  for (const BitRow::Part& part : row.parts)
    parts.emplace_back(part, part.reserved ? Tint{} : tint_of_field(number++));
  std::ranges::stable_sort(parts, std::greater(), [](const auto& part) { return part.first.bits.low; });
  std::vector<Segment> segments;
  int next = std::clamp(row.width, 0, 64) - 1;  // the highest bit not yet covered
  const auto fill_down_to = [&](int bit) {
    if (next >= bit) segments.push_back({"unused", {bit, next - bit + 1}});
  };
  for (const auto& [part, tint] : parts) {
    const auto& [name, bits, is_reserved] = part;
    if (bits.width < 1 || bits.low < 0 || bits.high() > next) continue;
    fill_down_to(bits.high() + 1);
    segments.push_back({printable(name), bits, is_reserved, tint});
    next = bits.low - 1;
  }
  fill_down_to(0);
  return segments;
}

void place(std::vector<Segment>& segments, int width) {
  int total = 0;
  for (const Segment& s : segments) total += s.bits.width;
  const int gaps = static_cast<int>(segments.size()) - 1;
  const int gap = total + 2 * gaps <= (width > 0 ? width : widest_row) ? 2 : 1;
  int column = 0;
  for (Segment& s : segments) {
    s.column = column;
    column += s.bits.width + gap;
  }
}

// A line written left to right at given columns.
class Line {
 public:
  explicit Line(bool color) : color_(color) {}

  // false: something already stands there
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

std::string numbers_line(const std::vector<Segment>& segments, bool color) {
  Line line(color);
  for (const Segment& s : segments) {
    const std::string high = std::to_string(s.bits.high());
    const std::string low = std::to_string(s.bits.low);
    if (line.used() > 0 && s.column <= line.used()) continue;
    line.put(s.column, high, Tone::faint);
    const int low_column = s.column + s.bits.width - static_cast<int>(low.size());
    if (s.bits.width > 4 && low_column > line.used()) line.put(low_column, low, Tone::faint);
  }
  return line.take();
}

struct FieldName {
  const Segment* segment;
  std::string text;
  std::size_t depth = 0;  // which line under the bits
};

// From the right: each label on the first line where it ends before what stands to its right. A label on line d
// occupies its column on the lines above with │.
std::vector<FieldName> labels_of(const std::vector<Segment>& segments, std::uint64_t word) {
  std::vector<FieldName> labels;
  std::vector<int> leftmost;  // per line
  for (auto s = segments.rbegin(); s != segments.rend(); ++s) {
    if (s->reserved && s->bits.read(word) == 0) continue;
    FieldName label{&*s, s->reserved ? s->name + " (not 0)" : s->name};
    const int end = s->column + display_width(label.text) + 1;
    while (label.depth < leftmost.size() && end > leftmost[label.depth]) ++label.depth;
    if (label.depth == leftmost.size()) leftmost.push_back(0);
    for (std::size_t d = 0; d <= label.depth; ++d) leftmost[d] = s->column;
    labels.push_back(std::move(label));
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

// ---- the picture

constexpr int bits_per_row = 32;

std::string name_with_bits(std::string_view name, BitField bits) {
  return bits.width == 1 ? fmt::format("{} [{}]", name, bits.low)
                         : fmt::format("{} [{}:{}]", name, bits.high(), bits.low);
}

}  // namespace

std::vector<std::string> lines_of(const BitRow& row, const TextStyle& style) {
  std::vector<Segment> segments = segments_of(row);
  if (segments.empty()) return {};
  place(segments, style.width);
  const std::vector<FieldName> labels = labels_of(segments, row.word);

  Lines out{numbers_line(segments, style.color)};
  Line digits(style.color);
  for (const Segment& s : segments) {
    const std::uint64_t value = s.bits.read(row.word);
    const Tone tone = !s.reserved ? Tone::plain : value != 0 ? Tone::bad : Tone::faint;
    digits.put(s.column, fmt::format("{:0{}b}", value, s.bits.width), tone, s.tint);
  }
  out.push_back(digits.take());

  Line brackets(style.color);
  std::size_t lines = 0;
  for (const FieldName& label : labels) {
    brackets.put(label.segment->column, "┬" + repeated("─", label.segment->bits.width - 1),
                 label.segment->reserved ? Tone::bad : Tone::plain);
    lines = std::max(lines, label.depth + 1);
  }
  if (!labels.empty()) out.push_back(brackets.take());
  for (std::size_t depth = 0; depth < lines; ++depth) {
    Line line(style.color);
    for (const FieldName& label : labels) {
      const Tone tone = label.segment->reserved ? Tone::bad : Tone::plain;
      if (label.depth == depth) line.put(label.segment->column, label.text, tone, label.segment->tint);
      else if (label.depth > depth) line.put(label.segment->column, "│", tone);
    }
    out.push_back(line.take());
  }
  return out;
}

Figure figure_of(const BitRow& row) {
  const auto square_of = [&row](int bit) {
    Grid::Square square{(row.word >> bit & 1) != 0 ? "1" : "0", {}, Mark::none, fmt::format("bit {}: unused", bit)};
    int hue = 0;
    for (const auto& [name, bits, is_reserved] : row.parts) {
      const Tint own = is_reserved ? Tint{} : tint_of_field(hue++);
      if (bit < bits.low || bit > bits.high()) continue;
      square.tint = own;
      square.tip = fmt::format("bit {}: {}", bit, name_with_bits(name, bits));
      break;
    }
    return square;
  };
  Grid grid;
  grid.corner = "bit";
  grid.column_group = 8;
  const int rows = row.width > bits_per_row ? 2 : 1;
  for (int c = 0; c < bits_per_row; ++c) grid.column_labels.push_back(std::to_string(bits_per_row - 1 - c));
  for (int r = 0; r < rows; ++r) {
    const int low = (rows - 1 - r) * bits_per_row;
    grid.row_labels.push_back(fmt::format("{}…{}", low + bits_per_row - 1, low));
    std::vector<Grid::Square>& squares = grid.squares.emplace_back();
    for (int c = 0; c < bits_per_row; ++c) squares.push_back(square_of(low + bits_per_row - 1 - c));
  }
  Figure figure = figure_of(grid);
  for (const BitRow::Part& part : row.parts)
    if (!part.reserved)
      figure.legend.push_back(
          {fmt::format("{} = {:#x}", name_with_bits(part.name, part.bits), part.bits.read(row.word)),
           tint_of_field(static_cast<int>(figure.legend.size()))});
  return figure;
}

}  // namespace swz

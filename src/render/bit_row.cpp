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
  int low = 0;
  int high = 0;
  bool reserved = false;
  int hue = -1;
  int column = 0;  // where its first digit stands
  int digits() const { return high - low + 1; }
};

// Fields from the most significant down, gaps filled with segments called "unused". A part that lies outside the
// word or on another one is left out.
std::vector<Segment> segments_of(const BitRow& row) {
  std::vector<BitRow::Part> parts = row.parts;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.bits.low > b.bits.low; });
  std::vector<Segment> segments;
  int next = std::clamp(row.width, 0, 64) - 1;  // the highest bit not yet covered
  int hue = 0;
  const auto fill_down_to = [&](int bit) {
    if (next >= bit) segments.push_back({"unused", bit, next, true});
  };
  for (const BitRow::Part& part : parts) {
    if (part.bits.width < 1 || part.bits.low < 0 || part.bits.high() > next) continue;
    fill_down_to(part.bits.high() + 1);
    segments.push_back(
        {printable(part.name), part.bits.low, part.bits.high(), part.reserved, part.reserved ? -1 : hue++});
    next = part.bits.low - 1;
  }
  fill_down_to(0);
  return segments;
}

void place(std::vector<Segment>& segments) {
  int total = 0;
  for (const Segment& s : segments) total += s.digits();
  const int gaps = static_cast<int>(segments.size()) - 1;
  const int gap = total + 2 * gaps <= widest_row ? 2 : 1;
  int column = 0;
  for (Segment& s : segments) {
    s.column = column;
    column += s.digits() + gap;
  }
}

std::string digits_of(std::uint64_t word, const Segment& s) {
  std::string out;
  for (int bit = s.high; bit >= s.low; --bit) out += (word >> bit & 1) != 0 ? '1' : '0';
  return out;
}

bool any_set(std::uint64_t word, const Segment& s) { return BitField{s.low, s.digits()}.read(word) != 0; }

// A line written left to right at given columns.
class Line {
 public:
  explicit Line(bool color) : color_(color) {}

  // false: something already stands there
  bool put(int column, std::string_view text, Tone tone, int hue = -1) {
    if (column < used_) return false;
    text_.append(static_cast<std::size_t>(column - used_), ' ');
    text_ += hue >= 0 ? paint_hue(text, hue, color_) : paint(text, tone, color_);
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
    const std::string high = std::to_string(s.high);
    const std::string low = std::to_string(s.low);
    if (line.used() > 0 && s.column <= line.used()) continue;
    line.put(s.column, high, Tone::faint);
    const int low_column = s.column + s.digits() - static_cast<int>(low.size());
    if (s.digits() > 4 && low_column > line.used()) line.put(low_column, low, Tone::faint);
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
    if (s->reserved && !any_set(word, *s)) continue;
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

struct Found {
  const BitRow::Part* part = nullptr;
  int hue = -1;
};

// Which field a bit belongs to. Reserved fields have no colour.
Found field_of(const BitRow& row, int bit) {
  int hue = 0;
  for (const BitRow::Part& part : row.parts) {
    if (bit >= part.bits.low && bit <= part.bits.high()) return {&part, part.reserved ? -1 : hue};
    if (!part.reserved) ++hue;
  }
  return {};
}

std::string tip_of(const BitRow::Part* part, int bit) {
  if (part == nullptr) return fmt::format("bit {}: unused", bit);
  return fmt::format("bit {}: {} [{}:{}]", bit, part->name, part->bits.high(), part->bits.low);
}

}  // namespace

std::vector<std::string> lines_of(const BitRow& row, const TextStyle& style) {
  std::vector<Segment> segments = segments_of(row);
  if (segments.empty()) return {};
  place(segments);
  const std::vector<FieldName> labels = labels_of(segments, row.word);

  Lines out{numbers_line(segments, style.color)};
  Line digits(style.color);
  for (const Segment& s : segments) {
    const Tone tone = !s.reserved ? Tone::plain : any_set(row.word, s) ? Tone::bad : Tone::faint;
    digits.put(s.column, digits_of(row.word, s), tone, s.hue);
  }
  out.push_back(digits.take());

  Line brackets(style.color);
  std::size_t lines = 0;
  for (const FieldName& label : labels) {
    std::string bracket = "┬";
    for (int i = 1; i < label.segment->digits(); ++i) bracket += "─";
    brackets.put(label.segment->column, bracket, label.segment->reserved ? Tone::bad : Tone::plain);
    lines = std::max(lines, label.depth + 1);
  }
  if (!labels.empty()) out.push_back(brackets.take());
  for (std::size_t depth = 0; depth < lines; ++depth) {
    Line line(style.color);
    for (const FieldName& label : labels) {
      const Tone tone = label.segment->reserved ? Tone::bad : Tone::plain;
      if (label.depth == depth) line.put(label.segment->column, label.text, tone, label.segment->hue);
      else if (label.depth > depth) line.put(label.segment->column, "│", tone);
    }
    out.push_back(line.take());
  }
  return out;
}

Figure figure_of(const BitRow& row) {
  Grid grid;
  grid.corner = "bit";
  grid.column_group = 8;
  const int rows = row.width > bits_per_row ? 2 : 1;
  for (int c = 0; c < bits_per_row; ++c) grid.column_labels.push_back(std::to_string(bits_per_row - 1 - c));
  for (int r = 0; r < rows; ++r) {
    const int low = (rows - 1 - r) * bits_per_row;
    grid.row_labels.push_back(fmt::format("{}…{}", low + bits_per_row - 1, low));
    std::vector<Grid::Square> squares;
    for (int c = 0; c < bits_per_row; ++c) {
      const int bit = low + bits_per_row - 1 - c;
      const Found found = field_of(row, bit);
      squares.push_back({(row.word >> bit & 1) != 0 ? "1" : "0", {found.hue}, Mark::none, tip_of(found.part, bit)});
    }
    grid.squares.push_back(std::move(squares));
  }
  Figure figure;
  figure.panels.push_back({std::move(grid)});
  int hue = 0;
  for (const BitRow::Part& part : row.parts)
    if (!part.reserved)
      figure.legend.push_back({fmt::format("{} [{}:{}]", part.name, part.bits.high(), part.bits.low), {hue++}});
  return figure;
}

}  // namespace swz

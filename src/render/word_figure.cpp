// SPDX-License-Identifier: Apache-2.0
// The picture of a word: 32 bits per row, most significant first, and below each field a bracket with its name and
// value.
//
//   31 29 28    24 23 22     17 16         13 12
//   0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 …
//   └┬┘   └───┬───┘   └────┬────┘ └────┬──────┘
//  no shift  M = 128    N = 128        │
//                             A, B K-major, not negated
//
// Quiet fields that are neighbours share a bracket and a label. Several words are rows of one table, as wide as the
// page, or only the halves that differ; of the words after the first, what is equal is faint and what differs is framed:
//
//   0x4000004000010040  01 … 0 0 0 0 0 0 0 1 0 0 0 0 0 0
//   0x4000004000010050  01 … 0 0 0 0 0 0 0 1 0[1]0 0 0 0   +16 = +256 B ✗
//
// A label that has no room under its bracket hangs lower, on a line of its own. It is to the left of its line, where
// only labels that hang less deep can be in its way; those at the left edge, which have no room there, are to the right
// of theirs, below the others.
//
// Invariant (tested): no label touches another one or the line of another one, whatever the fields are.
#include <fmt/format.h>

#include <algorithm>

#include "render/bit_row.hpp"
#include "render/display.hpp"
#include "render/picture.hpp"

namespace swz {
namespace {

constexpr int bits_per_row = 32;
// A word of 32 bits has many narrow fields, whose labels need more room than a column has.
constexpr int bits_per_narrow_row = 16;
constexpr double narrow_page = 480;
constexpr double widest_bit = 26, usual_bit = 20, bit_height = 22;
constexpr double letters = 11, number_letters = 10, title_letters = 12;
constexpr double bracket_height = 10, tier_height = 16, row_gap = 14;
constexpr double label_gap = 5;  // between a label and what is beside it

// The part of a segment that is in one row; x counts from the row's left edge.
struct Piece {
  const Segment* segment;
  BitField bits;
  double left = 0, right = 0;
  bool is_labelled = false, is_wrong = false;
};

std::vector<Piece> pieces_of(const std::vector<Segment>& segments, std::uint64_t word, BitField row, double bit) {
  std::vector<Piece> pieces;
  for (const Segment& s : segments) {
    const int low = std::max(s.bits.low, row.low), high = std::min(s.bits.high(), row.high());
    if (low > high) continue;
    pieces.push_back({&s,
                      {low, high - low + 1},
                      (row.high() - high) * bit,
                      (row.high() - low + 1) * bit,
                      s.is_labelled(word),
                      s.is_wrong(word)});
  }
  return pieces;
}

// "M = 128"
std::string text_of(const Segment& s) {
  if (!s.said.empty()) return s.said;
  return fmt::format("{}{}{}", s.label(), s.value.empty() ? "" : " = ", s.value);
}

// A label, and the bits that it names.
struct Hung {
  std::string text;
  double from = 0, to = 0;  // of its bits
  int bits = 1;
  Ink ink = Ink::text;
  double left = 0;          // of the text
  int tier = 0;             // how deep it hangs
  bool is_hanging = false;  // on a line from its bracket

  double middle() const { return (from + to) / 2; }
  double width() const { return text_width(text, letters, Label::Face::sans); }
  double right() const { return left + width(); }
  // Whether this label, where it is now, and the other one overlap.
  bool meets(const Hung& other) const {
    if (tier == other.tier && left < other.right() + label_gap && other.left < right() + label_gap) return true;
    return crosses(other) || other.crosses(*this);
  }

 private:
  // Whether the line of the other one crosses this text.
  bool crosses(const Hung& other) const {
    const double x = other.middle();
    return other.is_hanging && other.tier > tier && left < x + label_gap && x < right() + label_gap;
  }
};

// What a label says: where it would take half of the room, only the name and the value; more if it is not used, which is
// worth saying.
std::string fitting_text(const Segment& s, double room) {
  const double most = s.look == BitRow::Look::unused ? 0.62 : 0.45;
  const std::string text = text_of(s);
  if (s.said.empty() || s.value.empty() || text_width(text, letters, Label::Face::sans) < most * room) return text;
  const std::string short_text = fmt::format("{} = {}", s.label(), s.value);
  if (s.look != BitRow::Look::unused) return short_text;
  // "LBO = 16 B, ignored if K-major"
  const std::size_t why = s.said.rfind(", ");
  const std::string with_reason = short_text + (why == std::string::npos ? "" : s.said.substr(why));
  return text_width(with_reason, letters, Label::Face::sans) < most * room ? with_reason : short_text;
}

// The labels of the pieces. Quiet neighbours that have something to say share one, in which each text is once.
std::vector<Hung> labels_of(const std::vector<Piece>& pieces, double room) {
  std::vector<Hung> labels;
  std::vector<std::string> said;
  const Piece* before = nullptr;  // a quiet piece, to whose label the next may be added
  for (const Piece& p : pieces) {
    const bool is_quiet = p.segment->look == BitRow::Look::quiet && !p.segment->said.empty();
    if (!p.is_labelled) {
      before = nullptr;
      continue;
    }
    const std::string text = fitting_text(*p.segment, room);
    if (is_quiet && before != nullptr) {
      Hung& shared = labels.back();
      shared.to = p.right;
      shared.bits += p.bits.width;
      if (std::ranges::find(said, text) == said.end()) shared.text += ", " + text;
      said.push_back(text);
    } else {
      labels.push_back({text, p.left, p.right, p.bits.width,
                        p.is_wrong             ? Ink::alarm
                        : p.segment->is_soft() ? Ink::soft
                                               : Ink::text});
      said = {text};
    }
    before = is_quiet ? &p : nullptr;
  }
  return labels;
}

// Places the label under its bracket, or under unlabelled bits beside it. Returns false if there is no room.
bool stands_under(Hung& label, double from, double to) {
  const double wanted = label.middle() - label.width() / 2;
  label.left = std::clamp(wanted, from, std::max(from, to - label.width()));
  return label.right() <= to;
}

// The first label from which on all have room to the left of their lines, up to the line of the one before.
std::size_t first_to_the_left(const std::vector<Hung*>& hanging) {
  for (std::size_t first = 0; first < hanging.size(); ++first) {
    const double line = first == 0 ? 0 : hanging[first - 1]->middle() + label_gap;
    const bool has_room =
        std::all_of(hanging.begin() + static_cast<std::ptrdiff_t>(first), hanging.end(),
                    [&](const Hung* label) { return label->middle() - label_gap - label->width() >= line; });
    if (has_room) return first;
  }
  return hanging.size();
}

std::vector<Hung> hung_labels(const std::vector<Piece>& pieces, double room) {
  std::vector<Hung> labels = labels_of(pieces, room);
  std::vector<Hung*> hanging, placed;
  double from = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double to = i + 1 < labels.size() ? labels[i + 1].from - label_gap : room;
    const bool is_under = stands_under(labels[i], from, to);
    labels[i].is_hanging = !is_under;
    (is_under ? placed : hanging).push_back(&labels[i]);
    from = label_gap + (is_under ? std::max(labels[i].right(), labels[i].to) : labels[i].to);
  }

  const std::size_t first = first_to_the_left(hanging);
  const auto hang = [&placed](Hung& label, double left) {
    label.left = left;
    while (std::ranges::any_of(placed, [&](const Hung* other) { return label.meets(*other); })) ++label.tier;
    placed.push_back(&label);
  };
  for (std::size_t i = first; i < hanging.size(); ++i)
    hang(*hanging[i], hanging[i]->middle() - label_gap - hanging[i]->width());
  for (std::size_t i = first; i-- > 0;) hang(*hanging[i], hanging[i]->middle() + label_gap);
  return labels;
}

std::string tip_of(const Segment& s, int bit) {
  const std::string range =
      s.bits.width == 1 ? std::to_string(s.bits.low) : fmt::format("{}-{}", s.bits.high(), s.bits.low);
  return fmt::format("bit {}: {}\nbits {}", bit, text_of(s), range);
}

// Paints the numbers of the first and the last bit of each piece, as far as they have room.
void paint_numbers(Scene& scene, const std::vector<Piece>& pieces, double x, double y, double bit, double row) {
  double used = 0;
  const auto put = [&](int number, double middle) {
    const std::string text = std::to_string(number);
    const double width = text_width(text, number_letters, Label::Face::sans);
    const double left = std::clamp(middle - width / 2, 0.0, std::max(0.0, row - width));
    if (left < used) return;
    scene.items.push_back(
        Label{x + left, y, number_letters, text, {Ink::soft}, Label::Anchor::start, Label::Face::sans});
    used = left + width + 2;
  };
  for (const Piece& p : pieces) {
    put(p.bits.high(), p.left + bit / 2);
    if (p.bits.width > 1) put(p.bits.low, p.right - bit / 2);
  }
}

// What is special about the bits of a word: those that are drawn faintly.
struct BitInk {
  std::uint64_t faint = 0;
  double size = letters;  // 0: without digits
};

void paint_bits(Scene& scene, const Piece& p, const BitRow& word, double x, double y, double bit, const BitInk& ink) {
  const Segment& s = *p.segment;
  const bool is_plain = s.reserved || s.look == BitRow::Look::unused;
  for (int i = 0; i < p.bits.width; ++i) {
    const int number = p.bits.high() - i;
    const double left = x + p.left + i * bit;
    const bool is_faint = (ink.faint >> number & 1) != 0;
    const Paint fill{is_plain || is_faint ? Ink::cell : Ink::tint, s.tint};
    const Paint letter = p.is_wrong && s.reserved ? Paint{Ink::alarm}
                         : is_plain || is_faint   ? Paint{Ink::soft}
                                                  : Paint{Ink::on_tint, s.tint};
    scene.items.push_back(Box{left, y, bit, bit_height, fill, {Ink::line}, 0.75, true, tip_of(s, number)});
    if (ink.size > 0)
      scene.items.push_back(Label{left + bit / 2, y + bit_height / 2 + 0.36 * ink.size, ink.size,
                                  (word.unknown >> number & 1) != 0 ? "?"
                                  : (word.word >> number & 1) != 0  ? "1"
                                                                    : "0",
                                  letter, Label::Anchor::middle});
  }
}

// The frame of a field; one that is wrong is framed above its neighbours.
void paint_frame(Scene& scene, const Piece& p, double x, double y) {
  const Paint edge{p.is_wrong ? Ink::alarm : Ink::border};
  scene.items.push_back(Box{x + p.left, y, p.right - p.left, bit_height, {}, edge, p.is_wrong ? 2.25 : 1.25, false});
}

// Paints the bracket, the line down from it, and the text; y is the lower edge of the bits.
void paint_label(Scene& scene, const Hung& label, double x, double y) {
  const Paint line{label.ink == Ink::alarm ? Ink::alarm : Ink::soft};
  const auto rule = [&](double x1, double y1, double x2, double y2) {
    scene.items.push_back(Rule{x + x1, y1, x + x2, y2, line, 1});
  };
  constexpr double inset = 2, notch = 3;
  const double bar = y + 2 + notch;
  if (label.bits > 1) {
    rule(label.from + inset, bar, label.to - inset, bar);
    rule(label.from + inset, bar - notch, label.from + inset, bar);
    rule(label.to - inset, bar - notch, label.to - inset, bar);
  }
  const double baseline = y + bracket_height + label.tier * tier_height + letters;
  const double middle = label.middle(), foot = baseline - 0.36 * letters;
  const bool is_left = label.left < middle;
  if (label.is_hanging) {
    rule(middle, label.bits > 1 ? bar : bar - notch, middle, foot);
    rule(is_left ? middle - label_gap + 2 : middle, foot, is_left ? middle : middle + label_gap - 2, foot);
  } else {
    rule(middle, label.bits > 1 ? bar : bar - notch, middle, bar + 2);
  }
  // Text that is narrower than it was measured stays at its line, or under the middle of its bracket.
  const Label::Anchor anchor = !label.is_hanging ? Label::Anchor::middle
                               : is_left         ? Label::Anchor::end
                                                 : Label::Anchor::start;
  const double at = !label.is_hanging ? label.left + label.width() / 2 : is_left ? label.right() : label.left;
  scene.items.push_back(Label{x + at, baseline, letters, label.text, {label.ink}, anchor, Label::Face::sans});
}

// One row of bits with what is around it.
struct RowOfBits {
  std::vector<Piece> pieces;
  double x = 0, bit = 0, width = 0, label_room = 0;

  // The numbers, and room for them; y is the top.
  double paint_numbers_above(Scene& scene, double y) const {
    paint_numbers(scene, pieces, x, y + number_letters, bit, width);
    return number_letters + 3;
  }
  void paint(Scene& scene, const BitRow& word, double y, const BitInk& ink) const {
    for (const Piece& p : pieces) paint_bits(scene, p, word, x, y, bit, ink);
    for (const bool is_wrong : {false, true})
      for (const Piece& p : pieces)
        if (p.is_wrong == is_wrong) paint_frame(scene, p, x, y);
  }
  // y: the lower edge of the bits.
  Extent paint_labels(Scene& scene, double y) const {
    const std::vector<Hung> labels = hung_labels(pieces, label_room);
    Extent extent{width, labels.empty() ? 0 : bracket_height + tier_height};
    for (const Hung& label : labels) {
      paint_label(scene, label, x, y);
      extent.width = std::max(extent.width, label.right());
      extent.height = std::max(extent.height, bracket_height + (label.tier + 1) * tier_height);
    }
    return extent;
  }
};

// ---- several words

double size_of_digits(double bit, const Room& room) {
  // Clear of the lines between bits, as far as letters may shrink for it.
  const double size = std::min(letters, bit / text_width("0", 1, Label::Face::mono));
  return size < room.smallest_letters ? 0 : std::min(size, std::max(room.smallest_letters, bit));
}

Ink ink_of(Tone tone) {
  return tone == Tone::bad      ? Ink::alarm
         : tone == Tone::faint  ? Ink::soft
         : tone == Tone::accent ? Ink::accent
                                : Ink::text;
}

// Frames around the bits of the row that are set in `bits`, one for each run of them.
void frame_runs(Scene& scene, const RowOfBits& row, BitField range, std::uint64_t bits, double y, Ink ink) {
  for (int high = range.high(); high >= range.low; --high) {
    if ((bits >> high & 1) == 0) continue;
    int low = high;
    while (low > range.low && (bits >> (low - 1) & 1) != 0) --low;
    scene.items.push_back(Box{
        row.x + (range.high() - high) * row.bit, y, (high - low + 1) * row.bit, bit_height, {}, {ink}, 2.25, false});
    high = low;
  }
}

std::string hex_of(std::uint64_t word, int width) { return fmt::format("0x{:0{}x}", word, (width + 3) / 4); }

double widest_remark(const BitRow& word) {
  double widest = 0;
  for (const BitRow::Version& version : word.versions)
    for (const std::string& remark : version.lines())
      widest = std::max(widest, text_width(remark, letters, Label::Face::sans));
  return widest;
}

// Paints the bits `range` of every word, with names and remarks beside the bits, or above and below them.
Extent paint_versions_of(Scene& scene, const BitRow& word, BitField range, double x, double y, const Room& room,
                         bool is_beside) {
  constexpr double after_name = 10, before_remark = 10, between = 6;
  const double name = text_width(hex_of(0, word.width), letters, Label::Face::mono) + after_name;
  const double remark = widest_remark(word) > 0 ? widest_remark(word) + before_remark : 0;
  const double bits_room = is_beside ? room.width - name - remark : room.width;
  const double bit = std::clamp(bits_room / range.width, 1.0, usual_bit);
  const std::vector<Segment> segments = segments_of(word);
  const double width = bit * range.width, shift = is_beside ? name : 0;
  RowOfBits row{pieces_of(segments, word.word, range, bit), x + shift, bit, width, std::max(width, room.width - shift)};
  Extent extent;
  extent.height += row.paint_numbers_above(scene, y);
  const std::uint64_t changed = changed_bits(word);
  for (const BitRow::Version& version : word.versions) {
    const bool is_first = &version == &word.versions.front();
    BitRow one = word;
    one.word = version.word;
    double top = y + extent.height;
    const auto put = [&](const std::string& text, double at, double baseline, Ink ink, Label::Face face) {
      scene.items.push_back(Label{at, baseline, letters, text, {ink}, Label::Anchor::start, face});
      extent.width = std::max(extent.width, at - x + text_width(text, letters, face));
    };
    const double line = letters * 1.3, lines = static_cast<double>(version.lines().size());
    const double after_hex = text_width(hex_of(0, word.width), letters, Label::Face::mono) + after_name;
    // Beside the bits; without room there above them, beside the name or below it, so that the brackets are below the
    // bits.
    const bool is_by_name = is_beside || after_hex + widest_remark(word) <= room.width;
    if (!is_beside) top += letters + 4 + line * std::max(0.0, is_by_name ? lines - 1 : lines);
    const double name_line = is_beside ? top + bit_height / 2 + 4 : y + extent.height + letters - 1;
    put(hex_of(version.word, word.width), x, name_line, ink_of(version.tone), Label::Face::mono);
    row.paint(scene, one, top, {is_first ? 0 : ~(version.word ^ word.word), size_of_digits(bit, room)});
    frame_runs(scene, row, range, is_first ? changed : version.word ^ word.word, top,
               is_first                    ? Ink::accent
               : version.tone == Tone::bad ? Ink::alarm
                                           : Ink::accent);
    double foot = top + bit_height;
    double baseline = is_beside ? top + bit_height / 2 - lines * line / 2 + letters : name_line;
    if (!is_by_name) baseline += line;
    const double at = is_beside ? row.x + width + before_remark : is_by_name ? x + after_hex : x;
    const auto put_line = [&](const std::string& text, Ink ink) {
      put(text, at, baseline, ink, Label::Face::sans);
      baseline += line;
    };
    for (const std::string& text : version.remarks) put_line(text, ink_of(version.tone));
    if (!version.way_out.empty()) put_line(version.way_out, Ink::text);
    if (is_beside) foot = std::max(foot, lines > 0 ? baseline - line + 2 : 0);
    extent.height = foot - y + between;
  }
  extent.height -= between;
  const Extent labels = row.paint_labels(scene, y + extent.height);
  extent.stack({shift + labels.width, labels.height}, 0);
  return extent;
}

Extent paint_versions(Scene& scene, const BitRow& word, double x, double y, const Room& room) {
  constexpr double narrowest_beside = 11;  // pixels of a bit: digits of full size
  const double name = text_width(hex_of(0, word.width), letters, Label::Face::mono) + 10;
  const auto is_beside = [&](int bits) {
    return (room.width - name - widest_remark(word) - 10) / bits >= narrowest_beside;
  };
  if (is_beside(word.width)) return paint_versions_of(scene, word, {0, word.width}, x, y, room, true);
  Extent extent;
  const std::uint64_t changed = changed_bits(word);
  for (int low = (word.width - 1) / bits_per_row * bits_per_row; low >= 0; low -= bits_per_row) {
    const BitField half{low, std::min(bits_per_row, word.width - low)};
    if ((half.mask() & changed) == 0 && (changed != 0 || low > 0)) {
      if (changed != 0)
        extent.stack(paint_text(scene, fmt::format("bits {}-{} are the same in all words", half.high(), half.low), x,
                                y + extent.height, room.width, letters, Label::Face::sans, Ink::soft),
                     0);
      continue;
    }
    const double gap = extent.height > 0 ? row_gap : 0;
    extent.stack(paint_versions_of(scene, word, half, x, y + extent.height + gap, room, is_beside(half.width)), gap);
  }
  return extent;
}

// A paragraph each.
Extent paint_mends(Scene& scene, const BitRow& word, double x, double y, double width) {
  Extent extent;
  for (const BitRow::Mend& mend : word.mends)
    extent.stack(paint_text(scene, mend.text, x, y + extent.height + 6, width, letters, Label::Face::sans_bold,
                            ink_of(mend.tone)),
                 6);
  return extent;
}

}  // namespace

namespace {

// A title of one line is a heading; where several are formulas that wrap, bold letters would outweigh the bits.
Extent paint_word_title(Scene& scene, const std::string& title, double x, double y, double room) {
  const bool wraps = text_lines(title, room, title_letters, Label::Face::sans_bold).size() > wrap(title, 0).size();
  return wraps ? paint_text(scene, title, x, y, room, letters, Label::Face::sans, Ink::text)
               : paint_text(scene, title, x, y, room, title_letters, Label::Face::sans_bold, Ink::text);
}

}  // namespace

std::string caption_of(const BitRow& row) {
  std::string text;
  for (const Segment& s : segments_of(row))
    if (s.is_labelled(row.word)) text += (text.empty() ? "" : ", ") + text_of(s);
  return text;
}

Extent paint_word(Scene& scene, const BitRow& word, double x, double y, const Room& room) {
  constexpr double narrowest_labels = 320;
  const std::vector<Segment> segments = segments_of(word);
  const int width = std::clamp(word.width, 0, 64);
  const int per_row = width <= bits_per_row && room.width < narrow_page ? bits_per_narrow_row : bits_per_row;
  const int columns = std::min(width, per_row);
  Extent extent;
  if (!word.title.empty())
    extent.stack(paint_word_title(scene, word.title, x, y, std::max(room.width, narrowest_labels)), 4);
  if (width == 0) return extent;
  if (!word.versions.empty()) {
    extent.stack(paint_versions(scene, word, x, y + extent.height, room), 0);
  } else {
    const double bit = std::clamp(room.width / columns, 1.0, room.is_filled ? widest_bit : usual_bit);
    const double row_width = bit * columns;
    for (int high = width - 1; high >= 0;) {
      const int low = high / per_row * per_row;
      const RowOfBits row{pieces_of(segments, word.word, {low, high - low + 1}, bit), x, bit, row_width,
                          std::min(room.width, std::max(row_width, narrowest_labels))};
      if (high < width - 1) extent.height += row_gap;
      extent.height += row.paint_numbers_above(scene, y + extent.height);
      row.paint(scene, word, y + extent.height, {0, size_of_digits(bit, room)});
      extent.height += bit_height;
      extent.stack(row.paint_labels(scene, y + extent.height), 0);
      high = low - 1;
    }
  }
  extent.stack(
      paint_mends(scene, word, x, y + extent.height, std::max(extent.width, std::min(room.width, narrowest_labels))),
      0);
  return extent;
}

}  // namespace swz

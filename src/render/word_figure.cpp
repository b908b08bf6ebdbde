// SPDX-License-Identifier: Apache-2.0
// The picture of a word: 32 bits per row, most significant first, and below each field a bracket with its name and
// value.
//
//   31 29 28    24 23 22     17 16 15 …
//   0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 0 0 …
//   └┬┘   └───┬───┘   └────┬────┘ │ │
//    │     M = 128      N = 128   │ A^T = 0
//    │                            B^T = 0
//    shift = 0 columns
//
// A label that has no room under its bracket hangs lower, on a line of its own. It is to the left of its line, where
// only labels that hang less deep can be in its way; those at the left edge, which have no room there, are to the right
// of theirs, below the others.
//
// Invariant (tested): no label touches another one or the line of another one, whatever the fields are.
#include <fmt/format.h>

#include <algorithm>

#include "render/bit_row.hpp"
#include "render/picture.hpp"

namespace swz {
namespace {

constexpr int bits_per_row = 32;
constexpr double widest_bit = 26, usual_bit = 20, bit_height = 22;
constexpr double letters = 11, number_letters = 10, title_letters = 12;
constexpr double bracket_height = 10, tier_height = 16, row_gap = 14;
constexpr double label_gap = 5;  // between a label and what is beside it

// The part of a segment that is in one row; x counts from the row's left edge.
struct Piece {
  const Segment* segment;
  BitField bits;
  double left = 0, right = 0;
  bool is_labelled = false;

  double middle() const { return (left + right) / 2; }
};

std::vector<Piece> pieces_of(const std::vector<Segment>& segments, std::uint64_t word, BitField row, double bit) {
  std::vector<Piece> pieces;
  for (const Segment& s : segments) {
    const int low = std::max(s.bits.low, row.low), high = std::min(s.bits.high(), row.high());
    if (low > high) continue;
    pieces.push_back(
        {&s, {low, high - low + 1}, (row.high() - high) * bit, (row.high() - low + 1) * bit, s.is_labelled(word)});
  }
  return pieces;
}

// "M = 128"
std::string text_of(const Segment& s) {
  return fmt::format("{}{}{}", s.label(), s.value.empty() ? "" : " = ", s.value);
}

struct Hung {
  const Piece* piece;
  std::string text;
  double left = 0;          // of the text
  int tier = 0;             // how deep it hangs
  bool is_hanging = false;  // on a line from its bracket

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
    const double x = other.piece->middle();
    return other.is_hanging && other.tier > tier && left < x + label_gap && x < right() + label_gap;
  }
};

// Places the label under its bracket, or under unlabelled bits beside it. Returns false if there is no room.
bool stands_under(Hung& label, double from, double to) {
  const double wanted = label.piece->middle() - label.width() / 2;
  label.left = std::clamp(wanted, from, std::max(from, to - label.width()));
  return label.right() <= to;
}

// The first label from which on all have room to the left of their lines, up to the line of the one before.
std::size_t first_to_the_left(const std::vector<Hung*>& hanging) {
  for (std::size_t first = 0; first < hanging.size(); ++first) {
    const double line = first == 0 ? 0 : hanging[first - 1]->piece->middle() + label_gap;
    const bool has_room =
        std::all_of(hanging.begin() + static_cast<std::ptrdiff_t>(first), hanging.end(),
                    [&](const Hung* label) { return label->piece->middle() - label_gap - label->width() >= line; });
    if (has_room) return first;
  }
  return hanging.size();
}

std::vector<Hung> hung_labels(const std::vector<Piece>& pieces, double room) {
  std::vector<Hung> labels;
  for (const Piece& p : pieces)
    if (p.is_labelled) labels.push_back({&p, text_of(*p.segment)});

  std::vector<Hung*> hanging, placed;
  double from = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double to = i + 1 < labels.size() ? labels[i + 1].piece->left - label_gap : room;
    const bool is_under = stands_under(labels[i], from, to);
    labels[i].is_hanging = !is_under;
    (is_under ? placed : hanging).push_back(&labels[i]);
    from = label_gap + (is_under ? std::max(labels[i].right(), labels[i].piece->right) : labels[i].piece->right);
  }

  const std::size_t first = first_to_the_left(hanging);
  const auto hang = [&placed](Hung& label, double left) {
    label.left = left;
    while (std::ranges::any_of(placed, [&](const Hung* other) { return label.meets(*other); })) ++label.tier;
    placed.push_back(&label);
  };
  for (std::size_t i = first; i < hanging.size(); ++i)
    hang(*hanging[i], hanging[i]->piece->middle() - label_gap - hanging[i]->width());
  for (std::size_t i = first; i-- > 0;) hang(*hanging[i], hanging[i]->piece->middle() + label_gap);
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

void paint_bits(Scene& scene, const Piece& p, const BitRow& word, double x, double y, double bit, double size) {
  const Segment& s = *p.segment;
  const Paint fill{s.reserved ? Ink::cell : Ink::tint, s.tint};
  for (int i = 0; i < p.bits.width; ++i) {
    const int number = p.bits.high() - i;
    const double left = x + p.left + i * bit;
    scene.items.push_back(Box{left, y, bit, bit_height, fill, {Ink::line}, 0.75, true, tip_of(s, number)});
    if (size > 0)
      scene.items.push_back(
          Label{left + bit / 2, y + bit_height / 2 + 0.36 * size, size,
                (word.unknown >> number & 1) != 0 ? "?"
                : (word.word >> number & 1) != 0  ? "1"
                                                  : "0",
                s.reserved ? Paint{p.is_labelled ? Ink::alarm : Ink::soft} : Paint{Ink::on_tint, s.tint},
                Label::Anchor::middle});
  }
  const Paint edge{p.is_labelled && s.reserved ? Ink::alarm : Ink::border};
  scene.items.push_back(Box{x + p.left, y, p.right - p.left, bit_height, {}, edge, 1.25, false});
}

// Paints the bracket, the line down from it, and the text; y is the lower edge of the bits.
void paint_label(Scene& scene, const Hung& label, double x, double y) {
  const Piece& p = *label.piece;
  const Paint line{p.segment->reserved ? Ink::alarm : Ink::soft};
  const Paint ink{p.segment->reserved ? Ink::alarm : Ink::text};
  const auto rule = [&](double x1, double y1, double x2, double y2) {
    scene.items.push_back(Rule{x + x1, y1, x + x2, y2, line, 1});
  };
  constexpr double inset = 2, notch = 3;
  const double bar = y + 2 + notch;
  if (p.bits.width > 1) {
    rule(p.left + inset, bar, p.right - inset, bar);
    rule(p.left + inset, bar - notch, p.left + inset, bar);
    rule(p.right - inset, bar - notch, p.right - inset, bar);
  }
  const double baseline = y + bracket_height + label.tier * tier_height + letters;
  const double middle = p.middle(), foot = baseline - 0.36 * letters;
  const bool is_left = label.left < middle;
  if (label.is_hanging) {
    rule(middle, p.bits.width > 1 ? bar : bar - notch, middle, foot);
    rule(is_left ? middle - label_gap + 2 : middle, foot, is_left ? middle : middle + label_gap - 2, foot);
  } else {
    rule(middle, p.bits.width > 1 ? bar : bar - notch, middle, bar + 2);
  }
  // Text that is narrower than it was measured stays at its line, or under the middle of its bracket.
  const Label::Anchor anchor = !label.is_hanging ? Label::Anchor::middle
                               : is_left         ? Label::Anchor::end
                                                 : Label::Anchor::start;
  const double at = !label.is_hanging ? label.left + label.width() / 2 : is_left ? label.right() : label.left;
  scene.items.push_back(Label{x + at, baseline, letters, label.text, ink, anchor, Label::Face::sans});
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
  const int width = std::clamp(word.width, 0, 64), columns = std::min(width, bits_per_row);
  Extent extent;
  if (!word.title.empty())
    extent.stack(paint_text(scene, word.title, x, y, std::max(room.width, narrowest_labels), title_letters,
                            Label::Face::sans_bold, Ink::text),
                 4);
  if (width == 0) return extent;
  const double bit = std::clamp(room.width / columns, 1.0, room.is_filled ? widest_bit : usual_bit);
  const double row_width = bit * columns, label_room = std::min(room.width, std::max(row_width, narrowest_labels));
  double size = std::min(letters, bit / text_width("0", 1, Label::Face::mono));
  if (size < room.smallest_letters) size = 0;
  for (int high = width - 1; high >= 0;) {
    const int low = high / bits_per_row * bits_per_row;
    const std::vector<Piece> pieces = pieces_of(segments, word.word, {low, high - low + 1}, bit);
    const std::vector<Hung> labels = hung_labels(pieces, label_room);
    const double top = y + extent.height + number_letters + 3;
    paint_numbers(scene, pieces, x, top - 3, bit, row_width);
    for (const Piece& p : pieces) paint_bits(scene, p, word, x, top, bit, size);
    double right = row_width;
    int tiers = labels.empty() ? 0 : 1;
    for (const Hung& label : labels) {
      paint_label(scene, label, x, top + bit_height);
      right = std::max(right, label.right());
      tiers = std::max(tiers, label.tier + 1);
    }
    const double height = number_letters + 3 + bit_height + (tiers > 0 ? bracket_height + tiers * tier_height : 0);
    extent.stack({right, height}, low > 0 ? row_gap : 0);
    high = low - 1;
  }
  return extent;
}

}  // namespace swz

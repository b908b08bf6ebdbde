// SPDX-License-Identifier: Apache-2.0
// The legend of a figure, and the caption below it.
//
//   eight hues of a tile 64x64, "0-7" to "56-63"     one line of 900 px; two lines in a column of 86 mm
#include <algorithm>

#include "render/figure_shape.hpp"

namespace swz {
namespace {

// Sizes in pixels: the square, the letters, from line to line, from the square to its text, and from entry to entry.
struct LegendSize {
  double swatch = 14, letters = 11, line = 22, to_text = 6, between = 18;
};

constexpr LegendSize usual_size{}, narrow_size{10, 9.5, 15, 4, 9};

// How many entries are on each line of this room; `first`: the width of the title.
std::vector<std::size_t> entries_per_line(const std::vector<double>& widths, double first, double between,
                                          double room) {
  std::vector<std::size_t> lines{0};
  double at = first;
  for (const double width : widths) {
    if (at > 0 && at + width > room) lines.push_back(0), at = 0;
    ++lines.back();
    at += width + between;
  }
  return lines;
}

// A smaller room that takes as many lines, where a line would have one entry of a row of colours.
double room_without_orphan(const std::vector<double>& widths, double first, double between, double room) {
  constexpr double step = 4;
  constexpr std::size_t fewest = 4;
  const std::vector<std::size_t> usual = entries_per_line(widths, first, between, room);
  if (usual.size() < 2 || usual.back() > 1 || usual.front() < fewest) return room;
  double best = room;
  std::size_t most = 1;  // on the line with the fewest
  const double widest = *std::ranges::max_element(widths);
  for (double less = room - step; less > widest; less -= step) {
    const std::vector<std::size_t> lines = entries_per_line(widths, first, between, less);
    if (lines.size() > usual.size()) break;
    if (const std::size_t fewest_of = *std::ranges::min_element(lines); fewest_of > most) best = less, most = fewest_of;
  }
  return best;
}

// The four shades of a hue beside each other, in one frame.
void paint_shades(Scene& scene, Tint tint, double x, double y, double size) {
  constexpr int shades = 4;
  for (int shade = 0; shade < shades; ++shade)
    scene.items.push_back(
        Box{x + shade * size / shades, y, size / shades, size, {Ink::tint, {tint.hue, shade}}, {}, 0, true});
  scene.items.push_back(Box{x, y, size, size, {}, {Ink::line}, 1, false});
}

}  // namespace

Extent paint_legend(Scene& scene, const Figure& figure, double x, double y, double given) {
  double room = given;
  const LegendSize& size = room > 0 && room < 330 ? narrow_size : usual_size;
  const std::vector<LegendEntry>& legend = figure.legend;
  Extent extent;
  double at = 0;
  const double baseline = 3 + size.swatch - (size.swatch - size.letters * 0.72) / 2;
  if (!legend.empty() && !figure.legend_title.empty()) {
    scene.items.push_back(Label{
        x, y + baseline, size.letters, figure.legend_title, {Ink::soft}, Label::Anchor::start, Label::Face::sans});
    extent.width = at = text_width(figure.legend_title, size.letters, Label::Face::sans);
    at += size.between - 2;
  }
  if (room > 0 && std::ranges::all_of(legend, [](const LegendEntry& entry) { return entry.tint.hue >= 0; })) {
    std::vector<double> widths;
    for (const LegendEntry& entry : legend)
      widths.push_back(size.swatch + size.to_text + text_width(entry.text, size.letters, Label::Face::sans));
    room = room_without_orphan(widths, at, size.between, room);
  }
  for (const LegendEntry& entry : legend) {
    const double text_at = size.swatch + size.to_text;
    const double width = text_at + text_width(entry.text, size.letters, Label::Face::sans);
    if (at > 0 && at + width > room) {
      at = 0;
      extent.height += size.line;
    }
    const double top = y + extent.height + 3;
    if (entry.is_dashed) paint_dashed_frame(scene, {x + at, top, size.swatch, size.swatch});
    else if (entry.has_shades) paint_shades(scene, entry.tint, x + at, top, size.swatch);
    else paint_swatch(scene, {"", entry.tint, entry.mark, {}, -1, entry.outside}, x + at, top, size.swatch);
    const double least = 100;  // room for a text, however little there is
    const Extent text =
        paint_text(scene, entry.text, x + at + text_at, top + baseline - 3 - size.letters,
                   room > 0 ? std::max(least, room - at - text_at) : 1e9, size.letters, Label::Face::sans, Ink::text);
    extent.height += std::max(0.0, text.height - size.letters * 1.35);
    if (room > 0 && at + width > room) {
      extent.width = std::max(extent.width, at + text_at + text.width);
      at = room;
      continue;
    }
    extent.width = std::max(extent.width, at + width);
    at += width + size.between;
  }
  if (!legend.empty()) extent.height += size.line;
  return extent;
}

double caption_letters(double room) { return room < 330 ? 10 : 11; }

Extent paint_words_of(Scene& scene, const Figure& figure, const std::string& caption, double x, double y, double room) {
  Extent extent;
  if (!figure.legend.empty()) extent.stack(paint_legend(scene, figure, x, y + 8, room), 8);
  if (!caption.empty())
    extent.stack(
        paint_text(scene, caption, x, y + extent.height + 6, room, caption_letters(room), Label::Face::sans, Ink::soft),
        6);
  return extent;
}

}  // namespace swz

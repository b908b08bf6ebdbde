// SPDX-License-Identifier: Apache-2.0
#include "render/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "render/display.hpp"

namespace swz {
namespace {

struct InkColor {
  Ink ink;
  Rgb light, dark;
};

constexpr std::array ink_colors{
    InkColor{Ink::page, {0xff, 0xff, 0xff}, {0x0d, 0x11, 0x17}},
    InkColor{Ink::cell, {0xff, 0xff, 0xff}, {0x1a, 0x20, 0x29}},
    InkColor{Ink::text, {0x1f, 0x23, 0x28}, {0xe6, 0xed, 0xf3}},
    InkColor{Ink::on_tint, {0x14, 0x18, 0x1d}, {0xf0, 0xf4, 0xf8}},
    InkColor{Ink::soft, {0x57, 0x60, 0x6a}, {0x9b, 0xa6, 0xb2}},
    InkColor{Ink::line, {0x8c, 0x95, 0x9f}, {0x5b, 0x65, 0x70}},
    InkColor{Ink::border, {0x24, 0x29, 0x2f}, {0xc9, 0xd1, 0xd9}},
    InkColor{Ink::accent, {0x05, 0x3f, 0xb8}, {0x9e, 0xcb, 0xff}},
    InkColor{Ink::alarm, {0xb8, 0x0f, 0x1e}, {0xff, 0x5c, 0x5c}},
};

// sky, teal, mint, khaki, sand, ochre, rose, lavender: once round the circle of hues, so that k steps, lanes and other
// things with an order read as one. Found by a search for the largest distance between any two of them, with every kind
// of colour vision; the terminal's hues are near them.
constexpr Rgb hues[] = {{0x9a, 0xb7, 0xff}, {0x4a, 0xca, 0xd3}, {0xbd, 0xfd, 0xb9}, {0xa7, 0xa2, 0x75},
                        {0xf6, 0xda, 0x79}, {0xc6, 0x8a, 0x3d}, {0xe8, 0x6e, 0x9e}, {0x9f, 0x84, 0xff}};
// The same for a dark page: those near these hues with the largest distance between any two, CIEDE2000 20.2 and at least
// 10.9 with each kind of colour blindness, also between their shades (11.7), among colours that differ from the page, and
// from cells without a hue by 21.8, and on which light letters can be read.
constexpr Rgb dark_hues[] = {{0x62, 0x60, 0xb8}, {0x16, 0x6c, 0x7c}, {0x00, 0x40, 0x28}, {0x66, 0x6d, 0x50},
                             {0x55, 0x3f, 0x09}, {0xb0, 0x50, 0x1a}, {0x8f, 0x1d, 0x58}, {0x50, 0x00, 0xa0}};
// Eight samples of viridis (van der Walt and Smith), lightest first.
constexpr Rgb viridis[] = {{0xfd, 0xe7, 0x25}, {0xa0, 0xda, 0x39}, {0x4a, 0xc1, 0x6d}, {0x1f, 0xa1, 0x87},
                           {0x27, 0x7f, 0x8e}, {0x36, 0x5c, 0x8d}, {0x46, 0x32, 0x7e}, {0x44, 0x01, 0x54}};
// Lightness 91 to 14 in steps of 11.
constexpr std::array<std::uint8_t, 8> greys{0xe5, 0xc6, 0xa7, 0x89, 0x6d, 0x52, 0x38, 0x21};

// Percent of white in each shade; of the colour of the page in those of a dark page.
constexpr std::array<int, 4> white_of_shade{0, 28, 52, 74}, page_of_shade{0, 20, 36, 52};
// In the ordered palettes a shade must not reach the next tint: this much is added to each channel.
constexpr int ordered_shade = 4;

constexpr Rgb white{0xff, 0xff, 0xff}, black{0, 0, 0};

Rgb mix(Rgb color, Rgb with, int percent) {
  const auto part = [percent](int a, int b) {
    return static_cast<std::uint8_t>((a * (100 - percent) + b * percent) / 100);
  };
  return {part(color.red, with.red), part(color.green, with.green), part(color.blue, with.blue)};
}

// An approximation of the relative luminance of WCAG 2.1, whose power would make the program load libm.
double luminance(Rgb c) {
  const auto squared = [](std::uint8_t value) { return value / 255.0 * value / 255.0; };
  return 0.2126 * squared(c.red) + 0.7152 * squared(c.green) + 0.0722 * squared(c.blue);
}

Rgb rgb_of_ink(Ink ink, Page page) {
  for (const InkColor& color : ink_colors)
    if (color.ink == ink) return page == Page::light ? color.light : color.dark;
  return page == Page::light ? white : black;
}

Rgb rgb_of_tint(Tint tint, Page page, Palette palette) {
  const auto hue = static_cast<std::size_t>(tint.hue & 7), shade = static_cast<std::size_t>(tint.shade & 3);
  if (palette == Palette::standard)
    return page == Page::light ? mix(hues[hue], white, white_of_shade[shade])
                               : mix(dark_hues[hue], rgb_of_ink(Ink::page, page), page_of_shade[shade]);
  const Rgb full = palette == Palette::grey ? Rgb{greys[hue], greys[hue], greys[hue]} : viridis[hue];
  const auto lighter = [shade](int value) {
    return static_cast<std::uint8_t>(std::min(255, value + ordered_shade * static_cast<int>(shade)));
  };
  return {lighter(full.red), lighter(full.green), lighter(full.blue)};
}

// Advances of mono, and of sans and sans_bold for what is not ASCII, in units of the font size.
constexpr std::array advances{0.6025, 0.84, 0.84};

// Advances of ' ' to '~' in thousandths of the font size: the widest of DejaVu Sans and Arial, of the faces that svg.cpp
// names the widest.
using Advances = std::array<std::uint16_t, 95>;
constexpr Advances sans_advances{318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                                 636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556,
                                 1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787,
                                 667,  787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556,
                                 500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                                 635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};
constexpr Advances bold_advances{348,  456, 521, 838, 696, 1002, 872, 306,  457, 457, 523, 838, 380, 415,  380, 365,
                                 696,  696, 696, 696, 696, 696,  696, 696,  696, 696, 400, 400, 838, 838,  838, 611,
                                 1000, 774, 762, 734, 830, 683,  683, 821,  837, 372, 556, 775, 637, 995,  837, 850,
                                 733,  850, 770, 720, 682, 812,  774, 1103, 771, 724, 725, 457, 365, 457,  838, 556,
                                 500,  675, 716, 593, 716, 678,  435, 716,  712, 343, 343, 665, 343, 1042, 712, 687,
                                 716,  716, 493, 595, 478, 712,  652, 924,  645, 652, 582, 712, 365, 712,  838};

// A face may be hinted to whole pixels.
constexpr double hinting = 1.015;

}  // namespace

double text_width(std::string_view text, double size, Label::Face face) {
  if (face == Label::Face::mono) return display_width(text) * size * advances[0];
  const Advances& table = face == Label::Face::sans ? sans_advances : bold_advances;
  double width = 0;
  std::size_t other = 0;  // begins what is not ASCII
  const auto add_others = [&](std::size_t end) {
    width += display_width(text.substr(other, end - other)) * advances[static_cast<std::size_t>(face)];
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c < ' ' || c > '~') continue;
    add_others(i);
    width += table[static_cast<std::size_t>(c - ' ')] / 1000.0 * hinting;
    other = i + 1;
  }
  add_others(text.size());
  return width * size;
}

void append_number(std::string& out, double value) {
  const auto hundredths = static_cast<long long>(std::abs(value) * 100 + 0.5);
  if (value < 0 && hundredths > 0) out += '-';
  out += fmt::format_int(hundredths / 100).c_str();
  const long long rest = hundredths % 100;
  if (rest == 0) return;
  out += '.';
  out += static_cast<char>('0' + rest / 10);
  if (rest % 10 != 0) out += static_cast<char>('0' + rest % 10);
}

Rgb rgb_of(const Paint& paint, Page page, Palette palette) {
  const bool is_tinted = paint.tint.hue >= 0;
  if (paint.ink == Ink::tint) return is_tinted ? rgb_of_tint(paint.tint, page, palette) : rgb_of_ink(Ink::cell, page);
  if (paint.ink != Ink::on_tint || palette == Palette::standard || !is_tinted) return rgb_of_ink(paint.ink, page);
  // 0.2: where black and white letters can be read equally well.
  return luminance(rgb_of_tint(paint.tint, page, palette)) > 0.2 ? black : white;
}

std::string hex_of(const Paint& paint, Page page, Palette palette) {
  const Rgb c = rgb_of(paint, page, palette);
  return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

Paint solid_of(const Paint& paint, Palette palette) {
  const bool is_tinted = paint.ink == Ink::tint || (paint.ink == Ink::on_tint && palette != Palette::standard);
  if (!is_tinted || paint.tint.hue < 0) return {paint.ink};
  return {paint.ink, {paint.tint.hue & 7, paint.tint.shade & 3}};
}

}  // namespace swz

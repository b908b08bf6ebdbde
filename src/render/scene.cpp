#include "render/scene.hpp"

#include <array>

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
    InkColor{Ink::on_tint, {0x14, 0x18, 0x1d}, {0x14, 0x18, 0x1d}},
    InkColor{Ink::soft, {0x57, 0x60, 0x6a}, {0x9b, 0xa6, 0xb2}},
    InkColor{Ink::line, {0x8c, 0x95, 0x9f}, {0x5b, 0x65, 0x70}},
    InkColor{Ink::border, {0x24, 0x29, 0x2f}, {0xc9, 0xd1, 0xd9}},
    InkColor{Ink::accent, {0x05, 0x3f, 0xb8}, {0x4d, 0x9b, 0xff}},
    InkColor{Ink::alarm, {0xb8, 0x0f, 0x1e}, {0xff, 0x5c, 0x5c}},
};

// sky, sand, mint, rose, lavender, teal, ochre, khaki. Found by a search for the largest distance between any two
// of them, as everyone sees them; the terminal's hues are near them.
constexpr Rgb hues[] = {{0x9a, 0xb7, 0xff}, {0xf6, 0xda, 0x79}, {0xbd, 0xfd, 0xb9}, {0xe8, 0x6e, 0x9e},
                        {0x9f, 0x84, 0xff}, {0x4a, 0xca, 0xd3}, {0xc6, 0x8a, 0x3d}, {0xa7, 0xa2, 0x75}};

// Percent of white in each shade.
constexpr std::array<int, 4> white_of_shade{0, 28, 52, 74};

std::uint8_t with_white(std::uint8_t value, int percent) {
  return static_cast<std::uint8_t>((value * (100 - percent) + 255 * percent) / 100);
}

// Advances of mono, sans and sans_bold in units of the font size. Sans: the widest of the faces that svg.cpp names.
constexpr std::array advances{0.6025, 0.60, 0.67};

}  // namespace

double text_width(std::string_view text, double size, Label::Face face) {
  return display_width(text) * size * advances[static_cast<std::size_t>(face)];
}

Rgb rgb_of(const Paint& paint, Page page) {
  if (paint.ink == Ink::tint && paint.tint.hue >= 0) {
    const Rgb full = hues[static_cast<std::size_t>(paint.tint.hue) % std::size(hues)];
    const int white = white_of_shade[static_cast<std::size_t>(paint.tint.shade & 3)];
    return {with_white(full.red, white), with_white(full.green, white), with_white(full.blue, white)};
  }
  for (const InkColor& color : ink_colors)
    if (color.ink == paint.ink) return page == Page::light ? color.light : color.dark;
  return page == Page::light ? ink_colors[1].light : ink_colors[1].dark;
}

}  // namespace swz

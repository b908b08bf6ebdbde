#include "render/ink.hpp"

#include <fmt/format.h>

#include <array>

namespace swz {
namespace {

// sky, sand, mint, rose, lavender, teal, ochre, khaki: what the 256 colours have near those of pictures
// (palette.cpp)
constexpr std::array<int, hue_count> hue_background{111, 222, 157, 168, 141, 80, 173, 144};

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::strong: return "\x1b[1m";
    case Tone::faint: return "\x1b[2m";
    case Tone::good: return "\x1b[32m";
    case Tone::bad: return "\x1b[31m";
    case Tone::accent: return "\x1b[36m";
  }
  return "";
}

}  // namespace

std::string paint(std::string_view text, Tone tone, bool color) {
  if (!color || text.empty() || tone == Tone::plain) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape_of(tone), text);
}

std::string paint_hue(std::string_view text, int hue, bool color) {
  if (!color || text.empty() || hue < 0) return std::string(text);
  const int background = hue_background[static_cast<std::size_t>(hue % hue_count)];
  return fmt::format("\x1b[38;5;16;48;5;{}m{}\x1b[0m", background, text);
}

}  // namespace swz

// Ink: colour as ANSI escapes, or nothing when colour is off.
//
//   paint("ok", Tone::good, true)  == "\x1b[32mok\x1b[0m"
//   paint("ok", Tone::good, false) == "ok"
//
// Tones use the terminal's own 16 colours, which people set to be readable on their background. Hues set both the
// letters (black) and the background (a light colour of the 256-colour cube), so a cell reads the same on dark and
// on light terminals. Neighbouring hues differ in lightness or warmth, so that they stay apart without red and
// green.
#pragma once

#include <string>
#include <string_view>

#include "view/document.hpp"

namespace swz {

inline constexpr int hue_count = 8;

// An empty text stays empty.
std::string paint(std::string_view text, Tone tone, bool color);

// hue < 0: plain; hues repeat after hue_count.
std::string paint_hue(std::string_view text, int hue, bool color);

}  // namespace swz

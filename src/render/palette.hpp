// Palette: the colours of pictures.
//
//   rgb_of({Ink::tint, {3, 0}}, Page::light) == Rgb{0xf5, 0xb5, 0xc0}
//
// Eight hues that differ in lightness or warmth, so that neighbours stay apart in print and for colour-blind
// readers; four shades of each, from full to nearly white. The letters on them are dark on light and on dark pages
// alike.
//
// Invariant (tested): letters have a contrast of at least 4.5 to what they stand on (WCAG 2.1), on both pages.
#pragma once

#include <cstdint>

#include "render/scene.hpp"

namespace swz {

enum class Page { light, dark };

struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Rgb&) const = default;
};

Rgb rgb_of(const Paint& paint, Page page);

// How much of a faint thing is seen.
inline constexpr double faint_opacity = 0.35;

}  // namespace swz

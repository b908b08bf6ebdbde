// Palette: the colours of pictures.
//
//   rgb_of({Ink::tint, {3, 0}}, Page::light) == Rgb{0xe8, 0x6e, 0x9e}
//
// Eight hues and four shades of each, from full to nearly white. The letters on them are dark on light and on dark
// pages alike.
//
// Invariants (tested): letters have a contrast of at least 4.5 to what they stand on (WCAG 2.1), on both pages; any
// two hues are at least 15 apart in CIE Lab, also as seen without red, green or blue cones (Machado et al. 2009).
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

// SPDX-License-Identifier: Apache-2.0
// The shapes of characters in the fonts of this machine, which are those that a PNG would show.
//
//   const Outliner outline = font_outlines();
//   outline(Label::Face::mono, "1")       {"M124 -83L285 -83L…Z", 602}, in thousandths of the font's size
//
// The same fonts give the same shapes. Throws Error if libcairo is missing or fails.
#pragma once

#include "render/scene.hpp"

namespace swz {

Outliner font_outlines();

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// Sentences in a sketch: a text is broken into lines before it is drawn.
//
//   add_lines(shapes, "the right advance, K-major: 32 B a step", Tone::bad, {0, 20, 200})    two lines from y = 20 on
#pragma once

#include <string>

#include "view/document/document.hpp"

namespace swz {

// From one line of a sketch to the next, in pixels.
inline constexpr double sketch_line = 15;

// Where a text begins, and how wide it may be.
struct SketchRoom {
  double x = 0, y = 0, width = 0;
};

// Returns where the lines end.
double add_lines(Sketch::Shapes& shapes, const std::string& text, Tone tone, const SketchRoom& room);

}  // namespace swz

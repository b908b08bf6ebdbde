// Picture: a Document as a Scene.
//
//   Scene s = picture_of(document, "K-major 128B");
//   svg_text(s)
//
// A picture shows the grids, figures and bit rows of a document one below the other. A document without any is
// drawn as the lines that render_text makes of it, so that every answer can be a picture. The title is the one
// asked for, else the document's.
#pragma once

#include <algorithm>
#include <string>

#include "render/scene.hpp"
#include "view/document.hpp"

namespace swz {

// title: empty for the document's own. Throws Error beyond drawable_squares (view/figure.hpp).
Scene picture_of(const Document& document, const std::string& title);

// The parts of a picture, in figure.cpp and bit_row.cpp: each paints itself with its top left corner
// at (x, y) and says how much room it took.
struct Extent {
  double width = 0, height = 0;
  // With `part` above or below, and a gap between the two.
  void stack(const Extent& part, double gap) {
    width = std::max(width, part.width);
    height += part.height + gap;
  }
};
Extent paint_figure(Scene& scene, const Figure& figure, double x, double y);
Figure figure_of(const Grid& grid);
Figure figure_of(const BitRow& row);

// Text that wraps at `width` pixels; y is the top.
Extent paint_text(Scene& scene, std::string_view text, double x, double y, double width, double size,
                  Label::Face face, Ink ink);

}  // namespace swz

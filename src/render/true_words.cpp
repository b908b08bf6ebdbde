// SPDX-License-Identifier: Apache-2.0
// What a figure says of itself, after its part was chosen: a legend without what is not drawn, and a sentence about
// shades only where two shades of a hue are drawn.
#include <algorithm>
#include <array>
#include <set>

#include "render/figure_shape.hpp"

namespace swz {
namespace {

// Calls `visit` with each square of the figure.
template <class Visit>
void each_square(const Figure& figure, Visit visit) {
  for (const auto& panels : figure.panels)
    for (const Grid& grid : panels)
      for (const auto& row : grid.squares)
        for (const Grid::Square& square : row) visit(square);
}

// Removes from the legend what is not drawn; where only another shade of its hue is, the entry has that.
void keep_drawn_legend(Figure& figure) {
  std::set<Tint> tints;
  std::set<Mark> marks;
  bool has_outside = false, has_plain = false, has_frames = false;
  for (const auto& panels : figure.panels)
    for (const Grid& grid : panels) has_frames = has_frames || !grid.outlines.empty();
  each_square(figure, [&](const Grid::Square& square) {
    tints.insert(square.tint);
    marks.insert(square.mark);
    has_outside = has_outside || square.outside > 0;
    has_plain = has_plain || (square.tint.hue < 0 && square.mark != Mark::colliding && square.outside < 1);
  });
  std::erase_if(figure.legend, [&](LegendEntry& entry) {
    if (entry.is_dashed) return !has_frames;
    if (entry.mark != Mark::none && !marks.contains(entry.mark)) return true;
    if (entry.outside > 0) return !has_outside;
    if (entry.tint.hue < 0) return entry.mark == Mark::none && !has_plain;
    const auto shade = std::ranges::find(tints, entry.tint.hue, &Tint::hue);
    if (shade == tints.end() || (entry.is_of_shade && !tints.contains(entry.tint))) return true;
    if (!tints.contains(entry.tint)) entry.tint = *shade;
    return false;
  });
}

// Not only of hues.
bool speaks_of_shades(const std::string& sentence) {
  return std::ranges::any_of(std::array{"shade", "dark and light", "paler"},
                             [&](const char* word) { return sentence.find(word) != std::string::npos; });
}

bool has_shades(const Figure& figure) {
  std::set<Tint> tints;
  each_square(figure, [&](const Grid::Square& square) {
    if (square.tint.hue >= 0) tints.insert(square.tint);
  });
  return std::ranges::adjacent_find(tints, {}, &Tint::hue) != tints.end();
}

}  // namespace

// What the legend and the caption say holds of what is drawn.
Figure with_true_words(Figure figure) {
  keep_drawn_legend(figure);
  if (!speaks_of_shades(figure.about_shades) || has_shades(figure)) figure.caption += figure.about_shades;
  figure.about_shades.clear();
  return figure;
}

}  // namespace swz

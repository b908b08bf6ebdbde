// SPDX-License-Identifier: Apache-2.0
// Picture: a Document as a Scene.
//
//   Scene s = picture_of(document, {.title = "K-major 128B"});
//   svg_text(s)
//
// A picture shows the grids, figures and bit rows of a document one below the other. A document without any is drawn as
// its fields, tables and notes, so that every answer can be a picture. Of a pattern that repeats, one period is drawn
// (render/part.hpp).
#pragma once

#include <algorithm>
#include <string>

#include "render/part.hpp"
#include "render/scene.hpp"
#include "view/document/document.hpp"

namespace swz {

// CSS pixels, 1/96 inch.
struct Pixels {
  double count = 0;
};

// below: in rows. right: a column beside the panels if these keep their letters, otherwise below.
enum class Legend { below, right, none };

// What the user asks of a picture.
struct PictureStyle {
  std::string title = {};  // empty: the document's own
  bool has_title = true, has_caption = true;
  Legend legend = Legend::below;
  Pixels width = {};        // 0: what it needs, at most readable_width
  Pixels font_size = {11};  // of the letters in cells; headings and titles follow
  Theme theme = Theme::automatic;
  Palette palette = Palette::standard;
  DrawnPart part = {};
  bool is_animated = false;  // its steps in turn, with their names
};

// A picture wider than this is scaled down where it is shown, and its letters with it.
inline constexpr Pixels readable_width{900};
// A picture is at most twice as high as wide. In a column of a paper it is at most 150 mm high, 1.75 times its width; what
// cannot be is at most 200 mm high, 2.35 times its width.
inline constexpr double highest_to_width = 2, highest_to_column = 2.35, wanted_to_highest = 0.75;
// A picture that is narrower is laid out for a column of a paper: what is around the cells is small.
inline constexpr double narrow_room = 520;
inline constexpr Pixels highest_column{756}, widest_column{420};
// 6 pt: smaller letters cannot be read in print. Letters that would be smaller are left out.
inline constexpr Pixels smallest_letters{8};

// Throws Error for more than drawable_squares (view/document/figure.hpp), and for an animation of a picture without steps.
Scene picture_of(const Document& document, const PictureStyle& style = {});

// The title and the text under the figures, as one paragraph. Throws Error for a document without a picture.
std::string caption_of(const Document& document, const PictureStyle& style = {});

// The parts of a picture, in figure.cpp, word_figure.cpp and page.cpp: each paints itself with its top left corner
// at (x, y) and returns how much room it needed.
struct Extent {
  double width = 0, height = 0;
  // The extent grows by `part` above or below it, and a gap between the two.
  void stack(const Extent& part, double gap) {
    width = std::max(width, part.width);
    height += part.height + gap;
  }
};
// The room that a figure has for its width, and the size below which letters are left out.
struct Room {
  double width = 0, smallest_letters = 0;
  bool is_filled = false;          // cells also grow to fill it
  bool has_legend_beside = false;  // if it leaves enough room
  double most_height = 0;          // of a figure; 0: any
  double wanted_height = 0;        // at most most_height; 0: that
  double least_air = 1;            // on either side of the letters of a cell
  double most_growth = 2;          // of cells that fill it, to so many times their usual width
};
// The part of a figure that is drawn, its panels and cells arranged so that they keep their letters in the room and are
// not too high; if they would, less of what repeats. Its legend and caption name only what is drawn.
Figure arranged_part(const Figure& figure, const DrawnPart& part, const Room& room);
Extent paint_figure(Scene& scene, const Figure& figure, double x, double y, const Room& room);
Figure figure_of(const Grid& grid);
// The bits of a word with names and values; its fields as one sentence.
Extent paint_word(Scene& scene, const BitRow& word, double x, double y, const Room& room);
std::string caption_of(const BitRow& word);
// Rectangles, lines and texts as the view placed them for this width, in sketch.cpp.
Extent paint_sketch(Scene& scene, const Sketch& sketch, double x, double y, const Room& room);
// A document without figures, except its title, which is already above; of tables as many rows as have room.
Extent paint_page(Scene& scene, Document document, double x, double y, const Room& room);

// The lines of a text in this width, in pixels, in text_lines.cpp. A word is never cut.
std::vector<std::string> text_lines(const std::string& text, double width, double size, Label::Face face);
std::vector<std::string> paragraph_lines(const std::string& text, double width, double size, Label::Face face);
std::vector<std::string> phrase_lines(const std::string& text, double width, double size, Label::Face face);
// A paragraph in `width` pixels; y is the top.
Extent paint_text(Scene& scene, std::string_view text, double x, double y, double width, double size, Label::Face face,
                  Ink ink);
// A heading, in lines of about one length.
Extent paint_balanced(Scene& scene, std::string_view text, double x, double y, double width, double size,
                      Label::Face face, Ink ink);

}  // namespace swz

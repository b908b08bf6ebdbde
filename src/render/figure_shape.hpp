// SPDX-License-Identifier: Apache-2.0
// FigureShape: the panels of a figure with their sizes, before they have a place. figure.cpp makes and paints it,
// stages.cpp paints each row of panels by itself.
#pragma once

#include <optional>
#include <vector>

#include "render/panel.hpp"
#include "render/picture.hpp"

namespace swz {

inline constexpr double panel_gap = 30, close_panel_gap = 22, narrow_pair_gap = 20, narrow_panel_gap = 12;
inline constexpr double row_gap = 22, narrow_row_gap = 10;
inline constexpr double panel_title_size = 12, narrow_panel_title_size = 11;

// All panels with their sizes, and for each column of panels the room for its headings and its cells.
struct FigureShape {
  std::vector<std::vector<PanelShape>> panels;
  std::vector<double> left, width;
  double narrowest_title = 0;  // a panel's title has at least this room
  bool is_narrow = false;
  bool shares_labels = false;
  double below_room = 0;  // the words below a panel have at least this room

  double room(std::size_t column) const { return left[column] + width[column]; }
  double title_room(std::size_t column) const { return std::max(room(column), narrowest_title); }
  double gap() const { return is_narrow ? narrow_row_gap : row_gap; }  // between rows of panels
  // Between panels beside each other: less in a column of a paper, and where a panel shares the row labels of the next.
  double gap_across() const {
    if (!is_narrow) return shares_labels ? close_panel_gap : panel_gap;
    return width.size() > 2 ? narrow_panel_gap : narrow_pair_gap;
  }
  double total_width() const {
    double total = 0;
    for (std::size_t c = 0; c < width.size(); ++c) total += room(c) + (c > 0 ? gap_across() : 0);
    return total;
  }
};

FigureShape shape_of(const Figure& figure, const Room& room);
bool keeps_letters(const FigureShape& shape);
// Whether the figure keeps its letters in this room, and how much higher than the room it is.
struct FigureFit {
  bool is_readable = false;
  double too_high = 0;

  bool holds() const { return is_readable && too_high <= 0; }
};
FigureFit fit_of(const Figure& figure, const Room& room);
// Whether the figure keeps its letters in this room, and is not higher.
bool fits(const Figure& figure, const Room& room);
// The heights from what is wanted to the most, in steps: a figure takes the first that it fits.
std::vector<Room> rooms_to_try(const Room& given);
// ---- in arrange.cpp
std::vector<Grid*> panels_of(Figure& figure);  // that have squares
Figure with_panels_stacked(Figure figure);
Figure with_arrows_stacked(Figure figure);  // their texts on two lines
Figure with_corners_stacked(Figure figure);
bool has_brief_texts(const Figure& figure);
Figure with_brief_texts(Figure figure);

// ---- in legend.cpp

// One entry beside the other, and below each other where `room` ends; with a room of 0 all below each other. The title,
// "colour: k", is before the entries, or above them in a column. In a narrow room they are small.
Extent paint_legend(Scene& scene, const Figure& figure, double x, double y, double room);
// The legend and the caption.
Extent paint_words_of(Scene& scene, const Figure& figure, const std::string& caption, double x, double y, double room);
// The letters of a caption in this room.
double caption_letters(double room);

// ---- in true_words.cpp: what the legend and the caption say holds of what is drawn
Figure with_true_words(Figure figure);

// Where a panel was painted: its left edge with headings, what is under it, the right of its cells, whether it joins the
// way, and the middle of its first highlighted square, if it has one.
struct PaintedPanel {
  double left = 0, bottom = 0, cells_right = 0;
  bool joins_way = false;
  std::optional<double> x = {}, y = {};
};

// Returns the height of the row; appends its panels to `painted`, if it is given: then their titles are at one height.
double paint_row(Scene& scene, const FigureShape& shape, std::size_t row, double x, double y,
                 std::vector<PaintedPanel>* painted = nullptr);

// ---- in stages.cpp: a figure whose panels are stages of one way

// The part that is drawn; in a narrow room the stages are one below the other, without those that can be left out.
Figure arranged_stages(const Figure& figure, const DrawnPart& part, const Room& room);
Extent paint_stages(Scene& scene, const Figure& figure, double x, double y, const Room& room);
bool stages_keep_letters(const Figure& figure, const Room& room);

}  // namespace swz

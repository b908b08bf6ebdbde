// SPDX-License-Identifier: Apache-2.0
#include "render/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "render/display.hpp"
#include "view/document/figure.hpp"

namespace swz {
namespace {

constexpr double margin = 16;
constexpr double narrow_margin = 4;  // of a picture that is made for a column
constexpr double title_size = 16;
constexpr double usual_letters = 11;  // all sizes are relative to it
constexpr double narrowest_title = 520;
constexpr double usual_gap = 22, narrow_gap = 14;  // between figures

double gap_in(double width) { return width < narrow_room ? narrow_gap : usual_gap; }

void move_down(Scene& scene, double by) {
  const auto move = [by](auto& item) {
    if constexpr (requires { item.y1; }) {
      item.y1 += by;
      item.y2 += by;
    } else {
      item.y += by;
    }
  };
  for (auto& item : scene.items) std::visit(move, item);
}

// What a picture shows of a document, one below the other.
using Shown = std::variant<Figure, BitRow, Sketch>;

std::string& title_of(Shown& shown) {
  return std::visit([](auto& s) -> std::string& { return s.title; }, shown);
}

std::string caption_of(const Shown& shown) {
  if (const auto* row = std::get_if<BitRow>(&shown)) return swz::caption_of(*row);
  if (const auto* sketch = std::get_if<Sketch>(&shown)) return sketch->caption;
  return std::get<Figure>(shown).caption;
}

std::vector<Shown> figures_of(const Document& document) {
  std::vector<Shown> figures;
  for (const Block& block : document.blocks) {
    if (block.shown == Block::Shown::in_full) continue;
    if (const auto* figure = std::get_if<Figure>(&block)) figures.emplace_back(*figure);
    if (const auto* grid = std::get_if<Grid>(&block)) figures.emplace_back(figure_of(*grid));
    if (const auto* row = std::get_if<BitRow>(&block)) figures.emplace_back(*row);
    if (const auto* sketch = std::get_if<Sketch>(&block)) figures.emplace_back(*sketch);
    if (const auto* drawing = std::get_if<Drawing>(&block))
      for (Shown& figure : figures_of(drawing->draw(Medium::page))) figures.push_back(std::move(figure));
    if (const auto* group = std::get_if<Group>(&block); group != nullptr && group->in_text)
      for (const Document& member : group->members)
        for (Shown& figure : figures_of(member)) figures.push_back(std::move(figure));
  }
  return figures;
}

std::vector<std::string> step_names(const std::vector<Shown>& figures) {
  std::vector<std::string> names;
  for (const Shown& shown : figures)
    if (const auto* figure = std::get_if<Figure>(&shown))
      for (const std::string& name : figure->steps)
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

// The steps of all figures, by which their squares are numbered from then on: steps of the same name are one step, also
// in two figures; with only one step the picture is not divided into steps. "k 16-31" becomes "step 2 of 4: k 16-31",
// its place in `all`, which stays correct for a part of the figures.
std::vector<std::string> share_steps(std::vector<Shown>& figures, const std::vector<std::string>& all) {
  std::vector<std::string> names = step_names(figures);
  for (Shown& shown : figures) {
    auto* figure = std::get_if<Figure>(&shown);
    if (figure == nullptr) continue;
    const auto share = [&](Grid::Square& square) {
      const bool is_named = square.step >= 0 && square.step < std::ssize(figure->steps);
      if (is_named)
        square.step = static_cast<int>(std::ranges::find(names, figure->steps[static_cast<std::size_t>(square.step)]) -
                                       names.begin());
      else square.step = -1;
    };
    for (auto& panels : figure->panels)
      for (Grid& grid : panels)
        for (auto& row : grid.squares)
          for (Grid::Square& square : row) share(square);
  }
  if (names.size() == 1) return {};
  for (std::string& name : names)
    name = fmt::format("step {} of {}: {}", std::ranges::find(all, name) - all.begin() + 1, all.size(), name);
  return names;
}

// Adds the names, all at the same place.
Extent add_step_names(Scene& scene, double x, double y, double width) {
  if (scene.steps.empty())
    throw usage_error("this picture has no steps to show in turn",
                      "leave --animate out, or draw more with --full; swz map has a step for each of several words");
  Extent most;
  for (std::size_t i = 0; i < scene.steps.size(); ++i) {
    Scene lines;
    const Extent extent = paint_text(lines, scene.steps[i], x, y, width, 13, Label::Face::sans_bold, Ink::accent);
    most = {std::max(most.width, extent.width), std::max(most.height, extent.height)};
    for (const auto& item : lines.items) {
      scene.step_names.push_back(std::get<Label>(item));
      scene.step_names.back().step = static_cast<int>(i);
    }
  }
  return most;
}

// Multiplies every length by `factor`.
void enlarge(Scene& scene, double factor) {
  const auto each = [factor](auto&... lengths) { ((lengths *= factor), ...); };
  const auto enlarge_item = [&](auto& item) {
    if constexpr (requires { item.y1; }) each(item.x1, item.y1, item.x2, item.y2, item.width);
    else if constexpr (requires { item.size; }) each(item.x, item.y, item.size);
    else each(item.x, item.y, item.width, item.height, item.stroke_width);
  };
  for (auto& item : scene.items) std::visit(enlarge_item, item);
  for (Label& name : scene.step_names) enlarge_item(name);
  each(scene.width, scene.height);
}

void require_drawable(const std::vector<Shown>& figures) {
  std::int64_t squares = 0;
  for (const Shown& shown : figures)
    if (const auto* figure = std::get_if<Figure>(&shown))
      for (const auto& row : figure->panels)
        for (const Grid& grid : row)
          for (const auto& line : grid.squares) squares += static_cast<std::int64_t>(line.size());
  swz::require_drawable(squares, "the picture",
                        "draw a part of it, or chunks instead of elements; -f text and -f json have larger limits");
}

Extent paint_lines(Scene& scene, const std::vector<std::string>& lines, double x, double y, double size,
                   Label::Face face, Ink ink) {
  Extent extent;
  for (const std::string& line : lines) {
    scene.items.push_back(Label{x, y + extent.height + size, size, line, {ink}, Label::Anchor::start, face});
    extent.width = std::max(extent.width, text_width(line, size, face));
    extent.height += size * 1.35;
  }
  return extent;
}

}  // namespace

Extent paint_text(Scene& scene, std::string_view text, double x, double y, double width, double size, Label::Face face,
                  Ink ink) {
  if (text.empty()) return {};
  return paint_lines(scene, paragraph_lines(printable(text, true), width, size, face), x, y, size, face, ink);
}

Extent paint_balanced(Scene& scene, std::string_view text, double x, double y, double width, double size,
                      Label::Face face, Ink ink) {
  if (text.empty()) return {};
  return paint_lines(scene, phrase_lines(printable(text, true), width, size, face), x, y, size, face, ink);
}

namespace {

// What an answer is about as a phrase: "0x42, wgmma-smem on sm_90a" of "0x42  wgmma-smem on sm_90a". Blanks of an
// expression, which are beside an operator, stay.
std::string phrase_of(std::string title) {
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (auto at = title.find("  "); at != std::string::npos; at = title.find("  ", at + 2))
    if (at > 0 && at + 2 < title.size() && is_word(title[at - 1]) && is_word(title[at + 2])) title.replace(at, 2, ", ");
  return title;
}

// What the picture of the answer is of.
std::string subject_of(const Document& document) {
  return phrase_of(document.subject.empty() ? document.title : document.subject);
}

}  // namespace

std::string caption_of(const Document& document, const PictureStyle& style) {
  std::vector<Shown> figures = figures_of(document);
  if (figures.empty()) throw usage_error("this answer has no picture, and so no caption", "leave --caption out");
  std::string text;
  const auto add = [&text](const std::string& sentence) {
    if (sentence.empty() || text == sentence) return;
    if (!text.empty()) text += text.back() == '.' ? " " : ". ";
    text += sentence;
  };
  add(style.title.empty() ? document.headline : style.title);
  if (style.title.empty()) add(subject_of(document));
  for (Shown& shown : figures) {
    add(phrase_of(title_of(shown)));
    const auto* figure = std::get_if<Figure>(&shown);
    if (figure == nullptr) {
      add(caption_of(shown));
      continue;
    }
    const Figure drawn = arranged_part(*figure, style.part, Room{1e9, smallest_letters.count});
    std::string colour = drawn.legend.empty() ? "" : drawn.legend_title;
    if (colour.starts_with('c')) colour.front() = 'C';
    add(drawn.caption);
    add(colour);
  }
  // One line: "in other notations: CuTe …; Triton …".
  for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
    text.replace(at, 1, at > 0 && (text[at - 1] == ':' || text[at - 1] == '.') ? " " : "; ");
  return printable(text) + (text.ends_with('.') ? "" : ".");
}

namespace {

// The answer, and below it what was asked for.
struct Heading {
  std::string title, subtitle;
  bool is_common = false;  // of all figures
};

// One figure needs one title, and its own is left out; several without a common one keep theirs.
Heading take_heading(std::vector<Shown>& figures, const Document& document, const PictureStyle& style) {
  Heading heading{style.title, {}};
  if (heading.title.empty()) heading.title = document.headline;
  if (heading.title.empty()) heading.title = subject_of(document);
  else if (style.title.empty() && subject_of(document) != heading.title) heading.subtitle = subject_of(document);
  heading.is_common = !heading.title.empty() || figures.size() == 1;
  if (figures.empty()) return heading;
  for (Shown& figure : figures) title_of(figure) = phrase_of(title_of(figure));
  std::string& first = title_of(figures.front());
  if (heading.title.empty()) heading.title = first;
  if (figures.size() == 1 && style.title.empty() && heading.subtitle.empty() && first != heading.title)
    heading.subtitle = first;
  if (heading.is_common && (figures.size() == 1 || first == heading.title)) first.clear();
  return heading;
}

Extent paint_heading(Scene& scene, const Heading& heading, double x, double y, double width, double letters) {
  Extent extent = paint_balanced(scene, heading.title, x, y, width, letters, Label::Face::sans_bold, Ink::text);
  if (!heading.subtitle.empty())
    extent.stack(paint_balanced(scene, heading.subtitle, x, y + extent.height, width, letters * 0.75, Label::Face::sans,
                                Ink::soft),
                 0);
  return extent;
}

Extent paint_shown(Scene& body, const Shown& shown, double x, double y, const Room& room) {
  if (const auto* row = std::get_if<BitRow>(&shown)) return paint_word(body, *row, x, y, room);
  if (const auto* sketch = std::get_if<Sketch>(&shown)) return paint_sketch(body, *sketch, x, y, room);
  return paint_figure(body, std::get<Figure>(shown), x, y, room);
}

// The figures below each other; without one, the page of the document.
Extent paint_body(Scene& body, const Document& document, std::vector<Shown>& figures, double edge, const Room& room) {
  Extent size;
  for (Shown& shown : figures) {
    if (size.height > 0) size.height += gap_in(room.width);
    size.stack(paint_shown(body, shown, edge, size.height, room), 0);
  }
  if (!figures.empty()) return size;
  Room page = room;  // a table may be as high as the budget allows, a figure is half as high
  if (page.width >= narrow_room) page.most_height *= 2;
  return paint_page(body, document, edge, 0, page);
}

}  // namespace

namespace {

// The letters of the title of a picture of this width.
double title_letters(const PictureStyle& style, double width) {
  return style.width.count > 0 && width < narrowest_title ? 13 : title_size;
}

// The height that each of so many figures may have; 0, any, for a picture of all rows. `headings`: that of the title,
// the subtitle and the margins.
double most_height(const PictureStyle& style, double width, double headings, std::size_t figures, double share = 1) {
  if (style.part.is_whole || style.part.rows || figures == 0) return 0;
  const double factor = style.font_size.count / usual_letters;
  const bool is_column = style.width.count > 0 && style.width.count <= widest_column.count;
  const double highest =
      is_column ? std::min(highest_column.count / factor, highest_to_column * width) : highest_to_width * width / 2;
  const double gaps = gap_in(width) * static_cast<double>(figures - 1);
  constexpr double rounding = 8;  // of what is measured without its letters
  return (highest * share - headings - gaps - rounding) / static_cast<double>(figures);
}

// That of a picture in a column; 0: the most.
double wanted_height(const PictureStyle& style, double width, double headings, std::size_t figures) {
  const bool is_column = style.width.count > 0 && style.width.count <= widest_column.count;
  return is_column ? std::max(0.0, most_height(style, width, headings, figures, wanted_to_highest)) : 0;
}

double height_in(const Figure& figure, const Room& room) {
  Scene measured;
  return paint_figure(measured, figure, 0, 0, room).height;
}

double measured_heading(const Heading& heading, const PictureStyle& style, double room, double width) {
  Scene measured;
  if (heading.title.empty() || !heading.is_common || !style.has_title) return 0;
  return paint_heading(measured, heading, 0, 0, std::min(room, narrowest_title), title_letters(style, width)).height;
}

// Arranges each figure for its share of the height; what some leave of theirs, those that are too high share.
void arrange(std::vector<Shown>& figures, const DrawnPart& part, const Room& room) {
  double spare = 0;
  std::vector<std::pair<Figure*, Figure>> high;  // as they were
  for (Shown& shown : figures) {
    auto* figure = std::get_if<Figure>(&shown);
    if (figure == nullptr) continue;
    Figure arranged = arranged_part(*figure, part, room);
    const double height = room.most_height > 0 && figures.size() > 1 ? height_in(arranged, room) : 0;
    if (height > room.most_height) high.emplace_back(figure, *figure);
    else spare += room.most_height - height;
    *figure = std::move(arranged);
  }
  Room more = room;
  more.wanted_height = 0;
  if (!high.empty()) more.most_height += spare / static_cast<double>(high.size());
  if (spare > 0)
    for (auto& [figure, whole] : high) *figure = arranged_part(whole, part, more);
}

// Captions and legends that the style does without.
void leave_out_words(std::vector<Shown>& figures, const PictureStyle& style) {
  for (Shown& shown : figures) {
    if (auto* sketch = std::get_if<Sketch>(&shown); sketch != nullptr && !style.has_caption) sketch->caption.clear();
    auto* figure = std::get_if<Figure>(&shown);
    if (figure == nullptr) continue;
    if (style.palette != Palette::standard) figure->about_shades.clear();
    if (!style.has_caption) figure->caption.clear(), figure->about_shades.clear();
    if (style.legend == Legend::none) figure->legend.clear();
  }
}

// Sketches have the height that they need, with the gap to the next; the figures share the rest.
double height_of_sketches(const std::vector<Shown>& figures, double width) {
  double height = 0;
  Scene measured;
  for (const Shown& shown : figures)
    if (const auto* sketch = std::get_if<Sketch>(&shown))
      height += paint_sketch(measured, *sketch, 0, 0, {width}).height + gap_in(width);
  return height;
}

// The room of the figures in a picture of this width, in letters of the usual size.
Room room_of(const std::vector<Shown>& shown, const PictureStyle& style, double whole, double edge, double headings) {
  const std::ptrdiff_t sketches =
      std::ranges::count_if(shown, [](const Shown& one) { return std::holds_alternative<Sketch>(one); });
  const auto figures = static_cast<std::size_t>(std::max(std::ssize(shown) - sketches, std::ptrdiff_t{1}));
  if (sketches < std::ssize(shown)) headings += height_of_sketches(shown, whole - 2 * edge);
  const bool is_asked = style.width.count > 0;
  const bool is_free = !is_asked && (style.part.is_whole || style.part.columns);
  Room room{is_free ? 1e9 : whole - 2 * edge, smallest_letters.count * usual_letters / style.font_size.count, is_asked,
            style.legend == Legend::right};
  room.most_height = most_height(style, whole, headings, figures);
  room.wanted_height = wanted_height(style, whole, headings, figures);
  return room;
}

}  // namespace

Scene picture_of(const Document& document, const PictureStyle& style) {
  if (!document.source.empty())
    throw usage_error("source code cannot be drawn as a picture", "leave -f out, or use -f json");
  Scene scene;
  scene.theme = style.theme;
  scene.palette = style.palette;
  std::vector<Shown> figures = figures_of(document);
  const std::vector<std::string> all_steps = step_names(figures);
  // Everything is laid out in letters of the usual size.
  const double factor = style.font_size.count / usual_letters;
  const bool is_asked = style.width.count > 0;
  const double whole = (is_asked ? style.width.count : readable_width.count) / factor;
  const double edge = is_asked && whole < narrowest_title ? narrow_margin : margin;
  const Heading heading = take_heading(figures, document, style);
  constexpr double after_heading = 8;
  const double headings = measured_heading(heading, style, whole - 2 * edge, whole) + after_heading + 2 * edge;
  const Room room = room_of(figures, style, whole, edge, headings);
  leave_out_words(figures, style);
  arrange(figures, style.part, room);
  require_drawable(figures);
  scene.is_of_text = figures.empty();
  scene.steps = share_steps(figures, all_steps);
  scene.title = heading.title;

  // The body is laid out first, because the title wraps at its width.
  Scene body;
  body.steps = scene.steps;
  Extent size = paint_body(body, document, figures, edge, room);

  scene.items.push_back(Box{});  // the page, when its size is known
  double y = edge;
  if (!heading.title.empty() && heading.is_common && style.has_title) {
    const double across = std::min(room.width, std::max(size.width, narrowest_title));
    const Extent painted = paint_heading(scene, heading, edge, y, across, title_letters(style, whole));
    size.width = std::max(size.width, painted.width);
    y += painted.height + after_heading;
  }
  if (style.is_animated) {
    const Extent names = add_step_names(scene, edge, y, room.width);
    size.width = std::max(size.width, names.width);
    y += names.height + 8;
  }
  move_down(body, y);
  scene.items.reserve(scene.items.size() + body.items.size());
  scene.items.insert(scene.items.end(), std::make_move_iterator(body.items.begin()),
                     std::make_move_iterator(body.items.end()));
  // A column of a paper has its width. A wider picture ends with what it shows.
  const bool is_column = is_asked && whole < narrow_room;
  scene.width = std::max(size.width + 2 * edge, is_column ? whole : 0);
  scene.height = y + size.height + edge;
  // A picture that is a little too narrow for its height has an empty margin.
  constexpr double widest_with_margin = 460;
  if (!is_asked && room.most_height > 0)
    scene.width = std::max(scene.width, std::min(scene.height / highest_to_width, widest_with_margin));
  scene.items.front() = Box{0, 0, scene.width, scene.height, {Ink::page}};
  // What cannot be made narrower, for example a table, is scaled down with its letters.
  const double asked = is_asked ? std::min(factor, style.width.count / scene.width) : factor;
  if (asked != 1) enlarge(scene, asked);
  return scene;
}

}  // namespace swz

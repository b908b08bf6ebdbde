// SPDX-License-Identifier: Apache-2.0
// The picture of a sketch: what a view placed in pixels, with the colours and letters of all pictures.
//
//   {.boxes = {{0, 0, 128, 40, "S 0-127", {0, 0}}}, .width = 128, .height = 40}     a blue rectangle with its name
//
// A colliding box is hatched and framed in the colour of collisions; its text is on a white ground, so that it can be
// read. A dashed box is only an outline.
#include <algorithm>

#include "render/display.hpp"
#include "render/panel.hpp"
#include "render/picture.hpp"

namespace swz {
namespace {

constexpr double letters = 11, title_letters = 12, line_height = 1.3;

void paint_hatches(Scene& scene, const Sketch::Box& box, double x, double y) {
  constexpr double step = 8;
  for (double d = step; d < box.width + box.height; d += step) {
    const double from = std::max(0.0, d - box.height), to = std::min(box.width, d);
    scene.items.push_back(Rule{x + from, y + (d - from), x + to, y + (d - to), {Ink::alarm}, 0.75});
  }
}

void paint_dashes(Scene& scene, const Sketch::Box& box, double x, double y, Paint ink) {
  constexpr double dash = 5, gap = 3;
  const auto line = [&](double x1, double y1, double x2, double y2) {
    const double length = std::max(x2 - x1, y2 - y1), dx = (x2 - x1) / length, dy = (y2 - y1) / length;
    for (double at = 0; at < length; at += dash + gap) {
      const double end = std::min(length, at + dash);
      scene.items.push_back(Rule{x1 + dx * at, y1 + dy * at, x1 + dx * end, y1 + dy * end, ink, 1.25});
    }
  };
  line(x, y, x + box.width, y);
  line(x, y + box.height, x + box.width, y + box.height);
  line(x, y, x, y + box.height);
  line(x + box.width, y, x + box.width, y + box.height);
}

// The letters of a text that its box has room for.
double letters_in(const Sketch::Box& box, const std::vector<std::string>& lines) {
  double size = letters;
  const auto is_in = [&] {
    const double height = size * line_height * static_cast<double>(lines.size());
    return height <= box.height + 2 && std::ranges::all_of(lines, [&](const std::string& line) {
             return text_width(line, size, Label::Face::sans) <= box.width - 2;
           });
  };
  while (size > smallest_letters.count && !is_in()) size -= 0.5;
  return size;
}

// The end of a bar that is longer than it is drawn: two slanted lines across it, apart.
void paint_torn_edge(Scene& scene, const Sketch::Box& box, double x, double y) {
  constexpr double slant = 5, apart = 4;
  const double right = x + box.width;
  scene.items.push_back(Box{right - apart, y - 1, apart + 2, box.height + 2, {Ink::page}, {Ink::page}, 0, true});
  for (const double at : {right - apart - slant / 2, right - slant / 2})
    scene.items.push_back(Rule{at, y + box.height + 2, at + slant, y - 2, {Ink::text}, 1.25});
}

void paint_box(Scene& scene, const Sketch::Box& box, double x, double y) {
  const bool collides = box.mark == Mark::colliding;
  const Paint edge{collides ? Ink::alarm : box.mark == Mark::highlighted ? Ink::accent : Ink::line};
  if (box.is_dashed) {
    paint_dashes(scene, box, x, y, collides ? Paint{Ink::alarm} : Paint{Ink::soft});
  } else {
    scene.items.push_back(Box{x,
                              y,
                              box.width,
                              box.height,
                              {Ink::tint, box.tint},
                              edge,
                              box.mark == Mark::none || box.mark == Mark::faint ? 0.75 : 1.75,
                              true,
                              box.tip});
    if (collides) paint_hatches(scene, box, x, y);
  }
  if (box.is_broken) paint_torn_edge(scene, box, x, y);
  if (box.text.empty()) return;
  const std::vector<std::string> lines = wrap(printable(box.text, true), 0);
  const double size = letters_in(box, lines);
  double baseline = y + box.height / 2 - static_cast<double>(lines.size() - 1) * size * line_height / 2 + 0.36 * size;
  for (const std::string& line : lines) {
    const double width = text_width(line, size, Label::Face::sans);
    if (collides && !box.is_dashed)
      scene.items.push_back(Box{x + box.width / 2 - width / 2 - 2, baseline - size, width + 4, size + 4, {Ink::cell}});
    const Paint ink = collides || box.is_dashed ? Paint{collides ? Ink::alarm : Ink::text}
                      : box.mark == Mark::faint ? Paint{Ink::soft}
                      : box.tint.hue < 0        ? Paint{Ink::text}
                                                : Paint{Ink::on_tint, box.tint};
    scene.items.push_back(
        Label{x + box.width / 2, baseline, size, line, ink, Label::Anchor::middle, Label::Face::sans});
    baseline += size * line_height;
  }
}

Ink ink_of(Tone tone) {
  return tone == Tone::bad      ? Ink::alarm
         : tone == Tone::faint  ? Ink::soft
         : tone == Tone::accent ? Ink::accent
                                : Ink::text;
}

void paint_line(Scene& scene, const Sketch::Line& line, double x, double y) {
  const Paint ink{line.tone == Tone::plain ? Ink::soft : ink_of(line.tone)};
  const double x1 = x + line.x1, y1 = y + line.y1, x2 = x + line.x2, y2 = y + line.y2;
  scene.items.push_back(Rule{x1, y1, x2, y2, ink, 1.5});
  const double length = length_of(x2 - x1, y2 - y1);
  if (!line.is_arrow || length < 1) return;
  constexpr double head = 6, spread = 3.5;
  const double dx = (x2 - x1) / length, dy = (y2 - y1) / length;
  for (const double side : {-spread, spread})
    scene.items.push_back(Rule{x2 - dx * head - dy * side, y2 - dy * head + dx * side, x2, y2, ink, 1.5});
}

}  // namespace

Extent paint_sketch(Scene& scene, const Sketch& sketch, double x, double y, const Room& room) {
  constexpr double widest = 868;
  Extent extent;
  if (!sketch.title.empty())
    extent.stack(paint_text(scene, sketch.title, x, y, room.width, title_letters, Label::Face::sans_bold, Ink::text),
                 4);
  const Sketch::Shapes shapes = sketch.shapes(std::min(room.width, widest));
  const double top = y + extent.height;
  for (const Sketch::Box& box : shapes.boxes) paint_box(scene, box, x + box.x, top + box.y);
  for (const Sketch::Line& line : shapes.lines) paint_line(scene, line, x, top);
  for (const Sketch::Text& text : shapes.texts) {
    const bool is_strong = text.tone == Tone::strong;
    const auto anchor = static_cast<Label::Anchor>(text.anchor);
    scene.items.push_back(Label{x + text.x,
                                top + text.y,
                                letters,
                                printable(text.text),
                                {ink_of(text.tone)},
                                anchor,
                                is_strong ? Label::Face::sans_bold : Label::Face::sans});
  }
  extent.stack({shapes.width, shapes.height}, 0);
  extent.stack(paint_text(scene, sketch.caption, x, y + extent.height + 8, std::min(room.width, widest), letters,
                          Label::Face::sans, Ink::soft),
               sketch.caption.empty() ? 0 : 8);
  return extent;
}

}  // namespace swz

// Scene: a picture as a list of things to paint, in order, before any file format.
//
//   Scene s{200, 40, "two chunks", {}};
//   s.items.push_back(Box{10, 10, 30, 20, {Ink::tint, {3, 0}}, {Ink::line}, 1, "chunk 3"});
//   s.items.push_back(Label{25, 24, 11, "3", {Ink::on_tint}, Label::Anchor::middle});
//
// Units are CSS pixels, y grows downwards, a label stands on its baseline. Colours are roles, not values: the page
// that a picture is pasted into may be light or dark. Every painter paints the same Scene, so
// text is measured here, by fixed advances, and not by a font that another machine lacks.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "view/document.hpp"

namespace swz {

// page: the background. cell: an uncoloured cell. tint: the colour of a Tint. text stands on page or cell, on_tint
// on a coloured cell. soft: less important text. line, border: thin and heavy lines. accent: what is highlighted.
// alarm: what collides.
enum class Ink { page, cell, tint, text, on_tint, soft, line, border, accent, alarm };

struct Paint {
  Ink ink = Ink::text;
  Tint tint = {};
  bool faint = false;  // there, but not what is looked at
  auto operator<=>(const Paint&) const = default;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  Paint fill;
  Paint stroke = {Ink::line};
  double stroke_width = 0;  // 0: no outline
  bool is_filled = true;
  std::string tip = {};  // what a pointer that rests on it is told
};

struct Rule {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  Paint paint;
  double width = 1;
};

struct Label {
  enum class Anchor { start, middle, end };
  enum class Face { mono, sans, sans_bold };
  double x = 0, y = 0, size = 11;
  std::string text;
  Paint paint = {};
  Anchor anchor = Anchor::start;
  Face face = Face::mono;
};

struct Scene {
  double width = 0, height = 0;
  std::string title;  // of the file, for those who cannot see it
  std::vector<std::variant<Box, Rule, Label>> items;
};

// Width of a text in pixels. Exact for the usual monospaced faces, an upper bound for the usual sans faces.
double text_width(std::string_view text, double size, Label::Face face);

// ---- colours
//
//   rgb_of({Ink::tint, {3, 0}}, Page::light) == Rgb{0xe8, 0x6e, 0x9e}
//
// Eight hues and four shades of each, from full to nearly white. The letters on them are dark on light and on dark
// pages alike.
//
// Invariants (tested): letters have a contrast of at least 4.5 to what they stand on (WCAG 2.1), on both pages; any
// two hues are at least 15 apart in CIE Lab, also as seen without red, green or blue cones (Machado et al. 2009).

enum class Page { light, dark };

struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Rgb&) const = default;
};

Rgb rgb_of(const Paint& paint, Page page);

// As a file that browsers, editors and pages show: same scene, same bytes; valid XML whatever the texts hold.
std::string svg_text(const Scene& scene);

// How much of a faint thing is seen.
inline constexpr double faint_opacity = 0.35;

}  // namespace swz

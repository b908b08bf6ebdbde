// SPDX-License-Identifier: Apache-2.0
// Scene: a picture as a list of things to paint, in order, independent of any file format.
//
//   Scene s{200, 40, "two chunks", {}};
//   s.items.push_back(Box{10, 10, 30, 20, {Ink::tint, {3, 0}}, {Ink::line}, 1, "chunk 3"});
//   s.items.push_back(Label{25, 24, 11, "3", {Ink::on_tint}, Label::Anchor::middle});
//
// Units are CSS pixels, y grows downwards, and a label is placed by its baseline. Colours are roles, not values,
// because the page that a picture is pasted into may be light or dark. Every painter paints the same Scene, so text is
// measured here with fixed advances, and not with a font that another machine lacks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "view/document/document.hpp"

namespace swz {

// page: the background. cell: an uncoloured cell. tint: the colour of a Tint. text is on page or cell, on_tint on a
// cell of the colour of its tint. soft: less important text. line, border: thin and heavy lines. accent: what is
// highlighted. alarm: what collides.
enum class Ink { page, cell, tint, text, on_tint, soft, line, border, accent, alarm };

struct Paint {
  Ink ink = Ink::text;
  Tint tint = {};
  bool faint = false;  // in the background of what is shown
  auto operator<=>(const Paint&) const = default;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  Paint fill;
  Paint stroke = {Ink::line};
  double stroke_width = 0;  // 0: no outline
  bool is_filled = true;
  std::string tip = {};  // the tooltip
  int step = -1;         // the step of the scene that it belongs to; -1: looks the same at each
};

struct Rule {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  Paint paint;
  double width = 1;
  int step = -1;
};

struct Label {
  enum class Anchor { start, middle, end };
  enum class Face { mono, sans, sans_bold };
  double x = 0, y = 0, size = 11;
  std::string text;
  Paint paint = {};
  Anchor anchor = Anchor::start;
  Face face = Face::mono;
  int step = -1;
};

// The page that a picture is made for: automatic follows the page on which it is shown if the format can (SVG),
// otherwise it is light; transparent is the same without a background.
enum class Theme { automatic, light, dark, transparent };
// standard: eight hues. grey, viridis: lightness falls from the first tint to the last, also when printed in grey.
enum class Palette { standard, grey, viridis };

struct Scene {
  double width = 0, height = 0;
  std::string title;  // of the file, for readers who cannot see it
  std::vector<std::variant<Box, Rule, Label>> items;
  Theme theme = Theme::automatic;
  Palette palette = Palette::standard;
  // The steps in order: none, or at least two, "step 1 of 4: k 0-15". A still picture shows all of them.
  std::vector<std::string> steps = {};
  // For a picture that shows its steps in turn: their names, all at one place. Empty for a still picture.
  std::vector<Label> step_names = {};
  bool is_of_text = false;  // nothing is drawn: it shows the text of an answer without figures
};

// The width of a text in pixels. Exact for the usual monospaced faces, an upper bound for the usual sans faces.
double text_width(std::string_view text, double size, Label::Face face);

// Appends a length as every format writes it: at most hundredths, without zeros at the end; 12.50 is 12.5.
void append_number(std::string& out, double value);

// ---- colours
//
//   rgb_of({Ink::tint, {6, 0}}, Page::light) == Rgb{0xe8, 0x6e, 0x9e}
//
// There are eight tints, in the order of their hues, and four shades of each, from full to nearly that of the page. On dark pages cells are dark and
// letters light.
//
// Invariants (tested): letters have a contrast of at least 4.5 to their background (WCAG 2.1), on both pages, in
// every palette; any two hues of a page are at least 15 apart in CIE Lab, also as seen without red, green or blue cones
// (Machado et al. 2009); the tints of grey and viridis are at least 7 apart in lightness.

enum class Page { light, dark };

struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Rgb&) const = default;
};

Rgb rgb_of(const Paint& paint, Page page, Palette palette = Palette::standard);
// The page that a format without a choice of its own paints: dark if it is asked for.
constexpr Page page_of(Theme theme) { return theme == Theme::dark ? Page::dark : Page::light; }
constexpr bool follows_page(Theme theme) { return theme == Theme::automatic || theme == Theme::transparent; }
// "#e86e9e"
std::string hex_of(const Paint& paint, Page page, Palette palette);
// A paint without what its colour does not depend on: letters on a tint have one colour in the standard palette.
// Formats name their colours by it.
Paint solid_of(const Paint& paint, Palette palette);

// One character as SVG path data, in thousandths of the size of its font, from its baseline; and how far it moves the
// next one.
struct Outline {
  std::string path;
  double advance = 0;
};
using Outliner = std::function<Outline(Label::Face face, std::string_view character)>;

struct SvgStyle {
  bool marks_steps = false;    // an item that belongs to step 3 has the class q3, for a script
  Outliner outline = nullptr;  // texts become shapes; without it they remain texts
};

// The scene as a file that browsers, editors and pages show: the same scene gives the same bytes, which are valid XML
// whatever the texts contain. A scene with step_names is animated with CSS only: each step is shown in turn, or all of
// them for a user who asks for no motion.
std::string svg_text(const Scene& scene, const SvgStyle& style = {});
// The text escaped for XML and HTML, between tags and between quotes.
std::string xml_text(std::string_view raw, bool keep_newlines = false);
// The scene as a tikzpicture that a paper inputs: it needs only tikz, and has the paper's fonts and the colours of a
// light page.
std::string tikz_text(const Scene& scene);

// The scene as a page of its own, which shows the tooltip of the cell at the pointer, with a slider for the steps.
std::string html_text(const Scene& scene, const Outliner& outline = nullptr);

// The opacity of faint things.
inline constexpr double faint_opacity = 0.35;

}  // namespace swz

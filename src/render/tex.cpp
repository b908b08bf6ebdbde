// SPDX-License-Identifier: Apache-2.0
// TikZ: a tikzpicture that a paper inputs. pdflatex and lualatex compile it with only tikz, in the paper's own fonts.
//
//   Box{10, 10, 30, 20, {Ink::tint, {3, 0}}, {Ink::line}, 1}
//     \path[fill=swzhue3,draw=swzline] (10,10) rectangle +(30,20);
//   Label{25, 24, 11, "3", {Ink::on_tint}, Label::Anchor::middle}
//     \node[swzmono,scale=0.825,swzontint,anchor=base] at (25,24) {3};
//
// Units are those of the scene, 1/96 inch, and y grows downwards. Letters are set at 10 pt, a size that every family
// has, and scaled: \fontsize{8.25} would be substituted with a warning in Computer Modern. The colours are named at the
// beginning. The page is left out, because the picture is on the paper's page.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "render/display.hpp"
#include "render/scene.hpp"

namespace swz {
namespace {

constexpr std::array<std::string_view, 10> ink_names{"page", "cell", "hue",    "text",   "ontint",
                                                     "soft", "line", "border", "accent", "alarm"};

struct Escape {
  std::string_view raw, tex;
};
// ASCII that TeX reads as a command, or that the older font encodings show as something else, and the characters beyond
// ASCII in swz's own texts. Letters of a title in another script depend on the paper: they are written unchanged.
constexpr Escape escapes[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"#", "\\#"},
    {"$", "\\$"},
    {"%", "\\%"},
    {"&", "\\&"},
    {"_", "\\_"},
    {"^", "\\textasciicircum{}"},
    {"~", "\\textasciitilde{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"\"", "\\textquotedblright{}"},
    {"`", "\\textasciigrave{}"},
    {"×", "$\\times$"},
    {"→", "$\\rightarrow$"},
    {"↑", "$\\uparrow$"},
    {"←", "$\\leftarrow$"},
    {"≤", "$\\leq$"},
    {"≥", "$\\geq$"},
    {"≠", "$\\neq$"},
    {"⊕", "$\\oplus$"},
    {"∘", "$\\circ$"},
    {"…", "\\dots{}"},
    {"·", "\\textperiodcentered{}"},
    {"–", "\\textendash{}"},
    {"─", "-"},
    {"│", "\\textbar{}"},
    {"┼", "+"},
};

std::string tex_text(std::string_view raw) {
  const std::string text = printable(raw);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    // TeX makes one blank of several, and none of those at the beginning.
    if (rest.front() == ' ') {
      out += at == 0 || text[at - 1] == ' ' ? '~' : ' ';
      ++at;
      continue;
    }
    if (rest.front() == '-' && at > 0 && text[at - 1] == '-') out += "{}";  // two of them would become a dash
    const auto* const escape = std::ranges::find_if(escapes, [&](const Escape& e) { return rest.starts_with(e.raw); });
    const bool is_plain = escape == std::end(escapes);
    out += is_plain ? rest.substr(0, 1) : escape->tex;
    at += is_plain ? 1 : escape->raw.size();
  }
  return out;
}

std::string number(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

class TexWriter {
 public:
  explicit TexWriter(const Scene& scene) : page_(page_of(scene.theme)), palette_(scene.palette) {}

  void operator()(const Box& box) {
    // The page is the paper's; only a dark one has to be painted.
    if (box.is_filled && box.fill.ink == Ink::page && page_ == Page::light) return;
    const bool is_drawn = box.stroke_width > 0;
    std::string options;
    if (box.is_filled) options = "fill=" + color(box.fill);
    if (is_drawn) options += fmt::format("{}draw={}", options.empty() ? "" : ",", color(box.stroke));
    if (is_drawn && box.stroke_width != 1) options += width_option(box.stroke_width);
    if (box.is_filled && box.fill.faint) options += faint_option();
    out_ += fmt::format("\\path[{}] ({},{}) rectangle +({},{});\n", options, number(box.x), number(box.y),
                        number(box.width), number(box.height));
  }

  void operator()(const Rule& rule) {
    out_ += fmt::format("\\draw[{}{}] ({},{}) -- ({},{});\n", color(rule.paint),
                        rule.width == 1 ? "" : width_option(rule.width), number(rule.x1), number(rule.y1),
                        number(rule.x2), number(rule.y2));
  }

  void operator()(const Label& label) {
    constexpr std::array<std::string_view, 3> faces{"swzmono", "swzsans", "swzbold"};
    constexpr std::array<std::string_view, 3> anchors{"base west", "base", "base east"};
    out_ += fmt::format(
        "\\node[{},scale={:g},{},anchor={}{}] at ({},{}) {{{}}};\n", faces[static_cast<std::size_t>(label.face)],
        label.size * points_of_pixel / 10, color(label.paint), anchors[static_cast<std::size_t>(label.anchor)],
        label.paint.faint ? faint_option() : "", number(label.x), number(label.y), tex_text(label.text));
  }

  std::string finish(const Scene& scene) const {
    std::string head = fmt::format("% {}\n% \\usepackage{{tikz}}, then \\input this file.\n", printable(scene.title));
    for (const auto& [name, rgb] : colors_)
      head += fmt::format("\\definecolor{{{}}}{{HTML}}{{{:02X}{:02X}{:02X}}}\n", name, rgb.red, rgb.green, rgb.blue);
    head += fmt::format(
        "\\begin{{tikzpicture}}[x={0:g}bp,y=-{0:g}bp,line width={0:g}bp,\n"
        "  every node/.style={{inner sep=0pt,outer sep=0pt}},\n"
        "  swzmono/.style={{font=\\ttfamily\\fontsize{{10}}{{12}}\\selectfont}},\n"
        "  swzsans/.style={{font=\\sffamily\\fontsize{{10}}{{12}}\\selectfont}},\n"
        "  swzbold/.style={{font=\\sffamily\\bfseries\\fontsize{{10}}{{12}}\\selectfont}}]\n"
        "\\useasboundingbox (0,0) rectangle ({1:g},{2:g});\n",
        points_of_pixel, scene.width, scene.height);
    return head + out_ + "\\end{tikzpicture}\n";
  }

 private:
  static constexpr double points_of_pixel = 0.75;  // 1/96 inch in big points of 1/72
  static std::string faint_option() { return fmt::format(",opacity={:g}", faint_opacity); }
  static std::string width_option(double pixels) { return fmt::format(",line width={:g}bp", pixels * points_of_pixel); }

  // The name of a colour that is defined at the beginning.
  std::string color(const Paint& paint) {
    std::string name = color_name(paint);
    colors_.try_emplace(name, rgb_of(paint, page_, palette_));
    return name;
  }

  // "swzhue3b"; the letters on a tint have a colour of their own if the palette needs it.
  std::string color_name(const Paint& paint) const {
    const std::string name = fmt::format("swz{}", ink_names[static_cast<std::size_t>(paint.ink)]);
    const Tint tint = solid_of(paint, palette_).tint;
    if (tint.hue < 0) return name;
    const std::string shade = tint.shade == 0 ? "" : std::string(1, static_cast<char>('a' + tint.shade));
    return fmt::format("{}{}{}", name, tint.hue, shade);
  }

  Page page_;
  Palette palette_;

  std::string out_;
  std::map<std::string, Rgb> colors_;
};

}  // namespace

std::string tikz_text(const Scene& scene) {
  TexWriter writer(scene);
  for (const auto& item : scene.items) std::visit(writer, item);
  return writer.finish(scene);
}

}  // namespace swz

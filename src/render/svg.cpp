// SPDX-License-Identifier: Apache-2.0
// SVG: text stays text, tooltips are <title> elements, and colours are classes that follow a light or dark page without
// a script. On request, texts are shapes and steps are shown in turn.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "render/display.hpp"
#include "render/scene.hpp"

namespace swz {
namespace {

// Faces that most machines have, the narrowest as the last resort; their advances are those of text_width.
constexpr std::string_view mono_faces = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";
constexpr std::string_view sans_faces = "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif";

// U+FFFE and U+FFFF are UTF-8 but not allowed in XML; printable has made other such characters visible.
bool is_no_character(std::string_view text, std::size_t at) {
  const std::string_view three = text.substr(at, 3);
  return three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf";
}

}  // namespace

std::string xml_text(std::string_view raw, bool keep_newlines) {
  // Most texts of a picture are numbers and plain words, and there are many.
  const auto is_plain = [keep_newlines](char c) {
    return (c >= ' ' && c <= '~' && c != '&' && c != '<' && c != '>' && c != '"') || (c == '\n' && keep_newlines);
  };
  if (std::ranges::all_of(raw, is_plain)) return std::string(raw);
  const std::string text = printable(raw, keep_newlines);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (is_no_character(text, i)) i += 2;
        else out += text[i];
    }
  }
  return out;
}

namespace {

void append_pair(std::string& out, double x, double y) {
  append_number(out, x);
  out += ' ';
  append_number(out, y);
}

void append_attribute(std::string& out, std::string_view name, double value) {
  out.append(" ").append(name).append("=\"");
  append_number(out, value);
  out += '"';
}

void append_place(std::string& out, double x, double y) {
  append_attribute(out, "x", x);
  append_attribute(out, "y", y);
}

void append_size(std::string& out, double width, double height) {
  append_attribute(out, "width", width);
  append_attribute(out, "height", height);
}

// One letter for each Ink, in their order.
constexpr std::string_view ink_letters = "pchtoslbax";

std::string class_of(const Paint& paint) {
  const char letter = ink_letters[static_cast<std::size_t>(paint.ink)];
  if (paint.tint.hue < 0) return {letter};
  return fmt::format("{}{}{}", letter, paint.tint.hue,
                     paint.tint.shade == 0 ? "" : std::string(1, static_cast<char>('a' + paint.tint.shade)));
}

// The paints that the picture has, so that the style sheet names no others.
class Classes {
 public:
  Classes(Theme theme, Palette palette) : theme_(theme), palette_(palette) {}

  // A class name, "h3a"; a stroke has a k before it.
  const std::string& fill(const Paint& paint) { return used(fills_, paint, ""); }
  const std::string& stroke(const Paint& paint) { return used(strokes_, paint, "k"); }

  std::string style_sheet() const {
    std::string rules, dark;
    append_rules(rules, dark, fills_, "fill");
    append_rules(rules, dark, strokes_, "stroke");
    return rules + (dark.empty() ? "" : "@media (prefers-color-scheme:dark){" + dark + "}");
  }

 private:
  // A picture asks for its few paints a hundred thousand times.
  using Names = std::map<Paint, std::string>;

  const std::string& used(Names& names, const Paint& paint, const char* prefix) const {
    const Paint solid = solid_of(paint, palette_);
    std::string& name = names[solid];
    if (name.empty()) name = prefix + class_of(solid);
    return name;
  }

  // `dark` gets what differs on a dark page, if the page decides.
  void append_rules(std::string& rules, std::string& dark, const Names& names, std::string_view property) const {
    for (const auto& [paint, name] : names) {
      const std::string first = hex_of(paint, page_of(theme_), palette_);
      const std::string on_dark = hex_of(paint, Page::dark, palette_);
      rules += fmt::format(".{}{{{}:{}}}", name, property, first);
      if (follows_page(theme_) && on_dark != first) dark += fmt::format(".{}{{{}:{}}}", name, property, on_dark);
    }
  }

  Theme theme_;
  Palette palette_;
  Names fills_, strokes_;
};

// ---- steps in turn
//
// Of n steps, step i is full in the i-th part of n * 1.2 s and faint in the others; all run the same keyframes, step i
// as if it had begun n - i parts ago. The value at 0% is not written: it is the one that the picture has when it is
// still.

std::string hundredths(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::string animation(std::size_t steps) {
  constexpr double seconds = 1.2;
  const auto count = static_cast<double>(steps);
  std::string rules = fmt::format(
      "@keyframes q{{{0}%,100%{{opacity:{1}}}}}@keyframes u{{0%{{opacity:1}}{0}%,100%{{opacity:0}}}}"
      ".u{{opacity:0}}@media (prefers-reduced-motion:no-preference){{",
      hundredths(100 / count), faint_opacity);
  for (std::size_t i = 0; i < steps; ++i) {
    const std::string when = fmt::format("{}s step-end {}s infinite", hundredths(count * seconds),
                                         i == 0 ? "0" : "-" + hundredths((count - static_cast<double>(i)) * seconds));
    rules += fmt::format(".q{0}{{animation:q {1}}}.u{0}{{animation:u {1}}}", i, when);
  }
  return rules + "}";
}

// ---- texts as shapes

// The shapes of the characters of a picture, each written once. The name of a shape is its face and its character, so
// that two pictures in one page that share names share shapes.
class Shapes {
 public:
  explicit Shapes(Outliner outline) : outline_(std::move(outline)) {}
  bool are_used() const { return outline_ != nullptr; }

  // As many <use> as characters, in thousandths of the font's size; `advance` is set to that of all of them.
  std::string uses(const std::string& text, Label::Face face, double& advance) {
    std::string out;
    advance = 0;
    for (std::string_view rest = text; !rest.empty();) {
      const Glyph glyph = first_glyph(rest);
      rest.remove_prefix(glyph.bytes.size());
      const Shape& shape = shape_of(glyph.bytes, face);
      if (!shape.outline.path.empty()) {
        out += "<use xlink:href=\"#" + shape.id + '"';
        if (advance != 0) append_attribute(out, "x", advance);
        out += "/>";
      }
      advance += shape.outline.advance;
    }
    return out;
  }

  std::string definitions() const {
    std::string out = "<defs>\n";
    for (const auto& [key, shape] : shapes_)
      if (!shape.outline.path.empty()) out += fmt::format("<path id=\"{}\" d=\"{}\"/>\n", shape.id, shape.outline.path);
    return out + "</defs>\n";
  }

 private:
  struct Shape {
    std::string id;
    Outline outline;
  };

  const Shape& shape_of(std::string_view character, Label::Face face) {
    const auto [found, is_new] = shapes_.try_emplace({face, std::string(character)});
    if (is_new) {
      constexpr std::string_view face_letters = "msb";
      std::string id{face_letters[static_cast<std::size_t>(face)]};
      for (const char c : character) id += fmt::format("{:02x}", static_cast<unsigned char>(c));
      found->second = {std::move(id), outline_(face, character)};
    }
    return found->second;
  }

  Outliner outline_;
  std::map<std::pair<Label::Face, std::string>, Shape> shapes_;
};

class Writer {
 public:
  Writer(const Scene& scene, const SvgStyle& style)
      : theme_(scene.theme),
        classes_(scene.theme, scene.palette),
        shapes_(style.outline),
        marks_steps_(style.marks_steps || !scene.step_names.empty()) {
    constexpr std::size_t bytes_of_item = 110;
    out_.reserve(scene.items.size() * bytes_of_item);
    // More tooltips would be half of the file: then only a page, whose script reads them, has them.
    constexpr std::ptrdiff_t most_tips = 512;
    has_tips_ = style.marks_steps || std::ranges::count_if(scene.items, [](const auto& item) {
                                       const auto* box = std::get_if<Box>(&item);
                                       return box != nullptr && !box->tip.empty();
                                     }) <= most_tips;
  }

  void operator()(const Box& box) {
    if (box.fill.ink == Ink::page && theme_ == Theme::transparent) return;
    out_ += "<rect class=\"";
    out_ += box.is_filled ? classes_.fill(box.fill) : "n";
    if (box.stroke_width > 0) out_ += " " + classes_.stroke(box.stroke);
    end_class(box.step);
    append_place(out_, box.x, box.y);
    append_size(out_, box.width, box.height);
    if (box.stroke_width > 0 && box.stroke_width != 1) append_attribute(out_, "stroke-width", box.stroke_width);
    if (box.is_filled && box.fill.faint) append_attribute(out_, "opacity", faint_opacity);
    if (box.tip.empty() || !has_tips_) {
      out_ += "/>\n";
      return;
    }
    out_ += "><title>";
    out_ += xml_text(box.tip, true);
    out_ += "</title></rect>\n";
  }

  void operator()(const Rule& rule) {
    out_ += "<path class=\"" + classes_.stroke(rule.paint);
    end_class(rule.step);
    out_ += " d=\"M";
    append_pair(out_, rule.x1, rule.y1);
    out_ += 'L';
    append_pair(out_, rule.x2, rule.y2);
    out_ += '"';
    if (rule.width != 1) append_attribute(out_, "stroke-width", rule.width);
    out_ += "/>\n";
  }

  void operator()(const Label& label) {
    if (shapes_.are_used()) return append_shapes(label);
    out_ += "<text class=\"" + classes_.fill(label.paint);
    if (label.face != Label::Face::mono) out_ += label.face == Label::Face::sans ? " f" : " f w";
    if (label.anchor != Label::Anchor::start) out_ += label.anchor == Label::Anchor::middle ? " m" : " e";
    end_class(label.step);
    append_place(out_, label.x, label.y);
    if (label.size != default_size) append_attribute(out_, "font-size", label.size);
    if (label.paint.faint) append_attribute(out_, "opacity", faint_opacity);
    out_ += '>';
    out_ += xml_text(label.text);
    out_ += "</text>\n";
  }

  // The names are one on top of the other: each is shown in its turn.
  void append_step_names(const std::vector<Label>& names) {
    step_class_ = " u u";
    for (const Label& name : names) (*this)(name);
  }

  std::string finish(const Scene& scene) {
    std::string head = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
    if (shapes_.are_used()) head += " xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
    head += " role=\"img\"";
    append_size(head, scene.width, scene.height);
    head += " viewBox=\"0 0 ";
    append_pair(head, scene.width, scene.height);
    head += '"';
    if (!shapes_.are_used()) append_attribute(head, "font-size", default_size);
    head += ">\n";
    if (!scene.title.empty()) {
      head += "<title>";
      head += xml_text(scene.title);
      head += "</title>\n";
    }
    const std::string texts = shapes_.are_used()
                                  ? ".g{pointer-events:none}"
                                  : fmt::format(
                                        "text{{font-family:{};white-space:pre;pointer-events:none}}.f{{font-family:{}}}"
                                        ".w{{font-weight:600}}.m{{text-anchor:middle}}.e{{text-anchor:end}}",
                                        mono_faces, sans_faces);
    head += fmt::format("<style>{}.n{{fill:none}}{}{}</style>\n", texts, classes_.style_sheet(),
                        scene.step_names.empty() ? "" : animation(scene.steps.size()));
    if (shapes_.are_used()) head += shapes_.definitions();
    out_ += "</svg>\n";
    return head.append(out_);
  }

 private:
  static constexpr double default_size = 11;

  // Appended after the other classes of an item.
  void end_class(int step) {
    if (marks_steps_ && step >= 0) out_.append(step_class_).append(fmt::format_int(step).c_str());
    out_ += '"';
  }

  // At most as wide as text_width reports, so that the layout has enough room.
  void append_shapes(const Label& label) {
    double advance = 0;
    const std::string uses = shapes_.uses(printable(label.text), label.face, advance);
    if (uses.empty()) return;
    const double scale = label.size / 1000, room = text_width(label.text, label.size, label.face);
    const double across = advance * scale > room ? room / advance : scale;
    double x = label.x;
    if (label.anchor != Label::Anchor::start) x -= advance * across / (label.anchor == Label::Anchor::end ? 1 : 2);
    out_ += "<g class=\"" + classes_.fill(label.paint) + " g";
    end_class(label.step);
    out_ += fmt::format(" transform=\"matrix({:g} 0 0 {:g} ", across, scale);
    append_pair(out_, x, label.y);
    out_ += ")\"";
    if (label.paint.faint) append_attribute(out_, "opacity", faint_opacity);
    out_ += " aria-label=\"" + xml_text(label.text) + "\">" + uses + "</g>\n";
  }

  std::string out_;
  Theme theme_;
  Classes classes_;
  Shapes shapes_;
  bool marks_steps_ = false;
  bool has_tips_ = true;
  std::string_view step_class_ = " q";
};

}  // namespace

std::string svg_text(const Scene& scene, const SvgStyle& style) {
  Writer writer(scene, style);
  for (const auto& item : scene.items) std::visit(writer, item);
  writer.append_step_names(scene.step_names);
  return writer.finish(scene);
}

}  // namespace swz

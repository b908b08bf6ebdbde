// SVG: text stays text, tooltips are <title> elements, colours are classes that follow a light or dark page by
// themselves.
#include <fmt/format.h>

#include <map>

#include "render/display.hpp"
#include "render/scene.hpp"

namespace swz {
namespace {

// Faces that most machines have, narrowest last resort at the end; their advances are those of text_width.
constexpr std::string_view mono_faces = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";
constexpr std::string_view sans_faces =
    "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif";

// U+FFFE and U+FFFF are UTF-8 and no XML; what else XML does not hold, printable has made visible.
bool is_no_character(std::string_view text, std::size_t at) {
  const std::string_view three = text.substr(at, 3);
  return three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf";
}

void append_text(std::string& out, std::string_view raw, bool keep_newlines = false) {
  const std::string text = printable(raw, keep_newlines);
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
}

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

// What is painted how, so that the style sheet names only what the picture has.
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

  // `dark` is what differs where the page decides.
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

class Writer {
 public:
  explicit Writer(const Scene& scene) : theme_(scene.theme), classes_(scene.theme, scene.palette) {}

  void operator()(const Box& box) {
    if (box.fill.ink == Ink::page && theme_ == Theme::transparent) return;
    out_ += "<rect class=\"";
    out_ += box.is_filled ? classes_.fill(box.fill) : "n";
    if (box.stroke_width > 0) out_ += " " + classes_.stroke(box.stroke);
    out_ += '"';
    append_place(out_, box.x, box.y);
    append_size(out_, box.width, box.height);
    if (box.stroke_width > 0 && box.stroke_width != 1) append_attribute(out_, "stroke-width", box.stroke_width);
    if (box.is_filled && box.fill.faint) append_attribute(out_, "opacity", faint_opacity);
    if (box.tip.empty()) {
      out_ += "/>\n";
      return;
    }
    out_ += "><title>";
    append_text(out_, box.tip, true);
    out_ += "</title></rect>\n";
  }

  void operator()(const Rule& rule) {
    out_ += "<path class=\"" + classes_.stroke(rule.paint) + "\" d=\"M";
    append_pair(out_, rule.x1, rule.y1);
    out_ += 'L';
    append_pair(out_, rule.x2, rule.y2);
    out_ += '"';
    if (rule.width != 1) append_attribute(out_, "stroke-width", rule.width);
    out_ += "/>\n";
  }

  void operator()(const Label& label) {
    out_ += "<text class=\"" + classes_.fill(label.paint);
    if (label.face != Label::Face::mono) out_ += label.face == Label::Face::sans ? " f" : " f w";
    if (label.anchor != Label::Anchor::start) out_ += label.anchor == Label::Anchor::middle ? " m" : " e";
    out_ += '"';
    append_place(out_, label.x, label.y);
    if (label.size != default_size) append_attribute(out_, "font-size", label.size);
    if (label.paint.faint) append_attribute(out_, "opacity", faint_opacity);
    out_ += '>';
    append_text(out_, label.text);
    out_ += "</text>\n";
  }

  std::string finish(const Scene& scene) {
    std::string head = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"";
    append_size(head, scene.width, scene.height);
    head += " viewBox=\"0 0 ";
    append_pair(head, scene.width, scene.height);
    head += fmt::format("\" font-size=\"{}\">\n", default_size);
    if (!scene.title.empty()) {
      head += "<title>";
      append_text(head, scene.title);
      head += "</title>\n";
    }
    head += fmt::format(
        "<style>text{{font-family:{};white-space:pre;pointer-events:none}}.f{{font-family:{}}}.w{{font-weight:600}}"
        ".m{{text-anchor:middle}}.e{{text-anchor:end}}.n{{fill:none}}{}</style>\n",
        mono_faces, sans_faces, classes_.style_sheet());
    return head + out_ + "</svg>\n";
  }

 private:
  static constexpr double default_size = 11;
  std::string out_;
  Theme theme_;
  Classes classes_;
};

}  // namespace

std::string svg_text(const Scene& scene) {
  Writer writer(scene);
  for (const auto& item : scene.items) std::visit(writer, item);
  return writer.finish(scene);
}

}  // namespace swz

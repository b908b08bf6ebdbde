#include "render/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "render/display.hpp"
#include "render/palette.hpp"

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

void append_escaped(std::string& out, std::string_view text) {
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

// Hundredths of a pixel at most, without zeros at the end: 12.50 is 12.5.
void append_number(std::string& out, double value) {
  const auto hundredths = static_cast<long long>(std::llround(value * 100));
  const long long whole = std::llabs(hundredths) / 100;
  const long long rest = std::llabs(hundredths) % 100;
  if (hundredths < 0) out += '-';
  fmt::format_to(std::back_inserter(out), "{}", whole);
  if (rest == 0) return;
  if (rest % 10 == 0) fmt::format_to(std::back_inserter(out), ".{}", rest / 10);
  else fmt::format_to(std::back_inserter(out), ".{:02}", rest);
}

void append_attribute(std::string& out, std::string_view name, double value) {
  out += ' ';
  out += name;
  out += "=\"";
  append_number(out, value);
  out += '"';
}

std::string_view letter_of(Ink ink) {
  switch (ink) {
    case Ink::page: return "p";
    case Ink::cell: return "c";
    case Ink::tint: return "h";
    case Ink::text: return "t";
    case Ink::on_tint: return "o";
    case Ink::soft: return "s";
    case Ink::line: return "l";
    case Ink::border: return "b";
    case Ink::accent: return "a";
    case Ink::alarm: return "x";
  }
  return "";
}

std::string class_of(const Paint& paint) {
  if (paint.ink != Ink::tint) return std::string(letter_of(paint.ink));
  return fmt::format("h{}{}", paint.tint.hue,
                     paint.tint.shade == 0 ? "" : std::string(1, static_cast<char>('a' + paint.tint.shade)));
}

std::string hex_of(const Paint& paint, Page page) {
  const Rgb c = rgb_of(paint, page);
  return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

// What is painted how, so that the style sheet names only what the picture has.
class Classes {
 public:
  const std::string& fill(const Paint& paint) { return name(fills_, paint, ""); }
  const std::string& stroke(const Paint& paint) { return name(strokes_, paint, "k"); }

  std::string style_sheet() const {
    std::string light, dark;
    append_rules(light, dark, fills_, "fill");
    append_rules(light, dark, strokes_, "stroke");
    return light + (dark.empty() ? "" : "@media (prefers-color-scheme:dark){" + dark + "}");
  }

 private:
  struct Entry {
    Paint paint;
    std::string name;
  };
  // Ordered by name, so that the style sheet does not depend on what was painted first.
  using Map = std::map<std::string, Entry>;

  static const std::string& name(Map& map, const Paint& paint, const char* prefix) {
    const std::string name = prefix + class_of(paint);
    return map.try_emplace(name, Entry{paint, name}).first->second.name;
  }

  static void append_rules(std::string& light, std::string& dark, const Map& map, std::string_view property) {
    for (const auto& [name, entry] : map) {
      const std::string on_light = hex_of(entry.paint, Page::light), on_dark = hex_of(entry.paint, Page::dark);
      light += fmt::format(".{}{{{}:{}}}", name, property, on_light);
      if (on_dark != on_light) dark += fmt::format(".{}{{{}:{}}}", name, property, on_dark);
    }
  }

  Map fills_, strokes_;
};

class Writer {
 public:
  void operator()(const Box& box) {
    out_ += "<rect class=\"";
    out_ += box.is_filled ? classes_.fill(box.fill) : "n";
    if (box.stroke_width > 0) out_ += " " + classes_.stroke(box.stroke);
    out_ += '"';
    append_attribute(out_, "x", box.x);
    append_attribute(out_, "y", box.y);
    append_attribute(out_, "width", box.width);
    append_attribute(out_, "height", box.height);
    if (box.stroke_width > 0 && box.stroke_width != 1) append_attribute(out_, "stroke-width", box.stroke_width);
    if (box.is_filled && box.fill.faint) append_attribute(out_, "opacity", faint_opacity);
    if (box.tip.empty()) {
      out_ += "/>\n";
      return;
    }
    out_ += "><title>";
    append_escaped(out_, printable(box.tip, true));
    out_ += "</title></rect>\n";
  }

  void operator()(const Rule& rule) {
    out_ += "<path class=\"" + classes_.stroke(rule.paint) + "\" d=\"M";
    append_number(out_, rule.x1);
    out_ += ' ';
    append_number(out_, rule.y1);
    out_ += 'L';
    append_number(out_, rule.x2);
    out_ += ' ';
    append_number(out_, rule.y2);
    out_ += '"';
    if (rule.width != 1) append_attribute(out_, "stroke-width", rule.width);
    out_ += "/>\n";
  }

  void operator()(const Label& label) {
    out_ += "<text class=\"" + classes_.fill(label.paint);
    if (label.face != Label::Face::mono) out_ += label.face == Label::Face::sans ? " f" : " f w";
    if (label.anchor != Label::Anchor::start) out_ += label.anchor == Label::Anchor::middle ? " m" : " e";
    out_ += '"';
    append_attribute(out_, "x", label.x);
    append_attribute(out_, "y", label.y);
    if (label.size != default_size) append_attribute(out_, "font-size", label.size);
    if (label.paint.faint) append_attribute(out_, "opacity", faint_opacity);
    out_ += '>';
    append_escaped(out_, printable(label.text));
    out_ += "</text>\n";
  }

  std::string finish(const Scene& scene) {
    std::string head = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"";
    append_attribute(head, "width", scene.width);
    append_attribute(head, "height", scene.height);
    head += " viewBox=\"0 0 ";
    append_number(head, scene.width);
    head += ' ';
    append_number(head, scene.height);
    head += fmt::format("\" font-size=\"{}\">\n", default_size);
    if (!scene.title.empty()) {
      head += "<title>";
      append_escaped(head, printable(scene.title));
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
  Classes classes_;
};

}  // namespace

std::string svg_text(const Scene& scene) {
  Writer writer;
  for (const auto& item : scene.items) std::visit(writer, item);
  return writer.finish(scene);
}

}  // namespace swz

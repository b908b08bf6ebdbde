// SPDX-License-Identifier: Apache-2.0
#include "view/dialect/translate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "view/dialect/operand_verdict.hpp"
#include "view/document/headline.hpp"
#include "view/document/sketch_text.hpp"

namespace swz {
namespace {

constexpr std::array kinds{"shared", "register", "tensor"};
constexpr std::array places{"shared memory", "registers", "tensor memory"};

Json dtype_json(ElementWidth element) {
  if (element.dtype != nullptr) return element.dtype->name;
  return element.bits == 0 ? Json() : Json(fmt::format("b{}", element.bits));
}

std::string dtype_text(ElementWidth element) {
  if (element.dtype != nullptr) return fmt::format(" of {}", element.dtype->name);
  return element.bits == 0 ? "" : fmt::format(" of {} bits", element.bits);
}

// Adds the other meanings of the text, each with its verdict.
void add_other_meanings(Document& d, const Translation& t) {
  if (t.others.empty()) return;
  Json readings = Json::array();
  const auto add = [&](std::string_view meaning, const LayoutForm& form) {
    Json reading = verdict_json(form);
    reading["meaning"] = meaning;
    readings.push_back(std::move(reading));
  };
  add(t.meaning, t.form);
  d.line("meaning", std::string(t.meaning));
  for (const OtherReading& other : t.others) {
    add(other.meaning, other.form);
    d.line("or", fmt::format("{}: {}", other.meaning, verdict_text(other.form)));
  }
  d.json("readings", std::move(readings));
}

Json map_json(const LayoutForm& form) {
  if (const auto* shared = std::get_if<SharedForm>(&form)) {
    require_within(limits::listed_coordinates, element_count(shared->shape));
    return offsets_of(*shared);
  }
  if (const auto* registers = std::get_if<RegisterForm>(&form)) {
    require_within(limits::listed_coordinates, registers->layout.size());
    return numbers_of(*registers);
  }
  const auto& tensor = std::get<TensorForm>(form);
  require_within(limits::listed_coordinates, element_count(tensor.shape));
  return offsets_of(shared_form(tensor.shape, {}, tensor.layout));
}

// A text in lines of at most `width` letters, broken after spaces: the first indented by 2, the others by 4.
std::string broken(const std::string& text, std::size_t width) {
  std::string out, line = "  ";
  bool is_empty = true;
  for (const std::string_view word : split(text, ' ')) {
    if (!is_empty && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = "    ";
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + std::string(word);
    is_empty = false;
  }
  return out + line + "\n";
}

// One line per dialect, "name  text"; a text that is longer, or has several lines, is below its name. A text that is
// alone keeps its lines, to be copied.
std::string listing(const std::vector<const Form*>& forms) {
  const bool is_alone = forms.size() == 1;
  constexpr std::size_t line_width = 80;
  std::size_t widest = 0;
  const auto name_of = [](const Dialect& d) {
    return d.unit == "elements" || d.unit.empty() ? std::string(d.name) : fmt::format("{} ({})", d.name, d.unit);
  };
  for (const Form* form : forms) widest = std::max(widest, name_of(*form->dialect).size());
  std::string text;
  for (const Form* form : forms) {
    const std::string& written = form->written.text;
    const std::string name = name_of(*form->dialect);
    const bool fits = written.find('\n') == std::string::npos && widest + 2 + written.size() <= line_width;
    if (fits) {
      text += fmt::format("{:<{}}  {}\n", name, widest, written);
      continue;
    }
    text += name + "\n";
    for (const std::string& line : split(written, '\n'))
      text += is_alone ? fmt::format("  {}\n", line) : broken(line, line_width);
  }
  if (!text.empty()) text.pop_back();
  return text;
}

// The same layout in the other notations, as a table: those that a kernel author meets most, as far as they are short.
std::vector<const Form*> shown_notations(const Translation& t) {
  constexpr std::array<std::string_view, 4> shown{"cute", "triton", "gluon", "mosaic"};
  constexpr std::size_t most_letters = 110;
  std::vector<const Form*> forms;
  for (const std::string_view name : shown)
    for (const Form& form : t.forms) {
      const std::string& text = form.written.text;
      const bool is_short = !text.empty() && text.size() <= most_letters && text.find('\n') == std::string::npos;
      if (form.dialect->name == name && is_short) forms.push_back(&form);
    }
  return forms;
}

// A row for each: the notation, and the text beside it, or below it where one of them has no room. A narrow page has the
// first two, and names the others.
Sketch notation_sketch(const std::vector<const Form*>& forms) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Form* form : forms) rows.emplace_back(form->dialect->title, form->written.text);
  Sketch sketch;
  sketch.title = "the same in other notations";
  sketch.shapes = [rows](double width) {
    constexpr double names = 100, margin = 6, letter = 6.6, narrow = 480;
    constexpr std::size_t few = 2;
    const std::size_t drawn = width < narrow ? std::min(few, rows.size()) : rows.size();
    const auto is_beside = [&](const std::string& text) {
      return static_cast<double>(text.size()) * letter <= width - names - margin;
    };
    const std::span shown = std::span(rows).first(drawn);
    const bool are_beside = std::ranges::all_of(shown, [&](const auto& row) { return is_beside(row.second); });
    Sketch::Shapes shapes;
    double y = 0;
    for (const auto& [name, text] : shown) {
      const double top = y, first = y + sketch_line;
      shapes.texts.push_back({margin, first, name, Tone::faint});
      const SketchRoom beside{names, top, width - names - margin}, below{margin, first, width - 2 * margin};
      y = add_lines(shapes, text, Tone::plain, are_beside ? beside : below) + margin;
      shapes.boxes.push_back({0, top, width, y - top});
    }
    if (drawn < rows.size()) {
      std::vector<std::string> others;
      for (const auto& row : std::span(rows).subspan(drawn)) others.push_back(row.first);
      y = add_lines(shapes, "swz translate also writes " + join_and(others) + ".", Tone::faint, {0, y + margin, width});
    }
    shapes.width = width;
    shapes.height = y;
    return shapes;
  };
  return sketch;
}

// "each of 128 threads holds 64 elements"
std::string holders_text(const LayoutForm& form) {
  const auto* registers = std::get_if<RegisterForm>(&form);
  if (registers == nullptr) return form_text(form);
  const std::int64_t values = size(mode(registers->layout, 1));
  return fmt::format("each of {} threads holds {}", size(mode(registers->layout, 0)), plural(values, "element"));
}

}  // namespace

std::string_view place_of(const LayoutForm& form) { return places[form.index()]; }

std::string form_text(const LayoutForm& form) {
  return fmt::format("{}{} in {}", shape_text(shape_of(form)), dtype_text(element_of(form)), place_of(form));
}

bool has_asked_text(const Translation& t, const TranslateOptions& options) {
  return options.to == nullptr || std::ranges::any_of(t.forms, [&](const Form& form) {
           return form.dialect == options.to && !form.written.text.empty();
         });
}

Document view_translation(const Translation& t, const TranslateOptions& options) {
  Document d(fmt::format("{}: {}", t.from->title, form_text(t.form)));
  const std::string verdict = verdict_headline(t.form, t.buffers);
  d.headline = short_sentence(verdict.empty() ? holders_text(t.form) : verdict);
  d.json("from", t.from->name).json("kind", kinds[t.form.index()]).json("shape", shape_of(t.form));
  d.json("dtype", dtype_json(element_of(t.form)));
  add_verdict(d, t.form, t.buffers);
  add_other_meanings(d, t);
  Json forms = Json::object(), refused = Json::object();
  std::vector<const Form*> texts;
  Table reasons{"", "no text in", {{"", "dialect"}, {"", "why"}}, {}};
  for (const Form& form : t.forms) {
    if (options.to != nullptr && form.dialect != options.to) continue;
    const Written& w = form.written;
    forms[form.dialect->name] = or_null(w.text);
    if (!w.text.empty()) {
      texts.push_back(&form);
      continue;
    }
    refused[form.dialect->name] = w.why;
    reasons.rows.push_back({form.dialect->name, w.why});
  }
  d.json("forms", forms).json("refused", refused);
  if (!texts.empty()) d.add(Paragraph{listing(texts), Tone::plain, true});
  if (!reasons.rows.empty()) d.add(std::move(reasons));
  d.answers = {fmt::format("forms.{}", options.to != nullptr ? options.to->name : "cute")};
  std::vector<Finding> notes = t.notes;
  for (const Form& form : t.forms)
    if (form.dialect == options.to && form.dialect != t.from)
      notes.insert(notes.end(), form.written.notes.begin(), form.written.notes.end());
  d.add(Notes{"notes", std::move(notes)});
  if (options.has_map) d.json("map", map_json(t.form));
  const std::vector<const Form*> notations = shown_notations(t);
  return d.add(Drawing{
      [form = t.form, notations = notation_sketch(notations), has_notations = !notations.empty()](Medium medium) {
        if (medium != Medium::page) return Document();
        Document page;
        page.add(form_figure(form, ""));
        return has_notations ? page.add(notations) : page;
      }});
}

}  // namespace swz

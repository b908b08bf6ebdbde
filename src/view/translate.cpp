#include "view/translate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "descriptor/readable_mode.hpp"

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

std::vector<ReadableMode> modes_of(const LayoutForm& form) {
  const auto* shared = std::get_if<SharedForm>(&form);
  if (shared == nullptr || shared->block.bits() > 0) return {};
  const auto layout = as_composed(*shared);
  const DType* dtype =
      shared->element.dtype != nullptr ? shared->element.dtype : readable_dtype(shared->element.bits);
  if (!layout || dtype == nullptr || !is_injective(*shared)) return {};
  return readable_modes(*layout, *dtype);
}

std::string_view instructions_of(const ReadableMode& r) {
  return r.target->descriptor == SmemDescriptorKind::wgmma ? "wgmma and tcgen05" : "tcgen05";
}

// "wgmma and tcgen05, K-major, with rows as M or N: LBO 16 B, SBO 1024 B"
std::string reading_text(const ReadableMode& r) {
  const TileDescriptors& d = r.descriptors;
  return fmt::format("{}, {}, with {} as M or N: LBO {} B, SBO {} B", instructions_of(r), to_string(r.major),
                     r.is_transposed ? "columns" : "rows", d.leading.value.count, d.stride.value.count);
}

void add_modes(Document& d, const LayoutForm& form) {
  const auto* shared = std::get_if<SharedForm>(&form);
  const std::vector<ReadableMode> modes = modes_of(form);
  if (!modes.empty()) {
    d.field("hardware_mode", "hardware mode", modes[0].mode->name);
    for (const ReadableMode& mode : modes) d.line(&mode == modes.data() ? "read by" : "", reading_text(mode));
    return;
  }
  const bool is_open = shared != nullptr && shared->element.bits == 0;
  d.field("hardware_mode", shared != nullptr ? "hardware mode" : "", nullptr,
          is_open ? "not known: it depends on the element type, --dtype" : "none: no MMA reads it as it lies");
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

// A line a dialect, "name  text"; a longer one, or one of several lines, stands below its name.
std::string listing(const std::vector<const Form*>& forms) {
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
    for (const std::string& line : split(written, '\n')) text += fmt::format("  {}\n", line);
  }
  if (!text.empty()) text.pop_back();
  return text;
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
  d.json("from", t.from->name).json("kind", kinds[t.form.index()]).json("shape", shape_of(t.form));
  d.json("dtype", dtype_json(element_of(t.form)));
  add_modes(d, t.form);
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
  return d.add(Drawing{[form = t.form, title = d.title](Medium medium) {
    return medium == Medium::page ? Document().add(form_figure(form, title)) : Document();
  }});
}

}  // namespace swz

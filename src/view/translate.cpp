#include "view/translate.hpp"

#include <fmt/format.h>

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

// "rows are MN and columns K: K-major, LBO 16 B, SBO 1024 B (wgmma m64n64k16)"
std::string reading_text(const ReadableMode& r) {
  const TileDescriptors& d = r.descriptors;
  return fmt::format("{}: {}, LBO {} B, SBO {} B ({})",
                     r.is_transposed ? "rows are K, columns MN" : "rows are MN, columns K", to_string(r.major),
                     d.leading.value.count, d.stride.value.count,
                     r.target->descriptor == SmemDescriptorKind::wgmma ? "wgmma, tcgen05" : "tcgen05");
}

void add_modes(Document& d, const LayoutForm& form) {
  const std::vector<ReadableMode> modes = modes_of(form);
  if (modes.empty()) {
    const auto* shared = std::get_if<SharedForm>(&form);
    const bool is_open = shared != nullptr && shared->element.bits == 0;
    d.field("hardware_mode", shared != nullptr ? "hardware mode" : "", nullptr,
            is_open ? "not known: it depends on the element type, --dtype" : "none: no MMA reads it as it lies");
    return;
  }
  d.field("hardware_mode", "hardware mode", modes[0].mode->name);
  for (const ReadableMode& mode : modes) d.line("read", reading_text(mode));
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
  return {};
}

}  // namespace

Document view_translation(const Translation& t, const TranslateOptions& options) {
  const std::size_t kind = t.form.index();
  Document d(fmt::format("{}: {}{} in {}", t.from->title, shape_text(shape_of(t.form)),
                         dtype_text(element_of(t.form)), places[kind]));
  d.json("from", t.from->name).json("kind", kinds[kind]).json("shape", shape_of(t.form));
  d.json("dtype", dtype_json(element_of(t.form)));
  add_modes(d, t.form);
  Json forms = Json::object(), refused = Json::object();
  Table texts{"", "", {{"", "dialect"}, {"", "counts"}, {"", "layout"}}, {}};
  Table reasons{"", "refused", {{"", "dialect"}, {"", "why"}}, {}};
  for (const Form& form : t.forms) {
    if (options.to != nullptr && form.dialect != options.to) continue;
    const Written& w = form.written;
    forms[form.dialect->name] = or_null(w.text);
    if (w.text.empty()) refused[form.dialect->name] = w.why;
    if (w.text.empty()) reasons.rows.push_back({form.dialect->name, w.why});
    else texts.rows.push_back({form.dialect->name, form.dialect->unit, w.text});
  }
  d.json("forms", forms).json("refused", refused);
  if (!texts.rows.empty()) d.add(std::move(texts));
  if (!reasons.rows.empty()) d.add(std::move(reasons));
  if (options.to != nullptr) d.answers = {fmt::format("forms.{}", options.to->name)};
  else d.answers = {"forms.cute"};
  std::vector<Finding> notes = t.notes;
  for (const Form& form : t.forms)
    if (form.dialect == options.to && form.dialect != t.from)
      notes.insert(notes.end(), form.written.notes.begin(), form.written.notes.end());
  d.add(Notes{"notes", notes});
  if (options.has_map) d.json("map", map_json(t.form));
  return d;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "diff_forms.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "descriptor/readable_mode.hpp"
#include "view/dialect/form_difference.hpp"
#include "view/dialect/translate.hpp"
#include "view/layout/layout.hpp"

namespace swz {
namespace {

struct Side {
  const char* name;
  const DialectText& text;
  std::optional<Reading> reading = {};

  bool is_cute() const { return text.is_cute(); }
  std::string_view title() const { return is_cute() ? require_dialect("cute").title : text.from->title; }
  ComparedForm compared() const { return {text.text, title(), reading->form}; }
};

// The layout of the array that a CuTe layout gives: its extents, unchanged.
LayoutForm cute_form(const std::string& text) { return read_layout(text, {}, &require_dialect("cute")).form; }

// `given`, with what it does not contain from the other layout.
Given completed(Given given, const LayoutForm& other) {
  if (given.shape.empty()) given.shape = shape_of(other);
  if (given.dtype == nullptr) given.dtype = element_of(other).dtype;
  return given;
}

// Whether it is (thread, value) -> element of an array of this shape.
bool holds_elements_of(const ComposedLayout& layout, const ArrayShape& shape) {
  if (!layout.is_layout() || rank(layout.layout()) < 2) return false;
  require_within(limits::known_values, layout.size());
  std::vector<std::int64_t> elements(static_cast<std::size_t>(layout.size()));
  tabulate(layout, elements);
  const auto [lowest, highest] = std::ranges::minmax(elements);
  return lowest >= 0 && highest < element_count(shape);
}

// A text of CuTe DSL gives neither the type that its swizzle counts nor whether a layout is one of registers.
bool is_cute_dsl(const Side& side) { return side.text.from == &require_dialect("cute_dsl"); }

// Reads the side again with the other's type, if it has one.
void take_type_of(Side& side, Given given, const LayoutForm& other) {
  const ElementWidth width = element_of(other);
  given.dtype = width.dtype != nullptr ? width.dtype : readable_dtype(width.bits);
  if (is_cute_dsl(side) && element_of(side.reading->form).bits == 0 && given.dtype != nullptr)
    side.reading = read_layout(side.text.text, given, side.text.from);
}

// Reads the side as registers, if the other is one of registers.
void take_registers_of(Side& side, const LayoutForm& other) {
  const auto* shared = std::get_if<SharedForm>(&side.reading->form);
  const auto* layout = shared != nullptr ? std::get_if<ComposedLayout>(&shared->map) : nullptr;
  if (!is_cute_dsl(side) || layout == nullptr || !std::holds_alternative<RegisterForm>(other)) return;
  if (holds_elements_of(*layout, shape_of(other)))
    side.reading->form = RegisterForm{shape_of(other), element_of(other), layout->layout()};
}

std::optional<Reading> read_alone(const Side& side, const Given& given) {
  try {
    return read_layout(side.text.text, given, side.text.from);
  } catch (const Error&) {
    return std::nullopt;  // it may lack what the other gives; if not, it fails there
  }
}

// Reads the side with the other's shape and type; only with its shape if the two have different types.
Reading read_beside(const Side& side, const Given& given, const Side& other, const LayoutForm& form,
                    std::vector<Finding>& notes) {
  Reading reading = read_layout(side.text.text, completed(given, form), side.text.from);
  notes.push_back(
      note("shape-of-other", fmt::format("{} does not give the shape or the type of the array: taken from {}, {}",
                                         side.name, other.name, form_text(form))));
  return reading;
}

void read_foreign(Side& side, const Side& other, const Given& given, std::vector<Finding>& notes) {
  side.reading = read_alone(side, given);
  if (side.reading) return;
  if (other.is_cute()) {
    side.reading = read_beside(side, given, other, cute_form(other.text.text), notes);
    return;
  }
  if (const auto of_other = read_alone(other, given))
    side.reading = read_beside(side, given, other, of_other->form, notes);
  else side.reading = read_layout(side.text.text, given, side.text.from);  // throws, because neither text is complete
}

// A CuTe layout in the form of the other one: (thread, value) of its array, or the offsets by its index.
LayoutForm as_counterpart(const Side& cute, const LayoutForm& other, std::vector<Finding>& notes) {
  const ComposedLayout layout = parse_layout(cute.text.text);
  const ArrayShape& shape = shape_of(other);
  if (std::holds_alternative<TensorForm>(other) && layout.is_layout())
    return TensorForm{shape, element_of(other), layout.layout()};
  if (std::holds_alternative<RegisterForm>(other)) {
    if (!holds_elements_of(layout, shape))
      throw usage_error(
          fmt::format("{} is not a layout (thread, value) of {}", cute.name, shape_text(shape)),
          "the other layout lies in registers: give a layout from (thread, value) to the column-major index");
    return RegisterForm{shape, element_of(other), layout.layout()};
  }
  const SharedForm form = std::get<SharedForm>(cute_form(cute.text.text));
  auto by_index = with_array_shape(form, shape);
  if (!by_index) return form;
  if (form.shape != shape)
    notes.push_back(note("index", fmt::format("{} has the extents {}: its index counts {} column by column, as CuTe "
                                              "counts",
                                              cute.name, shape_text(form.shape), shape_text(shape))));
  return *std::move(by_index);
}

}  // namespace

Answer diff_forms(const DialectText& text_a, const DialectText& text_b, const Given& given) {
  Side a{"A", text_a}, b{"B", text_b};
  std::vector<Finding> notes;
  if (!a.is_cute()) read_foreign(a, b, given, notes);
  if (!b.is_cute()) read_foreign(b, a, given, notes);
  if (a.is_cute()) a.reading = Reading{as_counterpart(a, b.reading->form, notes)};
  if (b.is_cute()) b.reading = Reading{as_counterpart(b, a.reading->form, notes)};
  for (Side* side : {&a, &b}) {
    const LayoutForm& other = (side == &a ? b : a).reading->form;
    take_type_of(*side, given, other);
    take_registers_of(*side, other);
  }
  for (const Side* side : {&a, &b})
    for (Finding finding : side->reading->notes) {
      finding.message = fmt::format("{}: {}", side->name, finding.message);
      notes.push_back(std::move(finding));
    }
  const LayoutForm &of_a = a.reading->form, &of_b = b.reading->form;
  if (of_a.index() != of_b.index())
    throw usage_error(
        fmt::format("A lies in {}, B in {}: they have nothing to compare", place_of(of_a), place_of(of_b)),
        "give two layouts of the same memory");
  if (const auto* tensor = std::get_if<TensorForm>(&of_a)) {
    const ComposedLayout first = tensor->layout, second = std::get<TensorForm>(of_b).layout;
    const LayoutDifference d = difference(first, second);
    return {with_notes(view_difference(first, second, d), std::move(notes)), d.same ? 0 : 1};
  }
  const auto* shared = std::get_if<SharedForm>(&of_a);
  const FormDifference d = shared != nullptr
                               ? form_difference(*shared, std::get<SharedForm>(of_b))
                               : form_difference(std::get<RegisterForm>(of_a), std::get<RegisterForm>(of_b));
  return {view_form_difference(a.compared(), b.compared(), d, std::move(notes)), d.same ? 0 : 1};
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
#include "view/dialect/form_difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "view/document/headline.hpp"
#include "view/layout/layout.hpp"

namespace swz {
namespace {

// The layout on elements if CuTe has one, otherwise the text.
std::string name_of(const ComparedForm& side) {
  if (const auto* registers = std::get_if<RegisterForm>(&side.form)) return to_string(registers->layout);
  const auto layout = as_composed(std::get<SharedForm>(side.form));
  return layout ? to_string(*layout) : side.text;
}

void add_side(Document& d, const char* key, const char* label, const ComparedForm& side) {
  const std::string name = name_of(side);
  d.field(key, label, name);
  if (name != side.text) d.line(std::string("  ") + std::string(side.title), side.text);
}

std::string coordinate_text(std::int64_t number, const ArrayShape& shape) {
  return fmt::format("({})", fmt::join(coordinate_of(number, shape), ","));
}

// "(1,8)" of shared memory, "(thread,value)" of registers
std::string coordinate_of_first(const LayoutForm& form, std::int64_t index) {
  if (const auto* registers = std::get_if<RegisterForm>(&form))
    return fmt::format("({},{})", index / value_count(*registers), index % value_count(*registers));
  return coordinate_text(index, shape_of(form));
}

Field first_field(const LayoutForm& form, const FormDifference& d) {
  if (!d.index) return {"first_difference", "", nullptr};
  const std::string at = coordinate_of_first(form, *d.index);
  std::string text = fmt::format("{}: A at offset {}, B at offset {}", at, d.a, d.b);
  if (std::holds_alternative<RegisterForm>(form))
    text = fmt::format("(thread,value) {}: A holds {}, B holds {}", at, coordinate_text(d.a, shape_of(form)),
                       coordinate_text(d.b, shape_of(form)));
  return {"first_difference",
          "first at",
          {{"index", *d.index}, {"coordinate_a", at}, {"coordinate_b", at}, {"a", d.a}, {"b", d.b}},
          std::move(text)};
}

// Adds both tables, if CuTe has both layouts and the array has rows and columns.
void add_figure(Document& d, const LayoutForm& a, const LayoutForm& b, const FormDifference& difference) {
  const auto* of_a = std::get_if<SharedForm>(&a);
  const auto* of_b = std::get_if<SharedForm>(&b);
  if (of_a == nullptr || of_b == nullptr) return;
  const auto first = as_composed(*of_a), second = as_composed(*of_b);
  if (!first || !second || !difference.why.empty()) return;
  d.add(Drawing{[first = *first, second = *second](Medium medium) {
    return medium == Medium::page ? Document().add(difference_figure(first, second, swz::difference(first, second)))
                                  : Document();
  }});
}

}  // namespace

Document view_form_difference(const ComparedForm& a, const ComparedForm& b, const FormDifference& difference,
                              std::vector<Finding> notes) {
  Document d;
  add_side(d, "a", "A", a);
  add_side(d, "b", "B", b);
  const bool is_register = std::holds_alternative<RegisterForm>(a.form);
  d.field("same", "same function", difference.same,
          difference.same           ? fmt::format("yes, of {}", shape_text(shape_of(a.form)))
          : !difference.why.empty() ? "no: " + difference.why
                                    : fmt::format("no: {} of {} {} differ", difference.differing, difference.of,
                                                  is_register ? "(thread, value)" : "coordinates"),
          difference.same ? Tone::good : Tone::bad);
  d.headline = difference.same ? fmt::format("the same function, of {}", shape_text(shape_of(a.form)))
               : !difference.why.empty()
                   ? short_sentence("not the same function: " + difference.why)
                   : fmt::format("A and B differ at {} of {}", difference.differing, difference.of);
  d.json("differing", difference.why.empty() ? Json(difference.differing) : Json());
  d.add(first_field(a.form, difference));
  d.answers = {"same"};
  Notes all{"notes", std::move(notes)};
  if (difference.same_elements && !difference.same)
    all.note("value-order", "every thread holds the same elements in both, in values of another order");
  d.add(std::move(all));
  add_figure(d, a.form, b.form, difference);
  return d;
}

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// CuTe (C++): shape:stride, swizzles, named atoms, and what CuTe prints. The notation is read by src/expr.
//
//   Sw<3,3,3> o 0 o (64,64):(64,1)                     plain form: the swizzle acts on elements
//   Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)  on bytes: the same function of 16-bit elements
//
// Each top mode is a dimension of the array; a layout of rank 1 is an array of one dimension. If the given shape is not
// the layout's own, or "registers:" precedes the text, the layout maps (thread, value) to the column-major index of an
// array of --shape.
#include <fmt/format.h>

#include <algorithm>

#include "dialect/all.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

bool recognises_cute(std::string_view text) {
  // Everything that no other dialect recognises: names, tuples, Sw<…>. Reading the expression reports what is wrong.
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return false;
  for (const Dialect& d : dialects())
    if (d.name != "cute" && d.recognises(text)) return false;
  return true;
}

ArrayShape extents_of(const Layout& layout) {
  ArrayShape shape;
  for (std::size_t m = 0; m < rank(layout); ++m) shape.push_back(size(mode(layout, m)));
  return shape;
}

constexpr std::string_view registers_word = "registers:";

// Whether its modes mix bits of both coordinates, as those of threads and values do.
bool may_be_registers(const ComposedLayout& layout) {
  const Layout& l = layout.layout();
  if (!layout.is_layout() || rank(l) != 2 || size(mode(l, 0)) % 32 != 0) return false;
  const auto is_mixed = [&](std::size_t m) { return coalesce_modes(mode(l, m).modes()).size() > 1; };
  return is_mixed(0) && is_mixed(1) && cosize(l) <= l.size();
}

// The note for "gmem_ptr[16b](0x7f0000000400) o (128,64):(64,1)": the layout is read, its address is ignored.
std::vector<Finding> pointer_notes(std::string_view text) {
  if (text.find("ptr") == std::string_view::npos && text.find("mem_[") == std::string_view::npos) return {};
  std::vector<Finding> notes = evaluate(text).notes;
  std::erase_if(notes, [](const Finding& n) { return n.rule != "pointer"; });
  for (Finding& n : notes) n.hint = "the answer is of an array in shared memory with these offsets";
  return notes;
}

Reading read_cute(std::string_view text, const Given& given) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  const bool says_registers = text.substr(begin).starts_with(registers_word);
  if (says_registers) text.remove_prefix(begin + registers_word.size());
  const ComposedLayout layout = parse_layout(text);
  std::vector<Finding> notes = pointer_notes(text);
  const ArrayShape extents = extents_of(layout.layout());
  const ElementWidth element =
      layout.has_pointer() ? element_width(given, layout.element_bits()) : element_width(given);
  if (says_registers) required_shape(given);
  if (!says_registers && (given.shape.empty() || given.shape == extents)) {
    Reading reading{shared_form(extents, element, layout), std::move(notes)};
    if (!given.shape.empty() && may_be_registers(layout))
      reading.notes.push_back(note(
          "registers",
          fmt::format("read as shared memory; as (thread, value) to the column-major index of {} it is {} threads with "
                      "{} values in registers",
                      shape_text(given.shape), extents[0], extents[1]),
          fmt::format("'{} TEXT' reads it so", registers_word)));
    return reading;
  }
  // (thread, value) -> element of an array with another shape
  const std::int64_t elements = element_count(given.shape);
  const bool has_negative =
      std::ranges::any_of(layout.layout().modes(), [](const FlatMode& m) { return m.stride < 0 && m.extent > 1; });
  if (!layout.is_layout() || has_negative || rank(layout.layout()) < 2 || cosize(layout.layout()) > elements)
    throw usage_error(
        fmt::format("the layout has the extents {}, not {}", shape_text(extents), shape_text(given.shape)),
        "leave --shape out; of a (thread, value) layout it is the shape of the array, which holds all of "
        "its values");
  return {RegisterForm{given.shape, element, layout.layout()}, std::move(notes)};
}

Written write_cute(const LayoutForm& form) {
  if (const auto* shared = std::get_if<SharedForm>(&form)) {
    if (std::string why = why_not_composed(*shared); !why.empty()) return refused(std::move(why));
    return {to_string(*as_composed(*shared))};
  }
  if (const auto* registers = std::get_if<RegisterForm>(&form)) {
    // With as many threads and values as the array has rows and columns it would be read as shared memory.
    const bool is_ambiguous = extents_of(registers->layout) == registers->shape;
    return {fmt::format("{}{}", is_ambiguous ? fmt::format("{} ", registers_word) : "", to_string(registers->layout))};
  }
  return {to_string(std::get<TensorForm>(form).layout)};
}

}  // namespace

Dialect cute_dialect() {
  return {
      .name = "cute",
      .title = "CuTe (C++)",
      .unit = "elements",
      .needs = "",
      .example = "Sw<3,3,3> o 0 o (64,64):(64,1)",
      .rules =
          R"(`shape:stride`, each top mode a dimension of the array; a swizzle `Sw<B,M,S>` before it XORs the B bits from M+S
on into those from M on.

| text | the swizzle acts on |
| --- | --- |
| `Sw<3,3,3> o 0 o (64,64):(64,1)` | offsets, in elements |
| `Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)` | bytes: the same function of 16-bit elements |

The answer is in elements, whatever the text counts. Whatever `swz layout` evaluates is read: expressions, named atoms
such as `K_SW128<bf16>`, C++ types and the calls that make them (docs/notation.md).

A register layout is (thread, value) to the column-major index of the element, m + M n; the shape of the array is
given with `--shape`. A stride 0 is a copy. Where it has as many threads and values as the array has rows and columns,
`registers: TEXT` tells it from one of shared memory.

One swizzle after one layout is all there is: two swizzles in a row, a general map over GF(2), padding after a swizzle
and a rotation have no text.)",
      .source = "CUTLASS 4.2.0, cute/layout.hpp and cute/swizzle.hpp (run)",
      .recognises = recognises_cute,
      .read = read_cute,
      .write = write_cute};
}

}  // namespace swz

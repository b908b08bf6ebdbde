// SPDX-License-Identifier: Apache-2.0
// Each operation that the parser recorded becomes its steps. An operation without steps becomes one step, its answer.
#include "expr/stepped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "layout/step_texts.hpp"
#include "layout/tiling.hpp"

namespace swz {
namespace {

using Arguments = std::span<const Value>;

std::string call_text(const RecordedCall& o) {
  std::string text = o.name == "at" ? fmt::format("({})(", to_string(o.arguments[0])) : fmt::format("{}(", o.name);
  for (std::size_t i = o.name == "at" ? 1 : 0; i < o.arguments.size(); ++i)
    text += (text.ends_with('(') ? "" : ", ") + to_string(o.arguments[i]);
  return text + ")";
}

Layout inner_layout(const Value& v) { return as_composed(v).layout(); }
IntTuple profile_at(Arguments a, std::size_t i) { return a.size() > i ? as_tuple(a[i]) : IntTuple(); }

// ---- composition

void composition_after(LayoutSteps& steps, const std::string& call, const ComposedLayout& a,
                       const ComposedLayout& swizzled) {
  if (const ComposedLayout b = without_idle_swizzle(swizzled); b.is_layout()) {
    steps.append(
        {call, "leave the swizzle out",
         fmt::format("no offset has any of {}, which it reads", bit_range(swizzled.element_swizzle().read_mask())), b});
    composition_steps(steps, a.layout(), b.layout());
  } else if (a.is_layout()) composition_steps(steps, a.layout(), swizzled);
}

void composition_of(LayoutSteps& steps, const std::string& call, Arguments a) {
  const auto* s = std::get_if<Swizzle>(&a[0]);
  const auto* t = std::get_if<Swizzle>(&a[1]);
  if (s != nullptr && t != nullptr) {
    swizzle_product_steps(steps, *s, *t);
    return;
  }
  if (s != nullptr) {
    const auto* right = std::get_if<ComposedLayout>(&a[1]);
    if (right != nullptr && !right->swizzle().is_identity()) swizzle_product_steps(steps, *s, right->swizzle());
    const ComposedLayout result = std::get<ComposedLayout>(compose(a[0], a[1]));
    if (!result.swizzle().is_identity()) swizzled_layout_steps(steps, result);
    else steps.append({call, "nothing moves", moved_bits(result.swizzle()), result});
    return;
  }
  if (const auto* left = std::get_if<IntTuple>(&a[0]); left != nullptr && left->is_int()) return;  // an offset
  const ComposedLayout left = as_composed(a[0]);
  if (t != nullptr) {
    const ComposedLayout whole(*t, 0, Layout(IntTuple(std::max(t->period(), left.size()))));
    steps.append({call, "a layout of the swizzle",
                  fmt::format("{} at every index, 0 to {}", to_string(*t), whole.size() - 1), whole});
    return composition_after(steps, call, left, whole);
  }
  if (const auto* basis = std::get_if<BasisLayout>(&a[1])) {
    const Layout indices = steps.answer_or_refusal(call, [&] { return indices_in(left.layout(), *basis); });
    steps.append({call, "coordinates as indices",
                  fmt::format("of the shape {}, whose first mode is fastest", to_string(left.layout().shape())),
                  indices});
    composition_steps(steps, left.layout(), indices);
    return;
  }
  if (const auto* right = std::get_if<ComposedLayout>(&a[1]); right != nullptr && !right->is_layout())
    return composition_after(steps, call, left, *right);
  composition_steps(steps, left.layout(), as_tiler(a[1]));
}

// ---- layouts of coordinates

// "1 is 1@0, 1024 is 1@1"
std::string basis_names(const PackedBasis& packed, const Layout& l) {
  std::string text;
  std::set<std::int64_t> named;
  for (const FlatMode& m : l.modes())
    if (m.stride != 0 && named.insert(m.stride).second)
      text += fmt::format("{}{} is {}", text.empty() ? "" : ", ", m.stride,
                          to_string(packed.stride_of(Layout(IntTuple(m.extent), IntTuple(m.stride)))));
  return text;
}

// The algebra packs a coordinate into one offset, works on offsets, and takes the result apart.
void steps_on_coordinates(LayoutSteps& steps, const RecordedCall& o) {
  const Arguments a = o.arguments;
  const bool is_coalesce = o.name == "coalesce";
  if (!is_coalesce && o.name != "composition" && !o.name.ends_with("_divide")) return;
  const PackedBasis packed(std::get<BasisLayout>(a[0]), is_coalesce ? 1 : cosize(as_tiler(a[1])));
  const Layout& l = packed.layout();
  steps.append({call_text(o), "coordinates as offsets", basis_names(packed, l), l});
  const Layout result = is_coalesce               ? coalesce_steps(steps, l, profile_at(a, 1))
                        : o.name == "composition" ? composition_steps(steps, l, as_tiler(a[1]))
                                                  : divide_steps(steps, std::string(o.name), l, as_tiler(a[1]));
  if (const auto* b = o.result ? std::get_if<BasisLayout>(&*o.result) : nullptr)  // 5:0 is not a layout of coordinates
    steps.append({call_text(o), "offsets as coordinates", basis_names(packed, result), *b});
}

void value_at(LayoutSteps& steps, const RecordedCall& o) {
  const Arguments a = o.arguments;
  if (const auto* s = std::get_if<Swizzle>(&a[0])) {
    if (o.result) swizzled_offset_steps(steps, *s, as_int(a[1]));
    return;
  }
  std::vector<IntTuple> parts;
  for (const Value& v : a.subspan(1)) {
    if (!std::holds_alternative<IntTuple>(v)) return;  // refused
    parts.push_back(std::get<IntTuple>(v));
  }
  if (parts.empty()) return;
  const IntTuple coordinate = parts.size() == 1 ? parts[0] : IntTuple(parts);
  if (has_underscore(coordinate)) {
    if (o.result && !std::holds_alternative<BasisLayout>(a[0]))
      slice_steps(steps, as_composed(a[0]), coordinate, std::get<ComposedLayout>(*o.result));
  } else if (const auto* b = std::get_if<BasisLayout>(&a[0])) coordinate_steps(steps, *b, coordinate);
  else offset_steps(steps, as_composed(a[0]), coordinate);
}

// Appends nothing for operations without steps.
void steps_of(LayoutSteps& steps, const RecordedCall& o) {
  const std::string name(o.name);
  const Arguments a = o.arguments;
  if (name == "at") return value_at(steps, o);
  if (a.empty()) return;
  if (std::holds_alternative<BasisLayout>(a[0])) return steps_on_coordinates(steps, o);
  if (name == "composition") composition_of(steps, call_text(o), a);
  else if (name == "coalesce") coalesce_steps(steps, inner_layout(a[0]), profile_at(a, 1));
  else if (name == "complement")
    complement_with_holes_steps(steps, inner_layout(a[0]),
                                a.size() > 1 ? product(as_tuple(a[1])) : cosize(filter(inner_layout(a[0]))));
  else if (name == "right_inverse") right_inverse_steps(steps, as_composed(a[0]));
  else if (name == "left_inverse") left_inverse_steps(steps, as_composed(a[0]));
  else if (name.ends_with("_divide")) divide_steps(steps, name, inner_layout(a[0]), as_tiler(a[1]));
  else if (name == "blocked_product" || name == "raked_product")
    blocked_or_raked_steps(steps, name, inner_layout(a[0]), as_layout(a[1]));
  else if (name.ends_with("_product")) product_steps(steps, name, inner_layout(a[0]), as_tiler(a[1]));
  else if (name == "tile_to_shape") tile_to_shape_steps(steps, inner_layout(a[0]), as_tuple(a[1]), profile_at(a, 2));
  else if (std::holds_alternative<Swizzle>(a[0])) return;
  else if (name == "upcast") upcast_steps(steps, as_composed(a[0]), as_int(a[1]));
  else if (name == "downcast") downcast_steps(steps, as_composed(a[0]), as_int(a[1]));
  else if (name == "recast") recast_steps(steps, as_composed(a[0]), as_int(a[1]), as_int(a[2]));
}

// The result that a step can show. A function that gives a number is not explained.
LayoutStep::Result shown_result(const Value& v) {
  if (const auto* l = std::get_if<ComposedLayout>(&v)) return *l;
  if (const auto* b = std::get_if<BasisLayout>(&v)) return *b;
  if (const auto* s = std::get_if<Swizzle>(&v)) return *s;
  return std::monostate();
}

LayoutSteps steps_with_answer(const RecordedCall& o, const std::optional<Error>& refusal) {
  LayoutSteps steps;
  try {
    steps_of(steps, o);
  } catch (const Error&) {
    if (o.result || !refusal) throw;
  }
  const std::vector<LayoutStep>& list = steps.list();
  if (!o.result) {
    if (refusal && (list.empty() || list.back().rule != "refused"))
      steps.append({call_text(o), "refused", refusal->message()});
    return steps;
  }
  const LayoutStep::Result result = shown_result(*o.result);
  const std::string text = to_string(result);
  if (text.empty()) return steps;
  if (list.empty()) steps.append({call_text(o), "answer", std::string(), result});
  else if (to_string(list.back().layout) != text)
    steps.append(
        {call_text(o), "swizzle and offset", "they stand before the result as they stood before the argument", result});
  return steps;
}

// Whether the operation adds an offset that is 0, or that the steps of the swizzle before it show: Sw o 0 o L.
bool is_said_later(const std::vector<RecordedCall>& calls, std::size_t i) {
  if (calls[i].name != "composition" || !calls[i].result) return false;
  const auto* offset = std::get_if<IntTuple>(&calls[i].arguments[0]);
  if (offset == nullptr || !offset->is_int()) return false;
  return offset->value() == 0 || (i + 1 < calls.size() && calls[i + 1].name == "composition" &&
                                  std::holds_alternative<Swizzle>(calls[i + 1].arguments[0]) &&
                                  to_string(calls[i + 1].arguments[1]) == to_string(*calls[i].result));
}

}  // namespace

SteppedEvaluation evaluate_in_steps(std::string_view text) {
  std::vector<RecordedCall> calls;
  SteppedEvaluation explanation;
  try {
    explanation.evaluation = evaluate(text, &calls);
  } catch (const Error& e) {
    if (calls.empty() || calls.back().result) throw;  // not an operation, but the text
    explanation.refusal = e;
  }
  LayoutSteps steps;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool is_said = i > 0 && call_text(calls[i]) == call_text(calls[i - 1]);  // coalesce(coalesce(L))
    if (!is_said && !is_said_later(calls, i)) steps.append_all(steps_with_answer(calls[i], explanation.refusal));
  }
  // "(8):(complement(4:2,24)(1))": a layout, a part of which is the result of an operation.
  if (explanation.evaluation && !steps.list().empty()) {
    const LayoutStep::Result whole = shown_result(explanation.evaluation->value);
    if (const std::string is = to_string(whole); !is.empty() && to_string(steps.list().back().layout) != is)
      steps.append({std::string(trimmed(text)), "put together", "what the operations gave stands in its place", whole});
  }
  explanation.steps = steps.list();
  return explanation;
}

}  // namespace swz

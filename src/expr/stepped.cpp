// Each operation that the parser recorded becomes its steps; what has none of its own is one step, its answer.
#include "expr/stepped.hpp"

#include <fmt/format.h>

#include "layout/tiling.hpp"

namespace swz {
namespace {

using Arguments = std::span<const Value>;

std::string call_text(const RecordedCall& o) {
  std::string text(o.name);
  for (std::size_t i = 0; i < o.arguments.size(); ++i) text += (i == 0 ? "(" : ", ") + to_string(o.arguments[i]);
  return text + ")";
}

Layout inner_layout(const Value& v) { return as_composed(v).layout(); }
bool has_coordinates(const Value& v) { return std::holds_alternative<BasisLayout>(v); }

void composition_of(LayoutSteps& steps, Arguments a) {
  const auto* s = std::get_if<Swizzle>(&a[0]);
  const auto* t = std::get_if<Swizzle>(&a[1]);
  if (s != nullptr && t != nullptr) {
    swizzle_product_steps(steps, *s, *t);
    return;
  }
  if (s != nullptr) {
    const auto* right = std::get_if<ComposedLayout>(&a[1]);
    if (right != nullptr && !right->swizzle().is_identity()) swizzle_product_steps(steps, *s, right->swizzle());
    if (const Value result = compose(a[0], a[1]); std::holds_alternative<ComposedLayout>(result))
      swizzled_layout_steps(steps, std::get<ComposedLayout>(result));
    return;
  }
  if (has_coordinates(a[1]) || t != nullptr) return;
  const auto* left = std::get_if<IntTuple>(&a[0]);
  if (left != nullptr && left->is_int()) return;  // an offset
  if (const auto* right = std::get_if<ComposedLayout>(&a[1]); right != nullptr && !right->is_layout()) {
    const ComposedLayout idle = without_idle_swizzle(*right);
    composition_steps(steps, inner_layout(a[0]), idle.layout());
    return;
  }
  composition_steps(steps, inner_layout(a[0]), as_tiler(a[1]));
}

IntTuple profile_at(Arguments a, std::size_t i) { return a.size() > i ? as_tuple(a[i]) : IntTuple(); }

// Nothing for operations without steps of their own.
void steps_of(LayoutSteps& steps, const std::string& name, Arguments a) {
  if (name == "composition") return composition_of(steps, a);
  if (has_coordinates(a[0])) return;
  if (name == "coalesce") coalesce_steps(steps, inner_layout(a[0]), profile_at(a, 1));
  else if (name == "complement")
    complement_with_holes_steps(steps, inner_layout(a[0]),
                                a.size() > 1 ? product(as_tuple(a[1])) : cosize(filter(inner_layout(a[0]))));
  else if (name == "right_inverse") right_inverse_steps(steps, without_idle_swizzle(as_composed(a[0])).layout());
  else if (name == "left_inverse") left_inverse_steps(steps, without_idle_swizzle(as_composed(a[0])).layout());
  else if (name.ends_with("_divide")) divide_steps(steps, name, inner_layout(a[0]), as_tiler(a[1]));
  else if (name == "blocked_product" || name == "raked_product")
    blocked_or_raked_steps(steps, name, inner_layout(a[0]), as_layout(a[1]));
  else if (name.ends_with("_product")) product_steps(steps, name, inner_layout(a[0]), as_tiler(a[1]));
  else if (name == "tile_to_shape")
    tile_to_shape_steps(steps, inner_layout(a[0]), as_tuple(a[1]), profile_at(a, 2));
  else if (std::holds_alternative<Swizzle>(a[0])) return;
  else if (name == "upcast") upcast_steps(steps, as_composed(a[0]), as_int(a[1]));
  else if (name == "downcast") downcast_steps(steps, as_composed(a[0]), as_int(a[1]));
  else if (name == "recast") recast_steps(steps, as_composed(a[0]), as_int(a[1]), as_int(a[2]));
}

LayoutStep::Result shown_result(const Value& v) {
  if (const auto* l = std::get_if<ComposedLayout>(&v)) return *l;
  if (const auto* s = std::get_if<Swizzle>(&v)) return *s;
  return std::monostate();
}

std::string result_text(const LayoutStep::Result& r) {
  if (const auto* l = std::get_if<ComposedLayout>(&r)) return to_string(*l);
  if (const auto* s = std::get_if<Swizzle>(&r)) return to_string(*s);
  return {};
}

void append_operation(LayoutSteps& steps, const RecordedCall& o, const std::optional<Error>& refusal) {
  const std::size_t before = steps.list().size();
  const auto is_refused = [&] { return steps.list().size() > before && steps.list().back().rule == "refused"; };
  try {
    steps_of(steps, std::string(o.name), o.arguments);
  } catch (const Error&) {
    if (o.result || !refusal) throw;
  }
  if (!o.result) {
    if (refusal && !is_refused()) steps.append({call_text(o), "refused", refusal->message()});
    return;
  }
  LayoutStep::Result result = shown_result(*o.result);
  const std::string text = result_text(result);
  if (text.empty()) return;
  if (steps.list().size() == before) steps.append({call_text(o), "answer", std::string(), std::move(result)});
  else if (result_text(steps.list().back().layout) != text)
    steps.append(
        {call_text(o), "swizzle and offset", "with those that stand beside the layout", std::move(result)});
}

}  // namespace

SteppedEvaluation evaluate_in_steps(std::string_view text) {
  std::vector<RecordedCall> operations;
  SteppedEvaluation explanation;
  try {
    explanation.evaluation = evaluate(text, &operations);
  } catch (const Error& e) {
    if (operations.empty() || operations.back().result) throw;  // no operation, but the text
    explanation.refusal = e;
  }
  LayoutSteps steps;
  for (const RecordedCall& o : operations) append_operation(steps, o, explanation.refusal);
  explanation.steps = steps.list();
  return explanation;
}

}  // namespace swz

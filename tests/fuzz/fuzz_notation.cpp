// SPDX-License-Identifier: Apache-2.0
// Any text as a layout expression: an Error or a value, never a crash; a layout prints to text that reads back the
// same, its views can be made, and its steps end in the value or in the refusal.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "expr/evaluate.hpp"
#include "render/json.hpp"
#include "render/text.hpp"
#include "view/layout/layout.hpp"
#include "view/layout/layout_steps.hpp"

namespace {

void explain(std::string_view text) {
  try {
    const swz::SteppedEvaluation e = swz::evaluate_in_steps(text);
    if (e.evaluation.has_value() == e.refusal.has_value()) std::abort();
    if (e.refusal && e.steps.back().rule != "refused") std::abort();
    const auto* l = e.evaluation ? std::get_if<swz::ComposedLayout>(&e.evaluation->value) : nullptr;
    if (l != nullptr && !e.steps.empty() && swz::to_string(e.steps.back().layout) != swz::to_string(*l)) std::abort();
  } catch (const swz::Error&) {  // not an operation, but the text, or too many steps
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  explain(text);
  try {
    const swz::Evaluation e = swz::evaluate(text);
    if (const auto* l = std::get_if<swz::ComposedLayout>(&e.value)) {
      if (!(swz::parse_layout(swz::to_string(*l)) == *l)) std::abort();
      if (l->size() > 4096) return 0;  // views of large layouts only repeat the work of small ones
    }
    swz::LayoutViewOptions options;
    options.map = size % 2 == 0;
    const swz::Document d = swz::view_layout(e, options);
    if (swz::render_text(d, swz::TextStyle{}).empty() || !swz::Json::parse(swz::json_text(d)).is_object()) std::abort();
  } catch (const swz::Error& e) {
    if (e.message().empty() || e.span.begin > size || swz::render_error(e, swz::TextStyle{}).empty()) std::abort();
  }
  return 0;
}

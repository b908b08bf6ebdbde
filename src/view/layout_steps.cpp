// Text: the operation, then a line a rule with the layout after it and what the rule says. Pictures: a table a step.
#include "view/layout_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swz {
namespace {

constexpr std::int64_t drawn_step_extent = 16;  // rows and columns of a step's table
constexpr std::size_t drawn_steps = 64;

std::string layout_text(const LayoutStep& step) {
  if (const auto* l = std::get_if<ComposedLayout>(&step.layout)) return to_string(*l);
  if (const auto* s = std::get_if<Swizzle>(&step.layout)) return to_string(*s);
  return {};
}

Json steps_json(const std::vector<LayoutStep>& steps) {
  return json_list(steps, [](const LayoutStep& step) {
    return Json{{"operation", step.operation},
                {"rule", step.rule},
                {"message", step.message},
                {"layout", or_null(layout_text(step))}};
  });
}

// As on paper: the operation, under it the rules with the layouts that they lead to. One paragraph an operation.
void add_operations(Document& d, const std::vector<LayoutStep>& steps) {
  for (std::size_t i = 0; i < steps.size();) {
    const std::string& operation = steps[i].operation;
    d.add(Paragraph{operation, Tone::strong, true});
    std::string text;
    for (; i < steps.size() && steps[i].operation == operation; ++i) {
      const std::string layout = layout_text(steps[i]);
      text +=
          fmt::format("{}  {}{}{}", text.empty() ? "" : "\n", steps[i].rule, layout.empty() ? "" : ": ", layout);
      if (!steps[i].message.empty()) text += "\n    " + steps[i].message;
    }
    d.add(Paragraph{std::move(text), Tone::plain, true});
  }
}

// The table of a step, or a line in its place.
void add_figure(Document& d, const LayoutStep& step) {
  const std::string title = fmt::format("{}: {}", step.rule, layout_text(step));
  const auto* l = std::get_if<ComposedLayout>(&step.layout);
  const std::int64_t rows = l ? row_count(*l) : 0;
  const bool is_drawn = l != nullptr && rows <= drawn_step_extent && l->size() / rows <= drawn_step_extent;
  Figure figure;
  if (is_drawn)
    for (Block& block : layout_table(*l, {}, Medium::page).blocks)
      if (auto* table = std::get_if<Figure>(&block)) figure = std::move(*table);
  figure.title = title;
  figure.legend.clear();
  figure.caption = step.operation + (step.message.empty() ? "" : "   " + step.message);
  if (l != nullptr && !is_drawn)
    figure.caption += fmt::format(" (its table is larger than {0}x{0})", drawn_step_extent);
  d.add(std::move(figure));
}

Drawing pictures(const std::vector<LayoutStep>& steps) {
  return {[steps](Medium medium) {
    Document d;
    if (medium != Medium::page) return d;
    for (std::size_t i = 0; i < std::min(steps.size(), drawn_steps); ++i) add_figure(d, steps[i]);
    return d;
  }};
}

}  // namespace

Document view_explanation(const SteppedEvaluation& e, const LayoutViewOptions& options) {
  Document d;
  d.json("steps", steps_json(e.steps));
  if (e.steps.empty()) d.add(Paragraph{"a value without an operation: there is nothing to explain", Tone::faint});
  add_operations(d, e.steps);
  if (e.refusal) {
    d.field("refused", "", Json{{"message", e.refusal->message()}, {"hint", or_null(e.refusal->hint)}});
    if (!e.refusal->hint.empty()) d.add(Paragraph{e.refusal->hint, Tone::plain});
    d.answers = {"refused"};
    return d.add(pictures(e.steps));
  }
  Document value = view_layout(*e.evaluation, options);
  d.answers = value.answers;
  for (Block& block : value.blocks) {
    const auto* table = std::get_if<Drawing>(&block);
    if (table == nullptr || e.steps.empty()) d.add(std::move(block));
    else  // the last step has it on a page
      d.add(Drawing{[table = *table](Medium m) { return m == Medium::page ? Document() : table.draw(m); }});
  }
  return d.add(pictures(e.steps));
}

}  // namespace swz

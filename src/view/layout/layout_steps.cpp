// SPDX-License-Identifier: Apache-2.0
// Text: the operation, then one line per rule with the layout after it and an explanation of the rule. Pictures: one
// figure per step, the first of an operation under the name of the operation.
#include "view/layout/layout_steps.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"
#include "view/document/headline.hpp"

namespace swz {
namespace {

Json steps_json(const std::vector<LayoutStep>& steps) {
  return json_list(steps, [](const LayoutStep& step) {
    return Json{{"operation", step.operation},
                {"rule", step.rule},
                {"message", step.message},
                {"layout", or_null(to_string(step.layout))}};
  });
}

// As on paper: the operation, and under it the rules with the layouts that they lead to. One paragraph per operation.
void add_operations(Document& d, const std::vector<LayoutStep>& steps) {
  for (std::size_t i = 0; i < steps.size();) {
    const std::string& operation = steps[i].operation;
    d.add(Paragraph{operation, Tone::strong});
    std::string text;
    for (; i < steps.size() && steps[i].operation == operation; ++i) {
      const std::string layout = to_string(steps[i].layout);
      text += fmt::format("{}  {}{}{}", text.empty() ? "" : "\n", steps[i].rule, layout.empty() ? "" : ": ", layout);
      if (!steps[i].message.empty()) text += "\n    " + steps[i].message;
    }
    d.add(Paragraph{std::move(text), Tone::plain});
  }
}

constexpr std::int64_t drawn_step_rows = 32;
constexpr std::int64_t drawn_step_cells = limits::drawn_cells.most / limits::drawn_steps.most;

// A step as a figure: its table under the rule, and below it what the rule does. A step without a table, or with one
// larger than its share of a picture, is a line.
Figure figure_of(const LayoutStep& step, std::int64_t most_rows, std::int64_t most_cells) {
  Figure figure;
  const std::string layout = to_string(step.layout);
  const std::string title = layout.empty() ? step.rule : fmt::format("{}: {}", step.rule, layout);
  const auto* l = std::get_if<ComposedLayout>(&step.layout);
  if (l != nullptr && l->size() <= most_cells && row_count(*l) <= most_rows)
    for (Block& block : layout_table(*l, {}, Medium::page).blocks)
      if (auto* table = std::get_if<Figure>(&block)) figure.panels = std::move(table->panels);
  if (!figure.panels.empty()) {
    figure.panels[0][0].title = title;
    figure.caption = step.message;
    return figure;
  }
  figure.caption = title;
  if (l != nullptr)
    figure.caption += fmt::format(" (its table of {}x{} is not drawn)", row_count(*l), l->size() / row_count(*l));
  if (!step.message.empty()) figure.caption += "; " + step.message;
  return figure;
}

Drawing pictures(const std::vector<LayoutStep>& steps) {
  return {[steps](Medium medium) {
    Document d;
    if (medium != Medium::page || steps.empty()) return d;
    require_within(limits::drawn_steps, std::ssize(steps));
    const std::string* operation = nullptr;
    std::int64_t left = limits::drawn_cells.most;  // for the last step, which shows the answer
    for (const LayoutStep& step : steps) {
      Figure figure =
          &step == &steps.back() ? figure_of(step, left, left) : figure_of(step, drawn_step_rows, drawn_step_cells);
      if (!figure.panels.empty()) left -= std::get<ComposedLayout>(step.layout).size();
      if (operation == nullptr || *operation != step.operation) figure.title = step.operation;
      operation = &step.operation;
      d.add(std::move(figure));
    }
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
    d.headline = short_sentence("refused: " + e.refusal->message());
    return d.add(pictures(e.steps));
  }
  Document value = view_layout(*e.evaluation, options);
  d.answers = value.answers;
  d.headline = e.steps.empty()
                   ? value.headline
                   : short_sentence(fmt::format("{} is {}", e.steps.front().operation, to_string(e.evaluation->value)));
  for (Block& block : value.blocks) {
    const auto* table = std::get_if<Drawing>(&block);
    if (table == nullptr || e.steps.empty()) d.add(std::move(block));
    else  // the last step has it on a page
      d.add(Drawing{[table = *table](Medium m) { return m == Medium::page ? Document() : table.draw(m); }});
  }
  return d.add(pictures(e.steps));
}

}  // namespace swz

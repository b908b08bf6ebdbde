// SPDX-License-Identifier: Apache-2.0
// Text: the operation, then one line per rule with the layout after it and an explanation of the rule. Pictures: one
// figure per step, the first of an operation under the name of the operation; short steps are beside each other.
#include "view/layout/layout_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

// Whether a step is a table of one row, few enough cells to be beside another: what it does is then below it.
bool is_short(const Figure& figure) {
  constexpr std::size_t most_cells = 8;
  if (figure.panels.size() != 1 || figure.panels[0].size() != 1) return false;
  const Grid& grid = figure.panels[0][0];
  return grid.squares.size() == 1 && grid.squares[0].size() <= most_cells;
}

// Adds a step; short ones of one operation are beside each other.
void add_step(std::vector<Figure>& figures, Figure figure) {
  const bool is_beside = !figures.empty() && figure.title.empty() && is_short(figure) &&
                         std::ranges::all_of(figures.back().panels, [](const auto& row) {
                           return std::ranges::all_of(row, [](const Grid& g) { return g.squares.size() == 1; });
                         });
  if (is_short(figure)) figure.panels[0][0].below = std::exchange(figure.caption, {});
  if (is_beside && !figures.back().panels.empty() && figures.back().caption.empty())
    figures.back().panels[0].push_back(std::move(figure.panels[0][0]));
  else figures.push_back(std::move(figure));
}

Drawing pictures(const std::vector<LayoutStep>& steps) {
  return {[steps](Medium medium) {
    Document d;
    if (medium != Medium::page || steps.empty()) return d;
    require_within(limits::drawn_steps, std::ssize(steps));
    const std::string* operation = nullptr;
    std::int64_t left = limits::drawn_cells.most;  // for the last step, which shows the answer
    std::vector<Figure> figures;
    for (const LayoutStep& step : steps) {
      Figure figure =
          &step == &steps.back() ? figure_of(step, left, left) : figure_of(step, drawn_step_rows, drawn_step_cells);
      if (!figure.panels.empty()) left -= std::get<ComposedLayout>(step.layout).size();
      if (operation == nullptr || *operation != step.operation) figure.title = step.operation;
      operation = &step.operation;
      add_step(figures, std::move(figure));
    }
    for (Figure& figure : figures) d.add(std::move(figure));
    return d;
  }};
}

// "logical_divide(24:3, 4:2) is (4,(2,3)):(6,(3,24))", of the outermost operation, if the answer is its result.
std::string headline_of_steps(const SteppedEvaluation& e, const Document& value) {
  const std::string answer = to_string(e.evaluation->value);
  if (e.steps.empty() || to_string(e.steps.back().layout) != answer) return value.headline;
  return short_sentence(fmt::format("{} is {}", e.steps.back().operation, answer));
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
  d.headline = headline_of_steps(e, value);
  for (Block& block : value.blocks) {
    const auto* table = std::get_if<Drawing>(&block);
    if (table == nullptr || e.steps.empty()) d.add(std::move(block));
    else  // the last step has it on a page
      d.add(Drawing{[table = *table](Medium m) { return m == Medium::page ? Document() : table.draw(m); }});
  }
  return d.add(pictures(e.steps));
}

}  // namespace swz

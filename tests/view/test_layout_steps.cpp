// SPDX-License-Identifier: Apache-2.0
// The pictures of an explanation: a figure for each step, an operation named once, above its first step.
#include <doctest/doctest.h>

#include "view/layout/layout_steps.hpp"

using namespace swz;

namespace {

std::vector<Figure> figures_of_steps(const char* expression) {
  std::vector<Figure> figures;
  for (const Block& block : view_explanation(evaluate_in_steps(expression), {}).blocks)
    if (const auto* drawing = std::get_if<Drawing>(&block))
      for (const Block& drawn : drawing->draw(Medium::page).blocks)
        if (const auto* figure = std::get_if<Figure>(&drawn)) figures.push_back(*figure);
  return figures;
}

}  // namespace

TEST_CASE("explanation: as many figures as steps, each with the table of its layout or a line") {
  for (const char* expression :
       {"composition((4,6):(1,8), 6:2)", "zipped_divide((8,8):(8,1), <4:2,2:1>)", "Sw<3,4,3> o Sw<2,4,3>",
        "left_inverse(Sw<1,1,1> o 0 o (2,4):(4,1))", "recast((8,64):(65,1), 16, 128)", "((8,32):(32,1))(7,25)",
        "coalesce((16,(16,16)):(1,(16,256)), (1,1))", "zipped_divide(make_identity_layout((128,64)), (32,8))",
        "(4,6,8):(2,3,5) o 6:3"}) {
    CAPTURE(expression);
    const std::vector<LayoutStep> steps = evaluate_in_steps(expression).steps;
    const std::vector<Figure> figures = figures_of_steps(expression);
    REQUIRE(figures.size() == steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CAPTURE(steps[i].rule);
      const bool is_first = i == 0 || steps[i].operation != steps[i - 1].operation;
      CHECK(figures[i].title == (is_first ? steps[i].operation : ""));
      const auto* l = std::get_if<ComposedLayout>(&steps[i].layout);
      if (l == nullptr || (l->size() > 1024 && i + 1 < steps.size())) {
        CHECK(figures[i].panels.empty());
        CHECK(figures[i].caption.starts_with(steps[i].rule));
        CHECK(figures[i].caption.ends_with(steps[i].message));
        continue;
      }
      REQUIRE(figures[i].panels.size() == 1);
      const Grid& table = figures[i].panels[0][0];
      CHECK(table.title == steps[i].rule + ": " + to_string(*l));
      CHECK(figures[i].caption == steps[i].message);
      std::int64_t index = 0;
      for (std::size_t c = 0; c < table.squares[0].size(); ++c)
        for (const auto& row : table.squares) CHECK(row[c].text == std::to_string((*l)(index++)));
      CHECK(index == l->size());
    }
  }
}

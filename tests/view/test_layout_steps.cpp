// SPDX-License-Identifier: Apache-2.0
// The pictures of an explanation: a figure for each step, an operation named once, above its first step.
#include <doctest/doctest.h>

#include "view/layout/layout_steps.hpp"

using namespace swz;

namespace {

// A step as it is drawn: the title of the operation above it, its table if there is one, and what is said of it.
struct DrawnStep {
  std::string operation;
  const Grid* table = nullptr;
  std::string words;
};

std::vector<Figure> figures_of_steps(const char* expression) {
  std::vector<Figure> figures;
  for (const Block& block : view_explanation(evaluate_in_steps(expression), {}).blocks)
    if (const auto* drawing = std::get_if<Drawing>(&block))
      for (const Block& drawn : drawing->draw(Medium::page).blocks)
        if (const auto* figure = std::get_if<Figure>(&drawn)) figures.push_back(*figure);
  return figures;
}

std::vector<DrawnStep> steps_in(const std::vector<Figure>& figures) {
  std::vector<DrawnStep> steps;
  for (const Figure& figure : figures) {
    if (figure.panels.empty()) steps.push_back({figure.title, nullptr, figure.caption});
    else
      for (const Grid& table : figure.panels[0])
        steps.push_back({&table == &figure.panels[0][0] ? figure.title : "", &table,
                         table.below.empty() ? figure.caption : table.below});
  }
  return steps;
}

}  // namespace

TEST_CASE("explanation: every step is drawn, with the table of its layout or as a line") {
  for (const char* expression :
       {"composition((4,6):(1,8), 6:2)", "zipped_divide((8,8):(8,1), <4:2,2:1>)", "Sw<3,4,3> o Sw<2,4,3>",
        "left_inverse(Sw<1,1,1> o 0 o (2,4):(4,1))", "recast((8,64):(65,1), 16, 128)", "((8,32):(32,1))(7,25)",
        "coalesce((16,(16,16)):(1,(16,256)), (1,1))", "zipped_divide(make_identity_layout((128,64)), (32,8))",
        "(4,6,8):(2,3,5) o 6:3", "logical_divide(24:3, 4:2)"}) {
    CAPTURE(expression);
    const std::vector<LayoutStep> steps = evaluate_in_steps(expression).steps;
    const std::vector<Figure> figures = figures_of_steps(expression);
    const std::vector<DrawnStep> drawn = steps_in(figures);
    REQUIRE(drawn.size() == steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CAPTURE(steps[i].rule);
      const bool is_first = i == 0 || steps[i].operation != steps[i - 1].operation;
      CHECK(drawn[i].operation == (is_first ? steps[i].operation : ""));
      const auto* l = std::get_if<ComposedLayout>(&steps[i].layout);
      if (l == nullptr || (l->size() > 1024 && i + 1 < steps.size())) {
        CHECK(drawn[i].table == nullptr);
        CHECK(drawn[i].words.starts_with(steps[i].rule));
        CHECK(drawn[i].words.ends_with(steps[i].message));
        continue;
      }
      REQUIRE(drawn[i].table != nullptr);
      const Grid& table = *drawn[i].table;
      CHECK(table.title == steps[i].rule + ": " + to_string(*l));
      CHECK(drawn[i].words == steps[i].message);
      std::int64_t index = 0;
      for (std::size_t c = 0; c < table.squares[0].size(); ++c)
        for (const auto& row : table.squares) CHECK(row[c].text == std::to_string((*l)(index++)));
      CHECK(index == l->size());
    }
  }
}

// The three products of A with the leaves of 4:2, 2:1 and 3:8 are tables of one row.
TEST_CASE("explanation: short steps of an operation are beside each other") {
  std::vector<std::size_t> beside;
  for (const Figure& figure : figures_of_steps("logical_divide(24:3, 4:2)"))
    beside.push_back(figure.panels.empty() ? 0 : figure.panels[0].size());
  CHECK(beside == std::vector<std::size_t>{2, 1, 1, 0, 3, 1});
}

TEST_CASE("explanation: the title is true: the operation in it has that value") {
  const auto title = [](const char* expression) {
    return view_explanation(evaluate_in_steps(expression), {}).headline;
  };
  CHECK(title("logical_divide(24:3, 4:2)") == "logical_divide(24:3, 4:2) is (4,(2,3)):(6,(3,24))");
  CHECK(title("composition(24:3, complement(4:2, 24))") == "composition(24:3, (2,3):(1,8)) is (2,3):(3,24)");
  CHECK(title("((8,4):(1,8))(3,2)") == "((8,4):(1,8))(3,2) is 19");
  for (const char* expression : {"logical_divide(24:3, 4:2)", "zipped_divide((8,8):(8,1), <4:2,2:1>)",
                                 "coalesce(logical_divide(24:3, 4:2))", "size(logical_divide(24:3, 4:2))"}) {
    const std::string said = title(expression);
    const std::size_t is = said.find(" is ");
    if (is == std::string::npos) continue;  // no operation is named
    CAPTURE(said);
    CHECK(to_string(evaluate_in_steps(said.substr(0, is)).evaluation->value) == said.substr(is + 4));
  }
}

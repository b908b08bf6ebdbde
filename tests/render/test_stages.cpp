// SPDX-License-Identifier: Apache-2.0
// Stages: the way goes from one highlighted square to the next, and not through what only joins it.
#include <doctest/doctest.h>

#include <algorithm>

#include "render/picture.hpp"
#include "scene_laws.hpp"
#include "view/document/figure.hpp"

using namespace swz;

namespace {

Grid stage(const std::string& title, std::int64_t rows, std::int64_t highlighted) {
  return grid_of(title, "row", number_labels(rows), {"c"}, [&](std::int64_t row, std::int64_t) {
    return Grid::Square{title, {}, row == highlighted ? Mark::highlighted : Mark::none};
  });
}

Scene drawn(std::vector<std::vector<Grid>> panels, double width) {
  Figure figure;
  figure.has_stages = true;
  figure.panels = std::move(panels);
  return picture_of(Document().add(figure), {.width = {width}});
}

std::vector<Rule> rules_of(const Scene& scene, Ink ink) {
  std::vector<Rule> rules = items_of<Rule>(scene);
  std::erase_if(rules, [&](const Rule& rule) { return rule.paint.ink != ink; });
  return rules;
}

// The middle of the first cell with this text.
double height_of(const Scene& scene, const std::string& text) {
  const std::vector<Label> labels = items_of<Label>(scene);
  const auto found = std::ranges::find_if(
      labels, [&](const Label& label) { return label.text == text && label.face == Label::Face::mono; });
  REQUIRE(found != labels.end());
  return found->y - found->size * 0.35;
}

bool is_near(double a, double b) { return std::abs(a - b) < 4; }

}  // namespace

TEST_CASE("what joins the way of a story has no arrow to it, and a line from it to the way") {
  Grid factors = stage("factors", 1, 0);
  factors.joins_way = true;
  for (const double width : {900.0, 325.0}) {
    CAPTURE(width);
    const Scene scene = drawn({{stage("words", 1, 0)}, {factors, stage("result", 3, 2)}}, width);
    const double joins = height_of(scene, "factors");
    const auto is_level_with_factors = [&](const Rule& rule) { return rule.y1 == rule.y2 && is_near(rule.y1, joins); };
    CHECK(std::ranges::none_of(rules_of(scene, Ink::accent), is_level_with_factors));
    std::vector<Rule> lines = rules_of(scene, Ink::soft);
    std::erase_if(lines, [&](const Rule& rule) { return !is_level_with_factors(rule); });
    REQUIRE(lines.size() == 1);
    // One of its ends is on a line of the way that goes down.
    CHECK(std::ranges::any_of(rules_of(scene, Ink::accent), [&](const Rule& way) {
      return way.x1 == way.x2 && std::min(way.y1, way.y2) <= joins && std::max(way.y1, way.y2) >= joins &&
             (way.x1 == lines[0].x1 || way.x1 == lines[0].x2);
    }));
  }
}

TEST_CASE("beside a lower stage the cells of the highest are lower, and no field is empty below it") {
  const Scene scene = drawn({{stage("high", 16, 0), stage("low", 13, 0)}}, 900);
  double high = 0, low = 0;
  for (const Label& label : items_of<Label>(scene)) {
    if (label.face != Label::Face::mono) continue;
    double& bottom = label.text == "high" ? high : low;
    bottom = std::max(bottom, label.y);
  }
  CHECK(is_near(high, low));
}

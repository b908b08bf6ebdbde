// SPDX-License-Identifier: Apache-2.0
// Sketches: what a view placed is painted there, with its tooltip; what collides is hatched and framed.
#include <doctest/doctest.h>

#include <algorithm>

#include "render/picture.hpp"
#include "render/scene_laws.hpp"

using namespace swz;

TEST_CASE("a sketch: boxes, lines and texts at their places, for the width that there is") {
  double given = 0;
  Sketch sketch;
  sketch.title = "of two parts";
  sketch.shapes = [&given](double width) {
    given = width;
    Sketch::Shapes shapes;
    shapes.boxes.push_back({10, 20, 100, 40, "S\n0-63", {1, 0}, Mark::none, "columns 0-63"});
    shapes.boxes.push_back({110, 20, 50, 40, "P", {2, 0}, Mark::colliding, "shared"});
    shapes.lines.push_back({0, 10, 160, 10, Tone::accent, true});
    shapes.texts.push_back({0, 76, "column"});
    shapes.width = 160;
    shapes.height = 80;
    return shapes;
  };
  const Scene scene = picture_of(Document().add(sketch), {.width = {325}});
  CHECK(given == doctest::Approx(317));
  CHECK(faults_of(scene).empty());
  const std::vector<Box> boxes = items_of<Box>(scene);
  const auto tipped = [&](const char* tip) { return *std::ranges::find(boxes, tip, &Box::tip); };
  CHECK(tipped("columns 0-63").width == 100);
  CHECK(tipped("shared").x == tipped("columns 0-63").x + 100);
  CHECK(tipped("shared").stroke.ink == Ink::alarm);
  const std::vector<Rule> rules = items_of<Rule>(scene);
  const Box shared = tipped("shared");
  std::size_t hatches = 0;
  for (const Rule& rule : rules) {
    if (rule.paint.ink != Ink::alarm) continue;
    ++hatches;
    CHECK(std::min(rule.x1, rule.x2) >= shared.x);
    CHECK(std::max(rule.x1, rule.x2) <= shared.x + shared.width);
  }
  CHECK(hatches > 5);
  CHECK(std::ranges::count_if(rules, [](const Rule& rule) { return rule.paint.ink == Ink::accent; }) == 3);
  const std::vector<Label> labels = items_of<Label>(scene);
  for (const char* text : {"of two parts", "S", "0-63", "P", "column"})
    CHECK(std::ranges::count(labels, text, &Label::text) == 1);
}

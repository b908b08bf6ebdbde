// SPDX-License-Identifier: Apache-2.0
// The bar of tensor memory: every column of every region is drawn once, what shares cells is marked on both sides, and
// nothing leaves the picture.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "render/display.hpp"
#include "render/picture.hpp"
#include "render/scene_laws.hpp"
#include "view/tmem/plan_bar.hpp"

using namespace swz;

namespace {

TmemPlan random_plan(std::mt19937& draw) {
  const auto upto = [&](unsigned n) { return static_cast<int>(draw() % n); };
  TmemPlan plan;
  const int regions = 1 + upto(5);
  for (int i = 0; i < regions; ++i) {
    TmemRegion r{.name = std::string(1, static_cast<char>('P' + i))};
    r.stages = 1 + upto(3);
    r.columns = 4 * (1 + upto(32));
    r.first = 4 * upto(120);
    r.count = r.stages * r.columns;
    if (upto(4) == 0) r.lane = 16 * upto(2), r.lanes = 16;
    plan.columns = std::max(plan.columns, r.end());
    plan.regions.push_back(r);
  }
  for (const int size : {32, 64, 128, 256, 512})
    if (size >= plan.columns && !plan.allocation) plan.allocation = size;
  plan.fits = plan.allocation.has_value();
  return plan;
}

}  // namespace

TEST_CASE("the pieces of any plan are its regions, column by column; sharing is mutual") {
  std::mt19937 draw(20261128);
  for (int i = 0; i < 1000; ++i) {
    const TmemPlan plan = random_plan(draw);
    std::map<const TmemRegion*, std::map<int, const TmemPiece*>> at;
    const std::vector<TmemPiece> pieces = tmem_pieces(plan);
    for (const TmemPiece& piece : pieces)
      for (int c = piece.first; c < piece.end(); ++c) CHECK(at[piece.region].emplace(c, &piece).second);
    for (const TmemRegion& a : plan.regions) {
      REQUIRE(std::ssize(at[&a]) == a.count);
      for (const auto& [column, piece] : at[&a]) {
        CHECK((column >= a.first && column < a.end()));
        for (const TmemRegion& b : plan.regions) {
          const bool share = &a != &b && share_cells(a, b) && column >= b.first && column < b.end();
          CHECK((std::ranges::find(piece->shared_with, &b) != piece->shared_with.end()) == share);
        }
      }
    }
    const std::string text = tmem_bar_text(plan, 78);
    CHECK(text.starts_with("0"));
    for (const TmemPiece& piece : pieces) CHECK(text.find(piece.name) != std::string::npos);
    for (const double width : {900.0, 400.0, 325.0}) {
      const Scene scene = picture_of(Document().add(tmem_bar(plan, 512)), {.width = {width}});
      std::string faults;
      for (const std::string& fault : faults_of(scene)) faults += fault + "\n";
      CHECK(faults == "");
    }
  }
}

TEST_CASE("what is beyond the allocation follows its edge") {
  TmemPlan plan;
  for (const auto& [name, first, count] : {std::tuple("D0", 0, 256), {"D1", 256, 256}, {"SFA", 512, 12}})
    plan.regions.push_back({.name = name, .columns = count, .first = first, .count = count});
  plan.columns = 524;
  const std::string text = tmem_bar_text(plan, 60);
  CHECK(text.find("512│SFA─524") != std::string::npos);
  const Scene scene = picture_of(Document().add(tmem_bar(plan, 512)));
  const std::vector<Label> labels = items_of<Label>(scene);
  CHECK(std::ranges::count(labels, "524 of 512 columns", &Label::text) == 1);
  const std::vector<Box> boxes = items_of<Box>(scene);
  const auto beyond = std::ranges::find(boxes, "SFA\ncolumns 512-523\nbeyond the allocation", &Box::tip);
  REQUIRE(beyond != boxes.end());
  CHECK(beyond->stroke.ink == Ink::alarm);
}

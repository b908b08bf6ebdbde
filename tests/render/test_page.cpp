// SPDX-License-Identifier: Apache-2.0
// Documents without figures as pictures: tables with columns and lines, nothing cut, what is good filled.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "render/picture.hpp"
#include "render/scene_laws.hpp"

using namespace swz;

namespace {

Document modes() {
  using enum Column::Align;
  Document d("bf16 64x32 K-major");
  d.field("take", "take", "64B", "64B: requests of 64 B");
  d.add(Table{"modes",
              "modes",
              {{"mode", "mode"}, {"request", "GMEM request", right}, {"hidden", ""}, {"why", "why not"}},
              {{{"128B", "", Tone::faint}, {128, "128 B"}, {"never shown"}, {"K 32 is 64 B, not a multiple of 128 B"}},
               {{"64B", "", Tone::good}, {64, "64 B", Tone::good}, {"never shown"}, {"the one to take"}},
               {{"32B"}, {32, "32 B"}, {"never shown"}, {"fits, but 64B makes larger requests"}}}});
  d.add(Notes{"notes", {note("rule", "a note", "a hint")}});
  d.add(Paragraph{"go on: swz place", Tone::faint, true});
  return d;
}

const Label& label(const std::vector<Label>& labels, const std::string& text) {
  const auto found = std::ranges::find(labels, text, &Label::text);
  REQUIRE_MESSAGE(found != labels.end(), text);
  return *found;
}

// Whether the text is there, perhaps in several lines.
bool says(const std::vector<Label>& labels, const std::string& text) {
  std::string all;
  for (const Label& one : labels) all += one.text + " ";
  return all.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a table is drawn with headings, aligned columns and a line under each row") {
  const Scene scene = picture_of(modes());
  const std::vector<Label> labels = items_of<Label>(scene);
  CHECK(faults_of(scene).empty());
  CHECK(label(labels, "mode").face == Label::Face::sans_bold);
  for (const char* text : {"128B", "64B", "32B"}) CHECK(label(labels, text).x == label(labels, "mode").x);
  // Numbers end where their heading ends.
  for (const char* text : {"128 B", "64 B", "32 B"}) {
    CHECK(label(labels, text).anchor == Label::Anchor::end);
    CHECK(label(labels, text).x == label(labels, "GMEM request").x);
  }
  CHECK(items_of<Rule>(scene).size() == 4);
  CHECK(std::ranges::count(labels, "never shown", &Label::text) == 0);
  CHECK(std::ranges::count(labels, "go on: swz place", &Label::text) == 0);
  CHECK(std::ranges::count(labels, "a hint", &Label::text) == 1);
}

TEST_CASE("the row of what is good is filled, and no other") {
  const Scene scene = picture_of(modes());
  std::vector<Box> filled;
  for (const Box& box : items_of<Box>(scene))
    if (box.fill.ink == Ink::tint) filled.push_back(box);
  REQUIRE(filled.size() == 1);
  const std::vector<Label> labels = items_of<Label>(scene);
  const auto is_inside = [&](const char* text) {
    const TextBox box = box_of(label(labels, text));
    return box.left >= filled[0].x - 0.01 && box.right <= filled[0].x + filled[0].width + 0.01 &&
           box.top >= filled[0].y && box.bottom <= filled[0].y + filled[0].height;
  };
  CHECK(is_inside("64B"));
  CHECK(is_inside("the one to take"));
  CHECK_FALSE(is_inside("32B"));
  CHECK(label(labels, "64B").paint.ink == Ink::on_tint);
}

TEST_CASE("a table fits the room: headings and texts wrap, numbers do not") {
  for (const double width : {260.0, 325.0, 450.0, 643.0, 900.0}) {
    const Scene scene = picture_of(modes(), {.width = {width}});
    CAPTURE(width);
    std::string faults;
    for (const std::string& fault : faults_of(scene)) faults += fault + "\n";
    CHECK(faults == "");
    CHECK(scene.width <= width + 0.01);
    const std::vector<Label> labels = items_of<Label>(scene);
    CHECK(std::ranges::count(labels, "128 B", &Label::text) >= 1);
  }
  const std::vector<Label> narrow = items_of<Label>(picture_of(modes(), {.width = {325}}));
  CHECK(std::ranges::count(narrow, "GMEM", &Label::text) == 1);
}

TEST_CASE("a table of nothing is not drawn") {
  Document d("nothing");
  d.add(Table{"rows", "rows", {{"a", "a"}}, {}});
  CHECK(items_of<Label>(picture_of(d)).size() == 1);
}

TEST_CASE("columns without room are below the others, each time after the one that names the row") {
  Document d;
  Table wide{"", "", {{"name", "name"}}, {}};
  for (int i = 0; i < 12; ++i) wide.columns.push_back({"c", "heading" + std::to_string(i), Column::Align::right});
  for (int row = 0; row < 20; ++row) {  // too many to be turned
    wide.rows.push_back({Cell("row" + std::to_string(row))});
    for (int i = 0; i < 12; ++i) wide.rows.back().emplace_back(1000 * row + i);
  }
  d.add(wide);
  for (const double width : {325.0, 400.0, 900.0}) {
    CAPTURE(width);
    const Scene scene = picture_of(d, {.width = {width}, .part = {.is_whole = true}});
    CHECK(faults_of(scene).empty());
    CHECK(scene.width <= width + 0.01);
    const std::vector<Label> labels = items_of<Label>(scene);
    for (int i = 0; i < 12; ++i) CHECK(std::ranges::count(labels, "heading" + std::to_string(i), &Label::text) == 1);
    const auto strips = std::ranges::count(labels, "name", &Label::text);
    CHECK(std::ranges::count(labels, "row2", &Label::text) == strips);
    if (width < 500) CHECK(strips > 1);
    for (const Label& one : labels) CHECK(one.size >= 8);
  }
}

TEST_CASE("a page that is too high ends with the number of rows that it leaves out") {
  Document d;
  d.add(Table{"", "before", {{"what", "what"}}, {{Cell("first")}, {Cell("second")}}});
  Table high{"", "", {{"name", "name"}, {"n", "n", Column::Align::right}}, {}};
  for (int row = 0; row < 300; ++row) high.rows.push_back({Cell(fmt::format("row{}", row)), Cell(row)});
  d.add(high);
  d.add(Paragraph{"the end", Tone::plain});
  for (const double width : {325.0, 500.0, 900.0}) {
    CAPTURE(width);
    const Scene scene = picture_of(d, {.width = {width}});
    CHECK(scene.height <= 2.4 * width);  // 200 mm at 86 mm
    CHECK(scene.height > 0.8 * width);
    const std::vector<Label> labels = items_of<Label>(scene);
    const auto drawn = std::ranges::count_if(labels, [](const Label& label) { return label.text.starts_with("row"); });
    CHECK(drawn > 10);
    CHECK(says(labels, fmt::format("… {} rows more: --full draws all, and the text has them", 300 - drawn)));
    CHECK(!says(labels, "the end"));
    const std::vector<Label> all = items_of<Label>(picture_of(d, {.width = {width}, .part = {.is_whole = true}}));
    CHECK(says(all, "row299"));
    CHECK(says(all, "the end"));
    CHECK(!says(all, "rows more"));
  }
}

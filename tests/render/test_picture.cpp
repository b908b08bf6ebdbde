// SPDX-License-Identifier: Apache-2.0
// Pictures: every layout keeps the laws of scene_laws.hpp; what is said is there.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "base/error.hpp"
#include "render/picture.hpp"
#include "render/scene.hpp"
#include "scene_laws.hpp"
#include "sweep.hpp"
#include "view/document/figure.hpp"

using namespace swz;

namespace {

Grid random_grid(std::mt19937& draw) {
  const auto upto = [&draw](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  const auto word = [&](int longest) {
    std::string text(static_cast<std::size_t>(upto(longest + 1)), 'm');
    if (upto(4) == 0) text += "\n" + std::string(static_cast<std::size_t>(1 + upto(8)), 'w');
    return text;
  };
  Grid grid;
  const int rows = upto(5) == 0 ? 40 : upto(9), columns = upto(5) == 0 ? 70 : 1 + upto(12);
  if (upto(2) == 0) grid.title = std::string(static_cast<std::size_t>(1 + upto(30)), 'T') + " and a few more words";
  if (upto(2) == 0) grid.corner = "row\\k";
  const int label = upto(9);
  for (int c = 0; c < columns && label > 0; ++c)
    grid.column_labels.push_back(std::string(static_cast<std::size_t>(label), 'c'));
  for (int r = 0; r < rows; ++r) {
    grid.row_labels.push_back("r" + std::to_string(r));
    grid.squares.emplace_back();
    for (int c = 0; c < columns; ++c)
      grid.squares.back().push_back({word(6), {upto(9) - 1, upto(4)}, static_cast<Mark>(upto(4)), "a tip"});
  }
  grid.row_group = upto(3) * 4;
  grid.column_group = upto(3) * 4;
  if (upto(4) == 0) grid.cell_columns = 1 + upto(40), grid.cell_rows = 1 + upto(40);
  return grid;
}

std::vector<std::string> texts_of(const Scene& scene) {
  std::vector<std::string> texts;
  for (const auto& item : scene.items)
    if (const auto* label = std::get_if<Label>(&item)) texts.push_back(label->text);
  return texts;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += text + "\n";
  return out;
}

Grid small_grid(std::vector<std::vector<Grid::Square>> squares) {
  Grid grid;
  grid.squares = std::move(squares);
  return grid;
}

double linear(int value) {
  const double v = value / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

double luminance(Rgb c) { return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue); }

double contrast(Rgb a, Rgb b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST_CASE("\"…\" is before and after a period only where something is left out") {
  // 32 rows of 8 alike; the marked one is in the first, a middle or the last period.
  for (const int marked : {3, 11, 27}) {
    Grid grid;
    for (int r = 0; r < 32; ++r) {
      grid.row_labels.push_back(std::to_string(r));
      grid.squares.emplace_back();
      for (int c = 0; c < 8; ++c)
        grid.squares.back().push_back(
            {std::to_string(r * 8 + c), {c, 0}, r == marked && c == 0 ? Mark::highlighted : Mark::none});
    }
    Document document;
    document.add(figure_of(grid));
    for (const double width : {0.0, 200.0}) {
      const Scene scene = picture_of(document, {.width = {width}});
      std::vector<double> dots;
      std::map<double, std::string> rows;  // by height
      for (const Label& label : items_of<Label>(scene)) {
        if (label.text == "…") dots.push_back(label.y);
        else if (label.face == Label::Face::sans && label.text.size() <= 2) rows.emplace(label.y, label.text);
      }
      REQUIRE(rows.size() > 1);
      CAPTURE(marked);
      CAPTURE(width);
      const auto &first = *rows.begin(), &last = *rows.rbegin();
      CHECK(std::ranges::any_of(dots, [&](double y) { return y < first.first; }) == (first.second != "0"));
      CHECK(std::ranges::any_of(dots, [&](double y) { return y > last.first; }) == (last.second != "31"));
    }
  }
}

}  // namespace

TEST_CASE("random figures: nothing is cut, no two texts overlap") {
  std::mt19937 draw(20261121);
  for (long i = 0; i < 400 / step_of(20, 4); ++i) {
    Document document(i % 3 == 0 ? "A title that goes on for a good while, longer than what is under it" : "");
    Figure figure;
    figure.title = i % 2 == 0 ? "A figure" : "";
    for (unsigned r = 0; r <= draw() % 2; ++r) {
      figure.panels.emplace_back();
      for (unsigned c = 0; c <= draw() % 3; ++c) figure.panels.back().push_back(random_grid(draw));
    }
    for (unsigned e = 0; e < draw() % 12; ++e)
      figure.legend.push_back({"what entry " + std::to_string(e) + " means", {static_cast<int>(e)}});
    if (i % 4 == 0) figure.caption = "A caption of some words, which wraps at the width of the figure or a bit more.";
    document.add(figure);
    if (i % 5 == 0) document.add(random_grid(draw));
    if (i % 7 == 0) document.add(BitRow{0x4000004000010042, 64, {{"start", {0, 14}}, {"swizzle", {62, 2}}}});
    INFO("figure ", i);
    CHECK(joined(faults_of(picture_of(document, {}))) == "");
    CHECK(joined(faults_of(picture_of(document, {.legend = Legend::right}))) == "");
  }
}

TEST_CASE("random figures, animated: the names of the steps have room of their own") {
  std::mt19937 draw(20261122);
  for (int i = 0; i < 100; ++i) {
    Figure figure = figure_of(random_grid(draw));
    const auto steps = 2 + static_cast<int>(draw() % 9);
    for (int s = 0; s < steps; ++s)
      figure.steps.push_back("step " + std::to_string(s) + std::string(draw() % 100, 'n') + " and more words");
    int next = 0;
    for (auto& row : figure.panels[0][0].squares)
      for (Grid::Square& square : row) square.step = next++ % (steps + 1) - 1;
    if (next < steps + 1) continue;
    const double width = i % 3 == 0 ? 325 : 0;
    const Scene scene = picture_of(Document(i % 2 == 0 ? "A title" : "").add(figure),
                                   {.width = {width}, .part = {.is_whole = true}, .is_animated = true});
    INFO("figure ", i);
    CHECK(joined(faults_of(scene)) == "");
    CHECK(std::ssize(scene.steps) == steps);
    CHECK(std::ssize(scene.step_names) >= steps);
    if (width > 0) CHECK(scene.width <= width + 0.01);
  }
}

TEST_CASE("steps of one name are one step, also of two figures; a cell says which it belongs to") {
  Figure first = figure_of(small_grid({{{"a"}, {"b"}, {"c"}}})), second = figure_of(small_grid({{{"d"}, {"e"}}}));
  for (Figure* figure : {&first, &second})
    for (auto& square : figure->panels[0][0].squares[0]) square.tip = "cell " + square.text;
  first.steps = {"k 0-15", "k 16-31"};
  first.panels[0][0].squares[0][0].step = 0;
  first.panels[0][0].squares[0][1].step = 1;
  second.steps = {"k 16-31", "k 32-47"};
  second.panels[0][0].squares[0][0].step = 0;
  second.panels[0][0].squares[0][1].step = 1;
  second.panels[0][0].squares[0][1].mark = Mark::colliding;
  const Scene scene = picture_of(Document().add(first).add(second));
  CHECK(scene.steps == std::vector<std::string>{"step 1 of 3: k 0-15", "step 2 of 3: k 16-31", "step 3 of 3: k 32-47"});
  CHECK(scene.step_names.empty());
  std::string cells, letters;
  int marks = 0;
  for (const auto& item : scene.items) {
    if (const auto* box = std::get_if<Box>(&item); box != nullptr && !box->tip.empty())
      cells += box->tip + "|" + std::to_string(box->step) + "\n";
    else if (box != nullptr) marks += box->step == 2;
    if (const auto* rule = std::get_if<Rule>(&item)) marks += rule->step == 2;
    if (const auto* label = std::get_if<Label>(&item); label != nullptr && label->text.size() == 1)
      letters += label->text + std::to_string(label->step) + " ";
  }
  CHECK(cells ==
        "cell a\nstep 1 of 3: k 0-15|0\ncell b\nstep 2 of 3: k 16-31|1\ncell c|-1\n"
        "cell d\nstep 2 of 3: k 16-31|1\ncell e\nstep 3 of 3: k 32-47|2\n");
  CHECK(letters == "a0 b1 c-1 d1 e2 ");
  CHECK(marks == 2);  // the frame of what collides, and its corner
}

TEST_CASE("the steps of a part have the numbers of the whole") {
  Figure figure = figure_of(small_grid({{{"a"}, {"b"}, {"c"}, {"d"}}}));
  for (int i = 0; i < 4; ++i) {
    figure.steps.push_back("copy " + std::to_string(i));
    figure.panels[0][0].squares[0][static_cast<std::size_t>(i)].step = i;
  }
  CHECK(picture_of(Document().add(figure), {.part = {.columns = DrawnRange{1, 3}}}).steps ==
        std::vector<std::string>{"step 2 of 4: copy 1", "step 3 of 4: copy 2"});
  CHECK(picture_of(Document().add(figure), {.part = {.columns = DrawnRange{1, 2}}}).steps.empty());
}

TEST_CASE("a single step is the picture itself, and is not animated") {
  Figure figure = figure_of(small_grid({{{"a"}}}));
  figure.steps = {"k 0-15"};
  figure.panels[0][0].squares[0][0].step = 0;
  figure.panels[0][0].squares[0][0].tip = "cell a";
  const Scene scene = picture_of(Document().add(figure));
  CHECK(scene.steps.empty());
  CHECK(std::get<Box>(scene.items[1]).tip == "cell a");
  CHECK(std::get<Box>(scene.items[1]).step == -1);
  try {
    picture_of(Document().add(figure), {.is_animated = true});
    FAIL("must throw");
  } catch (const Error& error) {
    CHECK(error.message() == "this picture has no steps to show in turn");
    CHECK(error.hint == "leave --animate out, or draw more with --full; swz map has a step for each of several words");
  }
}

TEST_CASE("a legend at the right is beside the panels, one entry below the other; without room below them") {
  const auto picture = [](std::size_t columns, Legend place) {
    Figure figure = figure_of(small_grid({std::vector<Grid::Square>(columns, {"1234567"})}));
    figure.panels[0][0].squares[0].front().tint = {0};
    figure.panels[0][0].squares[0].back().tint = {1};
    figure.panels[0][0].title = "a panel";
    figure.legend = {{"first", {0}}, {"second", {1}}};
    return picture_of(Document().add(figure), {.legend = place});
  };
  const auto place_of = [](const Scene& scene, const std::string& text) {
    for (const auto& item : scene.items)
      if (const auto* label = std::get_if<Label>(&item); label != nullptr && label->text == text) return *label;
    return Label{-1, -1, 0, ""};
  };
  const auto right_of_cells = [](const Scene& scene) {
    double right = 0;
    for (const auto& item : scene.items)
      if (const auto* box = std::get_if<Box>(&item); box != nullptr && box->width > 20 && box->x > 0)
        right = std::max(right, box->x + box->width);
    return right;
  };
  const Scene beside = picture(4, Legend::right);
  CHECK(place_of(beside, "first").x == place_of(beside, "second").x);
  CHECK(place_of(beside, "first").x > right_of_cells(beside));
  CHECK(place_of(beside, "first").y < place_of(beside, "second").y);
  // The first entry is beside the first row of cells.
  CHECK(std::abs(place_of(beside, "first").y - place_of(beside, "1234567").y) < 4);
  const Scene below = picture(4, Legend::below);
  CHECK(place_of(below, "first").y == place_of(below, "second").y);
  // More than half of the width is empty beside the panel: the legend is there.
  CHECK(place_of(below, "first").x > right_of_cells(below));
  const Scene wide = picture(16, Legend::below);
  CHECK(place_of(wide, "first").y == place_of(wide, "second").y);
  CHECK(place_of(wide, "first").x < right_of_cells(wide));
  CHECK(place_of(picture(4, Legend::none), "first").x == -1);
  // 22 cells of 7 letters just fit 900 pixels: beside a legend they would lose them.
  const Scene full = picture(22, Legend::right);
  CHECK(place_of(full, "first").y == place_of(full, "second").y);
  CHECK(place_of(full, "1234567").x > 0);
}

TEST_CASE("what lies outside is empty with a diagonal; the text is in the rest") {
  Grid::Square cut{"1260", {2, 0}};
  cut.outside = 0.25;
  const Scene scene = picture_of(Document().add(small_grid({{cut}, {{"1261", {2, 0}}}})), {});
  std::vector<Box> outside, inside;
  std::vector<Rule> diagonals;
  for (const auto& item : scene.items) {
    if (const auto* box = std::get_if<Box>(&item); box != nullptr && box->fill.ink == Ink::cell)
      outside.push_back(*box);
    if (const auto* box = std::get_if<Box>(&item); box != nullptr && box->fill.ink == Ink::tint) inside.push_back(*box);
    if (const auto* rule = std::get_if<Rule>(&item); rule != nullptr && rule->x1 != rule->x2 && rule->y1 != rule->y2)
      diagonals.push_back(*rule);
  }
  REQUIRE(outside.size() == 1);
  REQUIRE(inside.size() == 2);
  REQUIRE(diagonals.size() == 1);
  CHECK(outside[0].width == doctest::Approx(inside[1].width / 4));
  CHECK(inside[0].width == doctest::Approx(inside[1].width * 3 / 4));
  CHECK(outside[0].x == doctest::Approx(inside[0].x + inside[0].width));
  CHECK(diagonals[0].x1 == outside[0].x);
  CHECK(diagonals[0].y2 == outside[0].y);
  for (const auto& item : scene.items)
    if (const auto* label = std::get_if<Label>(&item); label != nullptr && label->text == "1260")
      CHECK(box_of(*label).right <= outside[0].x);
  // A text that is wider than this part is left out.
  cut.outside = 0.75;
  const Scene narrow = picture_of(Document().add(small_grid({{cut}, {{"1261", {2, 0}}}})), {});
  CHECK(std::ranges::none_of(items_of<Label>(narrow), [](const Label& label) { return label.text == "1260"; }));
}

TEST_CASE("a swatch of a hue whose shades are four things shows all of them") {
  Figure figure = figure_of(Grid());
  Grid grid{"", "", {"0"}, {"0"}, {{{"0", {2, 0}}}}};
  figure.panels = {{grid}};
  figure.legend = {{.text = "8-11", .tint = {2, 0}, .has_shades = true}};
  std::vector<Tint> tints;
  double width = 0;
  for (const Box& box : items_of<Box>(picture_of(Document().add(figure), {})))
    if (box.is_filled && box.fill.ink == Ink::tint && box.width < 10)
      tints.push_back(box.fill.tint), width += box.width;
  CHECK(tints == std::vector<Tint>{{2, 0}, {2, 1}, {2, 2}, {2, 3}});
  CHECK(width == doctest::Approx(10));  // of a narrow legend
}

TEST_CASE("the laws can fail") {
  Scene scene{100, 50, "", {}};
  scene.items.push_back(Label{10, 20, 11, "one text", {}});
  CHECK(faults_of(scene).empty());
  scene.items.push_back(Label{30, 22, 11, "two", {}});
  CHECK(faults_of(scene) == std::vector<std::string>{"'one text' overlaps 'two'"});
  scene.items.back() = Label{90, 40, 11, "cut", {}};
  CHECK(faults_of(scene) == std::vector<std::string>{"outside the page: text 'cut'"});
}

TEST_CASE("a document without a picture is drawn as its fields and tables") {
  Document document("heading");
  document.add(Field{"size", "size", 512}).add(Table{"t", "", {{"a", "a"}}, {{{"cell"}}}});
  const Scene scene = picture_of(document, {});
  CHECK(faults_of(scene).empty());
  const std::vector<std::string> texts = texts_of(scene);
  CHECK(std::find(texts.begin(), texts.end(), "size") != texts.end());
  CHECK(std::find(texts.begin(), texts.end(), "512") != texts.end());
  CHECK(std::find(texts.begin(), texts.end(), "cell") != texts.end());
}

TEST_CASE("a title that needs lines ends them at its phrases") {
  constexpr double size = 16;
  const auto lines = [](const std::string& text, double part) {
    const Label::Face face = Label::Face::sans_bold;
    return phrase_lines(text, text_width(text, size, face) * part, size, face);
  };
  using Lines = std::vector<std::string>;
  // Lines of equal length would be "… per tile; 3" and "stages …".
  CHECK(lines("8 MMAs of m128n256k16 per tile; 3 stages of 64 KiB fit", 0.8) ==
        Lines{"8 MMAs of m128n256k16 per tile;", "3 stages of 64 KiB fit"});
  CHECK(lines("the version bit 46 is 0; tcgen05 wants 0b001 in bits 46-48", 0.72) ==
        Lines{"the version bit 46 is 0;", "tcgen05 wants 0b001 in bits 46-48"});
  CHECK(lines("one line", 1.1) == Lines{"one line"});
  // No line is a stub, "line 75:".
  CHECK(lines("line 75: ld.shared.b32 takes 32 wavefronts per warp where 1 would do", 0.5).front() != "line 75:");
  // A word is never lost, nor a line wider than asked.
  for (const double part : {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
    const std::string text = "8 rows of a 16-byte column lie in 8 groups of 4 banks: no conflict";
    std::string all;
    for (const std::string& line : lines(text, part)) {
      all += (all.empty() ? "" : " ") + line;
      CHECK(text_width(line, size, Label::Face::sans_bold) <= part * text_width(text, size, Label::Face::sans_bold));
    }
    CHECK(all == text);
  }
}

TEST_CASE("the last line of a paragraph is not a lone word, and no line more than without it") {
  constexpr double size = 11;
  const Label::Face face = Label::Face::sans;
  using Lines = std::vector<std::string>;
  const std::string text = "A cell shows the first of 8 consecutive offsets, which the swizzle keeps whole.";
  const double whole = text_width(text, size, face);
  CHECK(text_lines(text, 0.95 * whole, size, face).back() == "whole.");
  CHECK(paragraph_lines(text, 0.95 * whole, size, face) ==
        Lines{"A cell shows the first of 8 consecutive offsets, which the", "swizzle keeps whole."});
  for (double part = 0.1; part < 1.1; part += 0.01) {
    const Lines greedy = text_lines(text, part * whole, size, face),
                lines = paragraph_lines(text, part * whole, size, face);
    CHECK(lines.size() == greedy.size());
    std::string all;
    for (const std::string& line : lines) all += (all.empty() ? "" : " ") + line;
    CHECK(all == text);
  }
  // Each line of the text is a paragraph.
  CHECK(paragraph_lines(text + "\nB", 0.95 * whole, size, face) ==
        Lines{"A cell shows the first of 8 consecutive offsets, which the", "swizzle keeps whole.", "B"});
}

TEST_CASE("two facts that a text parts by blanks are one phrase in a picture; an expression keeps its blanks") {
  const auto subtitle = [](const std::string& title) {
    Document document(title);
    document.headline = "the answer";
    document.add(figure_of(grid_of("", "", {"0"}, {"0"}, [](auto, auto) { return Grid::Square{"1"}; })));
    const Scene scene = picture_of(document, {});
    const std::vector<Label> labels = items_of<Label>(scene);
    return labels.at(1).text;
  };
  CHECK(subtitle("0x42  wgmma on sm_90a") == "0x42, wgmma on sm_90a");
  CHECK(subtitle("row*64  + col%8") == "row*64  + col%8");
}

TEST_CASE("headings that are ranges are apart from each other; without room their first numbers are the headings") {
  const Figure figure = figure_of(smem_lines("", "byte\\bank", 0, 2));
  for (const double width : {200.0, 260.0, 300.0, 325.0, 360.0, 420.0, 600.0, 900.0}) {
    CAPTURE(width);
    std::vector<Label> headings;
    for (const Label& label : items_of<Label>(picture_of(Document().add(figure), {.width = {width}})))
      if (label.text == "12" || label.text == "16" || label.text == "12-15" || label.text == "16-19")
        headings.push_back(label);
    REQUIRE(headings.size() == 2);
    const double between = headings[1].x - headings[0].x;
    const double widths = (text_width(headings[0].text, headings[0].size, headings[0].face) +
                           text_width(headings[1].text, headings[1].size, headings[1].face)) /
                          2;
    CHECK(between - widths >= (headings[0].text.size() > 2 ? 4 : 2));
  }
}

TEST_CASE("no colour of a legend is alone on its last line") {
  // Eight entries of one width, of which seven have room beside the title.
  for (const double width : {300.0, 310.0, 320.0, 330.0, 340.0, 350.0, 360.0}) {
    Figure figure = figure_of(grid_of("", "", {"0"}, number_labels(8), [](std::int64_t, std::int64_t column) {
      return Grid::Square{"1", {static_cast<int>(column)}};
    }));
    figure.legend_title = "colour: input chunk";
    figure.legend = hue_legend(8, [](std::int64_t hue) { return std::to_string(hue) + "-x"; });
    const Scene scene = picture_of(Document().add(figure), {.width = {width}});
    std::map<double, int> lines;
    for (const Label& label : items_of<Label>(scene))
      if (label.text.ends_with("-x")) ++lines[label.y];
    CAPTURE(width);
    CHECK(lines.rbegin()->second > 1);
  }
}

TEST_CASE("the title asked for replaces the document's and of a single figure's") {
  Figure figure;
  figure.title = "of the figure";
  figure.panels = {{small_grid({{{"x"}}})}};
  Document document("of the document");
  document.add(figure);
  CHECK(joined(texts_of(picture_of(document, {.title = "asked"}))) == "asked\nx\n");
  document.title.clear();
  CHECK(joined(texts_of(picture_of(document, {}))) == "of the figure\nx\n");
  CHECK(picture_of(document, {.title = "asked"}).title == "asked");
}

TEST_CASE("panels to scale share one factor; panels of a row share their top") {
  Grid a = small_grid({{{"A"}}, {{"A"}}}), b = small_grid({{{"B"}}});
  a.cell_columns = 16, a.cell_rows = 128;
  b.cell_columns = 256, b.cell_rows = 16;
  Figure figure;
  figure.panels = {{a, b}};
  const Scene scene = picture_of(Document().add(figure), {});
  std::vector<Box> cells;
  for (const auto& item : scene.items)
    if (const auto* box = std::get_if<Box>(&item); box != nullptr && box->is_filled && box->stroke_width > 0)
      cells.push_back(*box);
  REQUIRE(cells.size() == 3);
  const double factor = cells[0].width / 16;
  CHECK(cells[0].height == doctest::Approx(128 * factor));
  CHECK(cells[2].width == doctest::Approx(256 * factor));
  CHECK(cells[2].height == doctest::Approx(16 * factor));
  CHECK(cells[2].y == doctest::Approx(cells[0].y));
  CHECK(cells[1].y == doctest::Approx(cells[0].y + cells[0].height));
}

TEST_CASE(
    "letters have a contrast of 4.5 to what is under them, on both pages, in every palette; hues and shades "
    "differ") {
  for (const Page page : {Page::light, Page::dark}) {
    for (const Ink on : {Ink::page, Ink::cell})
      for (const Ink ink : {Ink::text, Ink::soft, Ink::accent, Ink::alarm})
        CHECK(contrast(rgb_of({ink}, page), rgb_of({on}, page)) >= 4.5);
    for (const Palette palette : {Palette::standard, Palette::grey, Palette::viridis})
      for (int hue = 0; hue < 8; ++hue)
        for (int shade = 0; shade < 4; ++shade) {
          const auto color = [&](Ink ink, Tint tint) { return rgb_of({ink, tint}, page, palette); };
          const Rgb c = color(Ink::tint, {hue, shade});
          CAPTURE(hue);
          CAPTURE(shade);
          CHECK(contrast(color(Ink::on_tint, {hue, shade}), c) >= 4.5);
          // The frame of what is marked is seen on a cell of full colour.
          if (palette == Palette::standard && shade == 0) CHECK(contrast(rgb_of({Ink::accent}, page), c) >= 2.9);
          for (int other = 0; other < hue; ++other) CHECK(c != color(Ink::tint, {other, shade}));
          if (shade > 0) CHECK(c != color(Ink::tint, {hue, shade - 1}));
        }
  }
}

TEST_CASE("grey and viridis: lightness falls from tint to tint, so that a print in grey tells them apart") {
  const auto lightness = [](Rgb c) {
    const double y = 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
    return 116 * (y > 0.008856 ? std::cbrt(y) : 7.787 * y + 16.0 / 116) - 16;
  };
  for (const Palette palette : {Palette::grey, Palette::viridis})
    for (const Page page : {Page::light, Page::dark})
      for (int hue = 1; hue < 8; ++hue) {
        const auto of = [&](int h, int shade) { return lightness(rgb_of({Ink::tint, {h, shade}}, page, palette)); };
        CAPTURE(hue);
        CHECK(of(hue - 1, 0) - of(hue, 0) >= 7);
        CHECK(of(hue - 1, 0) > of(hue, 3));
      }
}

TEST_CASE(
    "every width: nothing is cut, no letters below 6 pt; a column has its width, and a wider picture ends with what it "
    "shows") {
  std::mt19937 draw(5);
  for (long i = 0; i < 300 / step_of(30, 6); ++i) {
    Figure figure;
    for (unsigned row = 0; row < 1 + draw() % 2; ++row) {
      figure.panels.emplace_back();
      for (unsigned panel = 0; panel < 1 + draw() % 3; ++panel) figure.panels.back().push_back(random_grid(draw));
    }
    figure.title = "a figure";
    Document document;
    document.add(figure);
    for (const double width : {325.0, 643.0, 900.0})
      for (const double letters : {9.0, 11.0, 14.0}) {
        const Scene scene = picture_of(document, {.width = {width}, .font_size = {letters}});
        std::string faults;
        for (const std::string& fault : faults_of(scene)) faults += fault + "\n";
        // Panels that do not fit beside each other, a table for example, are made smaller as a whole.
        const bool is_alone = figure.panels.size() == 1 && figure.panels.front().size() == 1;
        for (const auto& item : scene.items)
          if (const auto* label = std::get_if<Label>(&item); is_alone && label != nullptr && label->size < 7.99)
            faults += label->text + " is too small\n";
        CAPTURE(width);
        CAPTURE(letters);
        CHECK(faults == "");
        constexpr double rounding = 0.01;
        if (width / letters * 11 < narrow_room) CHECK(scene.width == doctest::Approx(width));
        else CHECK(scene.width <= width + rounding);
      }
  }
}

TEST_CASE("where letters have no room: words below each other, panels below each other, a shorter period") {
  // 16 rows and 32 columns of "T# V#"; V grows by 4 after 8 columns.
  const auto grid = [](std::string title) {
    Grid drawn;
    drawn.title = std::move(title);
    for (int r = 0; r < 16; ++r) {
      drawn.squares.emplace_back();
      for (int c = 0; c < 32; ++c)
        drawn.squares.back().push_back(
            {"T" + std::to_string(4 * (r % 8) + c % 8 / 2) + " V" + std::to_string(r / 8 * 2 + c % 2 + c / 8 * 4)});
    }
    return drawn;
  };
  Figure figure;
  figure.panels = {{grid("left"), grid("right")}};
  const auto shown = [&](double width, const DrawnPart& part) {
    const Scene scene = picture_of(Document().add(figure), {.width = {width}, .part = part});
    CHECK(joined(faults_of(scene)) == "");
    return texts_of(scene);
  };
  const auto has = [](const std::vector<std::string>& texts, const char* text) {
    return std::ranges::count(texts, text);
  };
  // Two panels of 32 cells side by side, then of 17, of 9; each keeps its letters as long as it can.
  CHECK(has(shown(3600, {.is_whole = true}), "T31 V15") == 2);
  CHECK(has(shown(900, {}), "T31 V7") == 2);
  CHECK(has(shown(900, {}), "T31 V3") == 2);  // the last row: there is room for both groups of 8
  CHECK(has(shown(280, {}), "T31 V7") == 0);
  CHECK(has(shown(280, {}), "T0") + has(shown(280, {}), "T0 V0") > 0);
  CHECK(has(shown(280, {}), "…") > 0);  // rows are left out: the picture is at most twice as high as wide
  CHECK(has(shown(280, {.is_whole = true}), "T31") == 32);  // all of them: columns 16-31 below 0-15
}

TEST_CASE("a wide grid that does not repeat is wrapped where that keeps its letters") {
  Grid grid;
  for (int c = 0; c < 64; ++c) grid.column_labels.push_back("c" + std::to_string(c));
  for (int r = 0; r < 8; ++r) {
    grid.squares.emplace_back();
    for (int c = 0; c < 64; ++c) grid.squares.back().push_back({std::to_string(100 + (c * c + 7 * r * c) % 900)});
  }
  const auto cells = [&](double width) {
    const Scene scene = picture_of(Document().add(grid), {.width = {width}});
    CHECK(joined(faults_of(scene)) == "");
    std::map<double, int> rows;
    int letters = 0;
    for (const auto& item : scene.items) {
      if (const auto* box = std::get_if<Box>(&item); box != nullptr && box->fill.ink == Ink::cell && box->is_filled)
        ++rows[box->y];
      if (const auto* label = std::get_if<Label>(&item)) letters += label->text.size() == 3 && label->text[0] != 'c';
    }
    return std::array<std::int64_t, 2>{std::ssize(rows), letters};
  };
  CHECK(cells(1400) == std::array<std::int64_t, 2>{8, 512});
  CHECK(cells(900) == std::array<std::int64_t, 2>{16, 512});
  CHECK(cells(400) == std::array<std::int64_t, 2>{32, 512});
  CHECK(cells(150)[1] > 0);  // fewer rows, but none without letters
}

TEST_CASE("hues stay apart for readers who lack one kind of cones") {
  using Row = std::array<double, 3>;
  // Machado, Oliveira, Fernandes 2009, severity 1: no red, no green, no blue cones; first, all of them.
  constexpr std::array<std::array<Row, 3>, 4> sights{
      {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
       {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
       {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
       {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};
  const auto lab = [](const std::array<Row, 3>& sight, Rgb c) {
    const Row rgb{linear(c.red), linear(c.green), linear(c.blue)};
    Row seen{};
    for (std::size_t i = 0; i < 3; ++i)
      seen[i] = std::clamp(sight[i][0] * rgb[0] + sight[i][1] * rgb[1] + sight[i][2] * rgb[2], 0.0, 1.0);
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.9505);
    const double y = f(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
    const double z = f((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.089);
    return Row{116 * y - 16, 500 * (x - y), 200 * (y - z)};
  };
  for (const Page page : {Page::light, Page::dark})
    for (const auto& sight : sights)
      for (int a = 0; a < 8; ++a)
        for (int b = 0; b < a; ++b) {
          const Row s = lab(sight, rgb_of({Ink::tint, {a, 0}}, page));
          const Row t = lab(sight, rgb_of({Ink::tint, {b, 0}}, page));
          INFO(a, " and ", b);
          CHECK(std::hypot(s[0] - t[0], s[1] - t[1], s[2] - t[2]) >= 15);
        }
  // On a dark page shades are near the page, and must still differ from each shade of every other hue.
  for (int a = 0; a < 32; ++a)
    for (int b = 0; b < a / 4 * 4; ++b) {
      const Row s = lab(sights[0], rgb_of({Ink::tint, {a / 4, a % 4}}, Page::dark));
      const Row t = lab(sights[0], rgb_of({Ink::tint, {b / 4, b % 4}}, Page::dark));
      INFO((a / 4), ", shade ", (a % 4), " and ", (b / 4), ", shade ", (b % 4));
      CHECK(std::hypot(s[0] - t[0], s[1] - t[1], s[2] - t[2]) >= 14);
    }
}

TEST_CASE("the hues go once round the circle, so that k, lanes and steps read as ordered") {
  // The angle of a colour, 0 red, 120 green, 240 blue.
  const auto angle = [](Rgb c) {
    const double r = c.red, g = c.green, b = c.blue, top = std::max({r, g, b}), range = top - std::min({r, g, b});
    const double sixth = top == r ? (g - b) / range : top == g ? 2 + (b - r) / range : 4 + (r - g) / range;
    return 60 * (sixth < 0 ? sixth + 6 : sixth);
  };
  for (const Page page : {Page::light, Page::dark}) {
    double turned = 0, last = angle(rgb_of({Ink::tint, {0, 0}}, page));
    CHECK(last > 200);  // blue
    for (int hue = 1; hue < 8; ++hue) {
      const double at = angle(rgb_of({Ink::tint, {hue, 0}}, page)), step = last - at;
      INFO("hue " << hue);
      CHECK((step > 0 || step < -180));  // backwards, through 0
      turned += step > 0 ? step : step + 360;
      last = at;
    }
    CHECK(turned < 360);
  }
}

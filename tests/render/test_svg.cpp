// SPDX-License-Identifier: Apache-2.0
// SVG: whole files of small scenes, and what may not be in any.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <regex>
#include <string>

#include "render/scene.hpp"

using namespace swz;

namespace {

// A cell with a letter and a rule for each step, and one that belongs to none.
Scene stepped_scene(int steps) {
  Scene scene{20.0 * (steps + 1), 20, "steps", {}};
  for (int i = -1; i < steps; ++i) {
    Box box{20.0 * (i + 1), 0, 20, 20, {Ink::tint, {i & 7}}, {Ink::line}, 1, true, "cell"};
    Label label{20.0 * (i + 1) + 10, 14, 11, "x", {Ink::on_tint}, Label::Anchor::middle};
    box.step = label.step = i;
    scene.items.push_back(box);
    scene.items.push_back(label);
    scene.items.push_back(Rule{20.0 * (i + 1), 0, 20.0 * (i + 1) + 5, 5, {Ink::alarm}, 2.5, i});
    if (i >= 0) scene.steps.push_back("step " + std::to_string(i));
  }
  return scene;
}

void animate(Scene& scene) {
  for (std::size_t i = 0; i < scene.steps.size(); ++i) {
    scene.step_names.push_back(Label{0, 10, 13, scene.steps[i]});
    scene.step_names.back().step = static_cast<int>(i);
  }
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Every character is a box as high as a capital letter, `advance` thousandths wide.
Outliner boxes(double advance) {
  return [advance](Label::Face, std::string_view character) {
    return Outline{character == " " ? "" : "M0 0L0 -700L500 -700Z", advance};
  };
}

}  // namespace

TEST_CASE("a scene as SVG, whole") {
  Scene scene{40.5, 20, "one & two", {}};
  scene.items.push_back(Box{0, 0, 40.5, 20, {Ink::page}});
  scene.items.push_back(Box{1, 2, 10.25, 8, {Ink::tint, {3, 1}}, {Ink::line}, 1, true, "row 0\nk 8"});
  scene.items.push_back(Rule{0, 0.004, 5, 5, {Ink::border}, 1.75});
  scene.items.push_back(Label{6, 9, 11, "<3>", {Ink::on_tint}, Label::Anchor::middle});
  scene.items.push_back(Label{6, 9, 10, "k", {Ink::soft, {}, true}, Label::Anchor::end, Label::Face::sans_bold});
  CHECK(
      svg_text(scene) ==
      R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width="40.5" height="20" viewBox="0 0 40.5 20" font-size="11">
<title>one &amp; two</title>
<style>text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;pointer-events:none}.f{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif}.w{font-weight:600}.m{text-anchor:middle}.e{text-anchor:end}.n{fill:none}.p{fill:#ffffff}.h3b{fill:#bfbc9b}.o{fill:#14181d}.s{fill:#57606a}.kl{stroke:#8c959f}.kb{stroke:#24292f}@media (prefers-color-scheme:dark){.p{fill:#0d1117}.h3b{fill:#545a44}.o{fill:#f0f4f8}.s{fill:#9ba6b2}.kl{stroke:#5b6570}.kb{stroke:#c9d1d9}}</style>
<rect class="p" x="0" y="0" width="40.5" height="20"/>
<rect class="h3b kl" x="1" y="2" width="10.25" height="8"><title>row 0
k 8</title></rect>
<path class="kb" d="M0 0L5 5" stroke-width="1.75"/>
<text class="o m" x="6" y="9">&lt;3&gt;</text>
<text class="s f w e" x="6" y="9" font-size="10" opacity="0.35">k</text>
</svg>
)");
}

TEST_CASE("what XML cannot hold is written as it is printed elsewhere, or left out") {
  Scene scene{10, 10, std::string("nul \0 bell \a", 12), {}};
  scene.items.push_back(Label{0, 9, 11, "\x1b[31m \xff \xef\xbf\xbe \xef\xbf\xbf ü", {}});
  const std::string svg = svg_text(scene);
  for (const char c : svg) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
  CHECK(svg.find("nul \\x00 bell \\x07") != std::string::npos);
  CHECK(svg.find("\\x1b[31m \\xff") != std::string::npos);
  CHECK(svg.find("\xef\xbf\xbe") == std::string::npos);
  CHECK(svg.find("\xef\xbf\xbf") == std::string::npos);
  CHECK(svg.find("ü") != std::string::npos);
}

TEST_CASE("a still picture does not know of steps") {
  Scene scene = stepped_scene(3);
  const std::string with_steps = svg_text(scene);
  scene.steps.clear();
  for (auto& item : scene.items) std::visit([](auto& of) { of.step = -1; }, item);
  CHECK(with_steps == svg_text(scene));
}

TEST_CASE("marked for a script, every item has the class of its step") {
  const std::string svg = svg_text(stepped_scene(12), {.marks_steps = true});
  for (int i = 0; i < 12; ++i) CHECK(count(svg, " q" + std::to_string(i) + "\"") == 3);
  CHECK(count(svg, "animation") == 0);
}

TEST_CASE("animated: at every time one step is full and its name is seen, where motion is wanted") {
  for (const int steps : {2, 3, 4, 7, 16}) {
    CAPTURE(steps);
    Scene scene = stepped_scene(steps);
    animate(scene);
    const std::string svg = svg_text(scene);
    const std::size_t begin = svg.find("@media (prefers-reduced-motion:no-preference){");
    REQUIRE(begin != std::string::npos);
    CHECK(svg.find("animation:") > begin);
    CHECK(svg.find(".u{opacity:0}") < begin);
    std::smatch keyframes;
    REQUIRE(std::regex_search(
        svg, keyframes,
        std::regex(
            R"(@keyframes q\{([0-9.]+)%,100%\{opacity:0.35\}\}@keyframes u\{0%\{opacity:1\}([0-9.]+)%,100%\{opacity:0\}\})")));
    CHECK(keyframes[1] == keyframes[2]);
    const std::regex rule(R"(\.([qu])([0-9]+)\{animation:([qu]) ([0-9.]+)s step-end (-?[0-9.]+)s infinite\})");
    int rules = 0;
    std::map<std::string, std::vector<int>> seen;  // which step, at each time
    const std::string style = svg.substr(begin);
    for (std::sregex_iterator at(style.begin(), style.end(), rule), end; at != end; ++at, ++rules) {
      const std::smatch& m = *at;
      CHECK(m[1] == m[3]);
      const double whole = std::stod(m[4]), delay = std::stod(m[5]), share = std::stod(keyframes[1]) / 100;
      CHECK(whole == doctest::Approx(1.2 * steps));
      CHECK(delay <= 0);
      for (int slot = 0; slot < 2 * steps; ++slot) {
        const double into = std::fmod(1.2 * slot + 0.6 - delay, whole) / whole;
        if (into < share) seen[m[1].str() + std::to_string(slot)].push_back(std::stoi(m[2]));
      }
    }
    CHECK(rules == 2 * steps);
    for (int slot = 0; slot < 2 * steps; ++slot)
      for (const char* kind : {"q", "u"}) CHECK(seen[kind + std::to_string(slot)] == std::vector<int>{slot % steps});
    for (int i = 0; i < steps; ++i) {
      CHECK(count(svg, " q" + std::to_string(i) + "\"") == 3);
      CHECK(count(svg, " u u" + std::to_string(i) + "\"") == 1);
    }
  }
}

TEST_CASE("texts as shapes: each shape once, no text element, no wider than the layout says") {
  Scene scene{300, 60, "two texts", {}};
  scene.items.push_back(Label{10, 20, 11, "a b<a", {}, Label::Anchor::start});
  scene.items.push_back(Label{100, 20, 20, "ab", {}, Label::Anchor::middle});
  scene.items.push_back(Label{200, 20, 20, "ab", {Ink::text, {}, true}, Label::Anchor::end, Label::Face::sans});
  const std::string svg = svg_text(scene, {.outline = boxes(602.5)});
  CHECK(count(svg, "<text") == 0);
  CHECK(count(svg, "font-family") == 0);
  CHECK(count(svg, "<path id=\"m61\" ") == 1);
  for (const char* id : {"m61", "m62", "m3c", "s61", "s62"}) CHECK(count(svg, std::string("id=\"") + id) == 1);
  CHECK(count(svg, "<path id=") == 5);
  CHECK(
      svg.find(
          R"x(<g class="t g" transform="matrix(0.011 0 0 0.011 10 20)" aria-label="a b&lt;a"><use xlink:href="#m61"/><use xlink:href="#m62" x="1205"/><use xlink:href="#m3c" x="1807.5"/><use xlink:href="#m61" x="2410"/></g>)x") !=
      std::string::npos);
  CHECK(svg.find("matrix(0.02 0 0 0.02 87.95 20)") != std::string::npos);
  // Sans: 1205 thousandths, less than text_width says. The shapes end at 200.
  CHECK(svg.find("matrix(0.02 0 0 0.02 175.9 20)\" opacity=\"0.35\" aria-label=\"ab\"") != std::string::npos);
  const std::string wide = svg_text(scene, {.outline = boxes(1205)});
  CHECK(wide.find("matrix(0.0055 0 0 0.011 10 20)") != std::string::npos);
}

TEST_CASE("a picture of more than 512 cells leaves its tooltips to the page") {
  Scene scene{10, 10, "", {}};
  Box cell;
  cell.width = cell.height = 1;
  cell.tip = "a tip";
  for (int i = 0; i < 512; ++i) scene.items.push_back(cell);
  CHECK(svg_text(scene).find("a tip") != std::string::npos);
  scene.items.push_back(cell);
  CHECK(svg_text(scene).find("a tip") == std::string::npos);
  CHECK(html_text(scene).find("a tip") != std::string::npos);
}

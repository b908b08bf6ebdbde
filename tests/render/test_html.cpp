// SPDX-License-Identifier: Apache-2.0
// A page of its own: nothing from elsewhere, the picture of svg_text, valid text for any scene.
#include <doctest/doctest.h>

#include "render/scene.hpp"

using namespace swz;

namespace {

Scene scene_of(const std::string& title, const std::string& tip) {
  Scene scene{100, 50, title, {}};
  scene.items.push_back(Box{0, 0, 100, 50, {Ink::page}});
  scene.items.push_back(Box{10, 10, 30, 20, {Ink::tint, {3, 0}}, {Ink::line}, 1, true, tip});
  return scene;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("the page holds the picture and asks nothing of a network") {
  const Scene scene = scene_of("a title", "row 1, k 2");
  const std::string html = html_text(scene);
  CHECK(html.starts_with("<!doctype html>\n"));
  CHECK(html.find("<title>a title</title>") != std::string::npos);
  CHECK(html.find(svg_text(scene)) != std::string::npos);
  CHECK(html.find("<title>row 1, k 2</title>") != std::string::npos);
  CHECK(count(html, "http") == count(html, "http://www.w3.org/2000/svg"));
  CHECK(count(html, "src=") == 0);
  CHECK(count(html, "<script>") == 1);
  CHECK(html == html_text(scene));
}

TEST_CASE("a title cannot end the page's head or begin a script") {
  const std::string html = html_text(scene_of("</title><script>alert(1)</script>", "</title><script>"));
  CHECK(count(html, "<script>") == 1);
  CHECK(html_text(scene_of("", "x")).find("<title>swz</title>") != std::string::npos);
}

TEST_CASE("a page for one theme does not follow its reader's") {
  Scene scene = scene_of("t", "x");
  CHECK(count(html_text(scene), "prefers-color-scheme") == 2);
  for (const Theme theme : {Theme::light, Theme::dark}) {
    scene.theme = theme;
    CHECK(count(html_text(scene), "prefers-color-scheme") == 0);
  }
}

TEST_CASE("a picture with steps has a slider; what its steps are called cannot end an attribute") {
  Scene scene = scene_of("t", "x");
  CHECK(count(html_text(scene), "<input") == 0);
  CHECK(count(html_text(scene), "N and P") == 0);
  scene.steps = {"k 0-15", "k \"16\"\n<b>"};
  std::get<Box>(scene.items[1]).step = 1;
  const std::string html = html_text(scene);
  CHECK(html.find("type=\"range\" id=\"step\" min=\"0\" max=\"2\" value=\"0\"") != std::string::npos);
  CHECK(html.find("data-names=\"k 0-15\nk &quot;16&quot;\\x0a&lt;b&gt;\"") != std::string::npos);
  CHECK(html.find("N and P go to the next step and to the previous one.</p>") != std::string::npos);
  CHECK(html.find(svg_text(scene, {.marks_steps = true})) != std::string::npos);
  CHECK(count(html, "class=\"h3 kl q1\"") == 1);
  CHECK(count(html, "src=") == 0);
}

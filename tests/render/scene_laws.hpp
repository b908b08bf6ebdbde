// SPDX-License-Identifier: Apache-2.0
// Laws of every picture: nothing is cut, no two texts overlap, no text leaves its cell.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "render/scene.hpp"

namespace swz {

// The items of one kind: items_of<Label>(scene).
template <class Item>
std::vector<Item> items_of(const Scene& scene) {
  std::vector<Item> found;
  for (const auto& item : scene.items)
    if (const auto* one = std::get_if<Item>(&item)) found.push_back(*one);
  return found;
}

struct TextBox {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::string text;
};

// The room that a label needs: from the height of its capitals to a little below its baseline.
inline TextBox box_of(const Label& label) {
  const double width = text_width(label.text, label.size, label.face);
  double left = label.x;
  if (label.anchor == Label::Anchor::middle) left -= width / 2;
  if (label.anchor == Label::Anchor::end) left -= width;
  return {left, label.y - 0.75 * label.size, left + width, label.y + 0.1 * label.size, label.text};
}

// What is wrong with a scene; empty if nothing is.
inline std::vector<std::string> faults_of(const Scene& scene) {
  std::vector<std::string> faults;
  const auto inside = [&](double left, double top, double right, double bottom, const std::string& what) {
    if (left < -0.01 || top < -0.01 || right > scene.width + 0.01 || bottom > scene.height + 0.01)
      faults.push_back("outside the page: " + what);
  };
  // Labels by the height at which they begin; only neighbours can overlap.
  std::multimap<double, TextBox> by_top;
  for (const auto& item : scene.items) {
    if (const auto* box = std::get_if<Box>(&item)) {
      inside(box->x, box->y, box->x + box->width, box->y + box->height, "box");
      if (box->width < 0 || box->height < 0) faults.emplace_back("a box of negative size");
    } else if (const auto* rule = std::get_if<Rule>(&item)) {
      inside(std::min(rule->x1, rule->x2), std::min(rule->y1, rule->y2), std::max(rule->x1, rule->x2),
             std::max(rule->y1, rule->y2), "rule");
    } else if (const auto* label = std::get_if<Label>(&item)) {
      const TextBox text = box_of(*label);
      inside(text.left, text.top, text.right, text.bottom, "text '" + label->text + "'");
      by_top.emplace(text.top, text);
    }
  }
  // The names of the steps are shown one at a time, each with all other texts.
  for (const Label& name : scene.step_names) {
    const TextBox text = box_of(name);
    inside(text.left, text.top, text.right, text.bottom, "step '" + name.text + "'");
    for (const auto& [top, other] : by_top)
      if (other.top < text.bottom && text.top < other.bottom && other.left < text.right && text.left < other.right)
        faults.push_back("step '" + name.text + "' overlaps '" + other.text + "'");
  }
  constexpr double highest_text = 20;
  for (auto a = by_top.begin(); a != by_top.end(); ++a)
    for (auto b = std::next(a); b != by_top.end() && b->first < a->first + highest_text; ++b) {
      const TextBox &s = a->second, &t = b->second;
      if (t.top < s.bottom && s.top < t.bottom && t.left < s.right - 0.5 && s.left < t.right - 0.5)
        faults.push_back("'" + s.text + "' overlaps '" + t.text + "'");
    }
  return faults;
}

}  // namespace swz

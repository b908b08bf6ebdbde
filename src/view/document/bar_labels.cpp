// SPDX-License-Identifier: Apache-2.0
#include "view/document/bar_labels.hpp"

#include <algorithm>

namespace swz {

void BarLabels::add(const std::string& name, double middle, double widest, Tone tone) {
  // The name ends a little right of its part, so that the lines of those after it pass it.
  constexpr double overhang = 5;
  const double width = static_cast<double>(name.size()) * sketch_letter;
  const double from = std::max(std::min(middle - width + overhang, widest - width), 0.0);
  std::size_t tier = 0;
  while (tier < ends_.size() && ends_[tier] + sketch_letter > from) ++tier;
  if (tier == ends_.size()) ends_.push_back(0);
  ends_[tier] = from + width;
  labels_.push_back({name, from, middle, widest, tier, tone});
}

void BarLabels::centre(Label& label) const {
  const double from = std::clamp(label.middle - label.width() / 2, 0.0, std::max(label.widest - label.width(), 0.0));
  const double left = from - sketch_letter, right = from + label.width() + sketch_letter;
  const bool is_free = std::ranges::none_of(labels_, [&](const Label& other) {
    if (&other == &label) return false;
    if (other.tier > label.tier) return other.middle > left && other.middle < right;
    return other.tier == label.tier && other.from < right && other.from + other.width() > left;
  });
  if (is_free) label.from = from;
}

void BarLabels::draw(Sketch::Shapes& shapes, double top) {
  for (Label& label : labels_) centre(label);
  for (const Label& label : labels_) {
    const double y = top - height() + static_cast<double>(ends_.size() - label.tier) * label_tier - 4;
    shapes.lines.push_back({label.middle, y + 3, label.middle, top, label.tone});
    shapes.texts.push_back({label.from, y, label.name, label.tone});
  }
}

}  // namespace swz

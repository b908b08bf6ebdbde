// SPDX-License-Identifier: Apache-2.0
#include "view/document/bar_labels.hpp"

#include <algorithm>

namespace swz {

void BarLabels::add(const std::string& name, double middle, double widest) {
  // The name ends a little right of its part, so that the lines of those after it pass it.
  constexpr double overhang = 5;
  const double width = static_cast<double>(name.size()) * sketch_letter;
  const double from = std::max(std::min(middle - width + overhang, widest - width), 0.0);
  std::size_t tier = 0;
  while (tier < ends_.size() && ends_[tier] + sketch_letter > from) ++tier;
  if (tier == ends_.size()) ends_.push_back(0);
  ends_[tier] = from + width;
  labels_.push_back({name, from, middle, tier});
}

void BarLabels::draw(Sketch::Shapes& shapes, double top) const {
  for (const Label& label : labels_) {
    const double y = top - height() + static_cast<double>(ends_.size() - label.tier) * label_tier - 4;
    shapes.lines.push_back({label.middle, y + 3, label.middle, top});
    shapes.texts.push_back({label.from, y, label.name});
  }
}

}  // namespace swz

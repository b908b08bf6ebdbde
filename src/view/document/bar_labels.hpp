// SPDX-License-Identifier: Apache-2.0
// The labels of a bar in a sketch: what its parts have no room for is above the bar, each on a line down to its part.
//
//   a bar of 300 px with SFA, 16 px wide     "SFA 2048" above it, with a line to its middle
#pragma once

#include <string>
#include <vector>

#include "view/document/document.hpp"

namespace swz {

// The width of a letter of a sketch, at most on average, and from one line of labels to the next. Pixels.
inline constexpr double sketch_letter = 6.6, label_tier = 15;

class BarLabels {
 public:
  // `middle` of the part; `widest`: where the sketch ends; `tone` of the name and its line.
  void add(const std::string& name, double middle, double widest, Tone tone = Tone::plain);
  // Of all lines of labels.
  double height() const { return static_cast<double>(ends_.size()) * label_tier + (ends_.empty() ? 0 : 4); }
  // Texts and lines above a bar whose top is `top`. A name is above the middle of its part where nothing is in its way.
  void draw(Sketch::Shapes& shapes, double top);

 private:
  struct Label {
    std::string name;
    double from = 0, middle = 0, widest = 0;
    std::size_t tier = 0;
    Tone tone = Tone::plain;
    double width() const { return static_cast<double>(name.size()) * sketch_letter; }
  };
  void centre(Label& label) const;
  std::vector<Label> labels_ = {};
  std::vector<double> ends_ = {};  // of each tier
};

}  // namespace swz

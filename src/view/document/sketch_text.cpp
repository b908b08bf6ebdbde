// SPDX-License-Identifier: Apache-2.0
#include "view/document/sketch_text.hpp"

#include "base/text.hpp"

namespace swz {

double add_lines(Sketch::Shapes& shapes, const std::string& text, Tone tone, const SketchRoom& room) {
  const double letter = tone == Tone::strong ? 7.2 : 6.2;  // of a sentence, on average
  double y = room.y;
  std::string line;
  const auto end_line = [&] {
    shapes.texts.push_back({room.x, y += sketch_line, line, tone});
    line.clear();
  };
  for (const std::string_view word : split(text, ' ')) {
    if (!line.empty() && static_cast<double>(line.size() + 1 + word.size()) * letter > room.width) end_line();
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  if (!line.empty()) end_line();
  return y;
}

}  // namespace swz

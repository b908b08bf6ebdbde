// SPDX-License-Identifier: Apache-2.0
// asked: the answer to a command line as a value, and the figure that it draws.
//
//   asked({"place", "--tile", "8x64"}).document
//   figure_in(asked({…}).document, Medium::terminal)
#pragma once

#include <stdexcept>

#include "answer.hpp"

namespace swz {

// Throws the Error that swz would print.
inline Answer asked(const Words& words, int* exit_code = nullptr) {
  const Line line = read_line(words, commands(), {});
  if (line.error) throw *line.error;
  Answer answer = answer_line(line, commands(), {});
  if (exit_code != nullptr) *exit_code = exit_code_of(answer, line);
  return answer;
}

// The first figure of the document.
inline Figure figure_in(const Document& document, Medium medium = Medium::page) {
  for (const Block& block : document.blocks) {
    if (const auto* figure = std::get_if<Figure>(&block)) return *figure;
    if (const auto* drawing = std::get_if<Drawing>(&block)) {
      const Document drawn = drawing->draw(medium);
      if (!drawn.blocks.empty()) return figure_in(drawn, medium);
    }
  }
  throw std::logic_error("no figure");
}

}  // namespace swz

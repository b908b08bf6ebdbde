// SPDX-License-Identifier: Apache-2.0
// Where a text of a picture is cut into lines.
//
//   text_lines       as many words in a line as have room
//   paragraph_lines  the same number of lines, of which the last is not a lone word: "… A cell has the offsets" and
//                    "which the swizzle keeps whole.", never "… which the swizzle keeps" and "whole."
//   phrase_lines     lines of about one length, broken at phrases: "8 MMAs of m128n256k16 per tile;" and "3 stages of
//                    64 KiB fit"
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>

#include "render/display.hpp"
#include "render/picture.hpp"

namespace swz {

std::vector<std::string> text_lines(const std::string& text, double width, double size, Label::Face face) {
  return wrap(text, [&](std::string_view line) { return text_width(line, size, face) <= width + 0.01; });
}

namespace {

std::vector<std::string> lines_of_paragraph(const std::string& text, double width, double size, Label::Face face) {
  constexpr double shortest_last = 0.25, narrowest = 0.6, step = 0.04;  // of the width
  std::vector<std::string> lines = text_lines(text, width, size, face);
  if (lines.size() < 2) return lines;
  for (double part = 1; part >= narrowest; part -= step) {
    std::vector<std::string> tried = text_lines(text, part * width, size, face);
    if (tried.size() != lines.size()) break;
    if (text_width(tried.back(), size, face) >= shortest_last * width) return tried;
  }
  return lines;
}

}  // namespace

std::vector<std::string> paragraph_lines(const std::string& text, double width, double size, Label::Face face) {
  std::vector<std::string> lines;
  for (const std::string& paragraph : wrap(text, 0)) {
    std::vector<std::string> more = lines_of_paragraph(paragraph, width, size, face);
    std::ranges::move(more, std::back_inserter(lines));
  }
  return lines;
}

namespace {

// How bad it is to end a line between two words: nothing after a phrase, little before a word that begins one; a number
// stays with what it counts, "3 stages", or names, "dimension 0", and a small word with what follows it, "is 0".
double cost_of_break(const std::string& word, const std::string& next) {
  constexpr std::array<std::string_view, 16> begins{"and", "of",  "from", "with",    "in",    "to", "at",      "where",
                                                    "by",  "but", "or",   "instead", "which", "→",  "between", "per"};
  constexpr std::array<std::string_view, 18> small{"x",  "between", "is", "are", "of",  "a",    "an", "the", "to",
                                                   "in", "from",    "at", "by",  "and", "with", "=",  "or",  "→"};
  if (std::string_view(";:,.").find(word.back()) != std::string_view::npos) return 0;
  if (std::ranges::find(small, word) != small.end()) return 8;
  const auto is_number = [](std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (next == "=" || next == "x" || is_number(word) || is_number(next)) return 8;
  return std::ranges::find(begins, next) != begins.end() ? 1 : 3;
}

}  // namespace

std::vector<std::string> phrase_lines(const std::string& text, double width, double size, Label::Face face) {
  std::vector<std::string> fewest = text_lines(text, width, size, face);
  constexpr std::size_t most_tried = 4;
  // A line much shorter than the others, "line 75:", is worse than a break between phrases.
  constexpr double stub = 0.35, cost_of_stub = 5;
  if (fewest.size() < 2 || fewest.size() > most_tried || text.find('\n') != std::string::npos) return fewest;
  const std::vector<std::string> words = wrap(text, 1);
  const double whole = text_width(text, size, face);
  double ideal = whole / static_cast<double>(fewest.size());
  struct Lines {
    double cost = std::numeric_limits<double>::infinity();
    std::vector<std::string> lines = {};
  };
  // The best way to put the words from `first` on into `count` lines.
  const std::function<Lines(std::size_t, std::size_t)> best = [&](std::size_t first, std::size_t count) {
    Lines found;
    std::string line;
    for (std::size_t end = first + 1; end <= words.size(); ++end) {
      line += (line.empty() ? "" : " ") + words[end - 1];
      const double is = text_width(line, size, face);
      if (is > width + 0.01) break;
      if ((count == 1) != (end == words.size())) continue;
      Lines rest = count == 1 ? Lines{0} : best(end, count - 1);
      rest.cost += 5 * (is > ideal ? is - ideal : ideal - is) / width;
      if (count > 1) rest.cost += cost_of_break(words[end - 1], words[end]);
      if (is < stub * ideal) rest.cost += cost_of_stub;
      if (rest.cost >= found.cost) continue;
      found = std::move(rest);
      found.lines.insert(found.lines.begin(), line);
    }
    return found;
  };
  // Rather one line more than a break inside "256 x 64".
  constexpr double bad_break = 8;
  Lines found = best(0, fewest.size());
  if (found.cost >= bad_break) {
    ideal = whole / static_cast<double>(fewest.size() + 1);
    if (Lines more = best(0, fewest.size() + 1); more.cost + bad_break / 2 < found.cost) found = std::move(more);
  }
  return found.lines.empty() ? fewest : found.lines;
}

}  // namespace swz

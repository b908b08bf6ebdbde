// SPDX-License-Identifier: Apache-2.0
#include "view/document/run.hpp"

#include <fmt/format.h>

#include "view/document/figure.hpp"

namespace swz {

Cuts every(int step, int end) {
  Cuts cuts;
  for (int i = 0; i < end; i += step) cuts.insert(i);
  return cuts;
}

void cut_out(Cuts& cuts, int first, int count) { cuts.insert({first, first + count}); }

std::vector<Run> runs_of(int end, const Cuts& cuts) {
  std::vector<Run> runs;
  int first = 0;
  for (const int cut : cuts) {
    if (cut <= first || cut >= end) continue;
    runs.push_back({first, cut - first});
    first = cut;
  }
  runs.push_back({first, end - first});
  return runs;
}

std::string text_of(const Run& run) { return range_text(run.first, run.count); }

std::vector<std::string> texts_of(const std::vector<Run>& runs) {
  std::vector<std::string> texts;
  for (const Run& run : runs) texts.push_back(text_of(run));
  return texts;
}

std::string named(std::string_view plural, const Run& run) {
  return fmt::format("{} {}", run.count == 1 ? plural.substr(0, plural.size() - 1) : plural, text_of(run));
}

}  // namespace swz

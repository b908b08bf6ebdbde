// SPDX-License-Identifier: Apache-2.0
// Runs: lanes, columns or rows that are drawn as one cell of a picture.
//
//   runs_of(8, {2, 6, 9})    0-1, 2-5, 6-7: cuts outside have no effect
//   named("lanes", {4, 1})   "lane 4"
//
// Invariant (tested): the runs follow each other without a gap, from 0 to the end.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

struct Run {
  int first = 0, count = 0;
  bool operator==(const Run&) const = default;
};

// The numbers before which a new run begins.
using Cuts = std::set<int>;
// The multiples of `step` below the end.
Cuts every(int step, int end);
// Adds the cuts that make these a run of their own.
void cut_out(Cuts& cuts, int first, int count = 1);

// The runs of [0, end) between the cuts.
std::vector<Run> runs_of(int end, const Cuts& cuts);

// "0-31", "4".
std::string text_of(const Run& run);
std::vector<std::string> texts_of(const std::vector<Run>& runs);
// "lanes 0-31", "lane 4".
std::string named(std::string_view plural, const Run& run);

}  // namespace swz

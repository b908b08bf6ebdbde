// SPDX-License-Identifier: Apache-2.0
// The lanes of one instruction that are served together, in their lines and banks, before and after their addresses are
// moved:
//
//   before: 32 wavefronts             after: 1 wavefront
//   byte\bank   0   …                 0   1   2  … 31
//   0x0         0!  no lane           0
//   0x80        1!                        1
//   …                                 …
//   0xf80      31!                                 31
//
// Of many lines the first eight and the last are drawn, and then of narrow banks those that these lines touch. Many
// banks that no lane touches are one column.
#pragma once

#include <optional>
#include <string>

#include "smem/access.hpp"
#include "view/document/document.hpp"

namespace swz {

// A group of lanes of an instruction that are served together; passes: its wavefronts.
struct ServedGroup {
  AccessPattern pattern;
  int group = 0, lanes = 0, passes = 1;

  int first_lane() const { return group * lanes; }
  int groups() const { return pattern.instruction->addresses / lanes; }
  // Its lanes have the addresses of one matrix.
  bool is_matrix() const { return pattern.instruction->is_matrix(); }
};

// What of an access the group is: "one of 4 matrices of ", "lanes 0-7 of "; empty for all of it.
std::string part_of_access(const ServedGroup& group);

// The group with the most passes.
ServedGroup worst_group_of(const AccessPattern& pattern);

struct MovedLanes {
  ServedGroup group;
  std::optional<AccessPattern> moved = {};  // the same lanes at other addresses; absent: one panel
  std::string before = "before", after = "after";
};

// is_whole: all lines and banks.
Figure moved_lanes_figure(const MovedLanes& lanes, bool is_whole = false);

}  // namespace swz

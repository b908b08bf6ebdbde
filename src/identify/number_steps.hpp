// SPDX-License-Identifier: Apache-2.0
// NumberSteps: the steps between neighbouring numbers of a dump, and what they suggest that it holds.
//
//   0 1 2 3 | 64 65 66 67 | 128 …     step 1, from 0 to 191: of a tile 3x4 it is 64 * row + k
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "identify/tile_content.hpp"

namespace swz {

class NumberSteps {
 public:
  // Numbers that lie side by side. `is_whole`: all of them, so that a line of them can be told from noise.
  void include(const std::vector<double>& numbers, bool is_whole);

  std::vector<TileContent> proposed(const DType& dtype, TileExtents extents, TileContent::As as) const;

 private:
  struct Range {
    std::int64_t votes = 0;
    double lowest = 0, highest = -1;
    void include(double n);
    bool is_empty() const { return highest < lowest; }
  };

  std::map<double, Range> steps_;
  Range all_;
};

}  // namespace swz

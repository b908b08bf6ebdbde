// SPDX-License-Identifier: Apache-2.0
// NumberSteps: the steps between neighbouring numbers of a dump, and the contents that they suggest.
//
//   0 1 2 3 | 64 65 66 67 | 128 …     step 1, from 0 to 191: for a tile 3x4 it is 64 * row + k
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "identify/tile_content.hpp"

namespace swz {

class NumberSteps {
 public:
  // Adds numbers that are next to each other. `is_whole` means that none is missing, so that a line of them is not
  // noise.
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

// SPDX-License-Identifier: Apache-2.0
// The way of one scale factor as a picture: global memory, the stage in shared memory, tensor memory after the copy, and
// the MMA that reads it, with arrows from each to the next.
//
//   row 200, factor 6:  byte 2698 → byte 1674 of the stage, in the tile of copy 3 → column 14, byte 2 → MMA 1, sf_id 0
#pragma once

#include <cstdint>
#include <string>

#include "tmem/scale_way.hpp"
#include "view/document/document.hpp"

namespace swz {

// row: of the whole operand. address: of the factor in shared memory. word: of the instruction descriptor.
struct FollowedFactor {
  ScaleWay::Stop stop;
  std::int64_t row = 0, kb = 0, address = 0;
  std::string word;
};

// Beside each other where there is room, otherwise below each other.
Sketch scale_way_sketch(const ScaleWay& way, const FollowedFactor& factor);

}  // namespace swz

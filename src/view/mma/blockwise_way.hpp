// SPDX-License-Identifier: Apache-2.0
// View of the way of fp32 scale factors to wgmma's accumulators: what `swz sf way --vec 128` answers.
#pragma once

#include <optional>

#include "scale/blockwise_way.hpp"
#include "view/document/document.hpp"

namespace swz {

struct BlockwiseWayView {
  BlockwiseTile tile;
  Bytes base = {};  // of the stage, in shared memory
  struct Element {
    std::int64_t row = 0, k = 0;
  };
  std::optional<Element> at = {};  // of the tile
};
// Throws Error as scale/blockwise_way.hpp does.
Document view_blockwise_way(const BlockwiseWayView& view);

}  // namespace swz

// SPDX-License-Identifier: Apache-2.0
// View of the way of scale factors to mma.sync: what `swz sf way --arch sm_120a` answers.
#pragma once

#include <optional>

#include "scale/warp_way.hpp"
#include "view/document/document.hpp"

namespace swz {

struct WarpScaleWayView {
  WarpScaleTile tile;
  Bytes base = {};                         // of the stage, in shared memory
  std::optional<ScaleCoordinate> at = {};  // a row and factor of the tile
};
// Throws Error as scale/warp_way.hpp does.
Document view_warp_scale_way(const WarpScaleWayView& view);

}  // namespace swz

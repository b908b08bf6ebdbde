// SPDX-License-Identifier: Apache-2.0
// View of the way of scale factors: what `swz sf way` answers.
#pragma once

#include <optional>
#include <string>

#include "tmem/scale_way.hpp"
#include "view/document/document.hpp"

namespace swz {

struct ScaleWayView {
  ScalePlacement placement;
  const Target* target = &sm_100a();  // of the instruction descriptor
  ScaleTile tile;
  Bytes base = {};                         // of the stage, in shared memory
  std::optional<ScaleCoordinate> at = {};  // a row of the CTA and a factor, from the tile's first
  std::string dtype_a = "", dtype_b = "";  // for the instruction descriptor
  std::string scale_type = "";
};
// Throws Error as tmem/scale_way.hpp does, and for types that the kind does not accept.
Document view_scale_way(const ScaleWayView& view);

}  // namespace swz

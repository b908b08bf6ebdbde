// SPDX-License-Identifier: Apache-2.0
// View of what bounds a tile: what `swz cost` answers. Cycles are rounded to whole ones; the picture is a bar of each
// part, to scale.
#pragma once

#include "pipeline/cost.hpp"
#include "view/document/document.hpp"

namespace swz {

// JSON: docs/json.md, cost. Throws Error if nothing of the tile has a known rate.
Document view_cost(const CostQuestion& question);

}  // namespace swz

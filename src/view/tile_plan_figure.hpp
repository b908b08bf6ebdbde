// The figure of a plan: the operand tile in global memory beside the lines of shared memory, each chunk in the
// colour of the copy that brings it.
#pragma once

#include "view/tile_plan.hpp"

namespace swz {

// `placed` is what the plan was made for.
Figure plan_figure(const TilePlan& plan, const PlacedOperand& placed, bool has_tips);

}  // namespace swz
